"""Write the tables of docs/reference/python.md again, from the calls as they are declared.

    python scripts/build_reference.py

To be run when a call of the client changes; a test says so.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wellworn.client import Wellworn, calls
from wellworn.client.client import MemoryClient
from wellworn.client.operations import read_arguments, read_docstring

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "python.md"
TABLE = re.compile(r"(<!-- calls of (\w+) -->\n).*?(?=\n<!-- end -->)", re.DOTALL)
HEAD = "\n| method | result | what it does |\n|---|---|---|\n"


def write_tables(page: str) -> str:
    """Return the page with every table as the calls are declared."""
    return TABLE.sub(lambda found: found[1] + HEAD + "".join(_write_rows(found[2])), page)


def _write_rows(group: str) -> Iterator[str]:
    declaring = getattr(calls, group, MemoryClient)
    for name in vars(declaring):
        method = getattr(Wellworn, name)
        if inspect.isfunction(method) and not name.startswith("_"):
            call = f"`{name}{_format_parameters(method)}`"
            yield f"| {call} | {_name_result(method)} | {_describe(method)} |\n"


def _format_parameters(method: Callable[..., Any]) -> str:
    _client, *parameters = inspect.signature(method).parameters.values()
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return str(inspect.Signature(plain)).replace("'", '"')


def _describe(method: Callable[..., Any]) -> str:
    said = read_docstring(method)
    parts = [said[""]]
    parts += [f"Returns {_begin_small(said['Returns'])}."] if "Returns" in said else []
    means = [f"`{name}`: {_begin_small(text)}" for name, text in read_arguments(method).items()]
    parts += [f"{'; '.join(means)}."] if means else []
    parts += [f"Example: `{said['Example'].strip()}`"] if "Example" in said else []
    return " ".join(" ".join(parts).split())


def _begin_small(text: str) -> str:
    text = text.strip()
    is_word = text[1:2].islower() or text.startswith("A ")
    return (text[0].lower() + text[1:] if is_word else text).removesuffix(".")


def _name_result(method: Callable[..., Any]) -> str:
    result = str(inspect.signature(method).return_annotation).replace("models.", "")
    several = re.fullmatch(r"(tuple|AsyncGenerator)\[(.+?)(?:, \.\.\.)?\]", result)
    if several:
        return f"{'tuple' if several[1] == 'tuple' else 'iterator'} of `{several[2]}`"
    return "nothing" if result == "None" else f"`{result}`"


if __name__ == "__main__":
    PAGE.write_text(write_tables(PAGE.read_text("utf-8")), "utf-8")
