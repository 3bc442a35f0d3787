//! Which questions constants are tuned on, and which are reported.

use super::data::{Dataset, Question};
use clap::ValueEnum;

/// A part of the questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Split {
    /// Every question
    All,
    /// Those to tune on
    Tune,
    /// The rest
    Report,
}

/// Conversations of LoCoMo to tune on.
const TUNED: [&str; 3] = ["conv-26", "conv-30", "conv-41"];

impl Split {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Tune => "tune",
            Self::Report => "report",
        }
    }

    /// The questions of the part, in order.
    ///
    /// To tune: of `coding` those with an odd number in the id, of `locomo…` three conversations, of any other set the
    /// first half.
    pub(super) fn of(self, data: &Dataset) -> Vec<&Question> {
        let half = data.questions.len().div_ceil(2);
        let tune = |at: usize, question: &Question| {
            if data.name == "coding" {
                number(&question.id) % 2 == 1
            } else if data.name.starts_with("locomo") {
                question.group.as_deref().is_some_and(|group| TUNED.contains(&group))
            } else {
                at < half
            }
        };
        let part = |at: usize, question: &Question| match self {
            Self::All => true,
            Self::Tune => tune(at, question),
            Self::Report => !tune(at, question),
        };
        data.questions.iter().enumerate().filter(|(at, own)| part(*at, own)).map(|(_, own)| own).collect()
    }
}

/// The number an id ends with; 0 without one.
fn number(id: &str) -> u64 {
    let digits = id.len() - id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    id.get(id.len() - digits..).and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(name: &str, questions: &[(&str, &str)], split: Split) -> Vec<String> {
        let questions = questions.iter().map(|(id, group)| Question {
            id: (*id).to_owned(),
            group: Some((*group).to_owned()),
            ..Question::default()
        });
        let data = Dataset { name: name.to_owned(), documents: Vec::new(), questions: questions.collect() };
        split.of(&data).into_iter().map(|question| question.id.clone()).collect()
    }

    #[test]
    fn every_set_has_its_rule() {
        let questions =
            [("q1", "conv-26"), ("q2", "conv-30"), ("q3", "conv-47"), ("q10", "conv-41"), ("q", "x")];
        assert_eq!(ids("coding", &questions, Split::Tune), ["q1", "q3"]);
        assert_eq!(ids("locomo_turn", &questions, Split::Tune), ["q1", "q2", "q10"]);
        assert_eq!(ids("locomo_turn", &questions, Split::Report), ["q3", "q"]);
        assert_eq!(ids("other", &questions, Split::Tune), ["q1", "q2", "q3"]);
        assert_eq!(ids("other", &questions, Split::Report), ["q10", "q"]);
        assert_eq!(ids("other", &questions, Split::All).len(), 5);
    }
}
