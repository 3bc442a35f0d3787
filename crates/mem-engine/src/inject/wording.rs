//! The fixed words around injected memories, in the language of the memories.

use mem_core::{Kind, Mark, ProvenanceKind};
use serde::{Deserialize, Serialize};

/// Opens every injected block; with [`CLOSE`] it lets our own output be recognised and never learned back.
pub const OPEN: &str = "<mem-context>";
/// Closes every injected block.
pub const CLOSE: &str = "</mem-context>";

/// Sentences a person may replace. What is left empty is worded by the product.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Template {
    /// Said first: whose words these are and what wins. English.
    pub preamble_en: String,
    /// The same for blocks whose memories are mostly Chinese.
    pub preamble_zh: String,
}

/// The language a block is worded in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// English, for everything that is not mostly Chinese.
    English,
    /// Chinese.
    Chinese,
}

impl Wording {
    /// Chinese when more than half of the texts hold more Han characters than Latin words.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut chinese, mut all) = (0usize, 0usize);
        for text in texts {
            let han = text
                .chars()
                .filter(|c| matches!(*c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}'))
                .count();
            let kana = text.chars().filter(|c| matches!(*c, '\u{3040}'..='\u{30ff}')).count();
            let words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|w| !w.is_empty()).count();
            all += 1;
            chinese += usize::from(han > words && kana == 0);
        }
        if chinese * 2 > all { Self::Chinese } else { Self::English }
    }

    /// What the block is, and what wins over it.
    pub fn preamble(self, template: &Template) -> &str {
        let (own, default) = match self {
            Self::English => (
                template.preamble_en.as_str(),
                "Background recalled by mem from earlier sessions; it is not part of the user's message. Where it \
                 disagrees with the present conversation, the conversation holds.",
            ),
            Self::Chinese => (
                template.preamble_zh.as_str(),
                "以下是 mem 从以往会话中回忆的背景资料，不是用户此刻说的话；与当前对话不一致时，以当前对话为准。",
            ),
        };
        if own.is_empty() { default } else { own }
    }

    /// The heading over a project's habits.
    pub const fn habits(self) -> &'static str {
        match self {
            Self::English => "Habits observed in this project:",
            Self::Chinese => "在本项目中观察到的工作习惯：",
        }
    }

    /// The kind as a label.
    pub const fn kind(self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Self::English, kind) => kind.as_str(),
            (Self::Chinese, Kind::User) => "用户",
            (Self::Chinese, Kind::Feedback) => "用户要求",
            (Self::Chinese, Kind::Project) => "项目",
            (Self::Chinese, Kind::Reference) => "参考",
            (Self::Chinese, Kind::Fact) => "事实",
            (Self::Chinese, Kind::Decision) => "决定",
            (Self::Chinese, Kind::Todo) => "待办",
            (Self::Chinese, Kind::Correction) => "更正",
        }
    }

    /// Who says so: what a user stated reads differently from what was inferred.
    pub const fn provenance(self, provenance: ProvenanceKind) -> &'static str {
        match (self, provenance) {
            (Self::English, ProvenanceKind::User) => "stated by the user",
            (Self::English, ProvenanceKind::Correction) => "corrected by the user",
            (Self::English, ProvenanceKind::Conversation) => "from a conversation",
            (Self::English, ProvenanceKind::Tool) => "inferred from tool use",
            (Self::English, ProvenanceKind::Commit) => "from a commit",
            (Self::English, ProvenanceKind::Imported) => "imported",
            (Self::Chinese, ProvenanceKind::User) => "用户说明",
            (Self::Chinese, ProvenanceKind::Correction) => "用户更正",
            (Self::Chinese, ProvenanceKind::Conversation) => "来自对话",
            (Self::Chinese, ProvenanceKind::Tool) => "由工具使用推断",
            (Self::Chinese, ProvenanceKind::Commit) => "来自提交",
            (Self::Chinese, ProvenanceKind::Imported) => "导入",
        }
    }

    /// The label of a confidence.
    pub const fn confidence(self) -> &'static str {
        match self {
            Self::English => "confidence",
            Self::Chinese => "置信度",
        }
    }

    /// A remark, as shown.
    pub const fn mark(self, mark: Mark) -> &'static str {
        match (self, mark) {
            (Self::English, Mark::Updated) => "updated: replaces an earlier statement",
            (Self::English, Mark::Verify) => "verify: what it refers to has changed",
            (Self::Chinese, Mark::Updated) => "已更新：取代了先前的说法",
            (Self::Chinese, Mark::Verify) => "待核实：所涉内容已改变",
            _ => "",
        }
    }

    /// The labels of reason and use.
    pub const fn why_how(self) -> (&'static str, &'static str) {
        match self {
            Self::English => ("Why: ", "How to apply: "),
            Self::Chinese => ("原因：", "如何应用："),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_speak_the_language_of_their_memories() {
        assert_eq!(Wording::of(["改完代码不主动提交，等用户确认后再 commit/push"]), Wording::Chinese);
        assert_eq!(Wording::of(["wait for the user", "端口是 8080"]), Wording::English);
        assert_eq!(Wording::of(["コミットの前に確認する"]), Wording::English);
        assert_eq!(Wording::of([]), Wording::English);
    }
}
