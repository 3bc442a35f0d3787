//! What moves a hit besides its match: age, kind, source, place, feedback. Pure.

use jiff::Timestamp;
use mem_core::{
    Factors, LinkKind, Mark, Memory, PolicyTable, ProjectId, Provenance, ProvenanceKind, TimeDirection,
};
use serde::{Deserialize, Serialize};

const SECONDS_A_DAY: f64 = 86_400.0;

/// The constants of ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RankingConfig {
    /// So many standard deviations behind the best a fused score falls to 1/e, before factors apply: with 2, a factor
    /// of 0.6 costs as much as one deviation. It changes no order by itself.
    pub temperature: f64,
    /// For fusion by ranks: exponent on the fused score, the best being 1, before factors apply.
    ///
    /// Reciprocal ranks lie close together: without it a factor of 1.2 lifts a hit over a dozen places. With 4, a
    /// factor of 0.7 costs the first hit about five places. It changes no order by itself.
    pub sharpness: f64,
    /// What age leaves of a fading memory's weight in the long run, and of a growing one's at its birth.
    pub time_floor: f64,
    /// Days after which the rest has fallen (or risen) to 1/e.
    pub time_days: f64,
    /// Factor by source: the user.
    pub user: f64,
    /// Factor by source: a correction by the user.
    pub correction: f64,
    /// Factor by source: a conversation.
    pub conversation: f64,
    /// Factor by source: tools.
    pub tool: f64,
    /// Factor by source: a commit.
    pub commit: f64,
    /// Factor by source: another store.
    pub imported: f64,
    /// Factor for a memory of the project asked in, over a global one.
    pub own_project: f64,
    /// Factor for a memory about the file at hand.
    pub same_file: f64,
    /// Factor for a memory about the folder at hand, or one above or below it.
    pub same_folder: f64,
    /// Factor for a memory whose anchored file has changed or vanished.
    pub anchor_changed: f64,
    /// How far feedback moves at most, up or down.
    pub feedback: f64,
}

impl Default for RankingConfig {
    fn default() -> Self {
        Self {
            temperature: 2.0,
            sharpness: 4.0,
            time_floor: 0.7,
            time_days: 30.0,
            user: 1.1,
            correction: 1.1,
            conversation: 1.0,
            tool: 0.95,
            commit: 0.95,
            imported: 0.95,
            own_project: 1.05,
            same_file: 1.3,
            same_folder: 1.12,
            anchor_changed: 0.8,
            feedback: 0.2,
        }
    }
}

/// Whether the files a memory hangs on are as they were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnchorState {
    /// Nobody looked, or it has none.
    #[default]
    Unknown,
    /// All are as they were.
    Holds,
    /// One changed or vanished.
    Changed,
}

/// How near a memory is to the file or folder at hand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// It has nothing to do with it.
    #[default]
    Far,
    /// The same folder, one above, or one below.
    Folder,
    /// The very file or folder.
    File,
}

/// What a hit is seen from.
#[derive(Debug, Clone, Copy)]
pub struct RankContext<'a> {
    /// The instant ages are counted to.
    pub now: Timestamp,
    /// The project asked in.
    pub project: Option<&'a ProjectId>,
    /// The file or folder at hand.
    pub path: Option<&'a str>,
    /// Kinds' policies.
    pub policies: &'a PolicyTable,
    /// What became of the memory's anchors.
    pub anchor: AnchorState,
}

/// The factors of one memory.
///
/// Time: a fading memory keeps `floor + (1 − floor)·exp(−age/days)`, from 1 down to the floor; a growing one gets the
/// mirror image `1 − (1 − floor)·exp(−age/days)`, from the floor up to 1, so that both lie within the same bounds.
/// An age below 0 (a clock that was set back) counts as 0.
pub fn factors(memory: &Memory, context: &RankContext<'_>, config: &RankingConfig) -> Factors {
    let policy = context.policies.of(memory.kind);
    let decay = (-age_days(memory, context.now) / config.time_days.max(f64::MIN_POSITIVE)).exp();
    let rest = 1.0 - config.time_floor;
    let time = match policy.time {
        TimeDirection::Fades => config.time_floor + rest * decay,
        TimeDirection::Grows => 1.0 - rest * decay,
        TimeDirection::Flat => 1.0,
    };
    let near = match nearness(memory, context.path) {
        Nearness::File => config.same_file,
        Nearness::Folder => config.same_folder,
        Nearness::Far => 1.0,
    };
    let own = if context.project.is_some() && memory.project.as_ref() == context.project {
        config.own_project
    } else {
        1.0
    };
    let holds = if context.anchor == AnchorState::Changed { config.anchor_changed } else { 1.0 };
    let liked = if memory.feedback.is_nan() { 0.0 } else { memory.feedback };
    Factors {
        time,
        kind: policy.boost,
        provenance: provenance(&memory.provenance, config),
        anchor: near * own * holds,
        feedback: 1.0 + config.feedback * liked.tanh(),
    }
}

/// Days since the content last changed or was confirmed; 0 for a time to come.
pub fn age_days(memory: &Memory, now: Timestamp) -> f64 {
    (now.duration_since(memory.updated).as_secs_f64() / SECONDS_A_DAY).max(0.0)
}

