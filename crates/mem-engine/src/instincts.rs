//! What follows from the evidence of instincts: confidence, promotion, fading.

use crate::{Engine, Result};
use mem_core::{
    Evidence, EvidenceKind, Instinct, InstinctFilter, InstinctId, InstinctScope, InstinctStatus,
    ProjectFilter, ProjectId,
};

/// The key under which a project's instinct says that a global one speaks for it.
const PROMOTED: &str = "promoted_to";

impl Engine {
    pub(crate) fn known_instinct(&self, id: &InstinctId) -> Result<Option<Instinct>> {
        match self.store().instinct(id.as_str()) {
            Ok(instinct) if instinct.id == *id => Ok(Some(instinct)),
            Ok(_) | Err(mem_core::Error::NotFound { .. } | mem_core::Error::Ambiguous { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Recomputes what follows from the evidence.
    pub(crate) fn weigh(&self, instinct: &mut Instinct) -> Result<()> {
        let evidence = self.store().evidence(&instinct.id)?;
        let policy = self.confidence_policy();
        let state = policy.fold(&evidence);
        instinct.confidence = state.confidence;
        instinct.status = policy.status(&state);
        instinct.sessions = state.sessions;
        instinct.counts = state.counts;
        let notes: Vec<String> =
            evidence.iter().filter(|e| !e.note.is_empty()).map(|e| e.note.clone()).collect();
        let skip = notes.len().saturating_sub(self.config().learn.evidence_lines);
        instinct.evidence = notes.into_iter().skip(skip).collect();
        Ok(())
    }

    /// Makes habits seen in several projects global; with `id`, that one whatever its evidence.
    ///
    /// The global instinct takes over the evidence of every project, and collects it from then on.
    ///
    /// # Errors
    /// When the id fits none or several, or the store fails.
    pub fn promote(&self, id: Option<&str>) -> Result<Vec<Instinct>> {
        let every = InstinctFilter { projects: ProjectFilter::All, ..InstinctFilter::default() };
        let mut all = self.store().instincts(&every)?;
        all.retain(|instinct| !is_retired(instinct));
        let groups: Vec<Vec<InstinctId>> = match id {
            Some(id) => {
                let chosen = self.store().instinct(id)?;
                if chosen.scope == InstinctScope::Global {
                    return Ok(Vec::new());
                }
                let general = general_id(&chosen);
                vec![all.iter().filter(|i| general_id(i) == general).map(|i| i.id.clone()).collect()]
            }
            None => mem_evolve::promote(&all, &self.config().promotion)
                .into_iter()
                .map(|promotion| promotion.members.into_iter().map(|(_, id)| id).collect())
                .collect(),
        };
        let mut promoted = Vec::new();
        for group in groups {
            let members: Vec<&Instinct> =
                all.iter().filter(|i| i.scope == InstinctScope::Project && group.contains(&i.id)).collect();
            if let Some(global) = self.promote_group(&members)? {
                promoted.push(global);
            }
        }
        Ok(promoted)
    }

    fn promote_group(&self, members: &[&Instinct]) -> Result<Option<Instinct>> {
        let Some(best) = mem_evolve::representative(members.iter().copied()) else { return Ok(None) };
        let id = general_id(best);
        if self.store().instinct_was_forgotten(&id)? {
            return Ok(None);
        }
        let mut global = self.known_instinct(&id)?.unwrap_or_else(|| Instinct {
            id: id.clone(),
            scope: InstinctScope::Global,
            project: None,
            source: "promoted".to_owned(),
            created: members.iter().map(|i| i.created).min().unwrap_or(best.created),
            ..best.clone()
        });
        global.observed_at = members.iter().map(|i| i.observed_at).max().unwrap_or(best.observed_at);
        let mut evidence = Vec::new();
        for member in members {
            evidence.extend(self.store().evidence(&member.id)?);
        }
        evidence.sort_by_key(|item| item.at);
        self.store().put_instincts(std::slice::from_ref(&global))?;
        self.store().add_evidence(&id, &evidence)?;
        self.weigh(&mut global)?;
        let mut changed = vec![global.clone()];
        for member in members {
            let mut retired = (*member).clone();
            retired.extra.insert(PROMOTED.to_owned(), id.as_str().into());
            changed.push(retired);
        }
        self.store().put_instincts(&changed)?;
        Ok(Some(global))
    }

    /// Lets instincts that were not seen for long lose confidence. Returns how many did.
    pub(crate) fn fade(&self) -> Result<u64> {
        let now = self.now();
        let step = jiff::SignedDuration::from_hours(24 * i64::from(self.config().learn.dormant_days.max(1)));
        let mut faded = 0;
        for mut instinct in
            self.store().instincts(&InstinctFilter { projects: ProjectFilter::All, ..Default::default() })?
        {
            let evidence = self.store().evidence(&instinct.id)?;
            let last =
                evidence.iter().map(|e| e.at).max().unwrap_or(instinct.created).max(instinct.observed_at);
            if instinct.status == InstinctStatus::Deprecated || now.duration_since(last) < step {
                continue;
            }
            let dormant = Evidence {
                session: None,
                project: None,
                at: now,
                kind: EvidenceKind::Dormant,
                note: String::new(),
            };
            self.store().add_evidence(&instinct.id, std::slice::from_ref(&dormant))?;
            self.weigh(&mut instinct)?;
            self.store().put_instincts(std::slice::from_ref(&instinct))?;
            faded += 1;
        }
        Ok(faded)
    }

    /// Instincts that may be used: not deprecated, and none that a global one speaks for.
    pub(crate) fn live_instincts(&self, projects: ProjectFilter) -> Result<Vec<Instinct>> {
        let all = self.store().instincts(&InstinctFilter { projects, ..Default::default() })?;
        Ok(all.into_iter().filter(|i| i.status != InstinctStatus::Deprecated && !is_retired(i)).collect())
    }
}

/// Whether a global instinct speaks for this one of a project.
pub(crate) fn is_retired(instinct: &Instinct) -> bool {
    instinct.extra.contains_key(PROMOTED)
}

/// The id of a habit in one project: the habit's own, and six digits of the project's hash.
pub(crate) fn project_instinct_id(general: &InstinctId, project: &ProjectId) -> InstinctId {
    let hash = mem_store::fingerprint(project.as_str());
    let id = format!("{general}-{}", hash.get(..6).unwrap_or("000000"));
    InstinctId::new(id).unwrap_or_else(|_| general.clone())
}

/// The habit's own id, without the project's digits.
pub(crate) fn general_id(instinct: &Instinct) -> InstinctId {
    let id = instinct.id.as_str();
    let general = instinct.project.as_ref().and_then(|project| {
        let hash = mem_store::fingerprint(project.as_str());
        id.strip_suffix(hash.get(..6)?)?.strip_suffix('-')
    });
    general.and_then(|id| InstinctId::new(id).ok()).unwrap_or_else(|| instinct.id.clone())
}
