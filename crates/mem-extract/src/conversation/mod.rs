//! Memories out of what was said: rules over the user's own words, in several languages, precision first.
//!
//! A prompt loses what the user did not write (wrappers, injected context, code, logs, quotations), is cut into
//! sentences, and each sentence may match one rule. Rules are anchored at the start of a sentence, after
//! filler; questions, hypotheticals and orders for the task at hand match none.
//!
//! ```
//! use mem_core::{Extractor, Kind, SessionId, Timestamp, Turn, TurnRole};
//! use mem_extract::conversation::RuleExtractor;
//!
//! let turn = Turn {
//!     role: TurnRole::User,
//!     text: "Fix the login. And let's go with SQLite because we need no server.".to_owned(),
//!     at: Timestamp::UNIX_EPOCH,
//!     session: SessionId::new("s")?,
//! };
//! let found = RuleExtractor::default().extract(&[turn])?;
//! assert_eq!((found[0].kind, found[0].why.as_deref()), (Kind::Decision, Some("we need no server")));
//! # Ok::<(), mem_core::Error>(())
//! ```

/// A list of words, several to a line.
macro_rules! words {
    ($($word:literal)*) => { &[$($word),*] };
}
pub(crate) use words;

mod chinese;
mod chinese_statements;
mod english;
mod english_words;
mod explicit;
mod gate;
mod other;
mod statements;
mod tags;
mod text;

#[cfg(test)]
mod statement_tests;
#[cfg(test)]
mod tests;

pub use text::language_of;

use mem_core::{Candidate, Extractor, Kind, Language, Turn, TurnRole, Unit};
use serde::{Deserialize, Serialize};
use text::{Sentence, sentences};

/// Limits and weights of the rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConversationConfig {
    /// Longest text of a candidate, in characters; explicit ones are cut, others dropped.
    pub max_chars: usize,
    /// A prompt longer than this, in characters, is mostly pasted: only explicit requests count in it.
    pub max_prompt_chars: usize,
    /// Longest proposal of the assistant, in characters, that a bare "do that" can adopt.
    pub max_proposal_chars: usize,
    /// Most labels of a candidate.
    pub max_tags: usize,
    /// Confidence of what the user asked to remember.
    pub explicit_confidence: f64,
    /// Confidence of a rule whose wording hardly means anything else.
    pub strong_confidence: f64,
    /// Confidence of a rule whose wording is less certain.
    pub fair_confidence: f64,
    /// Confidence of a statement that no rule proves; it waits for a yes.
    pub weak_confidence: f64,
    /// Taken off when the sentence leans on one before it ("it", "这个").
    pub pronoun_penalty: f64,
    /// Names of elements whose content `mem` injected itself.
    pub own_markers: Vec<String>,
}

impl Default for ConversationConfig {
    fn default() -> Self {
        Self {
            max_chars: 300,
            max_prompt_chars: 4000,
            max_proposal_chars: 200,
            max_tags: 6,
            explicit_confidence: 0.95,
            strong_confidence: 0.85,
            fair_confidence: 0.7,
            weak_confidence: 0.62,
            pronoun_penalty: 0.2,
            own_markers: vec!["mem-context".to_owned()],
        }
    }
}

/// How much a rule's wording proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strength {
    /// Hardly means anything else.
    Strong,
    /// Less certain, yet enough.
    Fair,
    /// Waits for a yes.
    Weak,
}

/// What a rule found in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) rule: &'static str,
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) why: Option<String>,
    pub(crate) strength: Strength,
    pub(crate) explicit: bool,
    pub(crate) global: bool,
}

/// What a sentence says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// Something worth keeping.
    Found(Match),
    /// "Remember this:", and what follows is meant; the first item where it stands on the same line.
    RememberNext(Option<String>),
    /// "That's wrong.", and what follows is meant.
    CorrectNext,
    /// "Yes, do that": the assistant's proposal is meant.
    Adopt,
    /// Nothing.
    Nothing,
}

