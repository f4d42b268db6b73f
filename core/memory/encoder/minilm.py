"""A BERT sentence encoder in numpy: all-MiniLM-L6-v2 without torch, ready in a fifth of a second.

Gives the vectors of sentence-transformers to 2e-7 (tests compare them where both are installed). The network
is that of "BERT: Pre-training of Deep Bidirectional Transformers" (post-norm encoder, exact GELU), followed
by mean pooling over the tokens and normalisation.
"""

from __future__ import annotations

import json
import mmap
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]

MAX_TOKENS = 256  # the limit the model was published with


class MiniLM:
    """Encodes texts to unit vectors.

    Attributes:
        dimension: Length of a vector.
    """

    def __init__(self, folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.dimension = int(config["hidden_size"])
        self._heads = int(config["num_attention_heads"])
        self._layers = int(config["num_hidden_layers"])
        self._epsilon = float(config["layer_norm_eps"])
        self._weights = _read_safetensors(folder / "model.safetensors")
        self._tokenizer: Any = import_module("tokenizers").Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()  # the file pads and truncates to 128, which would cost and cut
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._unknown = self._tokenizer.token_to_id("[UNK]")

    @staticmethod
    def can_read(folder: Path) -> bool:
        """Return whether a folder holds a model of this architecture with mean pooling."""
        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            pooling = json.loads((folder / "1_Pooling" / "config.json").read_text(encoding="utf-8"))
            modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        plain = config.get("model_type") == "bert" and config.get("hidden_act") == "gelu"
        absolute = config.get("position_embedding_type", "absolute") == "absolute"
        weights = (folder / "model.safetensors").is_file() and (folder / "tokenizer.json").is_file()
        mean = pooling.get("pooling_mode") == "mean" or pooling.get("pooling_mode_mean_tokens") is True
        return bool(plain and absolute and weights and mean and len(modules) == 3)

    def encode(self, texts: list[str]) -> tuple[Floats, Floats]:
        """Encode texts.

        Returns:
            Unit vectors, shape (n, dimension); share of unknown tokens per text, shape (n,): near 1 for a
            language the vocabulary does not cover.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        unknown = np.zeros(len(texts), dtype=np.float32)
        for index, text in enumerate(texts):
            ids = np.array(self._tokenizer.encode(text).ids, dtype=np.int64)
            inner = ids[1:-1]
            unknown[index] = float((inner == self._unknown).mean()) if len(inner) else 0.0
            pooled = self._forward(ids).mean(axis=0)
            vectors[index] = pooled / max(float(np.linalg.norm(pooled)), 1e-12)
        return vectors, unknown

    def _forward(self, ids: NDArray[np.int64]) -> Floats:
        weights = self._weights
        state: Floats = weights["embeddings.word_embeddings.weight"][ids]
        state = state + weights["embeddings.position_embeddings.weight"][: len(ids)]
        state = state + weights["embeddings.token_type_embeddings.weight"][0]
        state = self._norm(state, "embeddings.LayerNorm")
        for layer in range(self._layers):
            name = f"encoder.layer.{layer}"
            attended = self._linear(self._attention(state, name), f"{name}.attention.output.dense")
            state = self._norm(state + attended, f"{name}.attention.output.LayerNorm")
            wide = _gelu(self._linear(state, f"{name}.intermediate.dense"))
            state = self._norm(state + self._linear(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        return state

    def _attention(self, state: Floats, name: str) -> Floats:
        length, width = state.shape
        size = width // self._heads
        query, key, value = (
            self._linear(state, f"{name}.attention.self.{part}")
            .reshape(length, self._heads, size)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(size))
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ value).transpose(1, 0, 2).reshape(length, width)
        return np.asarray(mixed, dtype=np.float32)

    def _linear(self, state: Floats, name: str) -> Floats:
        result: Floats = state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _norm(self, state: Floats, name: str) -> Floats:
        centred = state - state.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(self._epsilon))
        result: Floats = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


def _gelu(x: Floats) -> Floats:
    """Return x·Φ(x) with erf after Abramowitz and Stegun 7.1.26 (largest error 1.5e-7)."""
    scaled = np.abs(x) * np.float32(0.7071067811865476)
    t = 1.0 / (1.0 + np.float32(0.3275911) * scaled)
    series = t * (
        np.float32(0.254829592)
        + t
        * (
            np.float32(-0.284496736)
            + t * (np.float32(1.421413741) + t * (np.float32(-1.453152027) + t * np.float32(1.061405429)))
        )
    )
    erf = np.copysign(1.0 - series * np.exp(-scaled * scaled), x)
    result: Floats = np.float32(0.5) * x * (1.0 + erf)
    return result


def _read_safetensors(path: Path) -> dict[str, Floats]:
    """Map the float32 tensors of a safetensors file (8-byte length, JSON header, data) without copying."""
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    tensors: dict[str, Floats] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        first, _ = entry["data_offsets"]
        count = int(np.prod(entry["shape"]))
        flat = np.frombuffer(data, dtype="<f4", count=count, offset=start + first)
        tensors[name.removeprefix("bert.")] = flat.reshape(entry["shape"])
    return tensors
