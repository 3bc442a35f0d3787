//! Searching a snapshot.

use super::{
    lock,
    schema::Fields,
    seen::{Cursor, Lists, Naming, Part, Seen},
    texts::Texts,
};
use crate::lexical::{CHARS, Found, GRAMS, LexicalConfig, Plan, Postings, Scratch, rank};
use mem_core::{MemoryFilter, TextHits};
use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};
use tantivy::{
    Searcher,
    postings::{BlockSegmentPostings, TermInfo},
};

/// So many filters' views are kept; a session asks with two or three.
const VIEWS: usize = 4;
/// Ids and words are read one by one until so many searches of a snapshot were made; then all at once.
const SINGLE_READS: u32 = 4;

/// What searches of one snapshot have in common.
#[derive(Default)]
pub(super) struct Kept {
    /// The latest used last.
    views: Mutex<Vec<(MemoryFilter, Arc<Seen>)>>,
    work: Mutex<Work>,
    searches: AtomicU32,
    ids: OnceLock<Vec<Texts>>,
    words: OnceLock<Vec<Texts>>,
}

/// Memory that one search after another uses.
#[derive(Default)]
struct Work {
    grams: Postings,
    scratch: Scratch,
}

impl Kept {
    fn view(
        &self,
        searcher: &Searcher,
        fields: &Fields,
        filter: &MemoryFilter,
        config: &LexicalConfig,
    ) -> tantivy::Result<Arc<Seen>> {
        let mut views = lock(&self.views);
        let seen = match views.iter().position(|(own, _)| own == filter) {
            Some(at) => views.remove(at).1,
            None => Arc::new(Seen::new(searcher, fields, filter, config)?),
        };
        if views.len() >= VIEWS {
            views.remove(0);
        }
        views.push((filter.clone(), Arc::clone(&seen)));
        Ok(seen)
    }

    /// Counts a search; answers whether it is one of many.
    fn is_often(&self) -> bool {
        self.searches.fetch_add(1, Ordering::Relaxed) >= SINGLE_READS
    }
}

/// What is there, or what `make` makes; of two that make it at once one is kept.
fn made<T>(cell: &OnceLock<T>, make: impl FnOnce() -> tantivy::Result<T>) -> tantivy::Result<Option<&T>> {
    if cell.get().is_none() {
        let _ = cell.set(make()?);
    }
    Ok(cell.get())
}

/// BM25F over words and BM25 over trigrams.
pub(super) fn search(
    searcher: &Searcher,
    kept: &Kept,
    fields: &Fields,
    text: &str,
    filter: &MemoryFilter,
    k: usize,
    config: &LexicalConfig,
) -> tantivy::Result<TextHits> {
    let mut plan = Plan::new(text, config);
    if plan.is_empty() || k == 0 {
        return Ok(TextHits::default());
    }
    let often = kept.is_often();
    let seen = kept.view(searcher, fields, filter, config)?;
    let Work { grams, mut scratch } = std::mem::take(&mut *lock(&kept.work));
    let texts: Vec<&str> = plan.terms.iter().map(|term| term.text.as_str()).collect();
    let mut found = Found { size: seen.size as usize, words: seen.holding(&texts)?, grams };
    let misspelt = plan.misspelt(&found.words, config);
    if !misspelt.is_empty() {
        let words = if often {
            made(&kept.words, || Texts::words(searcher, fields))?.map(Vec::as_slice)
        } else {
            None
        };
        let like = seen.like(&plan, &misspelt, words)?;
        let texts: Vec<&str> = like.iter().map(String::as_str).collect();
        let held = seen.holding(&texts)?;
        plan.correct(&misspelt, like.into_iter().zip(held).collect(), &mut found.words, config);
    }
    seen.gram_lists(&plan, config, &mut found.grams)?;
    let ids = if often { made(&kept.ids, || Texts::ids(searcher))?.map(Vec::as_slice) } else { None };
    let names = Naming { seen: &seen, ids };
    let hits = rank(&plan, &found, &seen.collection, config, k, &mut scratch, &names);
    *lock(&kept.work) = Work { grams: found.grams, scratch };
    hits
}

/// Appends every visible document of a list, with what `value` makes of its frequency and its length.
fn read<T>(
    part: &Part,
    lists: &Lists,
    postings: &mut BlockSegmentPostings,
    out: &mut Vec<(u32, T)>,
    value: impl Fn(u32, u8) -> T,
) {
    out.reserve(if part.is_whole() { postings.doc_freq() as usize } else { 0 });
    while postings.block_len() > 0 {
        let block = postings.docs().iter().zip(postings.freqs());
        let valued = block.map(|(doc, frequency)| (*doc, *frequency));
        let entry = |(doc, frequency)| (part.base + doc, value(frequency, lists.norm(doc)));
        if part.is_whole() {
            out.extend(valued.map(entry));
        } else {
            out.extend(valued.filter(|(doc, _)| part.holds(*doc)).map(entry));
        }
        postings.advance();
    }
}

