use super::command::CommandRole;
use super::slug::slug;
use super::{DetectConfig, Detector, Draft, Event, Finding, SessionSteps, Standing, What};
use crate::conversation::words;
use mem_core::{Counts, InstinctId};
use std::collections::BTreeMap;

/// Learns from what the user says right after an action: "no, use pnpm", "不要用 npm，用 pnpm", "stop", "revert that".
///
/// Two sorts of instinct. *Use X, not Y*: an opportunity is each use of X or Y on the main thread and each such
/// correction that no use went before; a hit is each use of X and each correction. *Ask before A*: an
/// opportunity is each A, done or attempted; a hit is each A that the next prompt stopped or took back. Background of both:
/// of all prompts that follow an action, those that correct.
#[derive(Debug, Clone, Copy, Default)]
pub struct UserCorrection;

/// What a prompt corrects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Correction {
    Use { wanted: String, not: String },
    Stop { label: String },
}

/// Programs that stand for one another.
const GROUPS: &[&[&str]] = &[
    &["npm", "pnpm", "yarn", "bun", "deno"],
    &["pip", "uv", "poetry", "pipenv", "conda", "pdm", "rye"],
    &["grep", "rg", "ag", "ack", "ripgrep"],
    &["jest", "vitest", "mocha", "ava"],
    &["docker", "podman", "nerdctl"],
    &["make", "just", "task", "mise"],
    &["python", "uv", "poetry"],
    &["unittest", "pytest", "nose2"],
    &["find", "fd"],
    &["webpack", "vite", "rollup", "esbuild", "turbopack"],
    &["eslint", "biome", "oxlint", "prettier"],
    &["curl", "wget", "httpie", "xh"],
    &["gradle", "mvn"],
    &["terraform", "tofu"],
    &["npx", "pnpx", "bunx"],
];

const HEADS_EN: &[&str] = words![
    "no" "nope" "nah" "wait" "stop" "don't" "dont" "do not" "never" "actually" "please don't" "please use"
    "use " "you should use" "not " "revert" "undo" "roll back" "rollback" "hold on" "hey"
    "we use" "we're using" "this project uses" "this repo uses" "i didn't ask" "i did not ask" "i didn't tell"
    "i never asked" "i never told" "who told you" "who asked you" "i told you" "i said"
];
const NOT_HEADS_EN: &[&str] = words![
    "no problem" "no worries" "don't worry" "never mind" "nevermind" "no thanks" "no need" "not bad"
    "not sure" "no questions" "no idea"
];
const HEADS_ZH: &[&str] = words![
    "不要" "别" "不对" "不是" "不用" "停" "撤销" "撤回" "回滚" "还原" "改用" "应该用" "请用" "错了" "换成"
    "取消" "住手" "用" "不行" "我没让你" "没让你"
    "我没叫你" "谁让你" "谁叫你" "不是让你" "我没说" "我说过" "这个项目用" "这个仓库用" "本项目用" "项目用" "我们用" "我们这"
];
const NOT_HEADS_ZH: &[&str] = &["不要紧", "不用谢", "别担心", "别的", "别人", "不是很", "停车", "不用了"];

/// Words after "use" that name nothing.
const NO_NAMES: &[&str] = words![
    "the" "a" "an" "it" "that" "this" "them" "those" "these" "my" "your" "our" "one" "some" "any" "and"
    "or" "to" "of" "for" "in" "on" "with" "case" "only" "instead" "same" "other" "english" "chinese" "what"
    "which" "more" "less" "real" "new" "old" "both" "all"
];

pub(super) fn is_correction_head(text: &str) -> bool {
    let lower = text.trim_start().to_lowercase();
    let starts = |heads: &[&str]| {
        heads.iter().any(|head| {
            lower.strip_prefix(head).is_some_and(|rest| {
                !head.is_ascii()
                    || head.ends_with(' ')
                    || rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '\'')
            })
        })
    };
    let not = NOT_HEADS_EN.iter().chain(NOT_HEADS_ZH).any(|head| lower.starts_with(head));
    !not && (starts(HEADS_EN) || starts(HEADS_ZH))
}

/// Programs whose verbs stand for one another: `cargo nextest` and `cargo test`.
const VERBED: &[&str] =
    words!["cargo" "git" "docker" "npm" "pnpm" "yarn" "go" "make" "just" "uv" "gh" "dotnet"];

/// A program and its verb.
fn pair_at(text: &str) -> Option<String> {
    let program = name_at(text).filter(|name| VERBED.contains(&name.as_str()))?;
    let rest = text.trim_start_matches([' ', '`', '"', '\'']).get(program.len()..)?;
    let verb = name_at(rest.strip_prefix(' ')?)?;
    (!matches!(verb.as_str(), "not" | "here" | "rather" | "please" | "over"))
        .then(|| format!("{program} {verb}"))
}

