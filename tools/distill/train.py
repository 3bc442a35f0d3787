"""Trains the table: a bag of rows against the teacher's sentence vectors and on pairs. Gradients by hand, lazily updated Adam rows.

A text is x = unit(sum of its rows). Losses of a step:
  regression   1 - x . t, with t the teacher's vector (language centroid removed, rotated into the table's basis)
  similarity   KL of the batch's similarity rows, softmax(t t' / 0.05) against softmax(x x' / 0.07), both languages in a batch
  parallel     InfoNCE of (English, Chinese), both ways; the wrong answers are the batch's texts of BOTH languages, which takes the
               language out of the vector
  words        the same on dictionary pairs
  pairs        InfoNCE on pairs of one language: identifier and docstring, word and gloss, utterance and answer
and a pull of each touched row towards its initial vector.
"""

import time

import numpy as np
from scipy import sparse

import table as tables


def softmax(x):
    x = np.exp(x - x.max(1, keepdims=True))
    return x / x.sum(1, keepdims=True)


def info_nce(a, b, temperature, both_languages):
    """Loss and gradients of unit rows a, b that belong to each other."""
    n = len(a)
    diagonal = np.arange(n)
    if both_languages:
        x = np.concatenate([a, b])
        logits = (x @ x.T) / temperature
        np.fill_diagonal(logits, -1e4)
        target = np.concatenate([diagonal + n, diagonal])
        p = softmax(logits)
        loss = -np.log(p[np.arange(2 * n), target] + 1e-12).mean()
        p[np.arange(2 * n), target] -= 1
        p /= 2 * n * temperature
        gradient = p @ x + p.T @ x
        return loss, gradient[:n], gradient[n:]
    logits = (a @ b.T) / temperature
    forward, backward = softmax(logits), softmax(logits.T)
    loss = -0.5 * (np.log(forward[diagonal, diagonal] + 1e-12).mean() + np.log(backward[diagonal, diagonal] + 1e-12).mean())
    forward[diagonal, diagonal] -= 1
    backward[diagonal, diagonal] -= 1
    g = 0.5 * (forward + backward.T) / (n * temperature)
    return loss, g @ b, g.T @ a


def match_similarity(x, t, student=0.07, teacher=0.05):
    """KL between the batch's similarity rows of teacher and student; loss and gradient for x."""
    n = len(x)
    wanted, logits = (t @ t.T) / teacher, (x @ x.T) / student
    np.fill_diagonal(wanted, -1e4)
    np.fill_diagonal(logits, -1e4)
    wanted, p = softmax(wanted), softmax(logits)
    loss = (wanted * (np.log(wanted + 1e-12) - np.log(p + 1e-12))).sum(1).mean()
    g = (p - wanted) / (n * student)
    return loss, g @ x + g.T @ x


class Sampler:
    """Shuffled batches of indices without end."""

    def __init__(self, weights_or_count, rng):
        self.rng, self.count = rng, weights_or_count
        self.order, self.at = rng.permutation(self.count), 0

    def next(self, size):
        if self.at + size > self.count:
            self.order, self.at = self.rng.permutation(self.count), 0
        self.at += size
        return self.order[self.at - size : self.at]


def stack(parts):
    return sparse.vstack(parts, format="csr")


class Trainer:
    def __init__(self, initial, data, settings):
        self.w, self.start = initial.copy(), initial.copy()
        self.data, self.s = data, settings
        self.m, self.v = np.zeros_like(initial), np.zeros_like(initial)
        self.rng = np.random.default_rng(settings.get("seed", 11))
        self.samplers = {}
        self.norm = np.maximum(np.linalg.norm(initial, axis=1, keepdims=True), settings.get("norm_floor", 0.05))
        self.scales = None

    def sample(self, name, count, size):
        if name not in self.samplers:
            self.samplers[name] = Sampler(count, self.rng)
        return self.samplers[name].next(min(size, count))

    def rounded(self, rows, columns):
        top = 2 ** (self.s["bits"] - 1) - 1
        scale = self.scales[columns][:, None]
        return np.clip(np.rint(rows / scale), -top, top) * scale

    def step(self, rate, quantised):
        s, d = self.s, self.data
        parts, spans, at = [], {}, 0
        for name in ("texts", "parallel", "words", "pairs"):
            size = s["batch"].get(name, 0)
            if not size or name not in d:
                continue
            if name == "texts":
                chosen = self.sample(name, d[name][0].shape[0], size)
                blocks = [d[name][0][chosen]]
                targets = d[name][1][chosen]
            else:
                chosen = self.sample(name, d[name][0].shape[0], size)
                blocks = [d[name][0][chosen], d[name][1][chosen]]
            spans[name] = (at, len(chosen))
            at += sum(b.shape[0] for b in blocks)
            parts += blocks
        x = stack(parts)
        if s["drop"]:
            keep = self.rng.random(len(x.data)) > s["drop"]
            length = np.diff(x.indptr)
            keep |= np.repeat(length <= 3, length)  # words stay whole
            x.data = x.data * keep
        columns, inverse = np.unique(x.indices, return_inverse=True)
        x = sparse.csr_matrix((x.data, inverse, x.indptr), (x.shape[0], len(columns)))
        rows = self.w[columns]
        used = self.rounded(rows, columns) if quantised else rows
        sums = x @ used
        norms = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-3)
        u = sums / norms
        g = np.zeros_like(u)
        losses = {}
        for name, (start, n) in spans.items():
            if name == "texts":
                mine = u[start : start + n]
                losses["reg"] = float((1 - (mine * targets).sum(1)).mean())
                g[start : start + n] -= s["weight"]["reg"] * targets / n
                losses["sim"], gradient = match_similarity(mine, targets)
                g[start : start + n] += s["weight"]["sim"] * gradient
            else:
                a, b = u[start : start + n], u[start + n : start + 2 * n]
                losses[name], ga, gb = info_nce(a, b, s["temperature"], name in ("parallel", "words"))
                g[start : start + n] += s["weight"][name] * ga
                g[start + n : start + 2 * n] += s["weight"][name] * gb
        gs = (g - u * (u * g).sum(1, keepdims=True)) / norms
        gradient = x.T @ gs
        # Relative to a row's size, so that frequent words with small weights and rare ones move alike.
        size = self.norm[columns]
        gradient = gradient * size + s["pull"] * (rows - self.start[columns]) / size
        m = self.m[columns] = 0.9 * self.m[columns] + 0.1 * gradient
        v = self.v[columns] = 0.99 * self.v[columns] + 0.01 * gradient**2
        self.w[columns] = rows - rate * size * m / (np.sqrt(v) + s.get("epsilon", 1e-7))
        return losses

    def run(self, steps, rate, quantised=False, report=None, every=200, warm=50, minutes=1e9):
        begin, average = time.time(), {}
        for i in range(steps):
            if quantised and i % 50 == 0:
                self.scales = tables.quantise(self.w, self.s["bits"], sweep=12)[1]
            now = rate * min(1, (i + 1) / warm) * (1 - 0.95 * i / steps)
            for key, value in self.step(now, quantised).items():
                average[key] = 0.98 * average.get(key, value) + 0.02 * value
            if (i + 1) % every == 0:
                print(i + 1, f"{time.time() - begin:.0f}s", {k: round(v, 3) for k, v in average.items()}, flush=True)
                if report:
                    report(self.w)
            if time.time() - begin > minutes * 60:
                break
        return self.w
