//! From recall to text put before the agent.

mod budget;
mod known;
mod render;
mod wording;

pub use budget::{InjectBudget, cap_for, cut, estimate_tokens, units};
pub use known::KnownText;
pub use render::{Block, render};
pub use wording::{CLOSE, OPEN, Template, Wording};

use crate::{Engine, Result};
use mem_core::{
    Dropped, Hit, InjectionRecord, Kind, MemoryFilter, MemoryId, ProjectFilter, ProjectId, Query, Recall,
    SessionId,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How injections are made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InjectConfig {
    /// The limits of one block.
    pub budget: InjectBudget,
    /// How many memories a prompt brings at most; fewer than a session's start.
    pub prompt_items: usize,
    /// At a session's start, so many of the most recent memories are added.
    pub recent: usize,
    /// At a session's start, so many of the most important memories are added.
    pub important: usize,
    /// Prompts shorter than this many characters ask for nothing; one outside ASCII counts as two.
    pub prompt_min_chars: usize,
    /// Replaceable sentences.
    pub template: Template,
}

impl Default for InjectConfig {
    fn default() -> Self {
        Self {
            budget: InjectBudget::default(),
            prompt_items: 5,
            recent: 2,
            important: 3,
            prompt_min_chars: 4,
            template: Template::default(),
        }
    }
}

/// The moment at which something is injected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A session starts, resumes, or goes on after compaction.
    SessionStart,
    /// The user said something.
    Prompt,
}

impl Moment {
    /// The host's name of the event.
    pub const fn event(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::Prompt => "UserPromptSubmit",
        }
    }
}

/// What is known when something is to be injected.
#[derive(Debug, Clone, Default)]
pub struct Situation<'a> {
    /// The conversation, when there is one: nothing is shown to it twice.
    pub session: Option<&'a SessionId>,
    /// The project at hand.
    pub project: Option<&'a ProjectId>,
    /// Words that describe the situation: at a start the project's name, its branch and last commit subjects;
    /// at a prompt the prompt.
    pub text: &'a str,
    /// What the host loads by itself.
    pub known: KnownText,
    /// Limits other than the configured ones.
    pub budget: Option<InjectBudget>,
}

/// An injection, explained.
#[derive(Debug, Clone, Default)]
pub struct Injection {
    /// The text and what is in it.
    pub block: Block,
    /// The habits it was made of: an instinct's id and its line.
    pub habits: Vec<(String, String)>,
    /// The hits it was made of, with their explanations.
    pub hits: Vec<Hit>,
    /// What could not take part.
    pub degraded: Vec<mem_core::Degraded>,
}

impl Engine {
    /// What would be put before the agent at a moment. Changes nothing; see [`Engine::injected`].
    ///
    /// # Errors
    /// When the store cannot be read. A broken index only shows in [`Injection::degraded`].
    pub fn injection(&self, moment: Moment, situation: &Situation<'_>) -> Result<Injection> {
        let config = &self.config().inject;
        let mut budget = situation.budget.unwrap_or(config.budget);
        let shown: BTreeSet<String> = match situation.session {
            Some(session) => {
                self.store().injections(session)?.into_iter().map(|record| record.item).collect()
            }
            None => BTreeSet::new(),
        };
        let mut recall = match moment {
            Moment::SessionStart => self.opening(situation)?,
            Moment::Prompt => {
                budget.items = budget.items.min(config.prompt_items);
                self.answering(situation)?
            }
        };
        let mut dropped = std::mem::take(&mut recall.dropped);
        let mut hits = Vec::with_capacity(recall.hits.len());
        for hit in recall.hits {
            let said_here =
                situation.session.is_some() && hit.memory.provenance.session.as_ref() == situation.session;
            let reason = if moment == Moment::Prompt && said_here {
                "said in this session"
            } else if shown.contains(hit.memory.id.as_str()) {
                "already shown in this session"
            } else if situation.known.covers(&hit.memory.body) {
                "already loaded by the agent (CLAUDE.md, MEMORY.md or rules)"
            } else {
                hits.push(hit);
                continue;
            };
            dropped.push(Dropped { id: hit.memory.id, reason: reason.to_owned() });
        }
        let habits = match (moment, situation.project) {
            (Moment::SessionStart, Some(project)) => self.habits(project, &shown, &situation.known)?,
            _ => Vec::new(),
        };
        let lines: Vec<String> = habits.iter().map(|(_, line)| line.clone()).collect();
        let mut block = render(hits.clone(), &lines, &budget, self.policy(), &config.template);
        dropped.append(&mut block.dropped);
        // What the search left out may have come in as new or important.
        dropped.retain(|left| !block.entries.iter().any(|(id, _)| *id == left.id));
        block.dropped = dropped;
        Ok(Injection { block, habits, hits, degraded: recall.degraded })
    }

