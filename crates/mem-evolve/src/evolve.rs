use crate::cluster::{cluster, precedence};
use crate::error::{Error, within};
use crate::similarity::{Signature, SimilarityConfig};
use mem_core::{Instinct, InstinctId, InstinctScope, InstinctStatus, ProjectId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What takes part in evolution, and when two are one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvolveConfig {
    /// The least confidence.
    pub min_confidence: f64,
    /// When two wordings count as one habit.
    pub similarity: SimilarityConfig,
}

impl Default for EvolveConfig {
    fn default() -> Self {
        Self { min_confidence: 0.7, similarity: SimilarityConfig::default() }
    }
}

impl EvolveConfig {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Setting`] for a confidence outside `[0, 1]` or a threshold outside `(0, 1]`.
    pub fn validate(&self) -> Result<(), Error> {
        within("evolve.min_confidence", self.min_confidence, 0.0, 1.0, "a number between 0 and 1")?;
        self.similarity.validate()
    }
}

/// Habits of one domain, one wording each, in the order of their words: it does not change with their confidence.
#[derive(Debug, Clone, PartialEq)]
pub struct DomainGroup {
    /// The domain, normalised: lower case, words joined by `-`; `general` where there was none.
    pub domain: String,
    /// The representatives.
    pub instincts: Vec<Instinct>,
}

/// Wordings that one instinct speaks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The one that stays.
    pub representative: InstinctId,
    /// Those it speaks for, the most confident first.
    pub duplicates: Vec<InstinctId>,
}

/// Why an instinct took no part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOutReason {
    /// Below the least confidence.
    Unsure,
    /// Deprecated.
    Deprecated,
    /// Without an action there is nothing to say.
    Empty,
    /// A global one says the same.
    KnownGlobally,
    /// Project-scoped without a project.
    Homeless,
}

/// An instinct that took no part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Which.
    pub id: InstinctId,
    /// Why.
    pub reason: LeftOutReason,
}

/// What became of a set of instincts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evolution {
    /// Global habits by domain, in order of the domain.
    pub global: Vec<DomainGroup>,
    /// Each project's own, likewise, without what is known globally.
    pub projects: BTreeMap<ProjectId, Vec<DomainGroup>>,
    /// Which wordings were merged, by representative.
    pub merged: Vec<Merged>,
    /// What took no part, by id.
    pub left_out: Vec<LeftOut>,
}

/// Keeps the confident, merges wordings of one habit, and groups by domain.
///
/// Global instincts merge with global ones and a project's with its own; two projects never meet here (see
/// [`crate::promote`]). The order of the input does not matter.
///
/// ```
/// # use mem_core::{Counts, Instinct, InstinctId, InstinctScope, InstinctStatus, JsonObject, Timestamp, Unit};
/// # fn instinct(id: &str, trigger: &str, action: &str, confidence: f64) -> Result<Instinct, mem_core::Error> {
/// #     Ok(Instinct { id: InstinctId::new(id)?, trigger: trigger.into(), action: action.into(), domain: "git".into(),
/// #         source: "session-observation".into(), confidence: Unit::new(confidence)?, status: InstinctStatus::Active,
/// #         scope: InstinctScope::Global, project: None, counts: Counts::default(), sessions: 5,
/// #         created: Timestamp::UNIX_EPOCH, observed_at: Timestamp::UNIX_EPOCH, injected_since: None,
/// #         evidence: vec![], extra: JsonObject::new() })
/// # }
/// use mem_evolve::{EvolveConfig, evolve};
///
/// let evolution = evolve(
///     &[
///         instinct("test-first", "before commit", "run cargo test", 0.8)?,
///         instinct("xian-ce-shi", "提交前", "先跑 cargo test", 0.75)?,
///         instinct("hunch", "before push", "rebase", 0.6)?,
///     ],
///     &EvolveConfig::default(),
/// );
/// assert_eq!(evolution.global.len(), 1);
/// assert_eq!(evolution.global[0].instincts[0].id.as_str(), "test-first");
/// assert_eq!(evolution.merged[0].duplicates[0].as_str(), "xian-ce-shi");
/// # Ok::<(), mem_core::Error>(())
/// ```
pub fn evolve(instincts: &[Instinct], config: &EvolveConfig) -> Evolution {
    let mut evolution = Evolution::default();
    let mut global = Vec::new();
    let mut projects: BTreeMap<ProjectId, Vec<&Instinct>> = BTreeMap::new();
    for instinct in instincts {
        match (reason_to_leave_out(instinct, config), instinct.scope, &instinct.project) {
            (Some(reason), _, _) => evolution.left_out.push(LeftOut { id: instinct.id.clone(), reason }),
            (None, InstinctScope::Global, _) => global.push(instinct),
            (None, InstinctScope::Project, Some(project)) => {
                projects.entry(project.clone()).or_default().push(instinct);
            }
            (None, InstinctScope::Project, None) => {
                let reason = LeftOutReason::Homeless;
                evolution.left_out.push(LeftOut { id: instinct.id.clone(), reason });
            }
        }
    }
    let speakers = merge(&mut global, config, &mut evolution.merged);
    for (project, mut own) in projects {
        let own = merge(&mut own, config, &mut evolution.merged);
        let (known, own) = known_globally(&speakers, own, &config.similarity);
        let reason = LeftOutReason::KnownGlobally;
        evolution.left_out.extend(known.into_iter().map(|i| LeftOut { id: i.id.clone(), reason }));
        if !own.is_empty() {
            evolution.projects.insert(project, by_domain(own));
        }
    }
    evolution.global = by_domain(speakers);
    evolution.merged.sort_by(|a, b| a.representative.cmp(&b.representative));
    evolution.left_out.sort_by(|a, b| a.id.cmp(&b.id));
    evolution
}

fn reason_to_leave_out(instinct: &Instinct, config: &EvolveConfig) -> Option<LeftOutReason> {
    if instinct.status == InstinctStatus::Deprecated {
        Some(LeftOutReason::Deprecated)
    } else if instinct.confidence.get() < config.min_confidence {
        Some(LeftOutReason::Unsure)
    } else if instinct.action.trim().is_empty() {
        Some(LeftOutReason::Empty)
    } else {
        None
    }
}

fn signature(instinct: &Instinct) -> Signature {
    Signature::new(&instinct.trigger, &instinct.action)
}

fn merge<'a>(
    instincts: &mut [&'a Instinct],
    config: &EvolveConfig,
    merged: &mut Vec<Merged>,
) -> Vec<&'a Instinct> {
    instincts.sort_by(|a, b| precedence(a, b));
    let signatures: Vec<Signature> = instincts.iter().map(|i| signature(i)).collect();
    let mut speakers = Vec::new();
    for group in cluster(&signatures, &config.similarity) {
        // In order of precedence the first of a group is its representative.
        let mut members = group.iter().filter_map(|i| instincts.get(*i).copied());
        let Some(first) = members.next() else { continue };
        let duplicates: Vec<InstinctId> = members.map(|i| i.id.clone()).collect();
        if !duplicates.is_empty() {
            merged.push(Merged { representative: first.id.clone(), duplicates });
        }
        speakers.push(first);
    }
    speakers
}

/// Parts those of a project into what a global one says too, and the rest.
fn known_globally<'a>(
    global: &[&'a Instinct],
    own: Vec<&'a Instinct>,
    config: &SimilarityConfig,
) -> (Vec<&'a Instinct>, Vec<&'a Instinct>) {
    let signatures: Vec<Signature> = global.iter().chain(&own).map(|i| signature(i)).collect();
    let mut known = vec![false; signatures.len()];
    for group in cluster(&signatures, config) {
        if group.iter().any(|i| *i < global.len()) {
            for i in group {
                if let Some(slot) = known.get_mut(i) {
                    *slot = true;
                }
            }
        }
    }
    let mut known = known.into_iter().skip(global.len());
    own.into_iter().partition(|_| known.next().unwrap_or(false))
}

fn by_domain(instincts: Vec<&Instinct>) -> Vec<DomainGroup> {
    let mut domains: BTreeMap<String, Vec<Instinct>> = BTreeMap::new();
    for instinct in instincts {
        domains.entry(normalise_domain(&instinct.domain)).or_default().push(instinct.clone());
    }
    domains
        .into_iter()
        .map(|(domain, mut instincts)| {
            instincts.sort_by(|a, b| (&a.trigger, &a.action, &a.id).cmp(&(&b.trigger, &b.action, &b.id)));
            DomainGroup { domain, instincts }
        })
        .collect()
}

/// Lower case, words joined by single `-`, no control characters; `general` for nothing.
pub(crate) fn normalise_domain(domain: &str) -> String {
    let lower = domain.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| c.is_whitespace() || c.is_control() || c == '_' || c == '-')
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() { "general".to_owned() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{instinct, of_project};
    use proptest::prelude::*;

    fn ids(groups: &[DomainGroup]) -> Vec<(&str, Vec<&str>)> {
        groups
            .iter()
            .map(|g| (g.domain.as_str(), g.instincts.iter().map(|i| i.id.as_str()).collect()))
            .collect()
    }

    #[test]
    fn keeps_the_confident_and_groups_the_rest_away() {
        let mut old = instinct("old", "git", "before push", "rebase", 0.9);
        old.status = InstinctStatus::Deprecated;
        let mut homeless = instinct("homeless", "git", "before pull", "stash", 0.9);
        homeless.scope = InstinctScope::Project;
        let evolution = evolve(
            &[
                instinct("fmt", "Code Style", "after editing *.rs", "run cargo fmt", 0.7),
                instinct("names", "code-style", "在命名时", "使用英文", 0.9),
                instinct("unsure", "git", "before push", "pull", 0.69),
                instinct("mute", "git", "before push", " \n", 0.9),
                old,
                homeless,
            ],
            &EvolveConfig::default(),
        );
        assert_eq!(ids(&evolution.global), [("code-style", vec!["fmt", "names"])]);
        let left: Vec<_> = evolution.left_out.iter().map(|l| (l.id.as_str(), l.reason)).collect();
        assert_eq!(
            left,
            [
                ("homeless", LeftOutReason::Homeless),
                ("mute", LeftOutReason::Empty),
                ("old", LeftOutReason::Deprecated),
                ("unsure", LeftOutReason::Unsure),
            ]
        );
    }

    #[test]
    fn a_project_says_nothing_that_is_known_globally_and_meets_no_other_project() {
        let evolution = evolve(
            &[
                instinct("global", "testing", "before commit", "run cargo test", 0.7),
                of_project(instinct("same", "testing", "提交前", "先跑 cargo test", 0.9), "a"),
                of_project(instinct("own-a", "testing", "before push", "run pnpm build", 0.8), "a"),
                of_project(instinct("own-b", "testing", "before push", "run pnpm build", 0.8), "b"),
            ],
            &EvolveConfig::default(),
        );
        assert_eq!(ids(&evolution.global), [("testing", vec!["global"])]);
        let own: Vec<_> = evolution.projects.iter().map(|(p, g)| (p.as_str(), ids(g))).collect();
        assert_eq!(own, [("a", vec![("testing", vec!["own-a"])]), ("b", vec![("testing", vec!["own-b"])])]);
        assert!(evolution.merged.is_empty());
        assert_eq!(evolution.left_out[0].reason, LeftOutReason::KnownGlobally);
    }

    #[test]
    fn settings_are_checked() {
        let mut config = EvolveConfig::default();
        assert_eq!(config.validate(), Ok(()));
        config.similarity.jaccard = 0.0;
        assert!(config.validate().is_err());
    }

    proptest! {
        #[test]
        fn order_of_input_does_not_matter_and_nothing_is_lost(
            picks in proptest::collection::vec((0_usize..6, 0_usize..6, 0.6..0.9_f64, 0_u8..3), 0..24),
            seed in any::<u64>(),
        ) {
            let triggers = ["before commit", "提交前", "after edit", "", "before push", "晨会"];
            let actions = ["run cargo test", "跑 cargo test", "git status", "read the file", "纪要归档", ""];
            let all: Vec<Instinct> = picks
                .iter()
                .enumerate()
                .map(|(i, (t, a, c, p))| {
                    let one = instinct(&format!("i{i}"), "x", triggers[*t], actions[*a], *c);
                    if *p == 0 { one } else { of_project(one, &format!("p{p}")) }
                })
                .collect();
            let evolution = evolve(&all, &EvolveConfig::default());
            let mut shuffled = all.clone();
            shuffled.sort_by_key(|i| i.id.as_str().bytes().fold(seed, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)));
            prop_assert_eq!(&evolution, &evolve(&shuffled, &EvolveConfig::default()));
            let spoken: usize = evolution.global.iter().chain(evolution.projects.values().flatten()).map(|g| g.instincts.len()).sum();
            let merged: usize = evolution.merged.iter().map(|m| m.duplicates.len()).sum();
            prop_assert_eq!(spoken + merged + evolution.left_out.len(), all.len());
        }
    }
}