/// "use cargo nextest instead of cargo test": the verbs differ where the programs do not.
fn use_and_not_verbs(lower: &str) -> Option<(String, String)> {
    let cues = [
        " instead of ",
        " rather than ",
        ", not ",
        " not ",
        " over ",
        "，不要用",
        "，别用",
        "，不是",
        "，不用",
        " 不要用",
        " 而不是",
    ];
    let (head, tail) = cues.iter().find_map(|cue| lower.split_once(cue))?;
    let at =
        head.rfind("use ").map(|at| at + 4).or_else(|| head.rfind('用').map(|at| at + '用'.len_utf8()))?;
    let (wanted, not) = (pair_at(head.get(at..)?)?, pair_at(tail)?);
    (wanted != not && wanted.split(' ').next() == not.split(' ').next()).then_some((wanted, not))
}

fn name_at(text: &str) -> Option<String> {
    let text = text.trim_start_matches([' ', '`', '"', '\'', '“', '「']);
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "@._+/-".contains(c))).unwrap_or(text.len());
    let name = text.get(..end)?.trim_end_matches(['.', '-', '/']).to_ascii_lowercase();
    let good = (2..=32).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@')
        && !NO_NAMES.contains(&name.as_str());
    good.then_some(name)
}

/// The names that the text tells to use, and not to use.
pub(super) fn use_and_not(text: &str) -> (Option<String>, Option<String>) {
    let lower = text.to_lowercase();
    if let Some((wanted, not)) = use_and_not_verbs(&lower) {
        return (Some(wanted), Some(not));
    }
    let mut wanted = None;
    let mut not = None;
    // An earlier mention wins for both.
    for (at, _) in lower
        .match_indices("use ")
        .chain(lower.match_indices("using "))
        .chain(lower.match_indices("switch to "))
    {
        let before = lower.get(..at).unwrap_or_default().trim_end();
        if before.ends_with(|c: char| c.is_alphanumeric())
            && lower.get(..at).is_some_and(|b| b.len() == before.len())
        {
            continue;
        }
        let verb = if lower.get(at..).is_some_and(|t| t.starts_with("switch to ")) {
            10
        } else {
            lower.get(at..).and_then(|t| t.find(' ')).map_or(0, |n| n + 1)
        };
        let Some(name) = lower.get(at + verb..).and_then(name_at) else { continue };
        let negated =
            ["don't", "dont", "do not", "never", "stop", "not", "without", "shouldn't", "should not"]
                .iter()
                .any(|n| before.ends_with(n));
        let slot = if negated { &mut not } else { &mut wanted };
        slot.get_or_insert(name);
    }
    if wanted.is_some() {
        for cue in ["instead of ", "rather than ", ", not ", " not ", " over "] {
            if let Some(name) = lower.split_once(cue).and_then(|(_, rest)| name_at(rest)) {
                not.get_or_insert(name);
            }
        }
    }
    for (at, cue) in
        lower.match_indices('用').chain(lower.match_indices("换成")).chain(lower.match_indices("改成"))
    {
        let rest = lower.get(at + cue.len()..).unwrap_or_default();
        let Some(name) = name_at(rest.strip_prefix("的是").unwrap_or(rest)) else { continue };
        let before = lower.get(..at).unwrap_or_default().trim_end_matches('使').trim_end();
        let negated =
            ["不要", "别", "不能", "禁止", "不准", "不许", "不", "别再", "不要再", "不该", "不应该"]
                .iter()
                .any(|n| before.ends_with(n));
        let slot = if negated { &mut not } else { &mut wanted };
        slot.get_or_insert(name);
    }
    if wanted == not { (None, not) } else { (wanted, not) }
}

fn group(name: &str) -> Option<&'static [&'static str]> {
    GROUPS.iter().copied().find(|g| g.contains(&name))
}

fn uses(event: &Event, name: &str) -> bool {
    event.command.as_ref().is_some_and(|c| {
        c.preflight.is_none()
            && (c.program == name
                || c.family.split(' ').any(|w| w == name)
                || name.contains([' ', '-']) && slug(&c.family) == slug(name))
    })
}

/// The label of the last action that a "stop" or "revert" can mean: a change or a command.
fn stoppable(actions: &[&Event]) -> Option<String> {
    actions.iter().rev().find_map(|e| match e.what {
        What::Edit { .. } => e.label(),
        What::Command if !matches!(e.role(), Some(CommandRole::Preflight | CommandRole::Trivial)) => {
            e.label()
        }
        _ => None,
    })
}

