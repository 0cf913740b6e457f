"""Reads pairs in batches, with whatever gives logits: the network, or the exported file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from training.judge import Judgement, Reads
from training.learning import has_bfloat16
from training.network import Batch, Network, Read, read_pairs, stack
from training.pairs import Pair

LONGEST_SPAN: Final = 30
_BATCH: Final = 32
Floats: TypeAlias = NDArray[np.float32]
Runs: TypeAlias = Callable[[Batch], tuple[Floats, Floats, Floats]]


def make_reads(run: Runs, tokenizer: Tokenizer) -> Reads:
    """Return what judges pairs by the logits of starts, ends and of answering."""

    def read(pairs: Sequence[Pair]) -> list[Judgement]:
        cut = read_pairs(pairs, tokenizer)
        order = sorted(range(len(cut)), key=lambda at: len(cut[at].pieces))
        found: dict[int, Judgement] = {}
        for start in range(0, len(order), _BATCH):
            group = order[start : start + _BATCH]
            starts, ends, answers = run(stack([cut[at] for at in group]))
            for row, at in enumerate(group):
                found[at] = _choose(pairs[at], cut[at], starts[row], ends[row], answers[row])
        return [found[at] for at in range(len(pairs))]

    return read


def run_network(network: Network) -> Runs:
    """Return what runs a network."""
    device = network.answers.weight.device

    def run(batch: Batch) -> tuple[Floats, Floats, Floats]:
        on = Batch(*(getattr(batch, it).to(device) for it in Batch.__slots__))
        with (
            torch.inference_mode(),
            torch.autocast(device.type, torch.bfloat16, enabled=has_bfloat16()),
        ):
            starts, ends, answers = network(on)
        return starts.cpu().numpy(), ends.cpu().numpy(), answers.cpu().numpy()

    return run


def run_session(session: Any) -> Runs:
    """Return what runs an exported file."""

    def run(batch: Batch) -> tuple[Floats, Floats, Floats]:
        feed = {
            "input_ids": batch.pieces.numpy(),
            "attention_mask": batch.mask.numpy(),
            "token_type_ids": batch.types.numpy(),
        }
        starts, ends, answers = session.run(["start_logits", "end_logits", "answer_logits"], feed)
        outside = batch.types.numpy() == 0
        return np.where(outside, -1e4, starts), np.where(outside, -1e4, ends), answers

    return run


def _choose(pair: Pair, read: Read, starts: Floats, ends: Floats, answers: float) -> Judgement:
    count = len(read.spans)
    inside = slice(read.question, read.question + count)
    if not count:
        return Judgement(_squash(answers), "", 0.0)
    joint = _soften(starts[inside])[:, None] * _soften(ends[inside])[None, :]
    joint = np.triu(joint) - np.triu(joint, LONGEST_SPAN)
    first, last = divmod(int(joint.argmax()), count)
    words = pair.text[read.spans[first][0] : read.spans[last][1]]
    return Judgement(_squash(answers), words, float(joint[first, last]))


def _soften(logits: Floats) -> Floats:
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()


def _squash(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))
