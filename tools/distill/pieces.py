"""The reference tokeniser of the built-in static embedder: text to rows of the piece table.

The Rust side implements the same rules; `golden.jsonl` of an export decides. Scores in `pieces.tsv` are multiples of 1/8, so sums are
exact in binary floating point and both sides break ties alike.
"""

import unicodedata
from functools import lru_cache

START = "\u2581"
UNKNOWN = -25.0
MAX_WORD = 40
MAX_RUN = 256
MAX_PIECES = 512

CJK_RANGES = (
    (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3041, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip


@lru_cache(maxsize=None)
def kind(char):
    """'c' for CJK, 'l' for a letter or combining mark, 'd' for an ASCII digit, '' for a separator."""
    code = ord(char)
    if any(low <= code <= high for low, high in CJK_RANGES):
        return "c"
    if "0" <= char <= "9":
        return "d"
    category = unicodedata.category(char)
    # Rust's char::is_alphabetic holds for L*, Nl and some marks; every mark counts here.
    if category[0] in "LM" or category == "Nl":
        return "l"
    return ""


def humps(run):
    """Cuts a letter run at the humps of camel case."""
    start = 0
    for i in range(1, len(run)):
        if run[i].isupper() and (
            run[i - 1].islower() or (run[i - 1].isupper() and i + 1 < len(run) and run[i + 1].islower())
        ):
            yield run[start:i]
            start = i
    yield run[start:]


def fold(part):
    """Lower case without nonspacing marks, at most MAX_WORD characters."""
    decomposed = unicodedata.normalize("NFD", part.lower())
    return "".join(c for c in decomposed if unicodedata.category(c) != "Mn")[:MAX_WORD]


def units(text):
    """The units of a text that are segmented each for itself: words and digit runs with the start mark, CJK runs without."""
    text = unicodedata.normalize("NFKC", text)
    i, n = 0, len(text)
    while i < n:
        what = kind(text[i])
        if not what:
            i += 1
            continue
        j, kept = i, []
        while j < n:
            if kind(text[j]) == what:
                kept.append(text[j])
            elif not (
                what == "l" and text[j] in "'\u2019" and j + 1 < n and kind(text[j - 1]) == "l" and kind(text[j + 1]) == "l"
            ):
                break
            j += 1
        run = "".join(kept)
        if what == "l":
            for part in humps(run):
                if word := fold(part):
                    yield START + word
        elif what == "d":
            yield START + run
        else:
            for k in range(0, len(run), MAX_RUN):
                yield run[k : k + MAX_RUN]
        i = j


class Tokenizer:
    """Viterbi segmentation over pieces with scores."""

    def __init__(self, pieces, scores):
        self.row = {piece: i for i, piece in enumerate(pieces)}
        self.score = {piece: float(score) for piece, score in zip(pieces, scores)}
        self.longest = max(map(len, pieces))
        self._cache = {}

    @classmethod
    def load(cls, path):
        pieces, scores = [], []
        with open(path, encoding="utf-8", newline="\n") as file:
            for line in file:
                piece, score = line.rstrip("\n").split("\t")[:2]
                pieces.append(piece)
                scores.append(float(score))
        return cls(pieces, scores)

    def segment(self, unit):
        """Rows of a unit, remembered."""
        rows = self._cache.get(unit)
        if rows is None:
            rows = self._cache[unit] = self._segment(unit)
        return rows

    def _segment(self, unit):
        """Rows of the best path. Greatest sum; then fewest steps (an uncovered character is a step); then longest last step."""
        n, score, longest = len(unit), self.score, self.longest
        best = [(0.0, 0, 0)] + [None] * n  # (sum, -steps, length of the last step), greater is better
        known = [True] * (n + 1)
        for end in range(1, n + 1):
            top, is_known = None, False
            for start in range(max(0, end - longest), end):
                value = score.get(unit[start:end])
                found = value is not None
                if not found:
                    if start != end - 1:
                        continue
                    value = UNKNOWN
                total, steps, _ = best[start]
                candidate = (total + value, steps - 1, end - start)
                if top is None or candidate > top:
                    top, is_known = candidate, found
            best[end], known[end] = top, is_known
        rows, end = [], n
        while end:
            length = best[end][2]
            if known[end]:
                rows.append(self.row[unit[end - length : end]])
            end -= length
        return tuple(reversed(rows))

    def encode(self, text):
        rows = []
        for unit in units(text):
            rows.extend(self.segment(unit))
            if len(rows) >= MAX_PIECES:
                break
        return rows[:MAX_PIECES]
