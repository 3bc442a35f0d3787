//! Small makers of values for this crate's tests.

use mem_core::{
    Counts, Evidence, EvidenceKind, Instinct, InstinctId, InstinctScope, InstinctStatus, JsonObject,
    ProjectId, SessionId, Timestamp, Unit,
};
use proptest::prelude::*;

pub(crate) fn evidence_of(session: u32, kind: EvidenceKind) -> Evidence {
    let of_session = matches!(kind, EvidenceKind::Session { .. });
    Evidence {
        session: of_session.then(|| SessionId::new(format!("s{session}")).expect("a short id")),
        project: None,
        at: Timestamp::UNIX_EPOCH,
        kind,
        note: String::new(),
    }
}

pub(crate) fn session(session: u32, hits: u64, opportunities: u64, injected: bool) -> Evidence {
    let counts = Counts { hits, opportunities, ..Counts::default() };
    evidence_of(session, EvidenceKind::Session { counts, injected })
}

pub(crate) fn dormant() -> Evidence {
    evidence_of(0, EvidenceKind::Dormant)
}

pub(crate) fn edited(confidence: f64) -> Evidence {
    evidence_of(0, EvidenceKind::Edited { confidence: Unit::saturating(confidence) })
}

pub(crate) fn imported(confidence: f64) -> Evidence {
    evidence_of(0, EvidenceKind::Imported { confidence: Unit::saturating(confidence) })
}

pub(crate) fn any_evidence(most: usize) -> impl Strategy<Value = Vec<Evidence>> {
    let one = prop_oneof![
        6 => (0_u64..6, 0_u64..8, any::<bool>()).prop_map(|(h, o, told)| session(1, h.min(o), o, told)),
        2 => Just(dormant()),
        1 => (0.0..=1.0_f64).prop_map(edited),
        1 => (0.0..=1.0_f64).prop_map(imported),
    ];
    proptest::collection::vec(one, 0..most)
}

/// A global, active instinct.
pub(crate) fn instinct(id: &str, domain: &str, trigger: &str, action: &str, confidence: f64) -> Instinct {
    Instinct {
        id: InstinctId::new(id).expect("a valid id"),
        trigger: trigger.to_owned(),
        action: action.to_owned(),
        domain: domain.to_owned(),
        source: "session-observation".to_owned(),
        confidence: Unit::saturating(confidence),
        status: InstinctStatus::Active,
        scope: InstinctScope::Global,
        project: None,
        counts: Counts::default(),
        sessions: 1,
        created: Timestamp::UNIX_EPOCH,
        observed_at: Timestamp::UNIX_EPOCH,
        injected_since: None,
        evidence: Vec::new(),
        extra: JsonObject::new(),
    }
}

pub(crate) fn of_project(mut instinct: Instinct, project: &str) -> Instinct {
    instinct.scope = InstinctScope::Project;
    instinct.project = Some(ProjectId::new(project).expect("a valid id"));
    instinct
}
