"""With what the shipped model computes is decided by what the processor has."""

from __future__ import annotations

from pathlib import Path

import pytest

from wellworn.engines.embedding.arithmetic import choose_arithmetic


@pytest.mark.parametrize(
    ("flags", "arithmetic"),
    [
        ("fpu sse4_2 avx avx2 fma", "float32"),
        ("fpu avx2 avx512f avx512bw", "float32"),
        ("fpu avx2 avx512f avx512_vnni", "int8"),
        ("fpu avx2 avx_vnni", "int8"),
    ],
)
def test_integers_are_for_processors_that_multiply_them_fast(
    tmp_path: Path, flags: str, arithmetic: str
):
    processors = tmp_path / "cpuinfo"
    processors.write_text(f"processor\t: 0\nflags\t\t: {flags}\nbugs\t\t: avx_vnni_bug\n")
    assert choose_arithmetic(processors) == arithmetic


def test_a_system_that_does_not_tell_has_floats(tmp_path: Path):
    assert choose_arithmetic(tmp_path / "nothing") == "float32"
