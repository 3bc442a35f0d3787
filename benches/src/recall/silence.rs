//! Whether nothing is said where there is nothing to say: what an injection would hold, question by question.

use super::ask::{is_gold, judged};
use super::data::Question;
use super::report::rounded;
use super::world::World;
use mem_index::{Features, Judged, RecallConfig};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;

/// Questions to which nothing in the store is an answer.
const SILENT: &str = "silent";
/// So many hits are injected at most.
const BLOCK: usize = 5;
/// So many thresholds are tried.
const STEPS: usize = 20;

/// How relevant a hit is; higher is more. Only its order counts here.
pub(super) fn relevance(features: &Features) -> f64 {
    mem_index::RelevanceConfig::default().probability(features)
}

/// Shares of questions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Shares {
    /// How many questions.
    pub(super) n: usize,
    /// Nothing was said.
    pub(super) silent: f64,
    /// At least one gold memory was said.
    pub(super) kept: f64,
    /// Something was said, and none of it gold.
    pub(super) wrong: f64,
}

/// What a threshold of relevance gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) threshold: f64,
    /// Of the silent questions.
    pub(super) silent: Shares,
    /// Of the others.
    pub(super) others: Shares,
}

/// What was measured of one data set.
#[derive(Debug, Clone)]
pub(super) struct Silence {
    dataset: String,
    /// By the rule of the library.
    silent: Shares,
    others: Shares,
    categories: BTreeMap<String, Shares>,
    /// By [`relevance`] alone.
    curve: Vec<Point>,
    /// How often a question with an answer has a more relevant best hit than one without, ties half.
    separation: f64,
}

/// One question's hits: how relevant each is, and whether it is gold.
type Block = Vec<(f64, bool)>;

/// A question with its block.
type Asked<'a> = (&'a Question, Block);

/// Asks all questions as an injection does; none where no question is silent.
pub(super) fn measure(
    world: &World,
    config: &RecallConfig,
    dataset: &str,
    questions: &[&Question],
) -> anyhow::Result<Option<Silence>> {
    if !questions.iter().any(|question| is_silent(question)) {
        return Ok(None);
    }
    let of_interest = questions.iter().filter(|question| is_silent(question) || !question.gold.is_empty());
    let (mut strict, mut open): (Vec<Asked<'_>>, Vec<Asked<'_>>) = (Vec::new(), Vec::new());
    let injecting = world.recaller(&RecallConfig { relevant_only: true, ..config.clone() });
    let asking = world.recaller(config);
    for question in of_interest {
        let query = world.query(question, BLOCK)?;
        strict.push((question, block(question, &judged(&injecting, &query)?)));
        open.push((question, block(question, &judged(&asking, &query)?)));
    }
    let part = |all: &[Asked<'_>], silent: bool| -> Vec<Block> {
        all.iter().filter(|(own, _)| is_silent(own) == silent).map(|(_, block)| block.clone()).collect()
    };
    let mut categories: BTreeMap<String, Vec<Block>> = BTreeMap::new();
    for (question, block) in &strict {
        categories.entry(question.category.clone().unwrap_or_default()).or_default().push(block.clone());
    }
    let (silent, others) = (part(&open, true), part(&open, false));
    Ok(Some(Silence {
        dataset: dataset.to_owned(),
        silent: shares(&part(&strict, true), f64::NEG_INFINITY),
        others: shares(&part(&strict, false), f64::NEG_INFINITY),
        categories: categories
            .into_iter()
            .map(|(category, blocks)| (category, shares(&blocks, f64::NEG_INFINITY)))
            .collect(),
        curve: curve(&silent, &others),
        separation: separation(&silent, &others),
    }))
}

/// Whether nothing should be said.
pub(super) fn is_silent(question: &Question) -> bool {
    question.category.as_deref() == Some(SILENT) && question.gold.is_empty()
}

fn block(question: &Question, answer: &Judged) -> Block {
    let hits = answer.recall.hits.iter().zip(&answer.features);
    hits.map(|(hit, (features, _))| (relevance(features), is_gold(question, hit))).collect()
}

fn best(block: &Block) -> f64 {
    block.iter().map(|(relevance, _)| *relevance).fold(f64::NEG_INFINITY, f64::max)
}

/// What blocks come to when only hits from a threshold on are said.
fn shares(blocks: &[Block], threshold: f64) -> Shares {
    let share = |holds: &dyn Fn(&Block) -> bool| {
        blocks.iter().filter(|block| holds(block)).count() as f64 / blocks.len().max(1) as f64
    };
    let said = |block: &Block| block.iter().any(|(relevance, _)| *relevance >= threshold);
    let gold = |block: &Block| block.iter().any(|(relevance, gold)| *gold && *relevance >= threshold);
    Shares {
        n: blocks.len(),
        silent: share(&|block| !said(block)),
        kept: share(&gold),
        wrong: share(&|block| said(block) && !gold(block)),
    }
}

