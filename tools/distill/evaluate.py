"""Dense recall at 5 of a static table on the benchmark sets, after centring.

    python evaluate.py BENCH/data EXPORT [EXPORT ...]

Sets are split as the benchmark's README says: LoCoMo conversations 26, 30, 41 and the first half of the queries of every other set are
for tuning, the rest for reporting. `mixed` pools both languages of XQuAD; the right answer is the paragraph in the other language.
MemDaily is a sample: every fourth query with its group.
"""

import json
import sys
from pathlib import Path

import numpy as np

import table as tables

TUNE = {"conv-26", "conv-30", "conv-41"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Set:
    def __init__(self, name, docs, queries, gold, tune):
        self.name, self.docs, self.queries, self.gold, self.tune = name, docs, queries, gold, tune


def gold_of(folder):
    gold = {}
    for line in open(folder / "qrels.tsv", encoding="utf-8"):
        query, doc, _ = line.split("\t")
        gold.setdefault(query, set()).add(doc)
    return gold


def load_sets(root):
    root = Path(root)
    sets = []
    for name in ("locomo_turn", "xquad_zhq_end", "xquad_enq_zhd", "xquad_zh", "memdaily_zh_noise150", "cosqa_test", "scifact_test"):
        docs, queries, gold = read(root / name / "corpus.jsonl"), read(root / name / "queries.jsonl"), gold_of(root / name)
        half = {q["id"] for q in queries[: len(queries) // 2]}
        queries = [q for q in queries if q["id"] in gold and q.get("category") != "adversarial"]
        if name == "memdaily_zh_noise150":
            queries = queries[::4]
            groups = {q["group"] for q in queries}
            docs = [d for d in docs if d["group"] in groups]
        if name == "locomo_turn":
            half = {q["id"] for q in queries if q["group"] in TUNE}
        sets.append(Set(name, docs, queries, gold, np.array([q["id"] in half for q in queries])))
    english, chinese = (read(root / f"xquad_{x}" / "corpus.jsonl") for x in ("en", "zh"))
    docs = [{"id": "en" + d["id"], "text": d["text"]} for d in english] + [{"id": "zh" + d["id"], "text": d["text"]} for d in chinese]
    for name, own, other in (("zh", "zh", "en"), ("en", "en", "zh")):
        queries = read(root / f"xquad_{name}" / "queries.jsonl")
        gold = {q: {other + d for d in ds} for q, ds in gold_of(root / f"xquad_{name}").items()}
        queries = [q for q in queries if q["id"] in gold]
        tune = np.arange(len(queries)) < len(queries) // 2
        sets.append(Set(f"mixed_{name}q", docs, queries, gold, tune))
    return sets


class Evaluation:
    """Bags of all texts, kept for one vocabulary so that many tables can be measured."""

    def __init__(self, root, tokenizer, names=None):
        self.sets = [s for s in load_sets(root) if not names or s.name in names]
        for s in self.sets:
            for what in ("docs", "queries"):
                texts = [x["text"] for x in getattr(s, what)]
                setattr(s, what + "_bags", tables.bags(tokenizer, texts))
                setattr(s, what + "_language", np.array([tables.language(t) for t in texts]))

    def vectors(self, s, what, table, centroids):
        vectors = tables.unit(getattr(s, what + "_bags") @ table)
        if centroids:
            languages = getattr(s, what + "_language")
            for name, centroid in centroids.items():
                vectors[languages == name] -= np.asarray(centroid, np.float32)
            vectors = tables.unit(vectors)
        return vectors

    def run(self, table, centroids, k=5):
        """{set: (tune, report)} in percent."""
        result = {}
        for s in self.sets:
            docs, queries = (self.vectors(s, what, table, centroids) for what in ("docs", "queries"))
            groups = {}
            for i, d in enumerate(s.docs):
                groups.setdefault(d.get("group"), []).append(i)
            members = {g: np.array(ids) for g, ids in groups.items()}
            recalls = []
            for q, query in enumerate(s.queries):
                ids = members[query.get("group")]
                scores = docs[ids] @ queries[q]
                top = ids[np.argsort(-scores, kind="stable")[:k]]
                gold = s.gold[query["id"]]
                recalls.append(sum(s.docs[i]["id"] in gold for i in top) / len(gold))
            recalls = 100 * np.array(recalls)
            result[s.name] = (recalls[s.tune].mean(), recalls[~s.tune].mean())
        return result


def show(label, result):
    short = {"locomo_turn": "locomo", "xquad_zhq_end": "zh>en", "xquad_enq_zhd": "en>zh", "xquad_zh": "xq_zh", "memdaily_zh_noise150": "memd", "cosqa_test": "cosqa", "scifact_test": "scif", "mixed_zhq": "mixzh", "mixed_enq": "mixen"}
    print(f"{label:28}", " ".join(f"{short[n]} {t:.1f}/{r:.1f}" for n, (t, r) in result.items()), flush=True)


def main(root, *folders):
    for folder in folders:
        tokenizer, table, model = tables.load(folder)
        evaluation = Evaluation(root, tokenizer)
        show(Path(folder).name, evaluation.run(table, model["centroids"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
