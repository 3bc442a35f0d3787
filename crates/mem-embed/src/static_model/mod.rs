//! [`StaticEmbedder`].

mod layout;
mod marks;
#[cfg(any(test, feature = "pack"))]
mod pack;
mod trie;
mod units;
mod viterbi;

#[cfg(any(test, feature = "pack"))]
pub use pack::{Packed, StaticTable, pack};

use crate::Error;
use layout::{Model, View};
use mem_core::{Calibration, Embedder, Embedding, ModelIdentity, Spread, TextRole};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// Pieces of a text beyond so many do not count.
const MAX_PIECES: usize = 512;

/// What a [`StaticEmbedder`] tells of itself beside its centroids; nothing here changes its vectors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StaticConfig {
    /// See [`Calibration::fusion_weight`].
    pub fusion_weight: f64,
    /// See [`Calibration::unrelated`].
    pub unrelated: Spread,
}

impl Default for StaticConfig {
    fn default() -> Self {
        Self { fusion_weight: 0.7, unrelated: Spread { count: 57_120, mean: -0.003, deviation: 0.091 } }
    }
}

/// A model without a network: the vector of a text is the sum of the vectors of its pieces, of unit length.
///
/// Pieces are words, parts of words, Chinese words and characters, numbers; the piece table was distilled from a
/// sentence embedding model, so that synonyms and translations (Chinese and English) come near one another. Rows carry
/// their weight: frequent words are short vectors. The order of words does not count.
///
/// A text is put into NFKC and cut into words (identifiers also at the humps of camel case), runs of digits and runs of
/// CJK characters; words lose case and accents. Each is segmented by the likeliest sequence of pieces. No more than 512
/// pieces count. Query and passage are treated alike.
///
/// The table is used where it lies, with 4 bits a number: nothing is read or unpacked at the start, and an embedding
/// touches only the rows it needs. Identity: name and digest of the table, such as `static-zh-en@0123456789ab/256`.
#[derive(Debug, Clone)]
pub struct StaticEmbedder {
    model: Model,
    identity: ModelIdentity,
    calibration: Calibration,
}

impl StaticEmbedder {
    /// The model that comes with this crate: `static-zh-en`, Chinese and English, 256 dimensions.
    ///
    /// # Errors
    /// None that a build with whole data can have; see [`StaticEmbedder::from_parts`].
    #[cfg(feature = "builtin")]
    pub fn builtin() -> Result<Self, Error> {
        Self::from_parts(mem_embed_zh_en_a::DATA, mem_embed_zh_en_b::DATA)
    }

    /// A model from its two packed parts: borrowed for ever, or owned.
    ///
    /// Takes the same time whatever their size. Damage that headers and sizes do not show gives other vectors, of unit
    /// length or all zeros, and no error.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Format`], [`Error::Mixed`].
    pub fn from_parts(
        first: impl Into<Cow<'static, [u8]>>,
        second: impl Into<Cow<'static, [u8]>>,
    ) -> Result<Self, Error> {
        let model = Model::new(first.into(), second.into())?;
        let identity = ModelIdentity {
            name: model.header.name.clone(),
            version: model.header.version(),
            dimensions: model.header.dimensions,
            variant: String::new(),
        };
        let calibration = Calibration {
            queries: model.centroids.clone(),
            passages: model.centroids.clone(),
            ..Calibration::default()
        };
        Ok(Self { model, identity, calibration }.with_config(StaticConfig::default()))
    }

    /// The same model, telling of itself what `config` says.
    #[must_use]
    pub fn with_config(mut self, config: StaticConfig) -> Self {
        self.calibration.fusion_weight = config.fusion_weight;
        self.calibration.unrelated = config.unrelated;
        self
    }

    /// For each language the data know, its tag and the mean of the unit vectors of its texts.
    pub fn centroids(&self) -> impl Iterator<Item = (&str, &[f32])> {
        self.model.centroids.0.iter().map(|(language, centroid)| (language.as_str(), centroid.as_slice()))
    }

