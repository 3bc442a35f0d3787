//! The whole loop on the example sessions of this repository, in a temporary home: observe, learn, evolve, remember,
//! recall, inject. Run it with `cargo run -p mem-engine --example loop`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use anyhow::Context as _;
use mem_engine::{
    Config, Engine, FixedClock, InstinctFilter, InstinctScope, Kind, MemoryFilter, Moment, NewMemory,
    ProjectFilter, ProjectId, Query, SessionId, Situation, Timestamp,
};
use std::path::{Path, PathBuf};

fn main() -> anyhow::Result<()> {
    let home = tempfile::tempdir()?;
    let rules = home.path().join("rules");
    // The day after the last example session, so that every run prints the same.
    let now: Timestamp = "2026-12-01T09:00:00Z".parse()?;
    let engine = Engine::builder(home.path().join("mem"))
        .config(Config::default())
        .clock(FixedClock::new(now))
        .rules_dir(&rules)
        .open()?;
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sessions");
    let project: ProjectId = "github.com/example/harbor".parse()?;

    title("1  Observe and learn: transcripts go the way of live hooks");
    let replayed = engine.replay(&[PathBuf::from(&sessions)], &|_| Some(project.clone()), &|_, _| {})?;
    println!(
        "{} transcripts, {} sessions, {} observations; {} lines skipped",
        replayed.files, replayed.sessions, replayed.observations, replayed.skipped_lines
    );
    for (kind, count) in engine.redactions()? {
        println!("taken out before writing: {count} {kind}");
    }
    let again = engine.replay(&[sessions], &|_| Some(project.clone()), &|_, _| {})?;
    println!("replayed again: {} new observations", again.observations);

    title("2  Instincts: what the agent does, with support, lift and confidence");
    let filter =
        InstinctFilter { projects: ProjectFilter::Within(project.clone()), ..InstinctFilter::default() };
    for instinct in engine.instincts(&filter)? {
        let counts = instinct.counts;
        let lift = counts.lift().map_or_else(|| "-".to_owned(), |lift| format!("{lift:.1}"));
        println!(
            "{:.2}  {:>3} of {:>3}  lift {lift:>4}  {} sessions  {}: {}",
            instinct.confidence.get(),
            counts.hits,
            counts.opportunities,
            instinct.sessions,
            instinct.trigger,
            instinct.action
        );
    }

    title("3  Memories: what was said");
    for memory in engine.memories(&MemoryFilter::within(project.clone()), 100)? {
        println!("{:<10} {:<12} {}", memory.kind, memory.provenance.kind, memory.body);
        if let Some(why) = &memory.why {
            println!("{:<23} why: {why}", "");
        }
    }

    title("4  Remember by hand, recall in either language");
    let new = NewMemory::new("改完代码不主动提交，等用户验证确认后再 commit/push").kind(Kind::Feedback);
    let remembered = engine.remember(&new.project(project.clone()))?;
    println!("{:?} {}", remembered.outcome, remembered.id);
    for question in ["can I commit this now?", "提交"] {
        let recall = engine.recall(&Query::new(question, now).within(project.clone()).limit(2))?;
        let hit = recall.hits.first().context("the memory was not found")?;
        println!("{question:<24} → {:.4}  {}", hit.score, hit.memory.body);
    }

    title("5  Evolve: the rules file for habits that hold in every project");
    let habit = engine
        .instincts(&filter)?
        .into_iter()
        .find(|instinct| instinct.scope == InstinctScope::Project)
        .context("nothing was learned")?;
    engine.promote(Some(habit.id.as_str()))?;
    let evolved = engine.evolve(false)?;
    for (path, _) in evolved.written.iter().filter(|(path, _)| path.starts_with(&rules)) {
        println!("{}:\n{}", path.file_name().unwrap_or_default().display(), std::fs::read_to_string(path)?);
    }

    title("6  Inject: what the next session starts with, and what a prompt brings to mind");
    let start = Situation {
        session: Some(&"the-next-session".parse()?),
        project: Some(&project),
        text: "harbor\nmain\nfix: retry the upload queue",
        ..Situation::default()
    };
    show(&engine, Moment::SessionStart, &start)?;
    // A session that saw nothing yet, so that its prompts bring something up.
    let session: SessionId = "another-session".parse()?;
    for prompt in
        ["现在可以提交吗？", "Which package manager do we use, npm?", "What is the capital of France?"]
    {
        println!("\nprompt: {prompt}");
        let situation = Situation {
            session: Some(&session),
            project: Some(&project),
            text: prompt,
            ..Situation::default()
        };
        show(&engine, Moment::Prompt, &situation)?;
    }
    Ok(())
}

fn title(text: &str) {
    println!("\n== {text}\n");
}

fn show(engine: &Engine, moment: Moment, situation: &Situation<'_>) -> anyhow::Result<()> {
    let injection = engine.injection(moment, situation)?;
    engine.injected(moment, situation, &injection)?;
    if injection.block.text.is_empty() {
        println!("(nothing)")
    } else {
        println!("{}", injection.block.text)
    }
    Ok(())
}
