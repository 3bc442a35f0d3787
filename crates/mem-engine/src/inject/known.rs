//! What the host loads by itself need not be injected again.

use crate::inject::render::neutral;
use std::collections::HashSet;

/// Texts the agent already sees: `CLAUDE.md`, `MEMORY.md`, rules.
#[derive(Debug, Clone, Default)]
pub struct KnownText {
    /// All of it, folded, in one line.
    folded: String,
    /// The shingles of each line.
    lines: Vec<HashSet<String>>,
}

/// The share of a statement's tokens that one line must hold for it to count as said there.
const COVERED: f64 = 0.9;

impl KnownText {
    /// Reads texts; what they are called does not matter.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut known = Self::default();
        for text in texts {
            known.folded.push_str(&fold(text));
            known.folded.push('\n');
            known.lines.extend(text.lines().map(tokens).filter(|tokens| tokens.len() >= 3));
        }
        known
    }

    /// Whether a statement stands there: word for word, or nearly all of its words in one line.
    pub fn covers(&self, statement: &str) -> bool {
        let folded = fold(statement);
        if folded.is_empty() {
            return true;
        }
        if self.folded.contains(&folded) {
            return true;
        }
        let own = tokens(statement);
        own.len() >= 4
            && self.lines.iter().any(|line| {
                let shared = own.iter().filter(|token| line.contains(*token)).count();
                shared as f64 >= COVERED * own.len() as f64
            })
    }
}

/// One line, lower case, without Markdown's marks or closing punctuation.
fn fold(text: &str) -> String {
    let line = neutral(text).to_lowercase();
    let kept: String = line.chars().filter(|c| !matches!(c, '*' | '`' | '_' | '#')).collect();
    kept.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '。' | '!' | '！' | '-')).to_owned()
}

/// Words of letters and digits; of scripts written without spaces, pairs of characters.
fn tokens(text: &str) -> HashSet<String> {
    let lower = text.to_lowercase();
    let mut tokens = HashSet::new();
    let mut word = String::new();
    let mut previous: Option<char> = None;
    for c in lower.chars().chain([' ']) {
        let wide = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{0e00}'..='\u{0eff}');
        if wide || !c.is_alphanumeric() {
            if !word.is_empty() {
                tokens.insert(std::mem::take(&mut word));
            }
        } else {
            word.push(c);
        }
        if let (true, Some(before)) = (wide, previous) {
            tokens.insert([before, c].iter().collect());
        }
        previous = wide.then_some(c);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_the_host_loads_are_known_and_others_are_not() {
        let known = KnownText::new([
            "# Rules\n- **Never** commit before the user has confirmed the change.\n- Use pnpm, not npm\n",
            "- [提交](feedback_commit.md) - 改完代码不主动提交，等用户验证确认后再 commit/push\n",
        ]);
        assert!(known.covers("never commit before the user has confirmed the change"));
        assert!(known.covers("改完代码不主动提交，等用户验证确认后再 commit/push。"));
        assert!(known.covers("The user has confirmed: never commit before the change"));
        assert!(!known.covers("Use yarn, not npm"));
        assert!(!known.covers("提交信息使用中文书写"));
        assert!(!KnownText::default().covers("Ports come from the registry"));
    }
}
