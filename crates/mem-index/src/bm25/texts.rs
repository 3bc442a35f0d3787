//! Dictionaries read whole into memory: what many searches of one snapshot look up.

use super::{
    schema::{Fields, ID},
    seen::nameless,
};
use crate::lexical::CHARS;
use tantivy::{Searcher, SegmentReader};

/// Sorted texts, one behind the other.
#[derive(Default)]
pub(super) struct Texts {
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
}

impl Texts {
    fn push(&mut self, key: &[u8]) -> tantivy::Result<()> {
        let Ok(text) = std::str::from_utf8(key) else { return Ok(()) };
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).map_err(|_| nameless())?);
        Ok(())
    }

    /// The ids of every segment.
    pub(super) fn ids(searcher: &Searcher) -> tantivy::Result<Vec<Self>> {
        let read = |segment: &SegmentReader| {
            let mut ids = Self::default();
            let Some(column) = segment.fast_fields().str(ID)? else { return Ok(ids) };
            let mut stream = column.dictionary().stream()?;
            while stream.advance() {
                ids.push(stream.key())?;
            }
            Ok(ids)
        };
        searcher.segment_readers().iter().map(read).collect()
    }

    /// The words of every segment and field, but the single characters.
    pub(super) fn words(searcher: &Searcher, fields: &Fields) -> tantivy::Result<Vec<Self>> {
        let mut all = Vec::new();
        for segment in searcher.segment_readers() {
            for field in fields.text.iter().take(CHARS) {
                let inverted = segment.inverted_index(*field)?;
                let mut words = Self::default();
                let mut stream = inverted.terms().stream()?;
                while stream.advance() {
                    words.push(stream.key())?;
                }
                all.push(words);
            }
        }
        Ok(all)
    }

    /// The text of a place.
    pub(super) fn get(&self, at: u64) -> Option<&str> {
        let at = usize::try_from(at).ok()?;
        let from = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(from as usize..*self.ends.get(at)? as usize)
    }

    /// The texts that begin with a byte.
    pub(super) fn beginning(&self, with: u8) -> impl Iterator<Item = &str> {
        let first = |at: usize| self.get(at as u64).and_then(|text| text.bytes().next());
        let (mut from, mut to) = (0, self.ends.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            if first(middle) < Some(with) { from = middle + 1 } else { to = middle }
        }
        (from..self.ends.len()).map_while(move |at| self.get(at as u64).filter(|_| first(at) == Some(with)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_place_and_by_their_beginning() {
        let mut texts = Texts::default();
        for text in ["able", "port", "ports", "提交"] {
            texts.push(text.as_bytes()).unwrap();
        }
        assert_eq!((texts.get(0), texts.get(2), texts.get(4)), (Some("able"), Some("ports"), None));
        assert_eq!(texts.beginning(b'p').collect::<Vec<_>>(), ["port", "ports"]);
        assert_eq!(texts.beginning(b'a').collect::<Vec<_>>(), ["able"]);
        assert_eq!(texts.beginning(b'q').count() + texts.beginning(b'b').count(), 0);
        assert_eq!(texts.beginning("提".as_bytes()[0]).count(), 1);
    }
}
