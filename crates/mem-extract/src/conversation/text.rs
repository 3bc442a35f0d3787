//! Sentences the user wrote, without what was pasted.

/// One sentence of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// Its words, without list markers and a final full stop.
    pub(crate) text: String,
    /// Whether it ends in a question mark.
    pub(crate) question: bool,
    /// Number of the paragraph; a blank line begins another.
    pub(crate) paragraph: usize,
    /// Number of the line.
    pub(crate) line: usize,
    /// Whether its line is an item of a list.
    pub(crate) bullet: bool,
    /// Whether it is a short fenced block, in backticks: meant only after a request to remember.
    pub(crate) code: bool,
}

impl Sentence {
    /// A sentence that stands alone.
    pub(crate) fn alone(text: &str) -> Self {
        Self { text: text.to_owned(), question: false, paragraph: 0, line: 0, bullet: false, code: false }
    }
}

/// Most lines of a fenced block that is kept.
const MAX_CODE_LINES: usize = 5;

pub(crate) fn has_han(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}'))
}

fn has_kana(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}'))
}

fn has_hangul(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\u{ac00}'..='\u{d7af}'))
}

/// The language of a short text as a BCP 47 tag, by script and, for Latin letters, by telling words; `und` without letters.
pub fn language_of(text: &str) -> &'static str {
    if has_kana(text) {
        return "ja";
    }
    if has_hangul(text) {
        return "ko";
    }
    if has_han(text) {
        return "zh";
    }
    if text.chars().any(|c| matches!(c, '\u{0400}'..='\u{04ff}')) {
        return "ru";
    }
    if !text.chars().any(char::is_alphabetic) {
        return "und";
    }
    const WORDS: [(&str, &[&str]); 4] = [
        (
            "es",
            &[
                "el", "los", "las", "una", "que", "con", "para", "siempre", "usamos", "nunca", "está", "en",
                "del", "recuerda",
            ],
        ),
        (
            "fr",
            &[
                "le", "les", "des", "une", "est", "avec", "pour", "toujours", "nous", "jamais", "dans",
                "que", "du",
            ],
        ),
        (
            "de",
            &[
                "der", "die", "das", "und", "ist", "nicht", "mit", "immer", "wir", "ein", "auf", "dass",
                "nie", "den",
            ],
        ),
        (
            "pt",
            &["o", "os", "uma", "não", "com", "sempre", "usamos", "nunca", "que", "em", "do", "da", "você"],
        ),
    ];
    const ENGLISH: &[&str] = &[
        "the", "is", "and", "we", "to", "of", "for", "use", "in", "on", "it", "with", "not", "always",
        "never", "that", "my", "i", "our",
    ];
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let count = |list: &[&str]| words.iter().filter(|w| list.contains(w)).count();
    let english = count(ENGLISH);
    let best = WORDS
        .iter()
        .map(|(tag, list)| (count(list), *tag))
        .fold((0, "en"), |best, next| if next.0 > best.0 { next } else { best });
    if best.0 >= 2 && best.0 > english { best.1 } else { "en" }
}

/// Whether a sentence leans on one that is not there.
pub(crate) fn leans(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let first =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').find(|w| !w.is_empty()).unwrap_or_default();
    if matches!(
        first,
        "it" | "this" | "that" | "these" | "those" | "they" | "he" | "she" | "it's" | "that's" | "them"
    ) {
        return !lower.starts_with("this project")
            && !lower.starts_with("this repo")
            && !lower.starts_with("this codebase");
    }
    let words: Vec<&str> =
        lower.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    if words.len() <= 8
        && words.iter().any(|w| matches!(*w, "it" | "that" | "this" | "them"))
        && !lower.contains("this project")
        && !lower.contains("this codebase")
        && !lower.contains("this repo")
    {
        return true;
    }
    let own =
        ["这个项目", "这个仓库", "这个服务", "这个 service", "这套系统", "这个模块", "这个库", "本项目"];
    ["它", "这个", "那个", "这样", "那样", "这里", "那里", "他们"].iter().any(|p| text.starts_with(p))
        && !own.iter().any(|o| text.starts_with(o))
}

/// Cuts a prompt into sentences; quotations, logs, diffs, code lines and all but short fenced code are left out.
pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    let mut out = Vec::new();
    let mut fenced = false;
    let mut paragraph = 0;
    let mut trace = false;
    let mut code: Vec<&str> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            // A fence opened and closed on one line stays closed.
            if !(trimmed.len() > 3 && trimmed.get(3..).is_some_and(|rest| rest.contains("```"))) {
                fenced = !fenced;
                let block = std::mem::take(&mut code);
                if !fenced && (1..=MAX_CODE_LINES).contains(&block.len()) {
                    let text = format!("`{}`", block.join("; "));
                    out.push(Sentence {
                        question: false,
                        paragraph,
                        line: number,
                        bullet: false,
                        code: true,
                        text,
                    });
                }
            }
            continue;
        }
        if fenced {
            if !trimmed.is_empty() {
                code.push(trimmed);
            }
            continue;
        }
        if trimmed.is_empty() {
            paragraph += 1;
            trace = false;
            continue;
        }
        trace = trace || begins_trace(trimmed);
        if trace || is_noise(line) {
            continue;
        }
        let body = strip_bullet(trimmed);
        let bullet = body != trimmed && !trimmed.starts_with('#');
        split_line(body, (paragraph, number, bullet), &mut out);
    }
    out
}