impl Seen {
    /// For each word the visible documents that hold it, in rising order, with its weighted frequency.
    fn holding(&self, words: &[&str]) -> tantivy::Result<Vec<Vec<(u32, f64)>>> {
        let mut matches = vec![Vec::new(); words.len()];
        for part in &self.parts {
            let mut cursors: [Cursor; GRAMS] = std::array::from_fn(|_| None);
            for (word, found) in words.iter().zip(&mut matches) {
                let mut own: Vec<(u32, f64)> = Vec::new();
                for ((at, lists), cursor) in part.fields.iter().enumerate().zip(&mut cursors) {
                    let Some(lists) = lists.as_ref().filter(|_| at != CHARS || !word.is_ascii()) else {
                        continue;
                    };
                    let Some(info) = lists.find(word)? else { continue };
                    let mut field = Vec::new();
                    read(part, lists, lists.postings(&info, cursor)?, &mut field, |frequency, norm| {
                        self.frequencies.of(at, frequency, norm)
                    });
                    own = if own.is_empty() { field } else { merged(&own, &field) };
                }
                if found.is_empty() { *found = own } else { found.extend(own) }
            }
        }
        Ok(matches)
    }

    /// The lists of the plan's trigrams; those of common ones are left empty.
    fn gram_lists(&self, plan: &Plan, config: &LexicalConfig, out: &mut Postings) -> tantivy::Result<()> {
        out.clear();
        let parts = self.parts.iter().filter_map(|part| Some((part, part.fields.get(GRAMS)?.as_ref()?)));
        let parts: Vec<(&Part, &Lists)> = parts.collect();
        let mut cursors: Vec<Cursor> = parts.iter().map(|_| None).collect();
        let is_common =
            |frequency: usize| config.grams.is_common(frequency as u64, self.collection.documents);
        let mut known = lock(&self.common);
        let mut places: Vec<Vec<Option<TermInfo>>> = Vec::with_capacity(plan.grams.len());
        let mut room = 0;
        for (gram, _) in &plan.grams {
            let mut own = Vec::new();
            if !known.contains(gram) {
                for (_, lists) in &parts {
                    own.push(lists.find(gram)?);
                }
                let frequency = own.iter().flatten().map(|info| info.doc_freq as usize).sum();
                if self.whole && is_common(frequency) {
                    own.clear();
                } else if self.whole {
                    room += frequency;
                }
            }
            places.push(own);
        }
        out.list().reserve(room);
        for ((gram, _), own) in plan.grams.iter().zip(&places) {
            for (((part, lists), info), cursor) in parts.iter().zip(own).zip(&mut cursors) {
                let Some(info) = info else { continue };
                read(part, lists, lists.postings(info, cursor)?, out.list(), |frequency, norm| {
                    self.scorer.value(frequency, norm)
                });
                if is_common(out.open()) {
                    out.reset();
                    known.insert(gram.clone());
                    break;
                }
            }
            out.end();
        }
        Ok(())
    }

    /// The dictionary's words that are like a misspelt one: those of its first letter are looked at.
    fn like(
        &self,
        plan: &Plan,
        misspelt: &[usize],
        words: Option<&[Texts]>,
    ) -> tantivy::Result<BTreeSet<String>> {
        let letters: BTreeSet<u8> = misspelt
            .iter()
            .filter_map(|at| plan.terms.get(*at))
            .filter_map(|term| term.text.bytes().next())
            .collect();
        let mut like = BTreeSet::new();
        if let Some(words) = words {
            for words in words {
                let near = letters.iter().flat_map(|letter| words.beginning(*letter));
                like.extend(near.filter(|word| plan.is_like(misspelt, word)).map(str::to_owned));
            }
            return Ok(like);
        }
        for lists in self.parts.iter().flat_map(|part| part.fields.iter().take(CHARS).flatten()) {
            for letter in &letters {
                let range = lists.inverted.terms().range().ge([*letter]).lt([letter.saturating_add(1)]);
                let mut stream = range.into_stream()?;
                while stream.advance() {
                    if let Ok(word) = std::str::from_utf8(stream.key())
                        && plan.is_like(misspelt, word)
                    {
                        like.insert(word.to_owned());
                    }
                }
            }
        }
        Ok(like)
    }
}

/// Two lists as one; what both hold is summed.
fn merged(left: &[(u32, f64)], right: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let mut out = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.iter().copied().peekable(), right.iter().copied().peekable());
    loop {
        match (left.peek().copied(), right.peek().copied()) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                out.push((a.0, a.1 + b.1));
                left.next();
                right.next();
            }
            (Some(a), Some(b)) if a.0 > b.0 => {
                out.push(b);
                right.next();
            }
            (Some(a), _) => {
                out.push(a);
                left.next();
            }
            (None, Some(b)) => {
                out.push(b);
                right.next();
            }
            (None, None) => return out,
        }
    }
}
