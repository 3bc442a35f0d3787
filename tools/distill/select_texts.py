"""Chooses the sentences that the teacher encodes.

    python select_texts.py CORPUS OUT.tsv [LIMIT]

Writes kind TAB language TAB text, shuffled: `par` (both sides of a parallel pair), `pair` (one side of a pair of one language), `text`.
Shuffling lets a run of the teacher stop at any time and leave a fair sample.
"""

import random
import re
import sys
from collections import defaultdict

from pieces import units
from table import language


def take(rows, limit, cap, rng):
    """At most `limit` rows, at most `cap` of one source."""
    rng.shuffle(rows)
    counts, kept = defaultdict(int), []
    for row in rows:
        if counts[row[-1]] < cap:
            counts[row[-1]] += 1
            kept.append(row)
            if len(kept) == limit:
                break
    return kept


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def pretty(identifier):
    """Identifiers as the words they are made of."""
    return " ".join(unit.lstrip("\u2581") for unit in units(identifier))


def main(corpus, out, limit=170_000):
    rng = random.Random(7)
    chosen = {}

    def add(kind, text):
        if len(list(units(text))) >= 1 and len(text) <= 260:
            chosen.setdefault(text, (kind, language(text)))

    parallel = [r for r in lines(f"{corpus}/parallel.tsv") if 3 <= len(r[0].split()) <= 40 and len(r[1]) <= 120]
    for english, chinese, _ in take(parallel, 36_000, 5_000, rng):
        add("par", english)
        add("par", chinese)
    pairs = [r for r in lines(f"{corpus}/pairs.tsv") if len(r) == 3]
    for left, right, source in take([r for r in pairs if r[2] not in ("wordnet", "ecdict", "chatterbot_corpus")], 14_000, 5_000, rng):
        add("pair", right)
        if rng.random() < 0.3:
            add("pair", pretty(left)[:160])
    for left, right, source in take([r for r in pairs if r[2] in ("wordnet", "ecdict")], 16_000, 12_000, rng):
        add("pair", right)
    for left, right, source in [r for r in pairs if r[2] == "chatterbot_corpus"]:
        add("pair", left)
        add("pair", right)
    texts = [r for r in lines(f"{corpus}/texts.tsv") if len(r) == 3 and 12 <= len(r[1]) <= 200 and not re.search(r"https?:|[|{}<>=]{2}", r[1])]
    for name, count in (("en", 40_000), ("zh", 40_000)):
        for _, text, _ in take([r for r in texts if r[0] == name and (name == "en" or len(r[1]) <= 90)], count, 26_000, rng):
            add("text", text)
    rows = list(chosen.items())
    rng.shuffle(rows)
    with open(out, "w", encoding="utf-8", newline="\n") as file:
        for text, (kind, name) in rows[: int(limit)]:
            file.write(f"{kind}\t{name}\t{text}\n")
    counts = defaultdict(int)
    for _, key in rows[: int(limit)]:
        counts[key] += 1
    print(len(rows), dict(counts), "characters", sum(len(t) for t, _ in rows[: int(limit)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