/// Finds candidates by rules; asks no model and never fails.
#[derive(Debug, Clone, Default)]
pub struct RuleExtractor {
    config: ConversationConfig,
}

impl RuleExtractor {
    /// An extractor with these limits.
    pub fn new(config: ConversationConfig) -> Self {
        Self { config }
    }

    fn read_turn(&self, turn: &Turn, before: Option<&Turn>, out: &mut Vec<Candidate>) {
        let cleaned = crate::transcript::clean_prompt(&turn.text, &self.config.own_markers);
        let pasted = cleaned.chars().count() > self.config.max_prompt_chars;
        let list = sentences(&cleaned);
        // A text to work on, or an order with a list of demands, is not the user's own statement.
        let items = list.iter().filter(|s| s.bullet).count();
        let borrowed = gate::borrowed(&cleaned) || items >= 2 && list.iter().any(|s| !s.bullet);
        let mut at = 0;
        while let Some(sentence) = list.get(at) {
            at += 1;
            match classify(sentence) {
                Said::Found(found) if (!pasted && !borrowed) || found.explicit => {
                    let found = if found.explicit && found.text.is_empty() { continue } else { found };
                    self.push(found, turn, out);
                }
                Said::RememberNext(first) => {
                    if let Some(first) = &first {
                        self.push(remembered(first), turn, out);
                    }
                    let (items, next) = announced_items(&list, at, sentence);
                    if items.is_empty()
                        && first.is_none()
                        && let Some(said) = at.checked_sub(2).and_then(|before| list.get(before))
                        && !said.question
                        && !said.code
                    {
                        // "We are on Node 20. Please remember that."
                        self.push(remembered(&said.text), turn, out);
                    }
                    at = next;
                    for item in items {
                        self.push(remembered(&item), turn, out);
                    }
                }
                Said::CorrectNext if !pasted && !borrowed => {
                    if let Some(next) =
                        list.get(at).filter(|next| !next.question && next.paragraph == sentence.paragraph)
                    {
                        let said = classify(next);
                        let plain = matches!(said, Said::Nothing) && !is_order(next);
                        let correction = match said {
                            Said::Found(found) => {
                                Some(Match { kind: Kind::Correction, rule: "correction-next", ..found })
                            }
                            _ if plain && next.text.chars().count() >= 8 => Some(Match {
                                rule: "correction-next",
                                kind: Kind::Correction,
                                text: next.text.clone(),
                                why: None,
                                strength: Strength::Fair,
                                explicit: false,
                                global: false,
                            }),
                            _ => None,
                        };
                        if let Some(correction) = correction {
                            at += 1;
                            self.push(correction, turn, out);
                        }
                    }
                }
                Said::Adopt if !pasted => {
                    let proposal = before
                        .filter(|b| b.role == TurnRole::Assistant && b.session == turn.session)
                        .and_then(|b| proposal_of(&b.text, self.config.max_proposal_chars));
                    if let Some(proposal) = proposal {
                        self.push(proposal, turn, out);
                    }
                }
                _ => {}
            }
        }
    }

