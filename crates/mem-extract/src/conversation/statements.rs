//! Statements told by the features of a whole sentence, where no anchored rule matched.

use super::english::word_in;
use super::text::{Sentence, after, has_han, language_of, skip_filler};
use super::{Match, Said, Strength, chinese, chinese_statements, english, english_words, gate, tags};
use mem_core::Kind;

/// Words before a statement that say nothing of it.
const LEADS: &[&str] = words![
    "heads up" "fyi" "one thing before we start" "one thing" "one more thing" "also" "context" "background"
    "note" "you keep forgetting" "you forgot again" "as i said" "as i told you" "how many times"
    "that's not how we do it here" "that's not how we do it" "for context" "quick note" "just so you know"
     "after the outage" "after the meeting" "important"
    "by the way" "btw" "note that" "please note that" "reminder" "update" "small thing" "ok so after the outage"
    "说了多少遍了" "说过多少遍了" "说过多少次了" "你又忘了" "你又忘记了" "上次会议定的" "上次说了" "会上定的" "之前讨论过了" "提醒你一下"
    "补充一下" "补充" "另外" "还有" "背景" "说明一下" "对了" "顺便说一下" "顺便" "注意" "我说过" "再说一遍" "再强调一遍"
];

/// The text without its lead-ins.
pub(crate) fn without_lead(text: &str) -> &str {
    skip_filler(text, LEADS)
}

pub(crate) fn classify(sentence: &Sentence) -> Said {
    let straight = sentence.text.replace('’', "'");

    let text = without_lead(straight.trim());
    if gate::hinders(&Sentence::alone(text)) {
        return Said::Nothing;
    }
    // The words below are English and Chinese.
    if !matches!(language_of(text), "en" | "zh") {
        return Said::Nothing;
    }
    let found = if has_han(text) { chinese_statements::of_chinese(text) } else { of_english(text) };
    found.unwrap_or(Said::Nothing)
}

/// Whether a later clause orders something done: "the docs are outdated, update them".
fn ends_in_order(low: &str) -> bool {
    const DONE_NOW: &[&str] = words![
        "add" "update" "make" "fix" "use it" "use that" "use them" "merge" "parse" "address" "change" "remove" "delete"
        "rename" "move" "look" "check" "rebase" "read" "run" "try" "please" "can you" "could you" "split" "look into"
        "find" "open" "see" "start" "only fix" "convert" "refactor" "implement" "help"
    ];
    !word_in(low, &["always", "never", "every", "don't", "before"])
        && [", ", "; ", " - ", " and then "].iter().any(|edge| {
            low.match_indices(edge).any(|(at, edge)| {
                low.get(at + edge.len()..)
                    .is_some_and(|rest| after(rest.trim_start_matches("so "), DONE_NOW).is_some())
            })
        })
}

/// Things of the moment, of which no fact is told.
const MOMENT_EN: &[&str] = words![
    "here is" "here's" "here are" "the response" "the output" "the screenshot" "the pr" "my branch" "the file is at"
    "the log is" "the error" "the query" "the stack trace" "the test takes" "these" "those" "now" "so" "then" "next"
    "the diff" "my code" "your" "the current" "we need" "the result" "the variable" "imagine" "the log says" "the spec" "the previous" "the tests pass" "we are close" "the endpoint takes" "the fixture" "their" ];
/// The text without words that are plain whole numbers.
fn without_numbers(text: &str) -> String {
    let plain = |word: &&str| !word.trim_matches([',', '.', ';']).chars().all(|c| c.is_ascii_digit());
    text.split_whitespace().filter(plain).collect::<Vec<_>>().join(" ")
}

