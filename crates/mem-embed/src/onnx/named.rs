//! Models by name, as the Hugging Face hub's tools keep them on disk.

use super::config::{OnnxConfig, Pooling};
use crate::{Error, OnnxEmbedder};
use fastembed::TextEmbedding;
use std::path::{Path, PathBuf};

/// What `fastembed` knows of a model: where it is, and how it is used.
struct Listed {
    repository: String,
    file: Option<String>,
    pooling: Option<Pooling>,
}

/// By the name of its repository, or of `fastembed`'s variant (`MultilingualE5Small`), in any case; another name is
/// taken for a repository of which nothing is known.
fn listed(name: &str) -> Listed {
    let models = TextEmbedding::list_supported_models();
    let variant = models.iter().find(|known| format!("{:?}", known.model).eq_ignore_ascii_case(name));
    // Several files of one repository: the same one every time, as the list has no order.
    let of_repository = models.iter().filter(|known| known.model_code.eq_ignore_ascii_case(name));
    match variant.or(of_repository.min_by_key(|known| &known.model_file)) {
        Some(known) => Listed {
            repository: known.model_code.clone(),
            file: Some(known.model_file.clone()),
            pooling: TextEmbedding::get_default_pooling_method(&known.model).map(|pooling| match pooling {
                fastembed::Pooling::Cls => Pooling::Cls,
                fastembed::Pooling::Mean => Pooling::Mean,
            }),
        },
        None => Listed { repository: name.to_owned(), file: None, pooling: None },
    }
}

/// The folder of a repository's present state in a cache of the hub's tools: `models--owner--name/snapshots/<commit>`,
/// the commit being written in `refs/main`.
fn snapshot(cache: &Path, repository: &str) -> Option<PathBuf> {
    let folder = cache.join(format!("models--{}", repository.replace('/', "--")));
    let commit = std::fs::read_to_string(folder.join("refs").join("main")).ok()?;
    let snapshot = folder.join("snapshots").join(commit.trim());
    snapshot.is_dir().then_some(snapshot)
}

impl OnnxEmbedder {
    /// Names of models that [`OnnxEmbedder::named`] knows more of than their files tell.
    pub fn known_names() -> Vec<String> {
        let mut names: Vec<String> =
            TextEmbedding::list_supported_models().into_iter().map(|known| known.model_code).collect();
        names.sort();
        names.dedup();
        names
    }

    /// A model by the name of its repository on the Hugging Face hub, from a folder in which the hub's own tools
    /// (`hf download NAME --cache-dir CACHE`, or Python's fastembed) have put it.
    ///
    /// # Errors
    /// [`Error::ModelMissing`] when it is not there; otherwise as [`OnnxEmbedder::open`].
    pub fn named(name: &str, cache: impl AsRef<Path>, config: OnnxConfig) -> Result<Self, Error> {
        let Listed { repository, file, pooling } = listed(name);
        let cache = cache.as_ref();
        // A name that leads out of the cache is no name.
        let proper =
            |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', ':']);
        let folder = if repository.split('/').all(proper) { snapshot(cache, &repository) } else { None };
        let folder = folder
            .ok_or_else(|| Error::ModelNotFetched { name: repository.clone(), cache: cache.to_owned() })?;
        let file = config.file.clone().or(file.filter(|file| folder.join(file).is_file()));
        let own = config.pooling.is_none() && !folder.join("1_Pooling").join("config.json").is_file();
        let pooling = if own { pooling } else { config.pooling };
        Self::open(&folder, OnnxConfig { file, pooling, name: Some(repository), ..config })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_core::Embedder as _;

    #[test]
    fn a_model_is_found_where_the_hubs_tools_put_it() {
        let cache = tempfile::tempdir().unwrap();
        let missing = OnnxEmbedder::named("MultilingualE5Small", cache.path(), OnnxConfig::default());
        let missing = missing.unwrap_err();
        assert_eq!(missing.kind(), mem_core::ErrorKind::Unavailable);
        assert!(missing.to_string().contains("intfloat/multilingual-e5-small"), "{missing}");
        let folder = cache.path().join("models--intfloat--multilingual-e5-small");
        let snapshot = folder.join("snapshots").join("abc");
        std::fs::create_dir_all(snapshot.join("onnx")).unwrap();
        std::fs::create_dir_all(folder.join("refs")).unwrap();
        std::fs::write(folder.join("refs").join("main"), "abc\n").unwrap();
        for (file, content) in [
            ("onnx/model.onnx", "x"),
            ("tokenizer.json", "{}"),
            ("config.json", "{\"hidden_size\": 384, \"max_position_embeddings\": 512}"),
        ] {
            std::fs::write(snapshot.join(file), content).unwrap();
        }
        for name in ["multilinguale5small", "intfloat/multilingual-e5-small"] {
            let found = OnnxEmbedder::named(name, cache.path(), OnnxConfig::default()).unwrap();
            assert_eq!(found.identity().name, "intfloat/multilingual-e5-small");
            assert_eq!(found.identity().variant, "mean/512 \"query: \" \"passage: \"");
        }
        assert!(OnnxEmbedder::named("../x", cache.path(), OnnxConfig::default()).is_err());
        assert!(OnnxEmbedder::known_names().contains(&"intfloat/multilingual-e5-small".to_owned()));
    }
}