    /// The vector of one text, of unit length; all zeros for a text of which no piece is known.
    pub fn vector(&self, text: &str) -> Embedding {
        Worker::new(&self.model).vector(text)
    }

    /// Rows of the table for the pieces of a text, in order; at most 512.
    pub fn pieces(&self, text: &str) -> Vec<u32> {
        let mut worker = Worker::new(&self.model);
        worker.segment(text);
        worker.rows
    }

    /// Reads the whole model and compares it with its digest.
    ///
    /// # Errors
    /// [`Error::Damaged`] when they differ.
    #[cfg(any(test, feature = "pack"))]
    pub fn verify(&self) -> Result<(), Error> {
        let damaged = |expected: &str, found: String| Error::Damaged {
            part: "some part",
            expected: expected.to_owned(),
            found,
        };
        let view = self.model.view();
        // A piece has at most 256 characters of at most 4 bytes.
        let mut entries = view.vocabulary.trie.entries(1024);
        entries.sort_by_key(|(_, row)| *row);
        let rows = self.model.header.rows;
        if entries.len() != rows || entries.iter().zip(0..).any(|((_, row), at)| *row != at) {
            return Err(damaged("one piece for each row", format!("{} pieces, {rows} rows", entries.len())));
        }
        let pieces = entries
            .into_iter()
            .map(|(piece, _)| String::from_utf8(piece).map(|piece| (piece, 0.0)))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| damaged("pieces in UTF-8", error.to_string()))?;
        let digest = pack::digest(
            self.model.header.dimensions,
            &pieces,
            view.vocabulary.costs,
            &view.scale_bits(),
            &view.codes(),
        );
        if digest == self.model.header.digest {
            Ok(())
        } else {
            Err(damaged("data of the digest in the header", "other data".to_owned()))
        }
    }
}

impl Embedder for StaticEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed(&self, texts: &[&str], _role: TextRole) -> mem_core::Result<Vec<Embedding>> {
        let mut worker = Worker::new(&self.model);
        Ok(texts.iter().map(|text| worker.vector(text)).collect())
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }
}

/// Embeds one text after another with the same buffers.
struct Worker<'a> {
    view: View<'a>,
    dimensions: usize,
    units: units::Units,
    segmenter: viterbi::Segmenter,
    rows: Vec<u32>,
}

impl<'a> Worker<'a> {
    fn new(model: &'a Model) -> Self {
        Self {
            view: model.view(),
            dimensions: model.header.dimensions,
            units: units::Units::default(),
            segmenter: viterbi::Segmenter::default(),
            rows: Vec::new(),
        }
    }

    fn segment(&mut self, text: &str) {
        let Self { view, units, segmenter, rows, .. } = self;
        rows.clear();
        units.each(text, &mut |unit| {
            segmenter.segment(unit, view.vocabulary, rows);
            if rows.len() < MAX_PIECES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        rows.truncate(MAX_PIECES);
    }

    fn vector(&mut self, text: &str) -> Embedding {
        self.segment(text);
        let mut sum = vec![0f32; self.dimensions];
        for (scale, codes) in self.rows.iter().filter_map(|row| self.view.row(*row)) {
            add(&mut sum, scale, codes);
        }
        normalise(&mut sum);
        sum
    }
}

/// Adds a packed row to a sum. Without branches and with lengths known to be equal: compiled to vector instructions.
#[inline]
fn add(sum: &mut [f32], scale: f32, codes: &[u8]) {
    let (low, high) = sum.split_at_mut(codes.len());
    for ((low, high), byte) in low.iter_mut().zip(high).zip(codes) {
        *low += scale * (i32::from(byte & 0xf) - 8) as f32;
        *high += scale * (i32::from(byte >> 4) - 8) as f32;
    }
}

/// Unit length; all zeros where that is impossible.
fn normalise(vector: &mut [f32]) {
    let norm = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    let factor = if norm.is_normal() { 1.0 / norm } else { 0.0 };
    for x in vector {
        *x = if factor == 0.0 { 0.0 } else { (f64::from(*x) * factor) as f32 };
    }
}

#[cfg(test)]
mod tests;
