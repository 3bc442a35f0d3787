"""Chooses the pieces of the table and their scores.

    python vocabulary.py TEACHER CORPUS OUT.tsv [ROWS]

Words by use: English from wordfreq and from identifiers and prose of CORPUS, Chinese from jieba's list, wordfreq and CORPUS. Word parts by
use as well: candidates are the teacher's ASCII pieces, endings and beginnings of rare words; a few rounds of hard EM over the words
outside the list give their probabilities. Writes piece TAB score TAB class TAB probability; class is en, sub, zh, num or other.
"""

import json
import math
import re
import sys
from collections import Counter

import jieba
import wordfreq

from pieces import START, Tokenizer, units

WORD = re.compile(r"[a-z]+$")
HAN = re.compile(r"[\u4e00-\u9fff]+$")
ENGLISH_WORDS, CHINESE_WORDS, SUBWORDS = 47_000, 40_000, 9_000


def quantised(probability, shift=0.0):
    """ln p in steps of 1/8, within 8 bits."""
    return max(round((math.log(probability) + shift) * 8) / 8, -30.0)


def corpus_lines(folder):
    for name, columns in (("parallel", (0, 1)), ("pairs", (0, 1)), ("texts", (1,))):
        with open(f"{folder}/{name}.tsv", encoding="utf-8") as file:
            for line in file:
                parts = line.rstrip("\n").split("\t")
                for column in columns:
                    yield parts[column]


def counts(folder):
    """Counts of English words and of Chinese words in the corpus."""
    english, chinese = Counter(), Counter()
    for text in corpus_lines(folder):
        for unit in units(text):
            if unit[0] == START:
                if WORD.match(unit[1:]):
                    english[unit[1:]] += 1
            else:
                chinese.update(word for word in jieba.cut(unit) if HAN.match(word))
    return english, chinese


def normalised(counter):
    total = sum(counter.values())
    return {key: value / total for key, value in counter.items()}