    fn push(&self, found: Match, turn: &Turn, out: &mut Vec<Candidate>) {
        let mut text = found.text.trim().trim_end_matches(['。', '；', ';', '，', ',']).trim().to_owned();
        let length = text.chars().count();
        if says_only_a_mark(&text) {
            return;
        }
        if length < 2 || (length > self.config.max_chars && !found.explicit) {
            return;
        }
        if length > self.config.max_chars {
            text = text
                .chars()
                .take(self.config.max_chars.saturating_sub(1))
                .collect::<String>()
                .trim_end()
                .to_owned()
                + "…";
        }
        let base = match (found.explicit, found.strength) {
            (true, _) => self.config.explicit_confidence,
            (_, Strength::Strong) => self.config.strong_confidence,
            (_, Strength::Fair) => self.config.fair_confidence,
            (_, Strength::Weak) => self.config.weak_confidence,
        };
        let leaning = text::leans(&text);
        let confidence = if leaning && !found.explicit { base - self.config.pronoun_penalty } else { base };
        let importance = match (found.explicit, found.kind) {
            (true, _) => 0.9,
            (_, Kind::Correction) => 0.85,
            (_, Kind::Decision) => 0.8,
            (_, Kind::User | Kind::Feedback) => 0.75,
            (_, Kind::Todo) => 0.65,
            _ => 0.6,
        };
        if let Some(at) = out.iter().position(|c| c.text == text && c.session == turn.session) {
            // Asked for after it was said.
            if !found.explicit || out.get(at).is_some_and(|c| c.explicit) {
                return;
            }
            out.remove(at);
        }
        let tags = tags::tags(&text, self.config.max_tags);
        let language = Language::new(language_of(&text));
        out.push(Candidate {
            kind: found.kind,
            text,
            why: found
                .why
                .map(|w| w.trim().trim_end_matches(['.', '。', '!', '！']).trim().to_owned())
                .filter(|w| !w.is_empty()),
            confidence: Unit::saturating(confidence),
            importance: Unit::saturating(importance),
            tags,
            language,
            explicit: found.explicit,
            global: found.global,
            source: format!("rule:{}", found.rule),
            session: turn.session.clone(),
            at: turn.at,
        });
    }
}

impl Extractor for RuleExtractor {
    fn extract(&self, turns: &[Turn]) -> mem_core::Result<Vec<Candidate>> {
        let mut out = Vec::new();
        for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.role == TurnRole::User) {
            let before = at.checked_sub(1).and_then(|before| turns.get(before));
            self.read_turn(turn, before, &mut out);
        }
        Ok(out)
    }
}

/// Whether all that a statement has to say was taken out by redaction: "the key is [REDACTED:…]".
fn says_only_a_mark(text: &str) -> bool {
    let Some((head, tail)) = text.split_once("[REDACTED:") else { return false };
    let after = tail.split_once(']').map_or("", |(_, rest)| rest);
    let open = head.trim_end_matches([' ', '`', '"', '\'']);
    let copula = [" is", " are", " =", "=", ":", "：", "是", "为", " ="].iter().any(|c| open.ends_with(c));
    (copula || open.chars().count() < 4) && after.chars().filter(|c| c.is_alphanumeric()).count() < 4
}

/// Whether a text holds a word of decision, preference, correction or memory: cheap, and true wherever a rule matches.
///
/// It says that asking the rules or a model is worth the while, not that something will be found.
pub fn signals(text: &str) -> bool {
    let lower = text.to_lowercase();
    let word = english_words::SIGNALS
        .iter()
        .chain(chinese::SIGNALS)
        .chain(other::SIGNALS)
        .any(|word| lower.contains(word));
    word || sentences(text).iter().any(|sentence| classify(sentence) != Said::Nothing)
}

/// What was asked to be remembered under an announcement, a line or a fenced block each, and the position after it.
///
/// It is the rest of the paragraph, or a list right after a blank line; a list ends with its last item.
fn announced_items(list: &[Sentence], from: usize, asked: &Sentence) -> (Vec<String>, usize) {
    let mut items: Vec<(usize, String)> = Vec::new();
    let mut at = from;
    let mut listed = false;
    let mut paragraph = asked.paragraph;
    while let Some(next) = list.get(at) {
        let opens = items.is_empty() && (next.bullet || next.code) && next.paragraph == asked.paragraph + 1;
        if opens {
            paragraph = next.paragraph;
        }
        if next.paragraph != paragraph || next.question || (listed && !next.bullet && next.line != asked.line)
        {
            break;
        }
        listed = listed || next.bullet;
        at += 1;
        let text = if next.line == asked.line { text::strip_bullet(&next.text) } else { &next.text };
        let joins = items.last().is_some_and(|(line, said)| {
            *line == next.line && next.line != asked.line
                || said.ends_with('`') && (text.starts_with("is ") || text.starts_with('是'))
        });
        match items.last_mut().filter(|_| joins) {
            Some((line, said)) => {
                let gap = match (said.ends_with('`'), text::has_han(said)) {
                    (true, _) => " ",
                    (_, true) => "。",
                    _ => ". ",
                };
                said.push_str(gap);
                said.push_str(text);
                *line = next.line;
            }
            None => items.push((next.line, text.to_owned())),
        }
    }
    (items.into_iter().map(|(_, text)| text).collect(), at)
}

