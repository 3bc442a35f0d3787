use crate::bridge::{self, Class, Concept};
use crate::error::{Error, within};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// When two wordings count as one habit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SimilarityConfig {
    /// The least Jaccard index of the tokens, above 0.
    pub jaccard: f64,
    /// Whether wordings that contradict each other stay apart whatever they share; see [`Signature::contradicts`].
    pub heed_contradictions: bool,
}

impl Default for SimilarityConfig {
    fn default() -> Self {
        Self { jaccard: 0.5, heed_contradictions: true }
    }
}

impl SimilarityConfig {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Setting`] for a threshold outside `(0, 1]`.
    pub fn validate(&self) -> Result<(), Error> {
        within("evolve.similarity.jaccard", self.jaccard, f64::MIN_POSITIVE, 1.0, "above 0 and at most 1")
    }
}

/// The tokens of a text: sorted, each once.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct TokenSet(Vec<String>);

impl TokenSet {
    /// The tokens in order.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none: then it is similar to nothing, itself included.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<S: Into<String>> FromIterator<S> for TokenSet {
    fn from_iter<I: IntoIterator<Item = S>>(tokens: I) -> Self {
        let set: BTreeSet<String> = tokens.into_iter().map(Into::into).collect();
        Self(set.into_iter().collect())
    }
}

/// The share of common tokens, `|A ∩ B| / |A ∪ B|` (Jaccard, 1901); 0 when both are empty.
pub fn jaccard(a: &TokenSet, b: &TokenSet) -> f64 {
    share(common(&a.0, &b.0), a.len(), b.len())
}

/// The index from counts: the one formula that every comparison here uses.
pub(crate) fn share(common: usize, a: usize, b: usize) -> f64 {
    let union = a + b - common;
    if union == 0 { 0.0 } else { common as f64 / union as f64 }
}

/// How many elements two ascending lists share.
pub(crate) fn common<T: Ord>(a: &[T], b: &[T]) -> usize {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut count = 0;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        let order = x.cmp(y);
        if order.is_le() {
            a.next();
        }
        if order.is_ge() {
            b.next();
        }
        count += usize::from(order.is_eq());
    }
    count
}

/// What one habit is compared by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Signature {
    tokens: TokenSet,
    trigger_acts: TokenSet,
    action_acts: TokenSet,
    action_content: TokenSet,
    rejected: TokenSet,
    order: TokenSet,
    trigger_tools: TokenSet,
    action_tools: TokenSet,
    extensions: TokenSet,
}

impl Signature {
    /// Reads a trigger and an action in any mixture of languages.
    ///
    /// - English: lower case, plural and `-ing`/`-ed` forms folded, words without content left out, everyday words
    ///   of development brought to one ("modify", "change": `edit`).
    /// - Identifiers and paths count whole and in parts: `user_id` gives `user_id`, `user`, `id`.
    /// - Chinese, and the common words of Japanese and Korean, are brought to the same tokens by a small table:
    ///   `提交前先跑 cargo test` and `run cargo test before commit` have the same tokens.
    /// - What remains in those scripts counts as one token a run where the text has at least two technical tokens,
    ///   and as bigrams where it has fewer: a text without any technical word still has tokens.
    pub fn new(trigger: &str, action: &str) -> Self {
        let trigger = read(trigger);
        let action = read(action);
        let bigrams = trigger.words.len() + action.words.len() < TECHNICAL_ENOUGH;
        let mut action_content = action.content;
        for run in &action.runs {
            remains(run, bigrams, &mut action_content);
        }
        let mut all: BTreeSet<String> = trigger.words.into_iter().chain(action.words).collect();
        for run in trigger.runs.iter().chain(&action.runs) {
            remains(run, bigrams, &mut all);
        }
        Self {
            tokens: all.into_iter().collect(),
            trigger_acts: trigger.acts.into_iter().collect(),
            action_acts: action.acts.into_iter().collect(),
            action_content: action_content.into_iter().collect(),
            rejected: action.rejected.into_iter().collect(),
            order: trigger.order.into_iter().collect(),
            trigger_tools: trigger.tools.into_iter().collect(),
            action_tools: action.tools.into_iter().collect(),
            extensions: trigger.extensions.into_iter().chain(action.extensions).collect(),
        }
    }

    /// The tokens of trigger and action together.
    pub fn tokens(&self) -> &TokenSet {
        &self.tokens
    }

    /// Whether two habits differ in a word that decides, however many others they share.
    ///
    /// They do when both name something of one sort and nothing in common: what happens in the trigger (a commit, a
    /// push), what is done (testing, building), before or after, the program called, the kind of file, or the whole
    /// of the action but for words such as "use". They do as well when one advises against something and the other
    /// does not, or against something else. "Before a commit run `cargo test`" and "before a push run
    /// `cargo test`" share four of six words and are two habits.
    pub fn contradicts(&self, other: &Self) -> bool {
        let apart = |a: &TokenSet, b: &TokenSet| !a.is_empty() && !b.is_empty() && common(&a.0, &b.0) == 0;
        apart(&self.trigger_acts, &other.trigger_acts)
            || apart(&self.action_acts, &other.action_acts)
            || apart(&self.action_content, &other.action_content)
            || self.rejected.is_empty() != other.rejected.is_empty()
            || apart(&self.rejected, &other.rejected)
            || apart(&self.order, &other.order)
            || apart(&self.trigger_tools, &other.trigger_tools)
            || apart(&self.action_tools, &other.action_tools)
            || apart(&self.extensions, &other.extensions)
    }

    /// Whether both are wordings of one habit.
    pub fn is_similar(&self, other: &Self, config: &SimilarityConfig) -> bool {
        let common = common(&self.tokens.0, &other.tokens.0);
        common > 0
            && share(common, self.tokens.len(), other.tokens.len()) >= config.jaccard
            && !(config.heed_contradictions && self.contradicts(other))
    }
}

/// The tokens of a text; those of [`Signature::new`] with the text as action.
pub fn tokens(text: &str) -> TokenSet {
    Signature::new("", text).tokens
}

/// From so many technical or bridged tokens on, the rest of a CJK text counts by run instead of by bigram.
const TECHNICAL_ENOUGH: usize = 2;

#[derive(Default)]
struct Parsed {
    words: BTreeSet<String>,
    content: BTreeSet<String>,
    /// The first word after each "not", "instead of", "不要": in all of these, what is advised against.
    rejected: BTreeSet<String>,
    negated: bool,
    acts: BTreeSet<String>,
    order: BTreeSet<String>,
    tools: BTreeSet<String>,
    extensions: BTreeSet<String>,
    runs: Vec<Vec<char>>,
}

impl Parsed {
    fn concept(&mut self, concept: Concept) {
        let token = concept.token.to_owned();
        match concept.class {
            Class::Stop => return,
            Class::Act => self.acts.insert(token.clone()),
            Class::Order => self.order.insert(token.clone()),
            Class::Tool => self.tools.insert(token.clone()),
            Class::Thing | Class::Weak => false,
        };
        if concept.token == "not" {
            self.negated = true;
        } else if !matches!(concept.class, Class::Order | Class::Weak) {
            self.content(token.clone());
        }
        self.words.insert(token);
    }

    fn content(&mut self, token: String) {
        if std::mem::take(&mut self.negated) {
            self.rejected.insert(token.clone());
        }
        self.content.insert(token);
    }

    fn word(&mut self, word: &str) {
        if let Some(concept) = bridge::latin(word) {
            self.concept(concept);
        } else if word.len() > 1 {
            // A single letter is the rest of a contraction or a placeholder.
            self.content(fold(word));
            self.words.insert(fold(word));
        }
    }

    /// A stretch of letters, digits and the marks that hold identifiers, paths and flags together.
    fn compound(&mut self, raw: &str) {
        let text = raw.trim_matches(|c: char| !c.is_alphanumeric());
        if text.is_empty() {
            return;
        }
        // `*.rs` and `.rs`, wherever the trimmed marks stood.
        if let Some((before, _)) = raw.split_once(text)
            && (before.ends_with("*.") || before == ".")
            && text.len() <= 8
        {
            self.extensions.insert(text.to_lowercase());
        }
        if !text.contains(|c: char| !c.is_alphanumeric()) && !has_hump(text) {
            self.word(&text.to_lowercase());
            return;
        }
        if text.contains(['_', '/', '.', ':', '\\', '@', '#']) || has_hump(text) {
            self.content(text.to_lowercase());
            self.words.insert(text.to_lowercase());
        }
        for part in parts(text) {
            self.word(&part);
        }
    }

    fn script(&mut self, run: &[char]) {
        let mut rest = run;
        let mut unknown = Vec::new();
        while let Some((first, tail)) = rest.split_first() {
            if let Some((concept, length)) = bridge::other(rest) {
                self.concept(concept);
                self.runs.push(std::mem::take(&mut unknown));
                rest = rest.get(length..).unwrap_or_default();
            } else {
                if std::mem::take(&mut self.negated) {
                    self.rejected.insert(first.to_string());
                }
                unknown.push(*first);
                rest = tail;
            }
        }
        self.runs.push(unknown);
        self.runs.retain(|run| !run.is_empty());
    }
}

fn read(text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut latin = String::new();
    let mut script = Vec::new();
    for c in text.chars().map(half_width) {
        let in_script = is_cjk(c);
        let in_latin = !in_script && (c.is_alphanumeric() || "_./\\:@#*-+".contains(c));
        if !in_latin && !latin.is_empty() {
            parsed.compound(&latin);
            latin.clear();
        }
        if !in_script && !script.is_empty() {
            parsed.script(&script);
            script.clear();
        }
        if in_latin {
            latin.push(c);
        } else if in_script {
            script.push(c);
        }
    }
    parsed.compound(&latin);
    parsed.script(&script);
    if parsed.negated {
        parsed.rejected.insert("not".to_owned());
    }
    parsed
}

fn remains(run: &[char], bigrams: bool, tokens: &mut BTreeSet<String>) {
    if bigrams && run.len() > 1 {
        tokens.extend(run.windows(2).map(|pair| pair.iter().collect::<String>()));
    } else if bigrams || run.len() > 1 {
        tokens.insert(run.iter().collect());
    }
}

/// Full-width ASCII, as input methods type it, in its usual form.
fn half_width(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        other => other,
    }
}

/// Han, kana and Hangul: written without spaces, or with endings that spaces do not part.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3005}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}')
}

fn has_hump(text: &str) -> bool {
    text.chars().zip(text.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase())
}

/// The parts of an identifier or path, lower case: at marks, and where a capital follows a small letter.
pub(crate) fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut last = ' ';
    for c in text.chars() {
        let boundary = !c.is_alphanumeric() || (last.is_lowercase() && c.is_uppercase());
        if boundary && parts.last().is_some_and(|part| !part.is_empty()) {
            parts.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(part) = parts.last_mut()
        {
            part.extend(c.to_lowercase());
        }
        last = c;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// A light stem of a lower-case English word: plural, `-ing`, `-ed` and a final `e` go. Other words stay.
pub(crate) fn fold(word: &str) -> String {
    if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let mut stem = word;
    let mut ended = false;
    if let Some(base) = word.strip_suffix("ies").or_else(|| word.strip_suffix("ied")) {
        if base.len() > 1 {
            return format!("{base}y");
        }
    } else if let Some(base) = ["sses", "xes", "ches", "shes", "zzes"]
        .iter()
        .find_map(|end| word.ends_with(end).then(|| word.strip_suffix("es")))
        .flatten()
    {
        stem = base;
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        stem = word.strip_suffix('s').unwrap_or(word);
    } else if let Some(base) = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed"))
        && base.len() > 2
        && base.contains(['a', 'e', 'i', 'o', 'u', 'y'])
    {
        stem = base;
        ended = true;
    }
    if ended {
        let mut letters = stem.chars().rev();
        if let (Some(a), Some(b)) = (letters.next(), letters.next())
            && a == b
            && !"aeioulsz".contains(a)
        {
            stem = stem.strip_suffix(a).unwrap_or(stem);
        }
    }
    if stem.len() > 3 {
        stem = stem.strip_suffix('e').unwrap_or(stem);
    }
    stem.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(text: &str) -> Vec<String> {
        tokens(text).0
    }

    fn index(a: (&str, &str), b: (&str, &str)) -> (f64, bool) {
        let (a, b) = (Signature::new(a.0, a.1), Signature::new(b.0, b.1));
        (jaccard(a.tokens(), b.tokens()), a.is_similar(&b, &SimilarityConfig::default()))
    }

    #[test]
    fn english_words_are_folded_and_fillers_dropped() {
        assert_eq!(
            set("Always run the tests, after editing files!"),
            ["after", "edit", "file", "run", "test"]
        );
        assert_eq!(set("Committing classes of statuses"), ["class", "commit", "status"]);
        assert_eq!(set("when you should be"), Vec::<String>::new());
    }

    #[test]
    fn identifiers_count_whole_and_in_parts() {
        assert_eq!(set("`user_id`"), ["id", "user", "user_id"]);
        assert_eq!(set("parseHttpHeader"), ["header", "http", "pars", "parsehttpheader"]);
        assert_eq!(set("src/lib.rs"), ["lib", "rust", "src", "src/lib.rs"]);
        assert_eq!(set("rustup --version"), ["rustup", "version"]);
    }

    #[test]
    fn chinese_and_english_wordings_of_one_habit_meet() {
        for (zh, en) in [
            (("提交前", "先跑 cargo test"), ("before commit", "run cargo test")),
            (("", "提交前先跑 cargo test"), ("", "run cargo test before commit")),
            (("编辑 *.rs 文件之前", "先读取该文件"), ("before editing a `*.rs` file", "read the file first")),
            (
                ("修改 Rust 代码之后", "运行 cargo clippy 检查"),
                ("after changing Rust code", "run cargo clippy to check"),
            ),
            (
                ("安装依赖时", "不要用 npm，用 pnpm"),
                ("when installing dependencies", "use pnpm instead of npm"),
            ),
            (("安装依赖时", "使用 pnpm，不要用 npm"), ("when installing dependencies", "use pnpm, not npm")),
            (
                ("执行 git commit 之前", "检查 git status 和 git diff"),
                ("before a git commit", "check git status and git diff"),
            ),
            (("測試失敗後", "查看日誌"), ("after a test failure", "read the log")),
            (
                ("编辑文件前", "先用 Grep/Glob 搜索，再读取"),
                ("before editing a file", "search with Grep or Glob, then read it"),
            ),
            (
                ("`cargo test` 失败时", "修复原因后重新运行"),
                ("when `cargo test` fails", "fix the cause and run it again"),
            ),
            (
                ("发布前", "先在 staging 上跑 smoke 脚本"),
                ("before a release", "run the smoke script on staging first"),
            ),
            (("コミット前に", "cargo fmt を実行"), ("before committing", "run cargo fmt")),
        ] {
            let (j, same) = index(zh, en);
            assert!(
                j >= 0.5 && same,
                "{zh:?} {en:?} {j} {same} {:?} {:?}",
                Signature::new(zh.0, zh.1),
                Signature::new(en.0, en.1)
            );
        }
    }

    #[test]
    fn two_habits_around_one_command_stay_apart() {
        for (a, b) in [
            (("before commit", "run cargo test"), ("after editing a Rust file", "run cargo test")),
            (("before commit", "run cargo test"), ("before push", "run cargo test")),
            (("提交前", "先跑 cargo test"), ("升级依赖之后", "跑 cargo test")),
            (("提交前", "先跑 cargo test"), ("before pushing", "run cargo test")),
            (("before commit", "run cargo test"), ("after commit", "run cargo test")),
            (("before commit", "run cargo build"), ("before commit", "run cargo test")),
            (("before commit", "run pnpm test"), ("before commit", "run cargo test")),
            (
                ("before editing a *.rs file", "read the file"),
                ("before editing a *.ts file", "read the file"),
            ),
            (("before git commit", "run git status and git diff"), ("before git commit", "run cargo test")),
            (
                ("when writing Python", "use ruff instead of black"),
                ("when writing Python", "use black instead of ruff"),
            ),
            (
                ("安装依赖时", "不要用 npm，用 pnpm"),
                ("when installing dependencies", "use npm instead of pnpm"),
            ),
            (("after a review", "push to main"), ("after a review", "never push to main")),
            (("when writing Python", "use ruff"), ("when writing Python", "use black")),
            (
                ("before the first use of cargo", "check cargo --version"),
                ("before the first use of pnpm", "check pnpm --version"),
            ),
            (("写接口时", "先写文档"), ("写接口时", "加上日志")),
        ] {
            let (j, same) = index(a, b);
            assert!(!same, "{a:?} {b:?} {j}");
            let (j, same) = index(b, a);
            assert!(!same, "{b:?} {a:?} {j}");
        }
    }

    #[test]
    fn text_without_a_technical_word_has_bigrams() {
        assert_eq!(set("晨会纪要"), ["会纪", "晨会", "纪要"]);
        assert!(index(("晨会纪要", "署名并归档"), ("晨会纪要", "署名归档")).1);
        assert!(!index(("晨会纪要", "署名归档"), ("季度总结", "附上图表")).1);
        assert_eq!(set("虎"), ["虎"]);
    }

    #[test]
    fn empty_sets_are_similar_to_nothing() {
        let empty = Signature::new("when", "the …");
        assert!(empty.tokens().is_empty());
        assert_eq!(jaccard(empty.tokens(), empty.tokens()), 0.0);
        assert!(!empty.is_similar(&empty, &SimilarityConfig::default()));
    }

    #[test]
    fn full_width_letters_are_letters() {
        assert_eq!(set("ｃａｒｇｏ　ｔｅｓｔ"), set("cargo test"));
    }

    #[test]
    fn other_scripts_with_spaces_are_words() {
        assert_eq!(set("Запускай тесты"), ["запускай", "тесты"]);
        assert_eq!(set("exécuter"), ["exécuter"]);
    }

    proptest! {
        #[test]
        fn any_text_is_read(trigger in any::<String>(), action in "\\PC{0,40}|[提交前先跑a-z._/ ]{0,30}") {
            let signature = Signature::new(&trigger, &action);
            prop_assert!(signature.tokens().0.is_sorted());
            prop_assert!(signature.tokens().0.iter().all(|token| !token.is_empty()));
            prop_assert!(!signature.contradicts(&signature));
            let own = jaccard(signature.tokens(), signature.tokens());
            prop_assert_eq!(own, if signature.tokens().is_empty() { 0.0 } else { 1.0 });
        }

        #[test]
        fn the_index_agrees_with_sets(
            a in proptest::collection::btree_set(0_u8..20, 0..12),
            b in proptest::collection::btree_set(0_u8..20, 0..12),
        ) {
            let of = |set: &BTreeSet<u8>| set.iter().map(u8::to_string).collect::<TokenSet>();
            let union = a.union(&b).count();
            let expected = if union == 0 { 0.0 } else { a.intersection(&b).count() as f64 / union as f64 };
            prop_assert_eq!(jaccard(&of(&a), &of(&b)), expected);
            prop_assert_eq!(jaccard(&of(&b), &of(&a)), expected);
        }
    }
}