def main(teacher, corpus, out):
    jieba.setLogLevel(60)
    english_counts, chinese_counts = counts(corpus)

    english = Counter()
    for word, frequency in wordfreq.get_frequency_dict("en", "best").items():
        folded = word.replace("'", "").replace("\u2019", "")
        if WORD.match(folded) and len(folded) <= 24:
            english[folded] += frequency
    code = normalised(Counter({w: c for w, c in english_counts.items() if c >= 4}))
    english_p = {w: 0.75 * english.get(w, 0) + 0.25 * code.get(w, 0) for w in english.keys() | code.keys()}

    chinese = normalised(Counter({w: f for w, (f) in jieba.dt.FREQ.items() if f and HAN.match(w)}))
    web = {w: f for w, f in wordfreq.get_frequency_dict("zh", "best").items() if HAN.match(w)}
    technical = normalised(Counter({w: c for w, c in chinese_counts.items() if c >= 3}))
    chinese_p = {
        w: 0.4 * chinese.get(w, 0) + 0.4 * web.get(w, 0) + 0.2 * technical.get(w, 0)
        for w in chinese.keys() | web.keys() | technical.keys()
        if len(w) <= 6
    }

    rows = {}  # piece: (class, probability)
    chosen = sorted((w for w in english_p if len(w) > 1), key=english_p.get, reverse=True)
    inside, outside = chosen[:ENGLISH_WORDS], chosen[ENGLISH_WORDS : ENGLISH_WORDS + 150_000]
    for word in inside:
        rows[START + word] = ("en", english_p[word])
    for word in sorted((w for w in chinese_p if len(w) > 1), key=chinese_p.get, reverse=True)[:CHINESE_WORDS]:
        rows[word] = ("zh", chinese_p[word])

    with open(f"{teacher}/tokenizer.json", encoding="utf-8") as file:
        teacher_pieces = json.load(file)["model"]["vocab"]
    for piece, score in teacher_pieces:
        if len(piece) == 1 and HAN.match(piece):
            rows[piece] = ("zh", max(chinese_p.get(piece, 0), 1e-7, math.exp(score) / 50))
    for code_point in range(0x4E00, 0x9FA6):  # GB 2312 characters the teacher's list lacks
        char = chr(code_point)
        try:
            char.encode("gb2312")
        except UnicodeEncodeError:
            continue
        rows.setdefault(char, ("zh", max(chinese_p.get(char, 0), 1e-7)))

    # Parts of words: hard EM over the words outside, each weighted by the root of its frequency.
    candidates = Counter()
    for piece, score in teacher_pieces:
        if WORD.match(piece) and 2 <= len(piece) <= 12:
            candidates[piece] = math.exp(score)
        elif piece[0] == START and WORD.match(piece[1:]) and 2 <= len(piece) <= 9 and piece not in rows:
            candidates[piece] = math.exp(score)
    for word in inside[:6000]:
        if len(word) >= 3:
            candidates[word] = max(candidates[word], english_p[word] / 20)
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    fixed = letters + [START + c for c in letters]
    weight = {w: english_p[w] ** 0.5 for w in outside}
    total = sum(candidates.values())
    part_p = {piece: value / total for piece, value in candidates.items()}
    for limit in (20_000, 14_000, SUBWORDS):
        for piece in fixed:
            part_p[piece] = max(part_p.get(piece, 0), 1e-5)
        tokenizer = Tokenizer(list(part_p), [math.log(p) for p in part_p.values()])
        names, used = list(part_p), Counter()
        for word in outside:
            for row in tokenizer._segment(START + word):
                used[names[row]] += weight[word]
        kept = dict(used.most_common(limit))
        total = sum(kept.values())
        part_p = {piece: value / total for piece, value in kept.items()}
    for piece in fixed:
        part_p[piece] = max(part_p.get(piece, 0), 1e-6)
    for piece, p in part_p.items():
        rows.setdefault(piece, ("sub", p * 0.02))
    for letter in letters:
        rows[START + letter] = ("en", max(english_p.get(letter, 0), 1e-5))

    for number in range(1000):
        rows[f"{START}{number}"] = ("num", 1e-4 / (1 + number))
    for number in [*range(1900, 2050), *(f"{i:02}" for i in range(10)), 1024, 2048, 3000, 4096, 5000, 8000, 8080, 8443, 5432, 3306, 6379, 10000]:
        rows[f"{START}{number}"] = ("num", 1e-6)
    for number in range(100):
        rows[f"{number:02}"] = ("num", 1e-7)
    for digit in range(10):
        rows[str(digit)] = ("num", 1e-8)

    for language, count in (("ja", 900), ("ko", 2200)):
        for word, p in list(wordfreq.get_frequency_dict(language, "small").items()):
            if re.match(r"[\u3041-\u30ff]{2,5}$|[\uac00-\ud7a3]{2,3}$", word) and count:
                rows.setdefault(word, ("other", p))
                count -= 1
    for low, high in ((0x3041, 0x3096), (0x30A1, 0x30FC)):
        for code_point in range(low, high + 1):
            rows.setdefault(chr(code_point), ("other", 1e-6))
    korean = Counter()
    for word, p in wordfreq.get_frequency_dict("ko", "small").items():
        korean.update({c: p for c in word if "\uac00" <= c <= "\ud7a3"})
    for char, _ in korean.most_common(1200):
        rows.setdefault(char, ("other", 1e-6))
    for low, high in ((0x3B1, 0x3C9), (0x430, 0x45F), (0x5D0, 0x5EA), (0x621, 0x64A), (0xE01, 0xE2E), (0x905, 0x939)):
        for code_point in range(low, high + 1):
            for piece in (chr(code_point), START + chr(code_point)):
                rows.setdefault(piece, ("other", 1e-7))
    for char in "\u00df\u00e6\u00f8\u0131\u0142\u0111\u00f0\u00fe\u0153":
        for piece in (char, START + char):
            rows.setdefault(piece, ("other", 1e-7))
    for language, count in (("ru", 1500), ("de", 700), ("fr", 700), ("es", 700), ("pt", 300), ("it", 300)):
        for word, p in wordfreq.get_frequency_dict(language, "small").items():
            folded = next(iter(units(word)), "")
            if len(folded) > 3 and folded[0] == START and folded not in rows and count:
                rows[folded] = ("other", p / 30)
                count -= 1

    with open(out, "w", encoding="utf-8", newline="\n") as file:
        for piece, (name, p) in rows.items():
            file.write(f"{piece}\t{quantised(p)}\t{name}\t{p:.3e}\n")
    print(len(rows), Counter(name for name, _ in rows.values()))


if __name__ == "__main__":
    main(*sys.argv[1:4])
