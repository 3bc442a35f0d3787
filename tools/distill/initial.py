"""The table before training: the teacher's vector of each piece alone, language centroids removed, PCA, SIF weights.

Kana, Hangul and letters that the teacher's cut vocabulary lacks get a seeded random direction: they then match only themselves.
"""

import numpy as np

import table as tables

GROUP = {"en": "en", "sub": "en", "num": "en", "zh": "zh", "other": "other"}


def read_vocabulary(path):
    """Pieces, scores, classes, probabilities."""
    pieces, scores, classes, p = [], [], [], []
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            a, b, c, d = line.rstrip("\n").split("\t")
            pieces.append(a), scores.append(float(b)), classes.append(c), p.append(float(d))
    return pieces, np.array(scores), np.array(classes), np.array(p)


def basis_of(vectors, dims):
    """Principal directions of centred vectors, greatest first, with their variances."""
    covariance = vectors.T @ vectors / len(vectors)
    values, directions = np.linalg.eigh(covariance)
    order = np.argsort(-values)[:dims]
    return directions[:, order].astype(np.float32), values[order]


def initial(vectors, classes, p, dims=256, sif=1e-3, weighted=0.0, damp=0.0, basis=None, floor=0.35):
    """(table, basis). `weighted` is the power of p in the centroids; `damp` the power by which variances are flattened."""
    vectors = tables.unit(vectors.astype(np.float32))
    groups = np.array([GROUP[c] for c in classes])
    centred = vectors.copy()
    for name in ("en", "zh"):
        mine = groups == name
        weight = p[mine] ** weighted
        centred[mine] -= (weight[:, None] * vectors[mine]).sum(0) / weight.sum()
    taught = groups != "other"
    if basis is None:
        basis = basis_of(centred[taught], dims)
    directions, values = basis
    scale = (values / values[0]) ** (-damp / 2)
    rows = (centred @ directions) * scale
    norm = np.median(np.linalg.norm(rows[taught], axis=1))
    rows = rows / norm
    other = np.flatnonzero(~taught)
    noise = np.random.default_rng(5).standard_normal((len(other), rows.shape[1])).astype(np.float32)
    rows[other] = 0.8 * tables.unit(noise)
    weight = sif / (sif + p)
    weight[classes == "num"] *= 0.7
    return (rows * weight[:, None]).astype(np.float32), basis