/// The thresholds at which more and more of the silent questions stay silent: from nearly none to all, in equal steps.
fn curve(silent: &[Block], others: &[Block]) -> Vec<Point> {
    let mut bests: Vec<f64> = silent.iter().map(best).filter(|best| best.is_finite()).collect();
    bests.sort_by(f64::total_cmp);
    let mut thresholds: Vec<f64> = bests.first().copied().into_iter().collect();
    for step in 1..=STEPS {
        let at = (bests.len() * step).div_ceil(STEPS);
        thresholds.extend(bests.get(at.saturating_sub(1)).map(|best| best.next_up()));
    }
    thresholds.dedup();
    thresholds
        .into_iter()
        .map(|threshold| Point {
            threshold,
            silent: shares(silent, threshold),
            others: shares(others, threshold),
        })
        .collect()
}

/// The area under the curve of the two kinds of questions, told by their best hit (the Mann-Whitney statistic).
fn separation(silent: &[Block], others: &[Block]) -> f64 {
    let mut sum = 0.0;
    for other in others.iter().map(best) {
        for silent in silent.iter().map(best) {
            sum += if other > silent {
                1.0
            } else if other < silent {
                0.0
            } else {
                0.5
            };
        }
    }
    sum / (silent.len() * others.len()).max(1) as f64
}

impl Shares {
    fn json(&self) -> Value {
        json!({
            "n": self.n, "silent": rounded(self.silent), "kept": rounded(self.kept), "wrong_only": rounded(self.wrong),
        })
    }
}

impl Silence {
    pub(super) fn json(&self) -> Value {
        let categories: serde_json::Map<String, Value> =
            self.categories.iter().map(|(name, shares)| (name.clone(), shares.json())).collect();
        let point = |point: &Point| {
            json!({
                "threshold": rounded(point.threshold), "silent": rounded(point.silent.silent),
                "kept": rounded(point.others.kept), "wrong_only": rounded(point.others.wrong),
            })
        };
        json!({
            "dataset": self.dataset, "silent": self.silent.json(), "others": self.others.json(),
            "categories": categories, "separation": rounded(self.separation),
            "curve": self.curve.iter().map(point).collect::<Vec<_>>(),
        })
    }

    /// The rule's figures; with `whole` the categories and the curve too.
    pub(super) fn table(&self, out: &mut dyn Write, whole: bool) -> std::io::Result<()> {
        let percent = |share: f64| share * 100.0;
        writeln!(
            out,
            "{}, as injected (limit {BLOCK}, relevant only): {:.1} % of {} silent questions stay silent; of {} others \
             {:.1} % keep a gold memory, {:.1} % get only wrong ones, {:.1} % nothing; best relevance tells them apart \
             in {:.1} % of pairs",
            self.dataset,
            percent(self.silent.silent),
            self.silent.n,
            self.others.n,
            percent(self.others.kept),
            percent(self.others.wrong),
            percent(self.others.silent),
            percent(self.separation),
        )?;
        if !whole {
            return Ok(());
        }
        for (category, shares) in &self.categories {
            writeln!(
                out,
                "  {category:<40} {:>5}  silent {:>5.1}  kept {:>5.1}  wrong only {:>5.1}",
                shares.n,
                percent(shares.silent),
                percent(shares.kept),
                percent(shares.wrong)
            )?;
        }
        writeln!(out, "  {:>10} {:>9} {:>7} {:>10}", "relevance", "silent %", "kept %", "wrong only")?;
        for point in &self.curve {
            writeln!(
                out,
                "  {:>10.4} {:>9.1} {:>7.1} {:>10.1}",
                point.threshold,
                percent(point.silent.silent),
                percent(point.others.kept),
                percent(point.others.wrong)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_count_what_is_said_from_a_threshold_on() {
        let blocks = [vec![(0.9, false), (0.4, true)], vec![(0.3, true)], vec![]];
        let all = shares(&blocks, f64::NEG_INFINITY);
        assert_eq!((all.n, all.silent, all.kept, all.wrong), (3, 1.0 / 3.0, 2.0 / 3.0, 0.0));
        let some = shares(&blocks, 0.4);
        assert_eq!((some.silent, some.kept, some.wrong), (2.0 / 3.0, 1.0 / 3.0, 0.0));
        let few = shares(&blocks, 0.5);
        assert_eq!((few.silent, few.kept, few.wrong), (2.0 / 3.0, 0.0, 1.0 / 3.0));
    }

    #[test]
    fn the_curve_goes_from_talk_to_silence() {
        let silent: Vec<Block> = [0.1, 0.2, 0.3, 0.4].map(|relevance| vec![(relevance, false)]).to_vec();
        let others = vec![vec![(0.35, true)], vec![(0.9, true), (0.2, false)]];
        let curve = curve(&silent, &others);
        let ends = (curve.first().unwrap(), curve.last().unwrap());
        assert_eq!((ends.0.silent.silent, ends.0.others.kept), (0.0, 1.0));
        assert_eq!((ends.1.silent.silent, ends.1.others.kept), (1.0, 0.5));
        assert!(curve.is_sorted_by(|a, b| a.silent.silent <= b.silent.silent));
        assert_eq!(curve.len(), 5, "equal thresholds are one");
        // 0.35 beats three of four, 0.9 all.
        assert_eq!(separation(&silent, &others), 7.0 / 8.0);
        assert_eq!(separation(&[vec![]], &[vec![]]), 0.5);
    }
}
