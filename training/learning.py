"""Trains the reader, in pieces if need be: killed at any moment, it goes on from its checkpoint.

The rate is constant after a warm-up, and a mean over the last thousand steps is kept beside the
weights, so that every checkpoint can be used. `finish` lets the rate fall to nothing from one.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

import torch
from torch import Tensor

from training.halves import TwoHalves
from training.network import Batch, Network, Read, compute_loss, stack

CHECKPOINT: Final = "checkpoint.pt"
LOG: Final = "log.jsonl"
_SORTED_BATCHES: Final = 60
"""Batches are of like lengths; so many of them are drawn and sorted at a time."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the reader is trained."""

    seed: int = 20261129
    batch: int = 32
    rate: float = 1.2e-4
    heads_rate: float = 1e-3
    decay: float = 0.01
    warm_up: int = 150
    mean_over: float = 0.999
    largest_gradient: float = 1.0


@dataclass(slots=True)
class State:
    """Where training is."""

    network: Network
    mean: dict[str, Tensor]
    optimizer: torch.optim.AdamW
    step: int = 0
    seconds: float = 0.0
    recipe: Recipe = field(default_factory=Recipe)


def begin(recipe: Recipe, network: Network) -> State:
    """Begin with a network: its embeddings stay, layers and heads learn at rates of their own."""
    for parameter in network.embeddings.parameters():
        parameter.requires_grad_(requires_grad=False)
    heads = [*network.spans.parameters(), *network.answers.parameters()]
    groups = [
        {"params": [*network.layers.parameters()], "lr": recipe.rate},
        {"params": heads, "lr": recipe.heads_rate},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=recipe.decay, fused=True)
    for group in optimizer.param_groups:
        group["most"] = group["lr"]
    mean = {name: it.detach().clone() for name, it in _list_learning(network)}
    return State(network, mean, optimizer, recipe=recipe)


def resume(folder: Path, state: State, name: str = CHECKPOINT) -> bool:
    """Go on from the checkpoint in a folder; False where there is none."""
    path = folder / name
    if not path.exists():
        return False
    saved: dict[str, Any] = torch.load(path, weights_only=True)
    state.network.load_state_dict(saved["network"])
    state.mean = saved["mean"]
    state.optimizer.load_state_dict(saved["optimizer"])
    state.step, state.seconds = saved["step"], saved["seconds"]
    return True


def save(folder: Path, state: State, name: str = CHECKPOINT) -> None:
    """Write a checkpoint, all or nothing."""
    draft = folder / f"{name}.new"
    torch.save(
        {
            "network": state.network.state_dict(),
            "mean": state.mean,
            "optimizer": state.optimizer.state_dict(),
            "step": state.step,
            "seconds": state.seconds,
            "recipe": asdict(state.recipe),
        },
        draft,
    )
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(folder / name)


def use_mean(state: State) -> Network:
    """Return a network with the mean of the weights, for judging and export."""
    network = Network(dropout=0.0)
    network.load_state_dict({**state.network.state_dict(), **state.mean})
    return network.to(_find_device(state.network)).eval()


def forget_mean(state: State) -> None:
    """Let the weights themselves be what is judged: at a rate that has fallen, they are better."""
    state.mean = {name: it.detach().clone() for name, it in _list_learning(state.network)}


def list_batches(read: Sequence[Read], recipe: Recipe, first: int) -> Iterator[list[Read]]:
    """Yield batches for ever, beginning with the given step; the same for the same seed."""
    step, epoch = 0, 0
    while True:
        rng = Random(recipe.seed + epoch)
        order = rng.sample(range(len(read)), k=len(read))
        size = recipe.batch * _SORTED_BATCHES
        for start in range(0, len(order), size):
            part = sorted(order[start : start + size], key=lambda at: len(read[at].pieces))
            batches = [part[at : at + recipe.batch] for at in range(0, len(part), recipe.batch)]
            rng.shuffle(batches)
            for batch in batches:
                if step >= first:
                    yield [read[at] for at in batch]
                step += 1
        epoch += 1


def learn(
    state: State,
    read: Sequence[Read],
    *,
    until: int,
    falls_from: int | None = None,
    after: Callable[[State, float], bool],
) -> None:
    """Learn until a step; from `falls_from` on, the rate falls to nothing.

    `after` is called after each step with its loss, and ends it all by answering False.
    """
    torch.manual_seed(state.recipe.seed + state.step)
    state.network.train()
    compute = _choose_computing(state)
    for part in list_batches(read, state.recipe, state.step):
        if state.step >= until:
            return
        began = time.monotonic()
        _set_rates(state, until, falls_from)
        loss = _take_step(state, compute, part)
        state.step += 1
        state.seconds += time.monotonic() - began
        if not after(state, loss):
            return


def compute_gradient(network: Network, read: Sequence[Read]) -> float:
    """Add the gradient of a batch to that of a network, and return its loss."""
    batch = _move(stack(read), _find_device(network))
    with torch.autocast(batch.pieces.device.type, torch.bfloat16, enabled=has_bfloat16()):
        outputs = network(batch)
    loss = compute_loss(outputs, batch)
    loss.backward()
    return loss.item()


def _choose_computing(state: State) -> Callable[[Sequence[Read]], float]:
    if _find_device(state.network).type == "cpu":
        seed = state.recipe.seed + state.step + 1
        return TwoHalves(state.network, compute_gradient, seed=seed).compute
    return lambda read: _compute_whole(state.network, read)


def _compute_whole(network: Network, read: Sequence[Read]) -> float:
    network.zero_grad(set_to_none=True)
    return compute_gradient(network, read)


def _take_step(
    state: State, compute: Callable[[Sequence[Read]], float], read: Sequence[Read]
) -> float:
    recipe = state.recipe
    loss = compute(read)
    learning = [*_list_learning(state.network)]
    torch.nn.utils.clip_grad_norm_([it for _, it in learning], recipe.largest_gradient)
    state.optimizer.step()
    keep = min(recipe.mean_over, (1 + state.step) / (10 + state.step))
    with torch.no_grad():
        means = [state.mean[name] for name, _ in learning]
        torch._foreach_lerp_(means, [it for _, it in learning], 1 - keep)
    return loss


def has_bfloat16() -> bool:
    """Tell whether this machine multiplies bfloat16 faster than float32."""
    if torch.cuda.is_available():
        return True
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    except OSError:
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags


def _set_rates(state: State, until: int, falls_from: int | None) -> None:
    share = min(1.0, (state.step + 1) / state.recipe.warm_up)
    if falls_from is not None and until > falls_from:
        share *= max(0.0, (until - state.step) / (until - falls_from))
    for group in state.optimizer.param_groups:
        group["lr"] = group["most"] * share


def _list_learning(network: Network) -> Iterator[tuple[str, torch.nn.Parameter]]:
    return ((name, it) for name, it in network.named_parameters() if it.requires_grad)


def _find_device(network: Network) -> torch.device:
    return network.answers.weight.device


def _move(batch: Batch, device: torch.device) -> Batch:
    if device.type == "cpu":
        return batch
    fields = ("pieces", "types", "mask", "starts", "ends")
    return Batch(*(getattr(batch, name).to(device) for name in fields))


def note(folder: Path, record: dict[str, Any]) -> None:
    """Add a line to the log."""
    line = json.dumps({"at": time.strftime("%H:%M:%S"), **record}, ensure_ascii=False)
    print(line, flush=True)
    with (folder / LOG).open("a", encoding="utf-8") as log:
        log.write(f"{line}\n")
