"""The reader's network: the encoder's own layers, and three heads over what they make of a pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from training.pairs import Pair

LAYERS: Final = 6
HEADS: Final = 12
WIDTH: Final = 384
INNER: Final = 1536
EPSILON: Final = 1e-12
LONGEST: Final = 256
"""Word pieces of question and text together, marks included."""
MOST_QUESTION: Final = 64
_CLS, _SEP = 101, 102


class Embeddings(nn.Module):
    """Vectors of pieces, of places, and of which text a piece is in; they stay as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(30522, WIDTH)
        self.position_embeddings = nn.Embedding(512, WIDTH)
        self.token_type_embeddings = nn.Embedding(2, WIDTH)
        self.LayerNorm = nn.LayerNorm(WIDTH, EPSILON)

    def forward(self, pieces: Tensor, types: Tensor) -> Tensor:
        """Return `(batch, sequence, width)`."""
        places = self.position_embeddings.weight[: pieces.shape[1]]
        summed = self.word_embeddings(pieces) + self.token_type_embeddings(types) + places
        return self.LayerNorm(summed)


class Layer(nn.Module):
    """One layer: attention, then two wide linear maps, each with its residual."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.fused = nn.Linear(WIDTH, 3 * WIDTH)
        self.mixed = nn.Linear(WIDTH, WIDTH)
        self.mixed_norm = nn.LayerNorm(WIDTH, EPSILON)
        self.wide = nn.Linear(WIDTH, INNER)
        self.narrow = nn.Linear(INNER, WIDTH)
        self.narrow_norm = nn.LayerNorm(WIDTH, EPSILON)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        """Return the next states; `bias` is very low where a sequence has no piece."""
        batch, length, _ = states.shape
        fused = self.fused(states).view(batch, length, 3, HEADS, WIDTH // HEADS)
        query, key, value = fused.permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        together = attended.transpose(1, 2).reshape(batch, length, WIDTH)
        states = self.mixed_norm(states + self.dropout(self.mixed(together)))
        inner = functional.gelu(self.wide(states))
        return self.narrow_norm(states + self.dropout(self.narrow(inner)))


class Network(nn.Module):
    """The whole reader."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.embeddings = Embeddings()
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.spans = nn.Linear(WIDTH, 2)
        self.answers = nn.Linear(WIDTH, 1)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return logits: of starts and ends `(batch, sequence)`, and of answering `(batch,)`."""
        with torch.no_grad():
            states = self.embeddings(batch.pieces, batch.types)
        bias = (1.0 - batch.mask[:, None, None, :].to(states.dtype)) * -10000.0
        for layer in self.layers:
            states = layer(states, bias)
        starts, ends = self.spans(states).float().unbind(-1)
        low = (batch.types == 0) * -10000.0
        return starts + low, ends + low, self.answers(states[:, 0]).float().squeeze(-1)


@dataclass(frozen=True, slots=True)
class Read:
    """A pair in pieces, and the pieces of its answer; -1 without one."""

    pieces: list[int]
    question: int
    start: int
    end: int
    spans: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs side by side, padded to the longest."""

    pieces: Tensor
    types: Tensor
    mask: Tensor
    starts: Tensor
    ends: Tensor


def open_tokenizer(path: Path) -> Tokenizer:
    """Open the encoder's tokenizer, without its own limits."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def read_pairs(pairs: Sequence[Pair], tokenizer: Tokenizer) -> list[Read]:
    """Cut pairs into pieces; an answer beyond the limit is none."""
    questions = tokenizer.encode_batch([it.question for it in pairs], add_special_tokens=False)
    texts = tokenizer.encode_batch([it.text for it in pairs], add_special_tokens=False)
    read = []
    for pair, question, text in zip(pairs, questions, texts, strict=True):
        ids = question.ids[:MOST_QUESTION]
        room = LONGEST - 3 - len(ids)
        spans = text.offsets[:room]
        first = len(ids) + 2
        inside = [
            at
            for at, (start, end) in enumerate(spans)
            if pair.answers and end > pair.start and start < pair.end
        ]
        start, end = (first + inside[0], first + inside[-1]) if inside else (-1, -1)
        pieces = [_CLS, *ids, _SEP, *text.ids[:room], _SEP]
        read.append(Read(pieces, first, start, end, spans))
    return read


def stack(read: Sequence[Read]) -> Batch:
    """Put pairs side by side."""
    length = max(len(it.pieces) for it in read)
    length += -length % 8
    pieces = np.zeros((len(read), length), np.int64)
    types, mask = np.zeros_like(pieces), np.zeros_like(pieces)
    for row, it in enumerate(read):
        pieces[row, : len(it.pieces)] = it.pieces
        types[row, it.question : len(it.pieces)] = 1
        mask[row, : len(it.pieces)] = 1
    return Batch(
        torch.from_numpy(pieces),
        torch.from_numpy(types),
        torch.from_numpy(mask),
        torch.tensor([it.start for it in read]),
        torch.tensor([it.end for it in read]),
    )


def take_encoder(network: Network, weights: Path) -> None:
    """Begin with the published weights of the encoder; the heads begin small."""
    network.load_state_dict(rename(load_file(weights)), strict=False)
    for head in (network.spans, network.answers):
        nn.init.normal_(head.weight, std=0.02)
        nn.init.zeros_(head.bias)


def rename(published: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the published weights under the names of this network."""
    state = {
        name: value
        for name, value in published.items()
        if name.startswith("embeddings.") and "position_ids" not in name
    }
    for number in range(LAYERS):
        there, here = f"encoder.layer.{number}", f"layers.{number}"
        for part in ("weight", "bias"):
            state[f"{here}.fused.{part}"] = torch.cat(
                [
                    published[f"{there}.attention.self.{it}.{part}"]
                    for it in ("query", "key", "value")
                ]
            )
            for name, of in (
                ("mixed", "attention.output.dense"),
                ("mixed_norm", "attention.output.LayerNorm"),
                ("wide", "intermediate.dense"),
                ("narrow", "output.dense"),
                ("narrow_norm", "output.LayerNorm"),
            ):
                state[f"{here}.{name}.{part}"] = published[f"{there}.{of}.{part}"]
    return state


def compute_loss(outputs: tuple[Tensor, Tensor, Tensor], batch: Batch) -> Tensor:
    """Return the mean loss: of spans where there is an answer, and of whether there is one."""
    starts, ends, answers = outputs
    is_answered = batch.starts >= 0
    loss = functional.binary_cross_entropy_with_logits(answers, is_answered.float())
    if is_answered.any():
        of_starts = functional.cross_entropy(starts[is_answered], batch.starts[is_answered])
        of_ends = functional.cross_entropy(ends[is_answered], batch.ends[is_answered])
        loss = loss + (of_starts + of_ends) / 2
    return loss
