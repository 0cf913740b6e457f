"""Programs that stand for a Chromium, which draws nothing or something else."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

PNG = b"\x89PNG\r\n\x1a\nnot much"
FIND_TARGET = """#!/bin/sh
for word; do case $word in --screenshot=*) target=${word#--screenshot=};; esac; done
"""
DRAWS = FIND_TARGET + r"printf '\211PNG\r\n\032\nnot much' > $target"


@contextmanager
def fake_chromium(script: str) -> Iterator[Path]:
    """Put a script where everybody may run it, as whoever the browser runs as."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        program = Path(folder, "chromium")
        program.write_text(script)
        program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXOTH | stat.S_IROTH)
        yield program
