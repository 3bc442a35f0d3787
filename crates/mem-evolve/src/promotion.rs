use crate::cluster::{cluster, precedence};
use crate::confidence::{from_grid, to_grid};
use crate::error::{Error, within};
use crate::similarity::{Signature, SimilarityConfig};
use crate::union_find::UnionFind;
use mem_core::{Counts, Instinct, InstinctId, InstinctScope, InstinctStatus, ProjectId, Unit};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// When a habit of several projects becomes one of all.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PromotionConfig {
    /// In at least so many projects.
    pub min_projects: usize,
    /// With at least this mean of the projects' confidences.
    pub min_mean: f64,
    /// When two wordings count as one habit.
    pub similarity: SimilarityConfig,
}

impl Default for PromotionConfig {
    fn default() -> Self {
        Self { min_projects: 2, min_mean: 0.8, similarity: SimilarityConfig::default() }
    }
}

impl PromotionConfig {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Setting`] for a mean outside `[0, 1]` or a threshold outside `(0, 1]`.
    pub fn validate(&self) -> Result<(), Error> {
        within("promotion.min_mean", self.min_mean, 0.0, 1.0, "a number between 0 and 1")?;
        self.similarity.validate()
    }
}

/// A habit that has earned to hold everywhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Promotion {
    /// The global instinct: words of the most confident, counts and sessions of all, the mean as confidence.
    pub instinct: Instinct,
    /// Where it was seen: each project with its instinct, by project and id. The first entries to retire.
    pub members: Vec<(ProjectId, InstinctId)>,
    /// Mean over the projects of each one's highest confidence.
    pub mean: Unit,
}

/// Finds habits of several projects: the same id, or wordings of one habit.
///
/// Takes project-scoped instincts of all projects that are not deprecated; global ones among the input mark what is
/// global already. A project counts once, with its most confident wording. Ordered by id of the promoted instinct.
pub fn promote(instincts: &[Instinct], config: &PromotionConfig) -> Vec<Promotion> {
    let usable: Vec<&Instinct> = instincts
        .iter()
        .filter(|i| i.status != InstinctStatus::Deprecated && !i.action.trim().is_empty())
        .filter(|i| i.scope == InstinctScope::Global || i.project.is_some())
        .collect();
    let signatures: Vec<Signature> = usable.iter().map(|i| Signature::new(&i.trigger, &i.action)).collect();
    let mut sets = UnionFind::new(usable.len());
    for group in cluster(&signatures, &config.similarity) {
        for pair in group.windows(2) {
            if let [a, b] = pair {
                sets.union(*a, *b);
            }
        }
    }
    let mut by_id: HashMap<&InstinctId, usize> = HashMap::new();
    for (i, instinct) in usable.iter().enumerate() {
        let first = *by_id.entry(&instinct.id).or_insert(i);
        sets.union(first, i);
    }
    let mut promotions: Vec<Promotion> = sets
        .components()
        .into_iter()
        .filter_map(|group| judge(group.iter().filter_map(|i| usable.get(*i).copied()).collect(), config))
        .collect();
    promotions.sort_by(|a, b| a.instinct.id.cmp(&b.instinct.id));
    promotions
}

fn judge(mut group: Vec<&Instinct>, config: &PromotionConfig) -> Option<Promotion> {
    if group.iter().any(|i| i.scope == InstinctScope::Global) {
        return None;
    }
    group.sort_by(|a, b| precedence(a, b));
    let mut best: BTreeMap<&ProjectId, i64> = BTreeMap::new();
    for instinct in &group {
        if let Some(project) = &instinct.project {
            // In order of precedence the first of a project is its most confident.
            best.entry(project).or_insert(to_grid(instinct.confidence.get()));
        }
    }
    let sum: i64 = best.values().sum();
    let projects = i64::try_from(best.len()).ok()?;
    if best.len() < config.min_projects.max(1) || sum < to_grid(config.min_mean).saturating_mul(projects) {
        return None;
    }
    let mean = from_grid(sum / projects);
    let mut instinct = (*group.first()?).clone();
    instinct.scope = InstinctScope::Global;
    instinct.project = None;
    instinct.confidence = mean;
    instinct.injected_since = None;
    instinct.counts = group.iter().fold(Counts::default(), |sum, i| sum.plus(i.counts));
    instinct.sessions = group.iter().fold(0_u32, |sum, i| sum.saturating_add(i.sessions));
    instinct.created = group.iter().map(|i| i.created).min()?;
    instinct.observed_at = group.iter().map(|i| i.observed_at).max()?;
    let mut members: Vec<(ProjectId, InstinctId)> =
        group.iter().filter_map(|i| Some((i.project.clone()?, i.id.clone()))).collect();
    members.sort();
    Some(Promotion { instinct, members, mean })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{instinct, of_project};

    type Found = (String, f64, Vec<(String, String)>);

    fn found(instincts: &[Instinct]) -> Vec<Found> {
        promote(instincts, &PromotionConfig::default())
            .into_iter()
            .map(|p| {
                let members = p.members.iter().map(|(p, i)| (p.to_string(), i.to_string())).collect();
                (p.instinct.id.to_string(), p.mean.get(), members)
            })
            .collect()
    }

    fn pair(a: &str, b: &str) -> (String, String) {
        (a.to_owned(), b.to_owned())
    }

    #[test]
    fn two_projects_and_a_mean_of_exactly_the_bound() {
        let a = of_project(instinct("zh", "x", "提交前", "先跑 cargo test", 0.75), "a");
        let b = of_project(instinct("en", "x", "before commit", "run cargo test", 0.85), "b");
        assert_eq!(
            found(&[a.clone(), b.clone()]),
            [("en".to_owned(), 0.8, vec![pair("a", "zh"), pair("b", "en")])]
        );
        let mut weak = a.clone();
        weak.confidence = Unit::saturating(0.74);
        assert!(found(&[weak, b.clone()]).is_empty());
        assert!(found(std::slice::from_ref(&b)).is_empty());
        let again = of_project(instinct("en-2", "x", "before a commit", "run cargo test", 0.85), "b");
        assert!(found(&[b.clone(), again]).is_empty());
        let mut deprecated = a.clone();
        deprecated.status = InstinctStatus::Deprecated;
        assert!(found(&[deprecated, b.clone()]).is_empty());
        let global = instinct("known", "x", "before commit", "run cargo test", 0.7);
        assert!(found(&[a, b, global]).is_empty());
    }

    #[test]
    fn the_same_id_is_the_same_habit_whatever_its_words() {
        let a = of_project(instinct("one", "x", "before alpha", "beta", 0.9), "a");
        let b = of_project(instinct("one", "x", "gamma", "delta", 0.8), "b");
        let promotions = promote(&[b, a], &PromotionConfig::default());
        assert_eq!(promotions.len(), 1);
        let promoted = &promotions[0].instinct;
        assert_eq!(
            (promoted.action.as_str(), promoted.confidence.get(), promoted.sessions),
            ("beta", 0.85, 2)
        );
        assert_eq!((promoted.scope, &promoted.project), (InstinctScope::Global, &None));
    }

    #[test]
    fn a_project_counts_once_with_its_best() {
        let all = [
            of_project(instinct("a1", "x", "before commit", "run cargo test", 0.9), "a"),
            of_project(instinct("a2", "x", "before committing", "run cargo test", 0.3), "a"),
            of_project(instinct("b1", "x", "before commit", "run the cargo test", 0.7), "b"),
        ];
        assert_eq!(found(&all)[0].1, 0.8);
    }
}
