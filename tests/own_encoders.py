"""The real encoder that tests bring along: a multilingual E5, laid out by `scripts/build_e5.py`."""

from __future__ import annotations

import json
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

from wellworn.engines.embedding import Embedder, EmbeddingSettings, choose_encoder, open_encoder

E5 = Path(sys.prefix) / "multilingual-e5-small"
"""Made by `make setup`."""


def copy_e5(target: Path, *, without: str = "", **files: Any) -> Path:
    """Lay the model out anew, its large file a link; leave a file out, or write others as JSON."""
    for path in E5.rglob("*"):
        place = target / path.relative_to(E5)
        if path.is_dir() or place.relative_to(target).as_posix() == without:
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".onnx":
            place.symlink_to(path)
        else:
            shutil.copyfile(path, place)
    for name, content in files.items():
        (target / name.replace("__", "/")).with_suffix(".json").write_text(json.dumps(content))
    return target


@cache
def open_e5(folder: Path = E5, **settings: Any) -> Embedder:
    """Open the model of a folder as a memory does; it takes seconds, so once a process."""
    chosen = EmbeddingSettings(model_folder=folder, **settings)
    return open_encoder(choose_encoder(chosen), chosen)
