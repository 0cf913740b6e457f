"""docs/reference/python.md against the client, and its calls as they are declared."""

from __future__ import annotations

import inspect
import runpy

from docs.pages import PROJECT, text_of
from wellworn.client import Ask, Wellworn

PAGE = "docs/reference/python.md"


def test_the_tables_of_calls_are_as_declared():
    script = runpy.run_path(str(PROJECT / "scripts" / "build_reference.py"))
    page = text_of(PAGE)
    assert script["write_tables"](page) == page, "run scripts/build_reference.py"


def test_every_method_and_option_of_the_client_is_told():
    names = [name for name, _ in inspect.getmembers(Wellworn, inspect.isfunction)]
    told = [f"`{name}(" for name in names if not name.startswith("_")]
    told += [f"`{option}`" for option in Ask.__annotations__]
    assert [each for each in told if each not in text_of(PAGE)] == []