fn explicit_request(text: &str) -> Option<Said> {
    let mended = explicit::mend_spelling(text);
    if text::has_han(&mended) {
        explicit::chinese(&mended).or_else(|| english::explicit(&mended))
    } else {
        english::explicit(&mended)
    }
}

fn classify(sentence: &Sentence) -> Said {
    if sentence.question || sentence.code {
        return Said::Nothing;
    }
    match other::classify(sentence) {
        Said::Nothing => {}
        said => return said,
    }
    if let Some(said) = explicit_request(&sentence.text) {
        return match said {
            Said::Found(found) if gate::is_small_talk(&found.text) => Said::Nothing,
            said => said,
        };
    }
    if gate::hinders(sentence) {
        return Said::Nothing;
    }
    if let Some(said) = statements::announced_decision(&sentence.text) {
        return said;
    }
    let lead = statements::without_lead(&sentence.text);
    let inner = Sentence { text: lead.to_owned(), ..sentence.clone() };
    match by_language(&inner) {
        Said::Nothing => statements::classify(&inner),
        said => said,
    }
}

fn by_language(sentence: &Sentence) -> Said {
    if text::has_han(&sentence.text) { chinese::classify(sentence) } else { english::classify(sentence) }
}

fn is_order(sentence: &Sentence) -> bool {
    english::is_order(&sentence.text) || chinese::is_order(&sentence.text)
}

/// What was asked to be remembered, of the kind its own words tell.
fn remembered(text: &str) -> Match {
    let text = text.trim().to_owned();
    let probe = Sentence::alone(&text);
    let inner = if text::has_han(&text) { chinese::classify(&probe) } else { english::classify(&probe) };
    match inner {
        Said::Found(inner) => Match { explicit: true, rule: "remember", text, ..inner },
        _ => {
            let order = !text::has_han(&text) && is_order(&probe);
            let kind = if order || english::is_rule(&text) || chinese::is_rule(&text) {
                Kind::Feedback
            } else {
                Kind::Fact
            };
            let global = english::is_personal(&text) || chinese::is_personal(&text);
            let kind = if global && kind == Kind::Fact { Kind::User } else { kind };
            Match {
                rule: "remember",
                kind,
                text,
                why: None,
                strength: Strength::Strong,
                explicit: true,
                global,
            }
        }
    }
}

/// The one sentence of the assistant's in which it proposes something; none when there are several or it is long.
fn proposal_of(text: &str, max_chars: usize) -> Option<Match> {
    let list = sentences(text);
    let mut proposals =
        list.iter().filter_map(|s| english::proposal(&s.text).or_else(|| chinese::proposal(&s.text)));
    let proposal = proposals.next()?;
    let short = if text::has_han(&proposal) {
        proposal.chars().count() < 3
    } else {
        proposal.split_whitespace().count() < 2
    };
    if proposals.next().is_some() || short || proposal.chars().count() > max_chars {
        return None;
    }
    let (text, why) =
        if text::has_han(&proposal) { chinese::split_why(&proposal) } else { english::split_why(&proposal) };
    Some(Match {
        rule: "adopted-proposal",
        kind: Kind::Decision,
        text,
        why,
        strength: Strength::Fair,
        explicit: false,
        global: false,
    })
}
