"""A static table in memory: reading an export, embedding texts, language centroids, quantising, writing an export."""

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
from scipy import sparse

from pieces import Tokenizer

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
LETTER = re.compile(r"[A-Za-z]+")


def language(text):
    """'zh' or 'en': a Han character weighs as much as half a word."""
    han = len(HAN.findall(text))
    return "zh" if han > 0.5 * len(LETTER.findall(text)) else "en"


def bags(tokenizer, texts):
    """Sparse texts x rows matrix of piece counts."""
    indices, pointers = [], [0]
    for text in texts:
        indices.extend(tokenizer.encode(text))
        pointers.append(len(indices))
    data = np.ones(len(indices), np.float32)
    matrix = sparse.csr_matrix((data, indices, pointers), (len(texts), len(tokenizer.row)), dtype=np.float32)
    matrix.sum_duplicates()
    return matrix


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def quantise(table, bits=4, sweep=24):
    """Codes and scale of each row: the scale with the least squared error among `sweep` candidates."""
    top = 2 ** (bits - 1) - 1
    peak = np.maximum(np.abs(table).max(1), 1e-12)
    best = np.full(len(table), np.inf)
    scales = np.zeros(len(table), np.float32)
    for share in np.linspace(0.4, 1.0, sweep):
        scale = (peak * share / top).astype(np.float16).astype(np.float32)
        scale = np.maximum(scale, 6e-8)
        codes = np.clip(np.rint(table / scale[:, None]), -top, top)
        error = ((codes * scale[:, None] - table) ** 2).sum(1)
        better = error < best
        best[better], scales[better] = error[better], scale[better]
    codes = np.clip(np.rint(table / scales[:, None]), -top, top).astype(np.int8)
    return codes, scales


def load(folder):
    """(tokenizer, table, model.json) of an export."""
    folder = Path(folder)
    tokenizer = Tokenizer.load(folder / "pieces.tsv")
    table = np.load(folder / "codes.npy").astype(np.float32) * np.load(folder / "scales.npy")[:, None]
    return tokenizer, table, json.loads((folder / "model.json").read_text())


def centroids_of(tokenizer, table, texts):
    """Mean of the unit vectors of texts of each language; `texts` maps a language to a list."""
    result = {}
    for name, part in texts.items():
        vectors = bags(tokenizer, part) @ table
        vectors = vectors[np.linalg.norm(vectors, axis=1) > 0]
        result[name] = unit(vectors).mean(0)
    return result


def write(folder, vocabulary, codes, scales, centroids, name, version, bits, provenance, golden_texts):
    """Writes an export to a temporary directory beside `folder`, then swaps it in."""
    folder = Path(folder)
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    with open(new / "pieces.tsv", "w", encoding="utf-8", newline="\n") as file:
        for piece, score in vocabulary:
            file.write(f"{piece}\t{score}\n")
    np.save(new / "codes.npy", codes.astype(np.int8))
    np.save(new / "scales.npy", scales.astype(np.float32))
    model = {
        "name": name,
        "version": version,
        "dims": int(codes.shape[1]),
        "bits": bits,
        "centroids": {key: [round(float(x), 6) for x in value] for key, value in centroids.items()},
        "provenance": provenance,
    }
    (new / "model.json").write_text(json.dumps(model, ensure_ascii=False, indent=1))
    tokenizer = Tokenizer([p for p, _ in vocabulary], [s for _, s in vocabulary])
    table = codes.astype(np.float32) * scales[:, None]
    with open(new / "golden.jsonl", "w", encoding="utf-8") as file:
        for text in golden_texts:
            rows = tokenizer.encode(text)
            vector = table[rows].astype(np.float64).sum(0) if rows else np.zeros(table.shape[1])
            norm = np.linalg.norm(vector)
            vector = vector / norm if norm else vector
            line = {"text": text, "pieces": rows, "vector": [round(float(x), 6) for x in vector]}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        os.rename(folder, old)
    os.rename(new, folder)
    shutil.rmtree(old, ignore_errors=True)