fn begins_trace(line: &str) -> bool {
    [
        "Traceback (most",
        "diff --git",
        "thread '",
        "panicked at",
        "Stack trace",
        "stack backtrace",
        "Caused by:",
    ]
    .iter()
    .any(|b| line.starts_with(b))
        || line.contains("Exception in thread")
}

fn is_noise(line: &str) -> bool {
    let trimmed = line.trim();
    if line.starts_with("    ") || line.starts_with('\t') {
        return strip_bullet(trimmed) == trimmed;
    }
    let begins = [
        ">", "$ ", "+ ", "+++", "---", "@@", "at ", "File \"", "npm ERR!", "error[", "error:", "Error:",
        "warning:", "[ERROR", "[INFO", "[WARN", "[DEBUG", "INFO ", "WARN ", "ERROR ", "DEBUG ", "TRACE ",
        "import ", "from \"", "const ", "let mut ", "fn ", "pub ", "def ", "class ", "#include", "{", "}",
        "<", "//", "/*", "\"", "PS ", "|", "FAIL ", "PASS ", "✗", "✓", "❯", "“", "「", "『",
    ];
    if begins.iter().any(|b| trimmed.starts_with(b)) {
        return true;
    }
    if trimmed.ends_with(['{', '}'])
        || trimmed.ends_with(");")
        || (trimmed.ends_with(';') && trimmed.is_ascii())
    {
        return true;
    }
    // A line that begins with a date or a time of day is a log's.
    let digits = trimmed.trim_start_matches('[');
    let shape: String = digits.chars().take(8).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape.starts_with("0000-00-") || shape.starts_with("00:00:00") || shape.starts_with("0000/00/")
}

pub(crate) fn strip_bullet(line: &str) -> &str {
    let line = line.trim_start_matches('#').trim_start();
    for mark in ["- [ ] ", "* [ ] ", "- ", "* ", "• ", "· ", "+ "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return rest.trim_start();
        }
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    if (1..=2).contains(&digits) {
        for mark in [". ", ") ", "、", "．", "）"] {
            if let Some(rest) = line.get(digits..).and_then(|rest| rest.strip_prefix(mark)) {
                return rest.trim_start();
            }
        }
    }
    line
}

fn split_line(line: &str, (paragraph, number, bullet): (usize, usize, bool), out: &mut Vec<Sentence>) {
    let chars: Vec<(usize, char)> = line.char_indices().collect();
    let mut start = 0;
    let mut tick = false;
    let mut push = |from: usize, to: usize| {
        let raw = line.get(from..to).unwrap_or_default().trim();
        let question = raw.ends_with(['?', '？']);
        let text = raw.trim_end_matches(['.', '。', '!', '！', '?', '？', ';', '；', ' ', '~', '～']).trim();
        if text.chars().any(char::is_alphanumeric) {
            out.push(Sentence {
                text: text.to_owned(),
                question,
                paragraph,
                line: number,
                bullet,
                code: false,
            });
        }
    };
    for (n, (at, c)) in chars.iter().enumerate() {
        if *c == '`' {
            tick = !tick;
        }
        if tick {
            continue;
        }
        let next = chars.get(n + 1).map(|(_, c)| *c);
        let ends = match c {
            '。' | '！' | '？' | '；' => true,
            '!' | '?' => next.is_none_or(|n| !n.is_ascii_alphanumeric() && n != '=' && n != '.'),
            '.' => {
                next.is_none_or(char::is_whitespace) && {
                    let head = line.get(..*at).unwrap_or_default();
                    !["e.g", "i.e", "etc", "vs", "cf", "Mr", "Dr", "approx"].iter().any(|a| head.ends_with(a))
                }
            }
            _ => false,
        };
        if ends {
            let end = at + c.len_utf8();
            push(start, end);
            start = end;
        }
    }
    push(start, line.len());
}

/// The rest after one of the cues, when the text begins with it as a whole word; ASCII case is ignored.
pub(crate) fn after<'a>(text: &'a str, cues: &[&str]) -> Option<&'a str> {
    cues.iter().find_map(|cue| {
        let head = text.get(..cue.len())?;
        let rest = text.get(cue.len()..)?;
        let edge = !cue.ends_with(|c: char| c.is_ascii_alphanumeric())
            || rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
        (head.eq_ignore_ascii_case(cue) && edge).then_some(rest)
    })
}

/// Takes filler and its punctuation off the front, several times over.
pub(crate) fn skip_filler<'a>(text: &'a str, filler: &[&str]) -> &'a str {
    let mut text = text.trim();
    for _ in 0..4 {
        let Some(rest) = after(text, filler) else { break };
        let rest =
            rest.trim_start_matches([',', '，', ':', '：', '-', '–', '—', '、', '.', '!', '！', ' ', '。']);
        if rest.is_empty() {
            break;
        }
        text = rest;
    }
    text
}
