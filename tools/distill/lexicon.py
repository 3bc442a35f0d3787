"""English-Chinese word pairs for translating queries in a lexical channel.

    python lexicon.py VOCABULARY.tsv CORPUS DATA OUT.tsv [PAIRS]

A pair is kept when two witnesses agree: both dictionaries (ECDICT, CC-CEDICT) list it, or one lists it and the parallel text attests it
(Dice of presence in segments), or the text attests it for a form (plural, past) of a word that a dictionary lists. Stop words and words of
one Han character are left out. Ordered by evidence and use; at most three Chinese words for an English one.
"""

import re
import sys
from collections import defaultdict

import numpy as np
from scipy import sparse

import initial
from select_texts import lines

FORM = re.compile(r"\w?\w?(s|es|ed|d|ing|ings|er|ers|ly|ion|ions|ies|ied)")
STOP = set(
    "the a an of to in on at by for with from as is are was were be been being am do does did done have has had will would can could may might "
    "must shall should not no nor or and but if then than that this these those there here it its he she they we you i me him her them us my your "
    "his their our which who whom whose what when where why how all any some each every both either neither such so too very just only own same "
    "other another more most much many few less least up down out off over under again further once about into through during before after "
    "above below between against until while because also yet still even ever never one two get got let go make take".split()
)
CHINESE_STOP = set("一个 这个 那个 这些 那些 我们 你们 他们 它们 自己 可以 没有 不是 就是 如果 因为 所以 但是 以及 或者 什么 怎么 进行 对于 关于 其他 已经 还是 不能 不会 一种 之后 之前".split())


def main(vocabulary, corpus, data, out, pairs=4000):
    pieces, _, classes, p = initial.read_vocabulary(vocabulary)
    row = {piece: i for i, piece in enumerate(pieces)}
    english = np.array([c == "en" and len(w) > 3 and w[1:] not in STOP for w, c in zip(pieces, classes)])
    chinese = np.array([c == "zh" and 2 <= len(w) <= 5 and w not in CHINESE_STOP for w, c in zip(pieces, classes)])
    a, b = (sparse.load_npz(f"{data}/parallel_{x}.npz") for x in "ab")
    a.data[:], b.data[:] = 1, 1
    count_a, count_b = (np.asarray(x.sum(0)).ravel() for x in (a, b))
    left, right = np.flatnonzero(english & (count_a >= 4)), np.flatnonzero(chinese & (count_b >= 4))
    together = (a[:, left].T @ b[:, right]).tocoo()
    dice = {}
    for i, j, n in zip(together.row, together.col, together.data):
        value = 2 * n / (count_a[left[i]] + count_b[right[j]])
        if n >= 3 and value >= 0.08:
            dice[left[i], right[j]] = (value, n)
    witness = defaultdict(set)
    for word, han, source in lines(f"{corpus}/words.tsv"):
        if re.fullmatch(r"[a-z]{3,}", word) and word not in STOP:
            i, j = row.get("\u2581" + word), row.get(han)
            if i is not None and j is not None and chinese[j]:
                witness[i, j].add(source)
    stems = defaultdict(set)  # the English words that a dictionary gives for a Chinese one
    for i, j in witness:
        stems[j].add(pieces[i][1:])

    def inflected(i, j):
        """Whether a dictionary gives the Chinese word for another form of the English one."""
        word = pieces[i][1:]
        return any(len(stem) >= 3 and word[:-1].startswith(stem[:-1]) and FORM.fullmatch(word[len(stem) - 1 :]) for stem in stems[j])

    scored = []
    for key in witness.keys() | dice.keys():
        books, (value, n) = len(witness.get(key, ())), dice.get(key, (0.0, 0))
        best = books + min(value, 0.5) * 2
        if (books == 2) or (books == 1 and value >= 0.12 and n >= 3) or (value >= 0.25 and n >= 5 and inflected(*key)):
            use = np.log10(p[key[0]]) + 0.5 * np.log10(p[key[1]])
            scored.append((best + 0.35 * use, value, books, key))
    scored.sort(reverse=True)
    kept, per_english, per_chinese = [], defaultdict(int), defaultdict(int)
    for score, value, books, (i, j) in scored:
        if per_english[i] < 3 and per_chinese[j] < 4:
            per_english[i] += 1
            per_chinese[j] += 1
            kept.append((pieces[i][1:], pieces[j], value, books))
            if len(kept) == int(pairs):
                break
    with open(out, "w", encoding="utf-8", newline="\n") as file:
        for word, han, _, _ in kept:
            file.write(f"{word}\t{han}\n")
    print(len(scored), "candidates,", len(kept), "kept")


if __name__ == "__main__":
    main(*sys.argv[1:])
