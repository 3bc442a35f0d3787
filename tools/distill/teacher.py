"""Encodes texts with the teacher (multilingual-e5-small as ONNX): mean pooled, L2-normalised, float16.

    python teacher.py MODEL TEXTS OUT.npy [--threads N] [--tokens N] [--minutes M]

TEXTS has a text per line, prefix included. OUT.npy is a row per line (memory-mapped while it is written); lines are taken shortest first
inside blocks, so that a stopped run leaves whole blocks finished: OUT.done holds the number of finished lines.
"""

import argparse
import time

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

DIMENSIONS = 384


class Teacher:
    def __init__(self, folder, threads=1, tokens=96):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(f"{folder}/model_q4.onnx", options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.tokenizer.enable_truncation(tokens)

    def tokenize(self, texts):
        return [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]

    def encode_ids(self, rows):
        width = max(map(len, rows))
        ids = np.ones((len(rows), width), np.int64)
        mask = np.zeros((len(rows), width), np.int64)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
            mask[i, : len(row)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self.session.run(None, inputs)[0]
        mean = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("texts")
    parser.add_argument("out")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=96)
    parser.add_argument("--minutes", type=float, default=1e9)
    arguments = parser.parse_args()
    teacher = Teacher(arguments.model, arguments.threads, arguments.tokens)
    with open(arguments.texts, encoding="utf-8", newline="\n") as file:
        texts = file.read().split("\n")[:-1]
    out = np.lib.format.open_memmap(arguments.out, "w+", np.float16, (len(texts), DIMENSIONS))
    start, block = time.time(), 8192
    for base in range(0, len(texts), block):
        ids = teacher.tokenize(texts[base : base + block])
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        at = 0
        while at < len(order):
            size = max(1, min(256, 4096 // len(ids[order[min(at + 255, len(order) - 1)]])))
            batch = order[at : at + size]
            out[[base + i for i in batch]] = teacher.encode_ids([ids[i] for i in batch])
            at += size
        out.flush()
        done = min(base + block, len(texts))
        with open(arguments.out + ".done", "w") as file:
            file.write(str(done))
        print(done, f"{time.time() - start:.0f}s", flush=True)
        if time.time() - start > arguments.minutes * 60:
            break


if __name__ == "__main__":
    main()
