//! What a model's folder says about the model.

use super::config::{OnnxConfig, Pooling};
use crate::Error;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Names under which models are exported, the best first: a rounded one is smaller and quicker, and nearly as good.
const KNOWN: [&str; 7] = [
    "model_quantized.onnx",
    "model_int8.onnx",
    "model_q4.onnx",
    "model.onnx",
    "model_optimized.onnx",
    "model_fp16.onnx",
    "model_quint8_avx2.onnx",
];
/// Where exporters put them.
const PLACES: [&str; 2] = ["", "onnx"];
/// Without a word about it, a model takes so many tokens.
const USUAL_TOKENS: usize = 512;
/// "No limit" is written as a very large number.
const NO_LIMIT: f64 = 1e6;

/// What the files of a model tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    pub(super) name: String,
    pub(super) onnx: PathBuf,
    /// Weights kept beside the model's file.
    pub(super) external: Vec<PathBuf>,
    pub(super) tokenizer: PathBuf,
    pub(super) query_prefix: String,
    pub(super) passage_prefix: String,
    pub(super) pooling: Pooling,
    /// The model's own vectors are further mapped inside, so its sentence output is to be taken.
    pub(super) sentence_output: bool,
    pub(super) max_tokens: usize,
    pub(super) dimensions: Option<usize>,
    pub(super) pad_token: String,
    pub(super) pad_id: u64,
    pub(super) special_tokens: Value,
}

impl Folder {
    /// Reads the small files of a model's folder; the large ones are only found.
    pub(super) fn read(dir: &Path, config: &OnnxConfig) -> Result<Self, Error> {
        if !dir.is_dir() {
            return Err(Error::ModelMissing { folder: dir.to_owned(), what: "folder".to_owned() });
        }
        let onnx = find_onnx(dir, config.file.as_deref())?;
        let tokenizer = beside(dir, &onnx, "tokenizer.json").ok_or_else(|| Error::ModelMissing {
            folder: dir.to_owned(),
            what: "tokenizer.json".to_owned(),
        })?;
        let json = |file: &str| beside(dir, &onnx, file).map_or(Ok(Value::Null), |path| read_json(&path));
        let model = json("config.json")?;
        let tokens = json("tokenizer_config.json")?;
        let special = json("special_tokens_map.json")?;
        let sentence = json("config_sentence_transformers.json")?;
        let bounds = json("sentence_bert_config.json")?;
        let modules = json("modules.json")?;
        let pooler = json("1_Pooling/config.json")?;
        let name = match &config.name {
            Some(name) => name.clone(),
            None => folder_name(dir),
        };
        let known = Known::of(&name, &model);
        let prompt = |keys: &[&str]| {
            keys.iter().find_map(|key| sentence.get("prompts")?.get(key)?.as_str().map(str::to_owned))
        };
        let (pad_token, pad_id) = padding(&model, &tokens, &special);
        Ok(Self {
            query_prefix: config
                .query_prefix
                .clone()
                .or_else(|| prompt(&["query", "search_query", "web_search_query"]))
                .unwrap_or_else(|| known.query.to_owned()),
            passage_prefix: config
                .passage_prefix
                .clone()
                .or_else(|| prompt(&["passage", "document", "search_document"]))
                .unwrap_or_else(|| known.passage.to_owned()),
            pooling: config.pooling.or_else(|| pooling(&pooler)).unwrap_or(known.pooling),
            sentence_output: modules.as_array().is_some_and(|modules| {
                modules.iter().any(|module| {
                    module.get("type").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("Dense"))
                })
            }),
            max_tokens: tokens_at_most(config.max_tokens, &model, &tokens, &bounds),
            dimensions: config.dimensions.or_else(|| dimensions(&model, &pooler)),
            external: external(&onnx),
            special_tokens: if special.is_object() { special } else { Value::Object(Default::default()) },
            name,
            onnx,
            tokenizer,
            pad_token,
            pad_id,
        })
    }

    /// All that changes vectors and is not in the weights.
    pub(super) fn variant(&self) -> String {
        let output = if self.sentence_output { "sentence" } else { self.pooling.word() };
        let mut variant = format!("{output}/{}", self.max_tokens);
        if !self.query_prefix.is_empty() || !self.passage_prefix.is_empty() {
            variant.push_str(&format!(" {:?} {:?}", self.query_prefix, self.passage_prefix));
        }
        variant
    }
}

/// A file of the model's folder, or of the one the model's file lies in.
fn beside(dir: &Path, onnx: &Path, file: &str) -> Option<PathBuf> {
    [Some(dir), onnx.parent()].into_iter().flatten().map(|dir| dir.join(file)).find(|path| path.is_file())
}

fn read_json(path: &Path) -> Result<Value, Error> {
    let bytes = read(path)?;
    serde_json::from_slice(&bytes)
        .map_err(|source| Error::ModelFile { path: path.to_owned(), source: std::sync::Arc::new(source) })
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path)
        .map_err(|source| Error::ModelFile { path: path.to_owned(), source: std::sync::Arc::new(source) })
}

