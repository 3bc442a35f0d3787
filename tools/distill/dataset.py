"""Bags of pieces of the training material, kept in one folder so that trainings start at once.

    python dataset.py VOCABULARY.tsv CORPUS TEXTS.tsv OUT
"""

import random
import re
import sys
from pathlib import Path

import numpy as np
from scipy import sparse

import initial
import table as tables
from select_texts import lines


def rows_of(texts, tokenizer):
    return tables.bags(tokenizer, texts)


def main(vocabulary, corpus, texts, out):
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(3)
    pieces, scores, _, p = initial.read_vocabulary(vocabulary)
    tokenizer = tables.Tokenizer(pieces, scores)
    parallel = [r for r in lines(f"{corpus}/parallel.tsv") if len(r) == 3 and len(r[0]) <= 300 and len(r[1]) <= 120]
    words = [r for r in lines(f"{corpus}/words.tsv") if len(r) == 3 and len(r[0].split()) <= 3 and len(r[1]) <= 5]
    pairs = [r for r in lines(f"{corpus}/pairs.tsv") if len(r) == 3 and len(r[0]) <= 300 and len(r[1]) <= 300]
    # At most a few readings of a word, and of the many definitions of the dictionaries a share.
    rng.shuffle(words)
    seen, kept = {}, []
    for row in words:
        a, b = seen.get(row[0], 0), seen.get("z" + row[1], 0)
        if a < 5 and b < 5:
            seen[row[0]], seen["z" + row[1]] = a + 1, b + 1
            kept.append(row)
    for name, rows in (("parallel", parallel), ("words", kept), ("pairs", pairs)):
        left, right = rows_of([r[0] for r in rows], tokenizer), rows_of([r[1] for r in rows], tokenizer)
        good = (np.diff(left.indptr) > 0) & (np.diff(right.indptr) > 0)
        if name == "words":
            good &= (np.diff(left.indptr) <= 3) & (np.diff(right.indptr) <= 2)
        sparse.save_npz(out / f"{name}_a.npz", left[good], compressed=False)
        sparse.save_npz(out / f"{name}_b.npz", right[good], compressed=False)
        print(name, good.sum(), "of", len(rows), flush=True)
    rows = lines(texts)
    sparse.save_npz(out / "texts.npz", rows_of([r[2] for r in rows], tokenizer), compressed=False)
    np.save(out / "texts_zh.npy", np.array([r[1] == "zh" for r in rows]))
    print("texts", len(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