/// "As agreed with Jonas: soft delete"; "上次会议定的：三期再做权限".
pub(crate) fn announced_decision(text: &str) -> Option<Said> {
    let (head, body) = text.split_once([':', '：']).or_else(|| text.split_once('，'))?;
    let low = head.to_ascii_lowercase();
    let agreed = after(&low, words!["as agreed" "final answer" "ok final answer" "after talking with" "after talking to" "after the discussion" "as discussed" "final decision" "verdict"])
        .is_some()
        || ["上次会议定的", "会上定的", "会议上定的", "上次定的", "之前定的", "方案定了", "商量好了", "讨论好了"].iter().any(|h| head.starts_with(h));
    let body = body.trim();
    let long = if has_han(text) { body.chars().count() >= 4 } else { !body.is_empty() };
    if !agreed || !long || gate::hinders(&Sentence::alone(text)) {
        return None;
    }
    Some(if has_han(text) {
        chinese::found("decision", Kind::Decision, text, Strength::Strong)
    } else {
        english::found("decision", Kind::Decision, text, Strength::Strong)
    })
}

/// Verbs of orders that begin a noun: "test data", "build agents".
const NOUNS: &[&str] = words![
    "test data" "test accounts" "test account" "test users" "test names" "build agents" "build machines" "build artifacts"
    "deploy key" "deploy keys" "commit messages" "review comments" "open issues" "search results" "read replicas"
];

/// Whether it has a value: a port, a version, a path, an address, an identifier.
pub(crate) fn has_value(text: &str) -> bool {
    let ascii =
        text.split(|c: char| c.is_whitespace() || !c.is_ascii() || matches!(c, ',' | '(' | ')' | '"'));
    ascii.map(|w| w.trim_matches(['.', ':', ';', '!', '\''])).any(|word| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let letters = word.chars().any(|c| c.is_ascii_alphabetic());
        let joined = word.contains(['/', '_', '\\', '`'])
            || word.get(1..).is_some_and(|w| w.contains(['.', ':', '-']));
        digits >= 2
            || digits >= 1 && (letters || joined || word.len() == 1)
            || word.len() >= 3 && letters && word.contains(['/', '_', '\\', '`', '@'])
            || word.ends_with('-') && word.len() >= 3
            || letters && word.trim_matches(':').contains(':')
    })
}