fn find_onnx(dir: &Path, wanted: Option<&str>) -> Result<PathBuf, Error> {
    let missing = |what: &str| Error::ModelMissing { folder: dir.to_owned(), what: what.to_owned() };
    if let Some(file) = wanted {
        let path = dir.join(file);
        return if path.is_file() { Ok(path) } else { Err(missing(file)) };
    }
    for place in PLACES {
        let Ok(entries) = std::fs::read_dir(dir.join(place)) else { continue };
        let mut files: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "onnx") && path.is_file())
            .collect();
        files.sort();
        let rank = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            KNOWN.iter().position(|known| name == Some(known)).unwrap_or(KNOWN.len())
        };
        if let Some(best) = files.into_iter().min_by_key(rank) {
            return Ok(best);
        }
    }
    Err(missing("file that ends in .onnx"))
}

/// Weights beyond 2 GB, or kept apart for other reasons: `model.onnx_data`, `model.onnx.data`.
fn external(onnx: &Path) -> Vec<PathBuf> {
    let found = ["_data", ".data"].into_iter().map(|end| {
        let mut path = onnx.as_os_str().to_owned();
        path.push(end);
        PathBuf::from(path)
    });
    found.filter(|path| path.is_file()).collect()
}

fn folder_name(dir: &Path) -> String {
    let real = dir.canonicalize();
    let real = real.as_deref().unwrap_or(dir);
    real.file_name().map_or_else(|| "onnx".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// What is known of a family of models by its name, for files that do not say it.
struct Known {
    query: &'static str,
    passage: &'static str,
    pooling: Pooling,
}

const SEARCH: &str = "Represent this sentence for searching relevant passages: ";
const SEARCH_ZH: &str = "为这个句子生成表示以用于检索相关文章：";
const INSTRUCT: &str = "Instruct: Given a question, retrieve passages that answer it\nQuery: ";

impl Known {
    fn of(name: &str, model: &Value) -> Self {
        let original = model.get("_name_or_path").and_then(Value::as_str).unwrap_or_default();
        let text = format!("{name} {original}").to_lowercase();
        let has = |part: &str| text.contains(part);
        let (query, passage, pooling) = if has("e5") && has("instruct") {
            (INSTRUCT, "", if has("mistral") { Pooling::Last } else { Pooling::Mean })
        } else if has("e5") {
            ("query: ", "passage: ", Pooling::Mean)
        } else if has("nomic-embed") || has("modernbert-embed") {
            ("search_query: ", "search_document: ", Pooling::Mean)
        } else if has("bge") && has("-zh") {
            (SEARCH_ZH, "", Pooling::Cls)
        } else if has("bge-m3") {
            ("", "", Pooling::Cls)
        } else if has("bge") || has("mxbai") || has("arctic-embed") {
            (SEARCH, "", Pooling::Cls)
        } else if has("gte") {
            ("", "", Pooling::Cls)
        } else if has("embeddinggemma") {
            ("task: search result | query: ", "title: none | text: ", Pooling::Mean)
        } else if has("qwen3-embedding") {
            (INSTRUCT, "", Pooling::Last)
        } else {
            ("", "", Pooling::Mean)
        };
        Self { query, passage, pooling }
    }
}

/// As sentence-transformers writes it.
fn pooling(pooler: &Value) -> Option<Pooling> {
    let is = |key: &str| pooler.get(key).and_then(Value::as_bool) == Some(true);
    if is("pooling_mode_cls_token") {
        Some(Pooling::Cls)
    } else if is("pooling_mode_lasttoken") {
        Some(Pooling::Last)
    } else if is("pooling_mode_mean_tokens") {
        Some(Pooling::Mean)
    } else {
        None
    }
}

fn number(value: &Value, key: &str) -> Option<usize> {
    let number = value.get(key)?.as_f64()?;
    (1.0..NO_LIMIT).contains(&number).then_some(number as usize)
}

fn dimensions(model: &Value, pooler: &Value) -> Option<usize> {
    // Where a further layer changes the length, its exporters write the final one to the pooler.
    number(pooler, "word_embedding_dimension")
        .or_else(|| ["hidden_size", "d_model", "dim", "n_embd"].iter().find_map(|key| number(model, key)))
}

/// The least of all that bounds a text, and no more than the positions the model has learned.
fn tokens_at_most(wanted: Option<usize>, model: &Value, tokens: &Value, bounds: &Value) -> usize {
    let kind = model.get("model_type").and_then(Value::as_str).unwrap_or_default();
    // Positions of these start behind the padding's: two less can be used.
    let reserved = if ["xlm-roberta", "roberta", "camembert", "mpnet"].contains(&kind) { 2 } else { 0 };
    let positions = number(model, "max_position_embeddings").map(|count| count.saturating_sub(reserved));
    let own = [positions, number(tokens, "model_max_length"), number(bounds, "max_seq_length")];
    let own = own.into_iter().flatten().min().unwrap_or(USUAL_TOKENS);
    wanted.unwrap_or(own).min(positions.unwrap_or(usize::MAX)).max(8)
}

fn padding(model: &Value, tokens: &Value, special: &Value) -> (String, u64) {
    let text = |value: Option<&Value>| {
        let value = value?;
        value.as_str().or_else(|| value.get("content")?.as_str()).map(str::to_owned)
    };
    let find = |key: &str| text(tokens.get(key)).or_else(|| text(special.get(key)));
    let token = find("pad_token").or_else(|| find("eos_token")).unwrap_or_else(|| "[PAD]".to_owned());
    let id = model.get("pad_token_id").or_else(|| model.get("eos_token_id")).and_then(Value::as_u64);
    (token, id.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn folder(name: &str, files: &[(&str, Value)]) -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join(name);
        std::fs::create_dir_all(dir.join("onnx")).unwrap();
        for (file, value) in files {
            let path = dir.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, value.to_string()).unwrap();
        }
        (root, dir)
    }

    #[test]
    fn the_models_own_files_decide() {
        let (_root, dir) = folder(
            "acme-e5",
            &[
                ("onnx/model.onnx", json!(1)),
                ("onnx/model_quantized.onnx", json!(1)),
                ("tokenizer.json", json!({})),
                (
                    "config.json",
                    json!({"hidden_size": 64, "max_position_embeddings": 514, "model_type": "xlm-roberta", "pad_token_id": 1}),
                ),
                (
                    "tokenizer_config.json",
                    json!({"model_max_length": 1e30, "pad_token": {"content": "<pad>"}}),
                ),
                (
                    "config_sentence_transformers.json",
                    json!({"prompts": {"query": "Q: ", "document": "D: "}}),
                ),
                (
                    "1_Pooling/config.json",
                    json!({"word_embedding_dimension": 48, "pooling_mode_cls_token": true}),
                ),
                ("modules.json", json!([{"type": "sentence_transformers.models.Dense"}])),
            ],
        );
        let read = Folder::read(&dir, &OnnxConfig::default()).unwrap();
        assert_eq!(read.name, "acme-e5");
        assert!(read.onnx.ends_with("onnx/model_quantized.onnx"));
        assert_eq!((read.query_prefix.as_str(), read.passage_prefix.as_str()), ("Q: ", "D: "));
        assert_eq!((read.pooling, read.sentence_output), (Pooling::Cls, true));
        assert_eq!((read.max_tokens, read.dimensions), (512, Some(48)));
        assert_eq!((read.pad_token.as_str(), read.pad_id), ("<pad>", 1));
    }

    #[test]
    fn where_they_are_silent_the_name_does_and_the_config_overrules() {
        let (_root, dir) = folder("me5s-zhen", &[("a.onnx", json!(1)), ("tokenizer.json", json!({}))]);
        let read = Folder::read(&dir, &OnnxConfig::default()).unwrap();
        assert_eq!((read.query_prefix.as_str(), read.passage_prefix.as_str()), ("query: ", "passage: "));
        assert_eq!((read.pooling, read.max_tokens, read.dimensions), (Pooling::Mean, 512, None));
        let config = OnnxConfig {
            query_prefix: Some(String::new()),
            passage_prefix: Some("p ".into()),
            pooling: Some(Pooling::Last),
            max_tokens: Some(64),
            ..OnnxConfig::default()
        };
        let other = Folder::read(&dir, &config).unwrap();
        assert_eq!((other.query_prefix.as_str(), other.pooling, other.max_tokens), ("", Pooling::Last, 64));
        assert_ne!(read.variant(), other.variant());
    }

    #[test]
    fn what_is_missing_is_named() {
        let (root, dir) = folder("empty", &[("tokenizer.json", json!({}))]);
        let missing = |dir: &Path, config: &OnnxConfig| Folder::read(dir, config).unwrap_err().to_string();
        let usual = OnnxConfig::default();
        assert!(missing(&root.path().join("nowhere"), &usual).contains("nowhere"));
        assert!(missing(&dir, &usual).contains(".onnx"));
        std::fs::write(dir.join("model.onnx"), "x").unwrap();
        std::fs::remove_file(dir.join("tokenizer.json")).unwrap();
        assert!(missing(&dir, &usual).contains("tokenizer.json"));
        let named = OnnxConfig { file: Some("other.onnx".into()), ..OnnxConfig::default() };
        assert!(missing(&dir, &named).contains("other.onnx"));
    }

    #[test]
    fn damaged_json_is_an_error_that_names_the_file() {
        let (_root, dir) = folder("m", &[("a.onnx", json!(1)), ("tokenizer.json", json!({}))]);
        std::fs::write(dir.join("config.json"), "{").unwrap();
        let error = Folder::read(&dir, &OnnxConfig::default()).unwrap_err();
        assert!(error.to_string().contains("config.json"), "{error}");
    }
}
