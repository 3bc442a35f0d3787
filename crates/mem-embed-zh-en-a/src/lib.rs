//! First half of the data of `static-zh-en`, mem's built-in embedding model for Chinese and English: tokenizer, scales and the codes of the first rows.
//!
//! Data only, of no use without the other half, `mem-embed-zh-en-b`; `mem_embed::StaticEmbedder` reads both. What the
//! model was made from is in PROVENANCE.md.

/// The packed bytes; their form is that of `mem-embed` of the same version.
pub static DATA: &[u8] = include_bytes!("../data/static-zh-en-a.bin");