fn provenance(provenance: &Provenance, config: &RankingConfig) -> f64 {
    match provenance.kind {
        ProvenanceKind::User => config.user,
        ProvenanceKind::Correction => config.correction,
        ProvenanceKind::Conversation => config.conversation,
        ProvenanceKind::Tool => config.tool,
        ProvenanceKind::Commit => config.commit,
        ProvenanceKind::Imported => config.imported,
    }
}

/// How near a memory's own path and its anchors are to the path at hand. `\` counts as `/`.
pub fn nearness(memory: &Memory, path: Option<&str>) -> Nearness {
    let Some(path) = path.map(tidy).filter(|path| !path.is_empty()) else { return Nearness::Far };
    let paths = memory.path.iter().chain(memory.anchors.iter().map(|anchor| &anchor.path));
    paths.map(|own| near(&tidy(own), &path)).max().unwrap_or_default()
}

fn tidy(path: &str) -> String {
    let path = path.replace('\\', "/");
    path.trim_start_matches("./").trim_matches('/').to_owned()
}

fn near(own: &str, at_hand: &str) -> Nearness {
    let within = |inner: &str, outer: &str| {
        !outer.is_empty() && inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
    };
    let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    if own.is_empty() {
        Nearness::Far
    } else if own == at_hand {
        Nearness::File
    } else if within(own, at_hand)
        || within(at_hand, own)
        || (folder(own).is_some() && folder(own) == folder(at_hand))
    {
        Nearness::Folder
    } else {
        Nearness::Far
    }
}

/// The remarks a memory travels with.
pub fn marks(memory: &Memory, anchor: AnchorState) -> Vec<Mark> {
    let updated = memory.links.iter().any(|link| link.kind == LinkKind::Supersedes);
    let marks = [
        (Mark::Updated, updated),
        (Mark::Verify, anchor == AnchorState::Changed),
        (Mark::Pinned, memory.pinned),
    ];
    marks.into_iter().filter(|(_, holds)| *holds).map(|(mark, _)| mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_core::{Anchor, Kind, Link, MemoryId};
    use proptest::prelude::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + day * 86_400).unwrap()
    }

    fn context(policies: &PolicyTable, day: i64) -> RankContext<'_> {
        RankContext { now: at(day), project: None, path: None, policies, anchor: AnchorState::Unknown }
    }

    #[test]
    fn time_fades_grows_or_stands_still_within_bounds() {
        let (config, policies) = (RankingConfig::default(), PolicyTable::default());
        let time =
            |kind, age| factors(&Memory::new(kind, "x", at(0)), &context(&policies, age), &config).time;
        assert_eq!(time(Kind::Fact, 0), 1.0);
        assert!((time(Kind::Fact, 30) - (0.7 + 0.3 * (-1.0f64).exp())).abs() < 1e-9);
        assert!((time(Kind::Todo, 0) - 0.7).abs() < 1e-9);
        assert!((time(Kind::Todo, 30) - (1.0 - 0.3 * (-1.0f64).exp())).abs() < 1e-9);
        assert!(time(Kind::Todo, 3_000) <= 1.0 && time(Kind::Fact, 3_000) >= 0.7);
        assert_eq!(time(Kind::User, 3_000), 1.0);
        assert_eq!(time(Kind::Fact, -5), 1.0, "a clock that was set back");
    }

    #[test]
    fn places_are_compared_by_components() {
        let mut memory = Memory::new(Kind::Fact, "x", at(0));
        memory.path = Some("src/hooks".to_owned());
        memory.anchors = vec![Anchor { path: "docs/a.md".to_owned(), content_hash: None, commit: None }];
        assert_eq!(nearness(&memory, Some("docs/a.md")), Nearness::File);
        assert_eq!(nearness(&memory, Some(r"src\hooks\")), Nearness::File);
        assert_eq!(nearness(&memory, Some("src/hooks/mod.rs")), Nearness::Folder);
        assert_eq!(nearness(&memory, Some("./docs/b.md")), Nearness::Folder);
        assert_eq!(nearness(&memory, Some("src/hooks2/mod.rs")), Nearness::Far);
        assert_eq!(nearness(&memory, None), Nearness::Far);
    }

    #[test]
    fn marks_say_what_a_reader_must_know() {
        let mut memory = Memory::new(Kind::Decision, "x", at(0));
        assert!(marks(&memory, AnchorState::Holds).is_empty());
        memory.pinned = true;
        memory.links = vec![Link { kind: LinkKind::Supersedes, to: MemoryId::new("old").unwrap() }];
        assert_eq!(marks(&memory, AnchorState::Changed), [Mark::Updated, Mark::Verify, Mark::Pinned]);
    }

    proptest! {
        #[test]
        fn factors_are_finite_and_bounded(age in -100_000i64..100_000, feedback in proptest::num::f64::ANY) {
            let (config, policies) = (RankingConfig::default(), PolicyTable::default());
            for kind in Kind::ALL {
                let mut memory = Memory::new(*kind, "x", at(0));
                memory.feedback = feedback;
                let found = factors(&memory, &context(&policies, age), &config);
                prop_assert!((0.7..=1.0).contains(&found.time));
                prop_assert!((0.8..=1.2).contains(&found.feedback));
                prop_assert!(found.product().is_finite() && found.product() > 0.0);
            }
        }
    }
}
