"""Averages exports of several trainings over the same vocabulary into one.

    python average.py WORK EXPORT --version V [--bench BENCH/data] FOLDER FOLDER ...

A table means the same after a rotation, so each table is first turned onto the first one (orthogonal Procrustes over all rows).
"""

import argparse
import pickle
from pathlib import Path

import numpy as np
from scipy import sparse

import evaluate
import table as tables
from distill import SETTINGS, language_centroids
from golden import TEXTS
from provenance import PROVENANCE


def turned(table, onto):
    """The rotation of `table` that comes nearest to `onto`."""
    left, _, right = np.linalg.svd(table.T @ onto)
    return table @ (left @ right)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=Path)
    parser.add_argument("export", type=Path)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--version", required=True)
    parser.add_argument("--bench")
    arguments = parser.parse_args()
    tokenizer, first, _ = tables.load(arguments.folders[0])
    total = first.copy()
    for folder in arguments.folders[1:]:
        total += turned(tables.load(folder)[1], first)
    codes, scales = tables.quantise((total / len(arguments.folders)).astype(np.float32), SETTINGS["bits"])
    table = codes * scales[:, None]
    bags = sparse.load_npz(arguments.work / "data" / "texts.npz")
    centroids = language_centroids(bags, np.load(arguments.work / "data" / "texts_zh.npy"), table, SETTINGS["centroid"])
    if arguments.bench:
        kept = arguments.work / "ev.pkl"
        evaluation = pickle.loads(kept.read_bytes()) if kept.exists() else evaluate.Evaluation(arguments.bench, tokenizer)
        evaluate.show("average, rounded", evaluation.run(table, centroids))
    vocabulary = [(piece, tokenizer.score[piece]) for piece in tokenizer.row]
    tables.write(arguments.export, vocabulary, codes, scales, centroids, "mem-static-zhen", arguments.version, SETTINGS["bits"], PROVENANCE, TEXTS)


if __name__ == "__main__":
    main()
