"""The examples of a page as one shell script, and what they print beside what the page says.

A page's blocks share one shell, so that what one defines the next may use. Documented output is
shortened: what it shows must be there, what it leaves out is not looked for, `…` stands for
anything. Ids and times differ from run to run and only have to be ids and times.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from docs.pages import PROJECT, Block, blocks
from forked_processes import forking
from journeys.conftest import Server, clean_environment
from patience import LONG_S

DOCUMENTED_URL = "http://127.0.0.1:3200"
_RECORD_END = "\x1e"
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?Z)?)?")
_AN_ID, _A_TIME = "\ue000", "\ue001"
_ANYTHING = "…"
_COSINE_TOLERANCE = 0.02


def runnable(page: Path) -> list[Block]:
    return [block for block in blocks(page) if block.language in {"sh", "python"} and block.is_run]


def outputs(page: Path, server: Server, folder: Path) -> dict[Block, str]:
    """Run a page's examples in a folder of their own; return what each of them printed."""
    todo = runnable(page)
    script = "".join(_step(block, server.url) + f"printf '{_RECORD_END}'\n" for block in todo)
    environment = clean_environment(server.home)
    # Pages that want a checkout are read at its root, and run beside it.
    environment["PYTHONPATH"] += f"{os.pathsep}{PROJECT}"
    with forking(folder.parent / "forking"):
        ran = subprocess.run(
            ["sh", "-eu"],
            input=script,
            env={**environment, "PATH": _path(folder), "COLUMNS": "200"},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=LONG_S,
            check=False,
        )
    printed = ran.stdout.split(_RECORD_END)
    assert ran.returncode == 0, f"{page.name}, line {todo[len(printed) - 1].line}: {ran.stderr}"
    return dict(zip(todo, printed, strict=False))


def documented(page: Path) -> Iterator[tuple[Block, Block]]:
    """Yield each example that is run together with the output the page shows right below it."""
    for example, output in pairwise(blocks(page)):
        if example in runnable(page) and output.language in {"json", "text"}:
            yield example, output


def differences(shown: Block, printed: str) -> list[str]:
    """Return what the page shows and the run did not print."""
    if shown.language == "json":
        return list(_unlike(json.loads(shown.text), json.loads(printed), "answer"))
    rest = iter(printed.splitlines())
    return [
        f"not printed: {line}"
        for line in shown.text.splitlines()
        if not any(_pattern(line).fullmatch(one.rstrip()) for one in rest)
    ]


def _step(block: Block, url: str) -> str:
    text = block.text.replace(DOCUMENTED_URL, url)
    if block.language == "sh":
        return text
    return f"WELLWORN_URL={url} python3 - <<'END_OF_EXAMPLE'\n{text}END_OF_EXAMPLE\n"


def _path(folder: Path) -> str:
    """Put `wellworn` and `python3` of this environment first on the search path."""
    programs = folder.parent / "programs"
    programs.mkdir(exist_ok=True)
    asking = f'-I -S "{Path(__file__).with_name("command.py")}" "{folder.parent / "forking"}"'
    for program, words in (("wellworn", asking), ("python3", "")):
        file = programs / program
        file.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        file.chmod(0o755)
    return f"{programs}{os.pathsep}{os.environ['PATH']}"


def _unlike(shown: Any, printed: Any, place: str) -> Iterator[str]:
    if isinstance(shown, dict) and isinstance(printed, dict):
        for key, value in shown.items():
            yield from _unlike(value, printed.get(key, f"no {key}"), f"{place}.{key}")
    elif isinstance(shown, list) and isinstance(printed, list) and len(shown) <= len(printed):
        for number, (one, other) in enumerate(zip(shown, printed, strict=False)):
            yield from _unlike(one, other, f"{place}[{number}]")
    elif not _alike(shown, printed):
        yield f"{place}: shown {shown!r}, printed {printed!r}"


def _alike(shown: Any, printed: Any) -> bool:
    if isinstance(shown, str) and isinstance(printed, str):
        return _pattern(shown).fullmatch(printed) is not None
    if isinstance(shown, float) and isinstance(printed, float):
        return abs(shown - printed) <= _COSINE_TOLERANCE
    return shown == printed


def _pattern(shown: str) -> re.Pattern[str]:
    masked = _TIME.sub(_A_TIME, _ID.sub(_AN_ID, shown.rstrip()))
    escaped = re.escape(masked).replace(_ANYTHING, ".*")
    return re.compile(
        escaped.replace(_AN_ID, _ID.pattern).replace(_A_TIME, _TIME.pattern), re.DOTALL
    )
