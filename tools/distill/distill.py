"""Teacher vectors and training material to an export.

    python distill.py WORK EXPORT --version V [--settings JSON] [--bench BENCH/data]

WORK holds what the earlier scripts wrote: vocab.tsv, piece vectors, data/ (dataset.py), texts vectors. Vectors of a stopped teacher run are
used as far as they go. With --bench the tuning halves are measured before and after.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from scipy import sparse

import initial
import table as tables
from golden import TEXTS
from provenance import PROVENANCE
from train import Trainer

DIMENSIONS = 256
SETTINGS = {
    "bits": 4,
    "seed": 11,
    "sif": 1e-3,  # a of a / (a + p), the weight of a row before training
    "damp": 0.1,  # power by which the variances of the principal directions are flattened, in targets and initial rows alike
    "basis": 0.5,  # share of sentences (the rest: single pieces) in the covariance whose principal directions are kept
    "batch": {"texts": 768, "parallel": 256, "words": 256, "pairs": 128},
    "weight": {"reg": 2, "sim": 2, "parallel": 1, "words": 0.5, "pairs": 0.3},
    "temperature": 0.05,
    "pull": 1e-3,
    "drop": 0.3,
    "rate": 0.008,
    "steps": 1500,
    "rounded_rate": 0.003,
    "rounded_steps": 150,
    "centroid": 1.25,  # how much of half the difference of the languages' means is subtracted
}


def finished(path):
    """Rows of a teacher run that are there, with their numbers."""
    vectors = np.load(path, mmap_mode="r")
    present = np.flatnonzero(np.abs(np.asarray(vectors[:, :8], np.float32)).sum(1) > 0)
    return present, np.asarray(vectors[present], np.float32)


def centred(vectors, groups):
    """Unit vectors minus the mean of their language."""
    vectors = tables.unit(vectors)
    for name in ("en", "zh"):
        mine = groups == name
        vectors[mine] -= vectors[mine].mean(0)
    return vectors


def covariance(vectors):
    return vectors.T @ vectors / (vectors**2).sum()


def language_centroids(matrix, is_zh, table, share, count=6000):
    """Half the difference of the languages' mean unit vectors, with its sign, for each language.

    What the languages have in common stays: taking it away as well costs recall inside one language and gains nothing across.
    """
    means = {
        name: tables.unit(matrix[np.flatnonzero(is_zh == (name == "zh"))[:count]] @ table).mean(0) for name in ("en", "zh")
    }
    middle = (means["en"] + means["zh"]) / 2
    return {name: share * (mean - middle) for name, mean in means.items()}


def prepare(work, settings):
    """(initial table, data for the trainer, bags of general texts, whether each is Chinese, vocabulary)."""
    pieces, scores, classes, p = initial.read_vocabulary(work / "vocab.tsv")
    count = len(pieces)
    vectors = np.zeros((count, 384), np.float32)
    rows, found = finished(work / "piece_vectors.npy")
    vectors[rows] = found
    if (work / "rest_ids.txt").exists():  # pieces encoded by a second run
        ids = np.loadtxt(work / "rest_ids.txt", dtype=int)
        rows, found = finished(work / "rest_vectors.npy")
        vectors[ids[rows]] = found
    classes = classes.copy()
    classes[np.abs(vectors[:, :8]).sum(1) == 0] = "other"

    bags = sparse.load_npz(work / "data" / "texts.npz")
    is_zh = np.load(work / "data" / "texts_zh.npy")
    ids, taught = [], []
    for name, base in (("texts_vectors.npy", 0), ("texts2_vectors.npy", settings.get("second_base", 90_000))):
        if (work / name).exists():
            rows, found = finished(work / name)
            fresh = ~np.isin(rows + base, np.concatenate(ids)) if ids else np.ones(len(rows), bool)
            ids.append(rows[fresh] + base)
            taught.append(found[fresh])
    ids, taught = np.concatenate(ids), np.concatenate(taught)
    if (work / "left_out.npy").exists():  # numbers of texts that shall not be used after all
        good = ~np.isin(ids, np.load(work / "left_out.npy"))
        ids, taught = ids[good], taught[good]
    taught = centred(taught, np.where(is_zh[ids], "zh", "en"))

    known = classes != "other"
    groups = np.array([initial.GROUP[c] for c in classes])
    single = centred(vectors[known], groups[known])
    share = settings["basis"]
    values, directions = np.linalg.eigh((1 - share) * covariance(single) + share * covariance(taught))
    order = np.argsort(-values)[:DIMENSIONS]
    basis = directions[:, order].astype(np.float32), values[order]
    table, _ = initial.initial(vectors, classes, p, sif=settings["sif"], damp=settings["damp"], basis=basis)
    # A random rotation spreads every row evenly over the coordinates, which is what few bits need.
    spin = np.linalg.qr(np.random.default_rng(1).standard_normal((DIMENSIONS, DIMENSIONS)))[0].astype(np.float32)
    table = np.ascontiguousarray(table @ spin)
    scale = (basis[1] / basis[1][0]) ** (-settings["damp"] / 2)
    targets = (tables.unit((taught @ basis[0]) * scale) @ spin).astype(np.float32)
    data = {"texts": (bags[ids], targets)}
    for name in ("parallel", "words", "pairs"):
        data[name] = tuple(sparse.load_npz(work / "data" / f"{name}_{side}.npz") for side in "ab")
    print({name: parts[0].shape[0] for name, parts in data.items()}, "variance kept", float(((taught @ basis[0]) ** 2).sum() / (taught**2).sum()), flush=True)
    return table, data, bags, is_zh, list(zip(pieces, scores))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=Path)
    parser.add_argument("export", type=Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--settings", type=json.loads, default={})
    parser.add_argument("--bench")
    parser.add_argument("--minutes", type=float, default=1e9)
    arguments = parser.parse_args()
    settings = {**SETTINGS, **arguments.settings}
    table, data, bags, is_zh, vocabulary = prepare(arguments.work, settings)
    evaluation = None
    if arguments.bench:
        import pickle

        import evaluate

        kept = arguments.work / "ev.pkl"
        if kept.exists():
            evaluation = pickle.loads(kept.read_bytes())
        else:
            tokenizer = tables.Tokenizer([p for p, _ in vocabulary], [s for _, s in vocabulary])
            evaluation = evaluate.Evaluation(arguments.bench, tokenizer)

    def report(label, rows):
        if evaluation:
            evaluate.show(label, evaluation.run(rows, language_centroids(bags, is_zh, rows, settings["centroid"])))

    report("initial", table)
    trainer = Trainer(table, data, settings)
    trainer.run(settings["steps"], settings["rate"], every=250, minutes=arguments.minutes)
    report("trained", trainer.w)
    np.save(arguments.work / "trained.npy", trainer.w)
    codes, scales = tables.quantise(trainer.w, settings["bits"])
    report("rounded", codes * scales[:, None])
    if settings["rounded_steps"]:
        trainer.run(settings["rounded_steps"], settings["rounded_rate"], quantised=True, every=50)
        codes, scales = tables.quantise(trainer.w, settings["bits"])
        report("tuned after rounding", codes * scales[:, None])
    centroids = language_centroids(bags, is_zh, codes * scales[:, None], settings["centroid"])
    tables.write(arguments.export, vocabulary, codes, scales, centroids, "mem-static-zhen", arguments.version, settings["bits"], PROVENANCE, TEXTS)


if __name__ == "__main__":
    main()
