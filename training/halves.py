"""Computes the gradient of a batch in two processes, each with half of it and one thread.

Threads of one product wait for each other at every step of it. On a machine that others use as
well, halves that meet once a batch get about twice as much done. What comes out is the mean of both
halves, whichever is first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from multiprocessing import get_context
from typing import Any

import torch
from torch import Tensor

from training.network import Network, Read

Computes = Callable[[Network, Sequence[Read]], float]


class TwoHalves:
    """A second process that shares the weights, and has gradients of its own."""

    def __init__(self, network: Network, compute: Computes, *, seed: int) -> None:
        """Share the network's weights; `compute` adds a half's gradient to that of a network."""
        self._network = network.share_memory()
        self._compute = compute
        learning = list_learning(network)
        self._grads = [torch.zeros_like(it).share_memory_() for it in learning]
        self._own = [torch.zeros_like(it) for it in learning]
        context = get_context("fork")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve,
            args=((self._ours, theirs), network, compute, self._grads, seed),
            daemon=True,
        )
        self._process.start()
        theirs.close()

    def compute(self, read: Sequence[Read]) -> float:
        """Set the gradient of a batch, and return its loss."""
        halves = (read[::2], read[1::2])
        self._ours.send(halves[1])
        torch._foreach_zero_(self._own)
        for parameter, grad in zip(list_learning(self._network), self._own, strict=True):
            parameter.grad = grad
        loss = self._compute(self._network, halves[0])
        other: float = self._ours.recv()
        shares = [len(half) / len(read) for half in halves]
        torch._foreach_mul_(self._own, shares[0])
        torch._foreach_add_(self._own, self._grads, alpha=shares[1])
        return shares[0] * loss + shares[1] * other


def list_learning(network: Network) -> list[torch.nn.Parameter]:
    """Return the weights that learn."""
    return [it for it in network.parameters() if it.requires_grad]


def _serve(
    pipes: tuple[Any, Any],
    network: Network,
    compute: Computes,
    grads: Sequence[Tensor],
    seed: int,
) -> None:
    """Compute halves until the other process is gone."""
    others, pipe = pipes
    others.close()  # or the end of the other process would not be seen
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    network.train()
    for parameter, grad in zip(list_learning(network), grads, strict=True):
        parameter.grad = grad
    while True:
        try:
            half = pipe.recv()
        except (EOFError, OSError):
            return
        torch._foreach_zero_([*grads])
        pipe.send(compute(network, half))