fn asks_to_stop(lower: &str, actions: &[&Event]) -> Option<String> {
    let bare = lower.trim_end_matches(['.', '!', '。', '！', '~', ' ']);
    let back = [
        "revert",
        "undo",
        "roll back",
        "rollback",
        "no, revert",
        "no, undo",
        "please revert",
        "please undo",
        "撤销",
        "撤回",
        "回滚",
        "还原",
    ];
    let stop = [
        "stop",
        "no stop",
        "no, stop",
        "stop it",
        "stop that",
        "stop doing that",
        "wait stop",
        "停",
        "停下",
        "停一下",
        "住手",
        "别",
        "别动",
    ];
    if stop.contains(&bare) || (back.iter().any(|b| lower.starts_with(b)) && lower.chars().count() <= 60) {
        return stoppable(actions);
    }
    let told = [
        "i didn't ask you to ",
        "i did not ask you to ",
        "i didn't tell you to ",
        "i never asked you to ",
        "i never told you to ",
        "who told you to ",
        "who asked you to ",
        "i told you not to ",
        "don't ",
        "dont ",
        "do not ",
        "never ",
        "stop ",
        "please don't ",
        "no, don't ",
        "no don't ",
    ]
    .iter()
    .find_map(|head| lower.strip_prefix(head))
    .or_else(|| {
        [
            "我没让你",
            "没让你",
            "我没叫你",
            "谁让你",
            "谁叫你",
            "我没说要",
            "不是让你",
            "我说过不要",
            "不要再",
            "不要",
            "别再",
            "别",
            "不准",
            "停止",
        ]
        .iter()
        .find_map(|head| lower.strip_prefix(head))
    })?;
    type Test = fn(&Event) -> bool;
    let verbs: [(&[&str], Test); 7] = [
        (&["commit", "提交"], |e| e.role() == Some(CommandRole::Commit)),
        (&["push", "推送", "推"], |e| e.command.as_ref().is_some_and(|c| c.family == "git push")),
        (&["delet", "remov", "删"], |e| {
            e.command
                .as_ref()
                .is_some_and(|c| matches!(c.program.as_str(), "rm" | "del" | "remove-item" | "rmdir"))
        }),
        (&["install", "add dep", "安装", "装"], |e| e.role() == Some(CommandRole::Install)),
        (
            &["run the test", "run test", "running test", "running the test", "test", "跑测试", "运行测试"],
            |e| e.role() == Some(CommandRole::Test),
        ),
        (&["edit", "chang", "modif", "touch", "改", "修改", "动"], |e| {
            matches!(e.what, What::Edit { .. })
        }),
        (&["creat", "writ", "add", "创建", "新建", "写", "加"], |e| {
            matches!(e.what, What::Edit { whole: true, .. })
        }),
    ];
    let told =
        told.trim_start_matches("自动").trim_start_matches("auto-").trim_start_matches("automatically ");
    let (_, test) = verbs.iter().find(|(words, _)| words.iter().any(|w| told.starts_with(w)))?;
    actions.iter().rev().find(|e| test(e)).and_then(|e| e.label())
}

/// What a prompt corrects, given the actions since the prompt before it.
pub(super) fn parse(prompt: &str, actions: &[&Event], max_chars: usize) -> Option<Correction> {
    let text = prompt.trim();
    if text.chars().count() > max_chars || text.ends_with(['?', '？']) || !is_correction_head(text) {
        return None;
    }
    let (wanted, not) = use_and_not(text);
    if let Some(wanted) = wanted {
        let acted = || {
            actions.iter().rev().find_map(|e| {
                let command = e.command.as_ref()?;
                let words =
                    command.family.split(' ').next_back().into_iter().chain([command.program.as_str()]);
                words
                    .into_iter()
                    .find(|w| *w != wanted && group(&wanted).is_some_and(|g| g.contains(w)))
                    .map(str::to_owned)
            })
        };
        if let Some(not) = not.or_else(acted) {
            return Some(Correction::Use { wanted, not });
        }
    }
    asks_to_stop(&text.to_lowercase(), actions).map(|label| Correction::Stop { label })
}

/// A name out of a slug: `cargo-nextest` is `cargo nextest`.
fn spoken(slug: &str) -> String {
    match slug.split_once('-') {
        Some((program, verb)) if VERBED.contains(&program) => format!("{program} {verb}"),
        _ => slug.to_owned(),
    }
}

/// A prompt as one short line without paths.
fn quote(prompt: &str) -> String {
    let words =
        prompt.split_whitespace().map(|w| if w.contains(['/', '\\']) && w.len() > 3 { "…" } else { w });
    words.collect::<Vec<_>>().join(" ").chars().take(80).collect()
}

impl UserCorrection {
    fn use_draft(&self, wanted: &str, not: &str, counts: Counts, note: String) -> Draft {
        Draft {
            detector: self.name(),
            slug: format!("{}-use-{}-not-{}", self.name(), slug(wanted), slug(not)),
            trigger: format!("before using `{not}`"),
            action: format!("Use `{wanted}` instead of `{not}`"),
            domain: "tooling",
            counts,
            note,
        }
    }
}

