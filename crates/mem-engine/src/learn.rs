//! From the journal to instincts and memories.

use crate::instincts::{general_id, project_instinct_id};
use crate::{Engine, NewMemory, Outcome, Result};
use mem_core::{
    Cursor, Evidence, EvidenceKind, Instinct, InstinctId, InstinctScope, InstinctStatus, JsonObject,
    Observation, Phase, ProjectFilter, ProjectId, SessionId, Timestamp, Turn, TurnRole,
};
use mem_extract::detect::{Finding, Standing};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How learning decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearnConfig {
    /// Days without its trigger after which an instinct loses confidence, and again after as many.
    pub dormant_days: u32,
    /// Days a session may pause and still be read as one.
    pub session_days: u32,
    /// Candidates below this confidence are dropped.
    pub candidate_floor: f64,
    /// Candidates below this importance stay in the journal only.
    pub importance_floor: f64,
    /// Candidates from this confidence on become memories at once; others wait for a yes.
    pub active_from: f64,
    /// Lines of evidence kept with an instinct for people to read.
    pub evidence_lines: usize,
    /// Sessions that each show a habit too seldom to found it, and together do.
    pub pending_sessions: usize,
    /// So many of the latest such sessions are remembered.
    pub pending_kept: usize,
}

impl Default for LearnConfig {
    fn default() -> Self {
        Self {
            dormant_days: 30,
            session_days: 7,
            candidate_floor: 0.6,
            importance_floor: 0.5,
            active_from: 0.7,
            evidence_lines: 8,
            pending_sessions: 2,
            pending_kept: 16,
        }
    }
}

/// What a round of learning did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Learned {
    /// Observations that were new.
    pub observations: u64,
    /// Lines of the journal that are none.
    pub skipped_lines: u64,
    /// Sessions they belong to.
    pub sessions: u64,
    /// Instincts found for the first time.
    pub new_instincts: u64,
    /// Instincts with new evidence.
    pub updated_instincts: u64,
    /// Candidates that wait for a yes.
    pub candidates: u64,
    /// Memories stored.
    pub memories: u64,
}

/// A session that may go on: where it began in the journal, and when it was last heard of.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct OpenSession {
    first: Cursor,
    last: Timestamp,
}

const CURSOR: &str = "learn.cursor";
const SESSIONS: &str = "learn.sessions";
/// Observations read at a time.
const BATCH: usize = 4_096;
/// Sessions held in memory at a time.
const GROUP: usize = 64;
/// What hosts that name no session get; nothing is learned across such calls.
const NAMELESS: &str = "unknown";

impl Engine {
    /// Learns from what the journal holds and was not yet learned; with `only`, from one session again.
    ///
    /// Running it twice is the same as once: a session has one vote, and known statements are not stored again.
    ///
    /// # Errors
    /// When the journal cannot be read or the store not be written; what was learned before that stays.
    pub fn learn(&self, only: Option<&SessionId>) -> Result<Learned> {
        let mut learned = Learned::default();
        let cursor = self.meta_json::<Cursor>(CURSOR)?.unwrap_or_default();
        let mut open: BTreeMap<SessionId, OpenSession> = self.meta_json(SESSIONS)?.unwrap_or_default();
        let mut touched: BTreeSet<SessionId> = BTreeSet::new();
        let mut prompted: BTreeSet<SessionId> = BTreeSet::new();

        // First pass: who said something new. Only places are kept.
        let start = if only.is_some() { Cursor::default() } else { cursor };
        let (mut at, mut end) = (start, start);
        loop {
            let batch = self.log().read(at, BATCH)?;
            let mut before = at;
            for (behind, observation) in &batch.observations {
                let first = std::mem::replace(&mut before, *behind);
                let session = &observation.session_id;
                if session.as_str() == NAMELESS || only.is_some_and(|only| only != session) {
                    continue;
                }
                if first >= cursor {
                    learned.observations += 1;
                }
                let entry =
                    open.entry(session.clone()).or_insert(OpenSession { first, last: observation.ts });
                entry.first = entry.first.min(first);
                entry.last = entry.last.max(observation.ts);
                touched.insert(session.clone());
                if observation.phase == Phase::Prompt {
                    prompted.insert(session.clone());
                }
            }
            learned.skipped_lines += batch.skipped;
            end = end.max(batch.next);
            if batch.next <= at {
                break;
            }
            at = batch.next;
        }
        if let Some(only) = only.filter(|_| touched.is_empty()) {
            return Err(mem_core::Error::NotFound { what: "session", id: only.to_string() }.into());
        }
        learned.sessions = touched.len() as u64;

        // Second pass: the touched sessions whole, a group at a time, in the order they began.
        let mut order: Vec<_> =
            touched.iter().filter_map(|id| open.get(id).map(|s| (s.first, id.clone()))).collect();
        order.sort();
        for group in order.chunks(GROUP) {
            let from = group.first().map(|(first, _)| *first).unwrap_or_default();
            let wanted: BTreeSet<&SessionId> = group.iter().map(|(_, id)| id).collect();
            let mut sessions: BTreeMap<SessionId, Vec<(Cursor, Observation)>> = BTreeMap::new();
            let mut at = from;
            while at < end {
                let batch = self.log().read(at, BATCH)?;
                for (behind, observation) in batch.observations {
                    if behind <= end && wanted.contains(&observation.session_id) {
                        sessions
                            .entry(observation.session_id.clone())
                            .or_default()
                            .push((behind, observation));
                    }
                }
                if batch.next <= at {
                    break;
                }
                at = batch.next;
            }
            for (_, id) in group {
                let Some(places) = sessions.remove(id) else { continue };
                // A replay of one session learns all of its words again; otherwise only those behind the cursor.
                let fresh = places
                    .iter()
                    .filter(|(behind, o)| (only.is_some() || *behind > cursor) && o.phase == Phase::Prompt)
                    .map(|(_, o)| o.ts)
                    .min();
                let observations: Vec<Observation> =
                    places.into_iter().map(|(_, observation)| observation).collect();
                self.learn_habits(id, &observations, &mut learned)?;
                if let (true, Some(since)) = (prompted.contains(id), fresh) {
                    self.learn_statements(id, &observations, since, &mut learned)?;
                }
            }
        }
        self.promote(None)?;

        if only.is_none() {
            let newest = open.values().map(|session| session.last).max().unwrap_or(Timestamp::MIN);
            let keep = jiff::SignedDuration::from_hours(24 * i64::from(self.config().learn.session_days));
            let now = self.now().max(newest);
            open.retain(|_, session| now.duration_since(session.last) <= keep);
            let sessions = serde_json::to_string(&open).unwrap_or_default();
            self.store().set_meta(&[(CURSOR, Some(&end.0.to_string())), (SESSIONS, Some(&sessions))])?;
        }
        self.follow();
        Ok(learned)
    }