    /// Notes that an injection was handed over, so that it is not shown again and never learned back.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn injected(&self, moment: Moment, situation: &Situation<'_>, injection: &Injection) -> Result<()> {
        let now = self.now();
        let record = |item: &str, text: &str| InjectionRecord {
            item: item.to_owned(),
            event: moment.event().to_owned(),
            fingerprint: mem_store::fingerprint(text),
            at: now,
        };
        let mut records = Vec::new();
        let mut ids = Vec::new();
        for hit in &injection.hits {
            if injection.block.entries.iter().any(|(id, _)| *id == hit.memory.id) {
                records.push(record(hit.memory.id.as_str(), &hit.memory.body));
                ids.push(hit.memory.id.clone());
            }
        }
        for (id, line) in &injection.habits {
            if injection.block.habits.contains(&render::neutral(line)) {
                records.push(record(id, line));
            }
        }
        if let (Some(session), false) = (situation.session, records.is_empty()) {
            self.store().record_injections(session, &records)?;
        }
        Ok(self.store().touch(&ids, now)?)
    }

    /// The context of a session was emptied: everything may be shown again.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn context_emptied(&self, session: &SessionId) -> Result<()> {
        Ok(self.store().forget_injections(session, None)?)
    }

    /// The session's start runs again, while what prompts brought is still in its context.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn start_repeated(&self, session: &SessionId) -> Result<()> {
        Ok(self.store().forget_injections(session, Some(Moment::SessionStart.event()))?)
    }

    /// What a session should start with: what its project's state brings to mind, what is new, what matters most.
    fn opening(&self, situation: &Situation<'_>) -> Result<Recall> {
        let config = &self.config().inject;
        let filter = self.filter(situation.project);
        let todos = self.store().list(&MemoryFilter { kinds: vec![Kind::Todo], ..filter.clone() }, 5)?;
        let mut text = situation.text.to_owned();
        for todo in &todos {
            text.push('\n');
            text.push_str(&todo.name);
        }
        let query = Query {
            text,
            limit: config.budget.items.max(20),
            filter: filter.clone(),
            path: None,
            now: self.now(),
        };
        let mut recall = self.recall(&query)?;
        let now = self.now();
        let mut recent = self.store().list(&filter, config.recent)?;
        // What the project's own people said stands before what holds everywhere.
        let mut important = self.store().most_important(&filter, config.important.saturating_mul(4))?;
        important.sort_by_key(|memory| (!memory.pinned, memory.project.is_none()));
        for list in [&mut recent, &mut important] {
            list.retain(|memory| !self.policy().outlived(memory, now));
        }
        important.truncate(config.important);
        // Placed before what the words brought up: these are shown whatever the words are.
        let mut lead: Vec<Hit> = Vec::new();
        let top = recall.hits.first().map_or(1.0, |hit| hit.score).max(f64::MIN_POSITIVE);
        for memory in recent.iter().chain(&important) {
            if lead.iter().any(|hit| hit.memory.id == memory.id) {
                continue;
            }
            if let Some(at) = recall.hits.iter().position(|hit| hit.memory.id == memory.id) {
                let mut hit = recall.hits.remove(at);
                hit.score = top;
                lead.push(hit);
            } else {
                lead.push(self.plain_hit(memory, top));
            }
        }
        lead.append(&mut recall.hits);
        recall.hits = lead;
        Ok(recall)
    }

    /// What a prompt brings to mind: only what is relevant to it.
    fn answering(&self, situation: &Situation<'_>) -> Result<Recall> {
        let config = &self.config().inject;
        let own =
            mem_extract::transcript::clean_prompt(situation.text, &self.config().transcript.own_markers);
        let text = own.trim();
        // A Chinese word has two characters where an English one has four.
        let size: usize = text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
        if size < config.prompt_min_chars || text.starts_with('/') {
            return Ok(Recall::default());
        }
        let query = Query {
            text: text.to_owned(),
            limit: config.budget.items.max(10),
            filter: self.filter(situation.project),
            path: None,
            now: self.now(),
        };
        self.recall_relevant(&query)
    }

    fn filter(&self, project: Option<&ProjectId>) -> MemoryFilter {
        project.map_or_else(MemoryFilter::default, |project| MemoryFilter::within(project.clone()))
    }

    /// The project's habits that may be shown, each with its instinct's id.
    fn habits(
        &self,
        project: &ProjectId,
        shown: &BTreeSet<String>,
        known: &KnownText,
    ) -> Result<Vec<(String, String)>> {
        let live = self.live_instincts(ProjectFilter::Within(project.clone()))?;
        let evolution = mem_evolve::evolve(&live, &self.config().evolve);
        let Some(groups) = evolution.projects.get(project) else { return Ok(Vec::new()) };
        let Some((text, ids)) = mem_evolve::render_project_block(groups, &self.config().habits) else {
            return Ok(Vec::new());
        };
        // Its first line is a heading; each other line stands for one instinct, in order.
        let lines = text.lines().skip(1).map(|line| line.trim_start_matches("- ").to_owned());
        Ok(ids
            .into_iter()
            .map(|id| id.to_string())
            .zip(lines)
            .filter(|(id, line)| !shown.contains(id) && !known.covers(line))
            .collect())
    }
}

impl Injection {
    /// The ids of the memories in the block, in order.
    pub fn ids(&self) -> impl Iterator<Item = &MemoryId> {
        self.block.entries.iter().map(|(id, _)| id)
    }
}
