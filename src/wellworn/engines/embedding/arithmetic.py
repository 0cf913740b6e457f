"""Decides with which arithmetic the shipped model runs on this processor."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, TypeAlias

Arithmetic: TypeAlias = Literal["float32", "int8"]

_DOT_PRODUCTS: Final = frozenset({"avx512_vnni", "avx_vnni"})
_PROCESSORS: Final = Path("/proc/cpuinfo")


def choose_arithmetic(processors: Path = _PROCESSORS) -> Arithmetic:
    """Return integers where the processor has dot products of them, as Linux tells.

    Others would multiply bytes more slowly than floats, and some of them cut sums off.
    """
    try:
        has_dot_products = not _DOT_PRODUCTS.isdisjoint(processors.read_text().split())
    except OSError:
        return "float32"
    return "int8" if has_dot_products else "float32"