impl Detector for UserCorrection {
    fn name(&self) -> &'static str {
        "correction"
    }

    fn detect(&self, session: &SessionSteps, known: &[InstinctId], config: &DetectConfig) -> Vec<Finding> {
        let Some(main) = session.main() else { return Vec::new() };
        let mut found: Vec<(Correction, &str, bool)> = Vec::new();
        let mut actions: Vec<&Event> = Vec::new();
        let mut base_total = 0u64;
        for event in &main.events {
            match &event.what {
                What::Prompt(text) => {
                    if !actions.is_empty() {
                        base_total += 1;
                        if let Some(correction) = parse(text, &actions, config.correction_max_chars) {
                            let used = match &correction {
                                Correction::Use { not, .. } => actions.iter().any(|e| uses(e, not)),
                                Correction::Stop { .. } => true,
                            };
                            found.push((correction, text, used));
                        }
                    }
                    actions.clear();
                }
                What::Stop => {}
                _ => actions.push(event),
            }
        }
        let base_hits = found.len() as u64;
        let calls = |name: &str| main.events.iter().filter(|e| uses(e, name)).count() as u64;
        let mut pairs: BTreeMap<(String, String), (u64, u64, String)> = BTreeMap::new();
        let mut stops: BTreeMap<String, (u64, String)> = BTreeMap::new();
        for (correction, prompt, used) in found {
            match correction {
                Correction::Use { wanted, not } => {
                    let entry = pairs.entry((wanted, not)).or_insert_with(|| (0, 0, quote(prompt)));
                    entry.0 += 1;
                    entry.1 += u64::from(!used);
                }
                Correction::Stop { label } => stops.entry(label).or_insert_with(|| (0, quote(prompt))).0 += 1,
            }
        }
        let mut out = Vec::new();
        for ((wanted, not), (corrections, unused, said)) in &pairs {
            let counts = Counts {
                hits: calls(wanted) + corrections,
                opportunities: calls(wanted) + calls(not).max(corrections - unused) + unused,
                base_hits,
                base_total,
            };
            out.extend(
                self.use_draft(wanted, not, counts, format!("the user said: {said}"))
                    .finish_as(Standing::Shown),
            );
        }
        for (label, (corrections, said)) in stops {
            let opportunities =
                main.events.iter().filter(|e| e.label().as_deref() == Some(&label)).count() as u64;
            let counts = Counts {
                hits: corrections,
                opportunities: opportunities.max(corrections),
                base_hits,
                base_total,
            };
            let (trigger, action) = match label.strip_prefix("Edit ") {
                Some(kind) => (
                    format!("before editing a `{kind}` file"),
                    "Say what will change and keep the change small: the user stopped or took back such an edit".to_owned(),
                ),
                None => (format!("before `{label}`"), format!("Ask the user before `{label}`: they stopped or took it back")),
            };
            let draft = Draft {
                detector: self.name(),
                slug: format!("{}-ask-before-{}", self.name(), slug(&label)),
                trigger,
                action,
                domain: "workflow",
                counts,
                note: format!("the user said: {said}"),
            };
            let standing = if counts.rate() >= config.min_rate { Standing::Shown } else { Standing::Weak };
            out.extend(draft.finish_as(standing));
        }
        let head = format!("{}-", self.name());
        for id in known.iter().filter(|id| !out.iter().any(|f| f.id == **id)).collect::<Vec<_>>() {
            let Some(tail) = id.as_str().strip_prefix(&head) else { continue };
            if let Some((wanted, not)) = tail.strip_prefix("use-").and_then(|t| t.split_once("-not-")) {
                let hits = calls(wanted);
                let counts = Counts { hits, opportunities: hits + calls(not), base_hits, base_total };
                let note = format!("`{wanted}` was used {hits} of {} times", counts.opportunities);
                let (wanted, not) = (&spoken(wanted), &spoken(not));
                out.extend(self.use_draft(wanted, not, counts, note).finish_as(Standing::Weak));
            } else if let Some(label) = tail.strip_prefix("ask-before-") {
                let done: Vec<String> =
                    main.events.iter().filter_map(Event::label).filter(|l| slug(l) == label).collect();
                let Some(name) = done.first() else { continue };
                let draft = Draft {
                    detector: self.name(),
                    slug: id.as_str().to_owned(),
                    trigger: format!("before `{name}`"),
                    action: format!("Ask the user before `{name}`"),
                    domain: "workflow",
                    counts: Counts { hits: 0, opportunities: done.len() as u64, base_hits, base_total },
                    note: format!("`{name}` was done {} times and let stand", done.len()),
                };
                out.extend(draft.finish_as(Standing::Weak));
            }
        }
        out
    }
}
