"""Memory systems from the package index, each with the encoder that wellworn has.

    python -m memorybench.run --system benchmarks.rivals.installed:mem0 --tasks locomo

Where each is installed, an environment variable says: docs/comparisons.md.
"""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from functools import cache

from benchmarks.rivals.endpoint import endpoint
from benchmarks.rivals.environments import (
    ENGRAM,
    MCP_MEMORY_SERVICE,
    MEM0,
    MEMPALACE,
    Recipe,
    python_of,
)
from benchmarks.rivals.plain import encoder
from benchmarks.rivals.process import Rival


def mempalace() -> Rival:
    """Return MemPalace as its tools search: candidates by vector, reordered with their words."""
    return _rival(MEMPALACE)


def mem0() -> Rival:
    """Return Mem0 without a language model: what is told is kept word for word."""
    return _rival(MEM0)


def mcp_memory_service() -> Rival:
    """Return mcp-memory-service as its tool searches unless told otherwise: by vector."""
    return _rival(MCP_MEMORY_SERVICE)


def mcp_memory_service_hybrid() -> Rival:
    """Return mcp-memory-service in the mode `hybrid`, words and vectors."""
    return _rival(MCP_MEMORY_SERVICE, strategy="hybrid")


def engram() -> Rival:
    """Return engram-search's pipeline without its reranker, which is off by default."""
    return _rival(ENGRAM)


def _rival(recipe: Recipe, *, strategy: str = "") -> Rival:
    python = python_of(recipe)
    return Rival(recipe.module, python=python, encoder_url=_encoder_url(), strategy=strategy)


@cache
def _encoder_url() -> str:
    """Serve the encoder until this process ends."""
    kept = ExitStack()
    atexit.register(kept.close)
    return kept.enter_context(endpoint(encoder()))
