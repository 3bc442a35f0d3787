use crate::{Kind, Memory, ProvenanceKind, Timestamp};
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
    /// How much a memory of the kind matters when nobody says, 0 to 1: standing rules before passing facts.
    pub importance: f64,
}

/// The policy of every kind. Read from a table, what is left out keeps its default; `ttl_days = 0` means never.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Partial")]
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

/// A policy as a person writes it: only what differs.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PartialPolicy {
    ttl_days: Option<u32>,
    time: Option<TimeDirection>,
    quota: Option<usize>,
    boost: Option<f64>,
    importance: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Partial {
    user: PartialPolicy,
    feedback: PartialPolicy,
    project: PartialPolicy,
    reference: PartialPolicy,
    fact: PartialPolicy,
    decision: PartialPolicy,
    todo: PartialPolicy,
    correction: PartialPolicy,
}

impl PartialPolicy {
    fn over(self, default: KindPolicy) -> KindPolicy {
        KindPolicy {
            ttl_days: self.ttl_days.map_or(default.ttl_days, |days| (days > 0).then_some(days)),
            time: self.time.unwrap_or(default.time),
            quota: self.quota.unwrap_or(default.quota),
            boost: self.boost.unwrap_or(default.boost),
            importance: self.importance.unwrap_or(default.importance),
        }
    }
}

impl From<Partial> for PolicyTable {
    fn from(partial: Partial) -> Self {
        let default = Self::default();
        Self {
            user: partial.user.over(default.user),
            feedback: partial.feedback.over(default.feedback),
            project: partial.project.over(default.project),
            reference: partial.reference.over(default.reference),
            fact: partial.fact.over(default.fact),
            decision: partial.decision.over(default.decision),
            todo: partial.todo.over(default.todo),
            correction: partial.correction.over(default.correction),
        }
    }
}

impl Default for PolicyTable {
    fn default() -> Self {
        use TimeDirection::{Fades, Flat, Grows};
        let policy = |ttl_days, time, quota, boost, importance| KindPolicy {
            ttl_days,
            time,
            quota,
            boost,
            importance,
        };
        Self {
            user: policy(None, Flat, 2, 1.0, 0.75),
            feedback: policy(None, Flat, 3, 1.02, 0.85),
            project: policy(Some(90), Fades, 2, 1.0, 0.6),
            reference: policy(Some(180), Fades, 2, 1.0, 0.55),
            fact: policy(Some(90), Fades, 2, 1.0, 0.55),
            decision: policy(Some(90), Fades, 3, 1.0, 0.75),
            todo: policy(Some(90), Grows, 2, 1.0, 0.65),
            correction: policy(None, Fades, 3, 1.05, 0.8),
        }
    }
}

impl PolicyTable {
    /// Days a memory holds after its last change or confirmation; none: until somebody changes it.
    ///
    /// Its own time to live comes first. Otherwise its kind's, but not for what is pinned, nor for what a person
    /// stated: that is theirs to take back. A decision needs its confirmation whoever took it.
    pub fn ttl_days(&self, memory: &Memory) -> Option<u32> {
        let stated = memory.provenance.kind == ProvenanceKind::User && memory.kind != Kind::Decision;
        let kinds = self.of(memory.kind).ttl_days.filter(|_| !stated);
        memory.ttl_days.or(kinds).filter(|_| !memory.pinned)
    }

    /// Whether a memory has outlived its [`PolicyTable::ttl_days`].
    pub fn outlived(&self, memory: &Memory, now: Timestamp) -> bool {
        let age = now.duration_since(memory.updated).as_secs_f64() / 86_400.0;
        self.ttl_days(memory).is_some_and(|days| age > f64::from(days))
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_names_only_what_differs() {
        let table: PolicyTable =
            serde_json::from_str(r#"{"fact": {"ttl_days": 10}, "todo": {"ttl_days": 0}}"#).unwrap();
        let default = PolicyTable::default();
        assert_eq!(table.fact, KindPolicy { ttl_days: Some(10), ..default.fact });
        assert_eq!(table.todo, KindPolicy { ttl_days: None, ..default.todo });
        assert_eq!(table.user, default.user);
        assert!(serde_json::from_str::<PolicyTable>(r#"{"fact": {"ttl": 10}}"#).is_err());
        assert_eq!(
            serde_json::from_str::<PolicyTable>(&serde_json::to_string(&default).unwrap()).unwrap(),
            default
        );
    }

    #[test]
    fn what_a_person_stated_outlives_its_kind_and_a_decision_does_not() {
        let table = PolicyTable::default();
        let now = Timestamp::from_second(200 * 86_400).unwrap();
        let old = |kind| Memory::new(kind, "x", Timestamp::UNIX_EPOCH);
        assert!(!table.outlived(&old(Kind::Fact), now) && table.outlived(&old(Kind::Decision), now));
        let inferred = Memory { provenance: ProvenanceKind::Conversation.into(), ..old(Kind::Fact) };
        assert!(table.outlived(&inferred, now));
        assert!(!table.outlived(&Memory { pinned: true, ..inferred }, now));
        let own = Memory { ttl_days: Some(7), ..old(Kind::Fact) };
        assert!(table.outlived(&own, now), "a time of its own counts whoever said it");
    }
}
