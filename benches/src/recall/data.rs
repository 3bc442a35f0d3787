//! Data sets: documents, questions, and which documents answer which question.

use anyhow::Context as _;
use mem_core::Kind;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{HashMap, HashSet};
use std::io::BufRead as _;
use std::path::{Path, PathBuf};

/// One document of `corpus.jsonl`. Keys that are not here are passed over.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Document {
    pub(super) id: String,
    pub(super) text: String,
    /// What it may be found from; none: from everywhere.
    #[serde(default)]
    pub(super) group: Option<String>,
    /// RFC 3339, or any text that tells when a conversation began.
    #[serde(default)]
    pub(super) ts: Option<String>,
    #[serde(default)]
    pub(super) kind: Option<Kind>,
    #[serde(default)]
    pub(super) supersedes: Option<String>,
    #[serde(default)]
    pub(super) tags: Vec<String>,
    #[serde(default)]
    pub(super) path: Option<String>,
}

/// One question of `queries.jsonl`.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Question {
    pub(super) id: String,
    pub(super) text: String,
    /// Where it is asked; none: where there are global memories only.
    #[serde(default)]
    pub(super) group: Option<String>,
    #[serde(default)]
    pub(super) category: Option<String>,
    #[serde(default)]
    pub(super) lang: Option<String>,
    /// Documents that answer it, as places in the corpus, in order. From `qrels.tsv`; what it names and the corpus has
    /// not is left out.
    #[serde(skip)]
    pub(super) gold: Vec<usize>,
}

/// Questions over documents.
#[derive(Debug, Clone, Default)]
pub(super) struct Dataset {
    pub(super) name: String,
    pub(super) documents: Vec<Document>,
    pub(super) questions: Vec<Question>,
}

/// The folders of the data sets in `data`, by name: those named, or all. `data` may be one itself.
pub(super) fn folders(data: &Path, named: &[String]) -> anyhow::Result<Vec<PathBuf>> {
    let is_set = |folder: &Path| folder.join("corpus.jsonl").is_file();
    if is_set(data) && named.is_empty() {
        return Ok(vec![data.to_owned()]);
    }
    let mut folders: Vec<PathBuf> = if named.is_empty() {
        let mut all = Vec::new();
        for entry in fs_err::read_dir(data)? {
            all.push(entry?.path());
        }
        all.retain(|folder| is_set(folder));
        all
    } else {
        named.iter().map(|name| data.join(name)).collect()
    };
    if let Some(folder) = folders.iter().find(|folder| !is_set(folder)) {
        anyhow::bail!("{} holds no data set: it has no corpus.jsonl", folder.display());
    }
    folders.sort();
    anyhow::ensure!(
        !folders.is_empty(),
        "{} holds no data set: no folder in it has a corpus.jsonl",
        data.display()
    );
    Ok(folders)
}

impl Dataset {
    /// Reads a folder with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let name = fs_err::canonicalize(folder)?;
        let name = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let documents = lines(&folder.join("corpus.jsonl"))?;
        let questions = lines(&folder.join("queries.jsonl"))?;
        let judgements = fs_err::read_to_string(folder.join("qrels.tsv"))?;
        Self { name, documents, questions }.judged(&judgements)
    }

    /// Gives each question its gold documents. A line is `question⇥document⇥relevance`; what is not above 0 is no gold.
    pub(super) fn judged(mut self, judgements: &str) -> anyhow::Result<Self> {
        let mut documents = HashMap::new();
        for (at, document) in self.documents.iter().enumerate() {
            let seen = documents.insert(document.id.as_str(), at);
            anyhow::ensure!(seen.is_none(), "{}: the id {:?} is there twice", self.name, document.id);
        }
        let mut gold: HashMap<&str, HashSet<usize>> = HashMap::new();
        for (at, line) in judgements.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let mut cells = line.trim_end_matches('\r').split('\t');
            let (Some(question), Some(document), Some(relevance)) =
                (cells.next(), cells.next(), cells.next())
            else {
                anyhow::bail!(
                    "{}: line {} of qrels.tsv is not three cells, apart by tabs",
                    self.name,
                    at + 1
                );
            };
            let relevance: f64 = relevance.trim().parse().with_context(|| {
                format!("{}: relevance {relevance:?} in line {} of qrels.tsv", self.name, at + 1)
            })?;
            if let Some(document) = documents.get(document).filter(|_| relevance > 0.0) {
                gold.entry(question).or_default().insert(*document);
            }
        }
        for question in &mut self.questions {
            question.gold = gold.remove(question.id.as_str()).into_iter().flatten().collect();
            question.gold.sort_unstable();
        }
        Ok(self)
    }
}

fn lines<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let mut all = Vec::new();
    for (at, line) in std::io::BufReader::new(fs_err::File::open(path)?).lines().enumerate() {
        let line = line.with_context(|| format!("{}, line {}", path.display(), at + 1))?;
        if !line.trim().is_empty() {
            all.push(
                serde_json::from_str(&line)
                    .with_context(|| format!("{}, line {}", path.display(), at + 1))?,
            );
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dataset() -> Dataset {
        let document = |id: &str| Document { id: id.to_owned(), ..Document::default() };
        let question = |id: &str| Question { id: id.to_owned(), ..Question::default() };
        Dataset {
            name: "tiny".to_owned(),
            documents: vec![document("a"), document("b"), document("c")],
            questions: vec![question("1"), question("2"), question("3")],
        }
    }

    #[test]
    fn gold_is_what_is_relevant_and_there() {
        let data = dataset().judged("1\tc\t1\r\n1\ta\t2\n1\ta\t1\n2\tgone\t1\n2\tb\t0\n\n").unwrap();
        let gold: Vec<_> = data.questions.iter().map(|question| question.gold.clone()).collect();
        assert_eq!(gold, [vec![0, 2], vec![], vec![]]);
    }

    #[test]
    fn faults_are_told_with_their_place() {
        let told = |judgements| dataset().judged(judgements).unwrap_err().to_string();
        assert!(told("1\ta\t1\n1 a 1\n").contains("line 2"), "{}", told("1\ta\t1\n1 a 1\n"));
        assert!(told("1\ta\tyes").contains("\"yes\" in line 1"));
        let mut double = dataset();
        double.documents[2].id = "a".to_owned();
        assert!(double.judged("").unwrap_err().to_string().contains("\"a\" is there twice"));
    }

    #[test]
    fn a_folder_of_sets_and_a_set_are_both_taken() {
        let root = tempfile::tempdir().unwrap();
        for name in ["two", "one", "other"] {
            fs_err::create_dir(root.path().join(name)).unwrap();
        }
        for name in ["two", "one"] {
            fs_err::write(root.path().join(name).join("corpus.jsonl"), "").unwrap();
        }
        let names = |folders: Vec<PathBuf>| -> Vec<String> {
            folders.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names(folders(root.path(), &[]).unwrap()), ["one", "two"]);
        assert_eq!(names(folders(root.path(), &["two".to_owned()]).unwrap()), ["two"]);
        assert_eq!(names(folders(&root.path().join("one"), &[]).unwrap()), ["one"]);
        assert!(folders(root.path(), &["other".to_owned()]).is_err());
        assert!(folders(&root.path().join("other"), &[]).is_err());
    }
}