    /// Turns what the detectors see in one session into evidence.
    fn learn_habits(
        &self,
        session: &SessionId,
        observations: &[Observation],
        learned: &mut Learned,
    ) -> Result<()> {
        let Some(project) = observations.iter().find_map(|o| o.project.clone()) else { return Ok(()) };
        let Some(began) = observations.iter().map(|o| o.ts).min() else { return Ok(()) };
        let ended = observations.iter().map(|o| o.ts).max().unwrap_or(began);
        let told: BTreeSet<String> =
            self.store().injections(session)?.into_iter().map(|injection| injection.item).collect();
        let mut known: Vec<InstinctId> =
            self.live_instincts(ProjectFilter::Within(project.clone()))?.iter().map(general_id).collect();
        known.sort();
        known.dedup();
        let detectors = mem_extract::detect::Detectors::new(self.config().detect.clone());
        for finding in detectors.run(observations, &known) {
            self.learn_finding(session, &project, began, ended, &told, finding, learned)?;
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "one finding with its whole place, called once")]
    fn learn_finding(
        &self,
        session: &SessionId,
        project: &ProjectId,
        began: Timestamp,
        ended: Timestamp,
        told: &BTreeSet<String>,
        finding: Finding,
        learned: &mut Learned,
    ) -> Result<()> {
        let own = project_instinct_id(&finding.id, project);
        // A habit that holds everywhere collects the evidence of every project.
        let known = match self.known_instinct(&finding.id)? {
            Some(global) => Some(global),
            None => self.known_instinct(&own)?,
        };
        let id = known.as_ref().map_or_else(|| own.clone(), |known| known.id.clone());
        let injected = told.contains(id.as_str())
            || known.as_ref().and_then(|known| known.injected_since).is_some_and(|since| since <= began);
        let evidence = Evidence {
            session: Some(session.clone()),
            project: Some(project.clone()),
            at: began,
            kind: EvidenceKind::Session { counts: finding.counts, injected },
            note: format!("{}: {}", began.strftime("%Y-%m-%d"), finding.note),
        };
        let fresh = known.is_none();
        let (mut instinct, proof) = match known {
            Some(known) => (known, vec![evidence]),
            None => {
                let forgotten = self.store().instinct_was_forgotten(&own)?
                    || self.store().instinct_was_forgotten(&finding.id)?;
                if forgotten {
                    return Ok(());
                }
                let Some(proof) = self.weigh_pending(&own, &finding, evidence)? else { return Ok(()) };
                let founded = Instinct {
                    id: id.clone(),
                    trigger: finding.trigger.clone(),
                    action: finding.action.clone(),
                    domain: finding.domain.clone(),
                    source: "session-observation".to_owned(),
                    confidence: mem_core::Unit::HALF,
                    status: InstinctStatus::Candidate,
                    scope: InstinctScope::Project,
                    project: Some(project.clone()),
                    counts: Default::default(),
                    sessions: 0,
                    created: proof.iter().map(|item| item.at).min().unwrap_or(began),
                    observed_at: ended,
                    injected_since: None,
                    evidence: Vec::new(),
                    extra: JsonObject::new(),
                };
                self.store().put_instincts(std::slice::from_ref(&founded))?;
                (founded, proof)
            }
        };
        let before = if fresh { Vec::new() } else { self.store().evidence(&id)? };
        if proof
            .iter()
            .all(|item| before.iter().any(|known| known.session == item.session && known.kind == item.kind))
        {
            return Ok(());
        }
        self.store().add_evidence(&id, &proof)?;
        if fresh {
            self.store().set_meta(&[(&pending_key(&own), None)])?;
        }
        instinct.observed_at = instinct.observed_at.max(ended);
        self.weigh(&mut instinct)?;
        self.store().put_instincts(std::slice::from_ref(&instinct))?;
        if fresh {
            learned.new_instincts += 1;
        } else {
            learned.updated_instincts += 1;
        }
        Ok(())
    }

