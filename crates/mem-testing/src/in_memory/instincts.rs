use super::{InMemoryStore, memories::pick};
use mem_core::{
    Error, Evidence, Instinct, InstinctFilter, InstinctId, InstinctScope, InstinctStore, Result, Timestamp,
};
use std::mem::discriminant;

impl InstinctStore for InMemoryStore {
    fn put_instincts(&self, instincts: &[Instinct]) -> Result<()> {
        self.change(|state| {
            for (at, instinct) in instincts.iter().enumerate() {
                if instincts[..at].iter().any(|other| other.id == instinct.id) {
                    return Err(Error::invalid("every id once in a call", instinct.id.as_str()));
                }
                if (instinct.scope == InstinctScope::Global) != instinct.project.is_none() {
                    return Err(Error::invalid(
                        "an instinct that does not contradict itself",
                        instinct.id.as_str(),
                    ));
                }
                state.instincts.insert(instinct.id.clone(), instinct.clone());
            }
            Ok(())
        })
    }

    fn instinct(&self, id: &str) -> Result<Instinct> {
        let state = self.state();
        pick(state.instincts.values(), |instinct| instinct.id.as_str(), id, "instinct", "instincts").cloned()
    }

    fn instincts(&self, filter: &InstinctFilter) -> Result<Vec<Instinct>> {
        let state = self.state();
        let passing = state.instincts.values().filter(|instinct| {
            filter.projects.admits(instinct.project.as_ref())
                && (filter.statuses.is_empty() || filter.statuses.contains(&instinct.status))
                && filter.scope.is_none_or(|scope| scope == instinct.scope)
        });
        let mut all: Vec<_> = passing.cloned().collect();
        all.sort_by(|a, b| b.confidence.get().total_cmp(&a.confidence.get()).then_with(|| a.id.cmp(&b.id)));
        Ok(all)
    }

    fn add_evidence(&self, id: &InstinctId, evidence: &[Evidence]) -> Result<()> {
        let mut state = self.state();
        if !state.instincts.contains_key(id) {
            return Err(Error::NotFound { what: "instinct", id: id.to_string() });
        }
        let kept = state.evidence.entry(id.clone()).or_default();
        for piece in evidence {
            kept.retain(|other| {
                discriminant(&other.kind) != discriminant(&piece.kind)
                    || other.session != piece.session
                    || (piece.session.is_none() && other.at != piece.at)
            });
            kept.push(piece.clone());
        }
        Ok(())
    }

    fn evidence(&self, id: &InstinctId) -> Result<Vec<Evidence>> {
        let mut all = self.state().evidence.get(id).cloned().unwrap_or_default();
        all.sort_by_key(|piece| piece.at);
        Ok(all)
    }

    fn remove_instinct(&self, id: &InstinctId, _now: Timestamp) -> Result<()> {
        let mut state = self.state();
        if state.instincts.remove(id).is_none() {
            return Err(Error::NotFound { what: "instinct", id: id.to_string() });
        }
        state.evidence.remove(id);
        state.forgotten_instincts.insert(id.clone());
        Ok(())
    }

    fn instinct_was_forgotten(&self, id: &InstinctId) -> Result<bool> {
        Ok(self.state().forgotten_instincts.contains(id))
    }
}
