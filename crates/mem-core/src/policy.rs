use crate::Kind;
use serde::{Deserialize, Serialize};

/// What age does to the weight of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeDirection {
    /// Older counts less.
    Fades,
    /// Older counts more: what is still open becomes urgent.
    Grows,
    /// Age does not matter.
    Flat,
}

/// How memories of one kind live, rank and are injected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindPolicy {
    /// Days after the last change before it needs confirmation; none: never by itself.
    pub ttl_days: Option<u32>,
    /// What age does.
    pub time: TimeDirection,
    /// At most so many of the kind in one injection.
    pub quota: usize,
    /// Factor on the fused score, 1 is neutral.
    pub boost: f64,
}

/// The policy of every kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyTable {
    /// See [`Kind::User`].
    pub user: KindPolicy,
    /// See [`Kind::Feedback`].
    pub feedback: KindPolicy,
    /// See [`Kind::Project`].
    pub project: KindPolicy,
    /// See [`Kind::Reference`].
    pub reference: KindPolicy,
    /// See [`Kind::Fact`].
    pub fact: KindPolicy,
    /// See [`Kind::Decision`].
    pub decision: KindPolicy,
    /// See [`Kind::Todo`].
    pub todo: KindPolicy,
    /// See [`Kind::Correction`].
    pub correction: KindPolicy,
}

impl Default for PolicyTable {
    fn default() -> Self {
        use TimeDirection::{Fades, Flat, Grows};
        let policy = |ttl_days, time, quota, boost| KindPolicy { ttl_days, time, quota, boost };
        Self {
            user: policy(None, Flat, 2, 1.1),
            feedback: policy(None, Flat, 3, 1.15),
            project: policy(Some(90), Fades, 2, 1.0),
            reference: policy(Some(180), Fades, 2, 1.0),
            fact: policy(Some(90), Fades, 2, 1.0),
            decision: policy(Some(90), Fades, 3, 1.1),
            todo: policy(Some(90), Grows, 2, 1.0),
            correction: policy(None, Fades, 3, 1.2),
        }
    }
}

impl PolicyTable {
    /// The policy of one kind.
    pub const fn of(&self, kind: Kind) -> &KindPolicy {
        match kind {
            Kind::User => &self.user,
            Kind::Feedback => &self.feedback,
            Kind::Project => &self.project,
            Kind::Reference => &self.reference,
            Kind::Fact => &self.fact,
            Kind::Decision => &self.decision,
            Kind::Todo => &self.todo,
            Kind::Correction => &self.correction,
        }
    }
}