    /// Keeps what speaks for a habit that is not founded yet, and gives all of it once it is enough: a session that
    /// shows the habit by itself, or several that each show it too seldom. Most sessions hold one commit.
    fn weigh_pending(
        &self,
        id: &InstinctId,
        finding: &Finding,
        evidence: Evidence,
    ) -> Result<Option<Vec<Evidence>>> {
        if finding.counts.hits == 0 {
            return Ok(None);
        }
        let key = pending_key(id);
        let mut pending: Vec<Evidence> = self.meta_json(&key)?.unwrap_or_default();
        pending.retain(|item| item.session != evidence.session);
        pending.push(evidence);
        pending.sort_by_key(|item| item.at);
        let counts = pending.iter().fold(mem_core::Counts::default(), |sum, item| match item.kind {
            EvidenceKind::Session { counts, .. } => sum.plus(counts),
            _ => sum,
        });
        let config = &self.config().learn;
        let several =
            pending.len() >= config.pending_sessions && counts.rate() >= self.config().detect.min_rate;
        if finding.standing == Standing::Shown || several {
            return Ok(Some(pending));
        }
        let skip = pending.len().saturating_sub(config.pending_kept);
        let kept = serde_json::to_string(&pending.split_off(skip)).unwrap_or_default();
        self.store().set_meta(&[(&key, Some(&kept))])?;
        Ok(None)
    }

    /// Extracts statements from what was said since a moment of one session.
    fn learn_statements(
        &self,
        session: &SessionId,
        observations: &[Observation],
        since: Timestamp,
        learned: &mut Learned,
    ) -> Result<()> {
        let project = observations.iter().find_map(|o| o.project.clone());
        let turns: Vec<Turn> = observations.iter().filter_map(|o| turn(session, o)).collect();
        let config = &self.config().learn;
        for candidate in self.extractor().extract(&turns)? {
            let explicit = candidate.explicit;
            if candidate.at < since
                || (candidate.confidence.get() < config.candidate_floor && !explicit)
                || (candidate.importance.get() < config.importance_floor && !explicit)
            {
                continue;
            }
            let fingerprint = mem_store::fingerprint(&candidate.text);
            if self.store().was_injected(&[fingerprint.as_str()])?.first() == Some(&true) {
                continue;
            }
            let active = explicit || candidate.confidence.get() >= config.active_from;
            let (memory, redacted) =
                self.compose(&NewMemory::from_candidate(&candidate, project.as_ref(), active))?;
            // What a person asks to remember in so many words they want back.
            if !explicit && self.store().was_forgotten(&memory)? {
                continue;
            }
            if self.admit(memory, redacted)?.outcome == Outcome::Created {
                if active {
                    learned.memories += 1;
                } else {
                    learned.candidates += 1;
                }
            }
        }
        Ok(())
    }
}

/// Where the evidence of a habit is kept that is not founded yet.
fn pending_key(id: &InstinctId) -> String {
    format!("learn.pending.{id}")
}

fn turn(session: &SessionId, observation: &Observation) -> Option<Turn> {
    if observation.agent_id.is_some() || observation.extra.contains_key(crate::replay::UNATTENDED) {
        return None;
    }
    let (role, text) = match observation.phase {
        Phase::Prompt => (TurnRole::User, observation.prompt()?),
        Phase::Stop => (TurnRole::Assistant, observation.input_str("last_assistant_message")?),
        _ => return None,
    };
    Some(Turn { role, text: text.to_owned(), at: observation.ts, session: session.clone() })
}