fn of_english(text: &str) -> Option<Said> {
    use english::{found, split_why};
    let text = skip_filler(text, english_words::FILLER);
    let low = text.to_ascii_lowercase();
    let words = low.split_whitespace().count();
    let rule_for = after(&low, &["when you", "whenever"]).is_some() && low.contains(',');
    let asks = after(&low, english_words::INTERROGATIVE).is_some() && !rule_for;
    let doubts =
        english_words::DOUBT.iter().any(|d| !matches!(*d, "for example" | "e.g.") && word_in(&low, &[d]));
    if words < 3 || asks || doubts {
        return (words == 3 && after(&low, &["call me"]).is_some())
            .then(|| found("about-user", Kind::User, text, Strength::Strong))
            .or_else(|| {
                after(&low, &["call me"])
                    .filter(|r| !r.trim().is_empty() && words <= 3)
                    .map(|_| found("about-user", Kind::User, text, Strength::Strong))
            });
    }
    let has = |list: &[&str]| word_in(&low, list);
    let starts = |list: &[&str]| after(&low, list).is_some();
    let trouble = has(english_words::TROUBLE) || has(gate::REPORT_EN) || has(&["unless it", "didn't work"]);
    let conditional = has(&["if we", "if you", "if i", "in case"]);
    // The person.
    if starts(words!["call me" "address me as"]) && words <= 5 && !has(&["when", "back", "later", "if"]) {
        return Some(found("about-user", Kind::User, text, Strength::Strong));
    }
    if starts(
        words!["answer me" "please answer" "answer" "reply" "please reply" "respond" "talk to me" "speak" "write to me" "keep answers" "please keep answers" "keep your answers" "keep the answers"],
    ) && has(
        words!["in german" "in english" "in chinese" "in french" "in spanish" "in japanese" "in korean" "in russian" "in italian" "in portuguese" "from now on" "short" "shorter" "brief" "concise" "under" "lines"],
    ) {
        return Some(global(found("answers", Kind::Feedback, text, Strength::Strong)));
    }
    if !trouble
        && (starts(
            words!["i use" "i work on" "i work with" "i work in" "i'm on" "i speak" "i don't speak" "i read" "i'm left-handed" "i write mostly" "i mostly write" "my shell is" "my editor is" "my laptop" "my machine is" "i'm colour-blind" "i'm colorblind" "i have little experience" "i'm a" "i'm an" "i am a" "i am an" "i am left with"],
        ))
        && !has(words!["it" "this" "that" "them" "bit lost" "lost" "tired" "confused" "these" "lunch"])
        && (!has(&["bit"]) || has(&["dev", "developer", "engineer", "beginner"]))
        && words >= 4
    {
        return Some(found("about-user", Kind::User, text, Strength::Strong));
    }
    if starts(&["explain"]) && has(&["things", "everything", "stuff"]) && !has(&["here", "this"]) {
        return Some(global(found("answers", Kind::Feedback, text, Strength::Strong)));
    }
    if starts(&["we're stuck on", "we are stuck on", "we're still on", "we stay on", "we're on"])
        && words >= 4
        && tags::technical(text) >= 1
    {
        return Some(found("fact", Kind::Fact, text, Strength::Strong));
    }
    if starts(&["i'd like", "i want"]) && has(&["always", "never", "every time"]) && !trouble {
        return Some(found("preference", Kind::Feedback, text, Strength::Strong));
    }
    // Open work.
    if has(&["remind me to", "remind me"]) {
        return Some(found("todo", Kind::Todo, text, Strength::Strong));
    }
    if starts(&["todo(", "we still owe", "i still owe", "still to do", "left to do"])
        || low.starts_with("todo")
    {
        let body =
            text.split_once(':').filter(|_| low.starts_with("todo")).map_or(text, |(_, rest)| rest.trim());
        return Some(found("todo", Kind::Todo, body, Strength::Strong));
    }
    if trouble && !has(&["always", "means", "never", "known"]) || conditional && !has(&["always", "never"]) {
        return None;
    }
    // Decisions.
    let decided = has(words![
        "we went with" "we picked" "we chose" "we settled on" "we've settled on" "we've decided" "we decided"
        "we've agreed" "we agreed" "we've chosen" "we opted for" "the team voted" "the team decided"
        "we bumped" "we vendored" "we switched from" "we switched to" "we moved from" "we moved to"
        "we migrated" "we replaced" "we dropped" "we won't support" "we will not support" "we won't use"
        "we no longer" "we've moved" "we've switched" "we've dropped" "we've replaced" "i've changed my mind" "i changed my mind" "changed my mind" "has been decided"
        "was decided" "is final" "it's going to be" "we are standardizing on" "we're standardizing on"
    ]) || starts(
        words!["as agreed" "final answer" "back to" "go back to" "no wait, we decided" "going back to"],
    ) && words >= 4
        || starts(&["let's settle on", "let's go back to", "switch back to"])
        || raw_final(text);
    if decided && words >= 4 {
        return Some(found("decision", Kind::Decision, text, Strength::Strong));
    }
    // People and what they answer for.
    let first = text.split_whitespace().next().unwrap_or_default();
    let name = first.chars().next().is_some_and(|c| c.is_uppercase())
        && first.chars().skip(1).all(|c| c.is_lowercase())
        && !matches!(
            first,
            "The"
                | "This"
                | "That"
                | "It"
                | "He"
                | "She"
                | "They"
                | "There"
                | "You"
                | "We"
                | "I"
                | "What"
                | "Who"
                | "Someone"
        );
    let early = low.split_whitespace().take(8).collect::<Vec<_>>().join(" ");
    if name
        && word_in(
            &early,
            words!["owns" "manages" "maintains" "handles" "is responsible for" "is the contact" "is our contact" "is in charge of" "is the owner" "approves" "takes care of" "is the one" "knows the"],
        )
        && !has(&["likes", "wants", "thinks"])
    {
        return Some(found("person", Kind::Fact, text, Strength::Strong));
    }
    // Rules.
    let order = after(&low, english_words::ORDERS).is_some() && !starts(NOUNS);
    let moment = ends_in_order(&low)
        || starts(MOMENT_EN)
        || low.contains("/tmp/")
        || has(&["outdated", "too slow", "below", "attached", "warning", "expected", "never mind"]);
    let every = starts(&["every", "each", "all"])
        && has(&["needs", "need", "has to", "have to", "must", "gets", "goes through", "should"]);
    let hard = has(words![
        "must never" "must not" "must stay" "has to be" "have to be" "hard rule" "not allowed" "don't ever"
        "dont ever" "do not ever" "no more than" "should never" "should always" "never from" "never call"
        "never edit" "under no circumstances" "at all times" "are forbidden" "is forbidden" "unless i ask"
        "unless i say so" "do not touch" "only ever" "may not" "nobody may" "no one may" "is mandatory" "are mandatory"
    ]) || low.ends_with(", always")
        || low.ends_with(", ever")
        || low.ends_with(", never")
        || low.contains(", always") && !order
        || low.contains(" never ") && !order && !low.starts_with("i ") && !has(&["i've never", "i never"]);
    if every
        || hard
            && (!order
                || low.starts_with("don't")
                || low.starts_with("do not")
                || has(&["don't ever", "dont ever", "unless i", "touch"])
                || low.ends_with("always")
                || low.ends_with("ever"))
    {
        return Some(found("standing-rule", Kind::Feedback, text, Strength::Strong));
    }
    if starts(words!["please stop" "stop"])
        && low.split_whitespace().any(|w| w.len() > 4 && (w.ends_with("ing")))
        && words >= 3
        && !has(&["it", "that", "this", "the server"])
    {
        return Some(found("standing-ban", Kind::Feedback, text, Strength::Strong));
    }
    if let Some(rest) = after(&low, words!["don't" "do not" "dont" "please don't"]) {
        let mut rest = rest.split_whitespace();
        let verb = rest.next().unwrap_or_default();
        let object = rest.next().unwrap_or_default();
        if matches!(
            verb,
            "explain" | "repeat" | "summarize" | "summarise" | "apologize" | "apologise" | "narrate"
        ) && words >= 4
            && !has(&["the code", "this", "yet"])
        {
            return Some(global(found("answers", Kind::Feedback, text, Strength::Strong)));
        }
        if verb == "use"
            && low.contains(", use ")
            && !matches!(object, "a" | "an" | "the" | "my" | "your" | "any")
        {
            return Some(found("correction-pair", Kind::Correction, text, Strength::Fair));
        }
        let general = matches!(
            verb,
            "add"
                | "use"
                | "touch"
                | "explain"
                | "write"
                | "create"
                | "import"
                | "mock"
                | "commit"
                | "put"
                | "log"
                | "reformat"
                | "format"
                | "repeat"
                | "include"
                | "generate"
                | "introduce"
                | "catch"
                | "leave"
                | "store"
        );
        let plural =
            object.len() >= 4 && object.ends_with('s') && !matches!(object, "this" | "the" | "tests")
                || object == "what";
        if general && plural {
            return Some(found("standing-ban", Kind::Feedback, text, Strength::Fair));
        }
        return (general && words >= 6 && !low.contains("only fix") && !has(&["it", "that one"]))
            .then(|| found("maybe-rule", Kind::Feedback, text, Strength::Weak));
    }
    if starts(&["prefer"]) && has(&["over", "to", "instead of", "rather than"])
        || starts(
            words!["keep the comments" "please keep commit messages" "keep commit messages" "keep comments" "keep functions" "keep lines" "keep commits" "keep tests"],
        )
        || starts(&[
            "for this repo",
            "for this project",
            "in this repo",
            "in this project",
            "in this codebase",
            "in our team",
            "in our repo",
        ]) && words >= 4
            && !has(&["can", "where", "want", "need to"])
        || starts(&[
            "when you write",
            "when you add",
            "when you change",
            "when you commit",
            "when you edit",
            "whenever you",
            "if you write",
        ]) && low.contains(',')
            && !has(&["done", "finished", "ready", "back", "tell me", "start"])
        || starts(&[
            "you should use",
            "you should write",
            "you must",
            "we must",
            "we always",
            "we never",
            "we only",
            "we don't",
            "we do not",
        ]) && words >= 4
            && !has(&["have time", "know", "it", "now"])
        || starts(&[
            "commit messages",
            "branches",
            "branch names",
            "commits",
            "test names",
            "prs",
            "tests",
            "comments",
            "pull requests",
            "migrations",
            "releases",
        ]) && has(&["follow", "are", "should", "go", "need", "start with", "get"])
            && !has(&["red", "green", "old", "slow"])
    {
        return Some(found("convention", Kind::Feedback, text, Strength::Fair));
    }
    // "use yarn here, not npm": technical names on a side.
    let pair = low.contains(" not ")
        || low.contains(" instead of ")
        || low.contains(" rather than ")
        || low.contains(", never ");
    if pair
        && starts(&["use", "please use", "it's", "you should use", "we use"])
        && (tags::technical(text) >= 1 || has(&["here"]) && words <= 6)
    {
        return Some(found("correction-pair", Kind::Correction, text, Strength::Strong));
    }
    // Facts with a value or a known thing.
    let subject = starts(
        words!["it" "this" "that" "you" "i" "there" "they" "he" "she" "yes" "no" "looks" "what" "make" "maybe" "try" "the function" "the method" "the diff" "now"],
    );
    let states = has(words![
        "is" "are" "runs on" "lives in" "live in" "listens on" "located" "called" "named" "means" "expires" "prefixed"
        "uses" "use" "runs" "run" "has" "have" "was removed" "requires" "require" "needs" "need" "takes" "allows"
        "supports" "points to" "ends" "happens" "happen" "stays" "cap" "breaks on" "goes to" "goes through"
    ]) || low.contains(": ") && has_value(text);
    if moment {
        return None;
    }
    if !order
        && !subject
        && states
        && !has(words!["should" "please" "want" "going to" "line" "update them" "so make" "first" "leave in"])
        && words >= 4
    {
        let ours = starts(words!["our" "we" "we're" "we've" "the prod" "the staging" "production" "prod"]);
        let names = tags::technical(text);
        // A bare number is a measure, unless it is of a limit or a port.
        let measure = !has_value(&without_numbers(text))
            && !has(
                words!["port" "ports" "limit" "max" "min" "timeout" "version" "at" "requires" "cap" "error" "node" "java" "python" "go" "rust" "in prod"],
            );
        let valued = has_value(text) && !measure;
        if valued
            && (names >= 1
                || ours
                || low.starts_with("the ")
                || low.starts_with("error ")
                || first.chars().all(|c| c.is_ascii_uppercase()))
            || ours && names >= 1
            || (split_why(text).1.is_some() || has(&["every", "always", "only"])) && ours
        {
            return Some(found("fact", Kind::Fact, text, Strength::Fair));
        }
        let placed = has(&[
            "are in",
            "is in",
            "go to",
            "go into",
            "goes to",
            "live in",
            "are stored in",
            "is hosted on",
            "are on",
        ]);
        let default = starts(&["the default", "the main branch"]) && has(&["is"]);
        let ours = ours && (has(&["returns", "return"]) && names >= 1 || placed);
        if valued || ours || default || placed && names >= 1 && low.starts_with("the ") {
            return Some(found("fact", Kind::Fact, text, Strength::Fair));
        }
    }
    // What declares and names something, yet proves nothing.
    let pronoun = has(&["it", "that", "this", "you", "them", "i'm", "i have", "i need", "me"]);
    let cue = has(
        words!["our" "we" "team" "not" "never" "always" "only" "must" "by" "prefer" "every" "no" "use" "keep"],
    ) || has_value(text)
        || tags::technical(text) >= 1;
    let declares = !order
        && !pronoun
        && !subject
        && words >= 4
        && !has(&["should", "please", "want", "today", "just", "went"]);
    (declares && cue).then(|| found("maybe", Kind::Fact, text, Strength::Weak))
}

fn raw_final(text: &str) -> bool {
    let low = text.to_ascii_lowercase();
    low.ends_with(" final") || low.ends_with("that's final")
}

pub(super) fn global(said: Said) -> Said {
    match said {
        Said::Found(found) => Said::Found(Match { global: true, ..found }),
        said => said,
    }
}
