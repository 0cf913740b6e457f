"""docs/reference/python.md against the calls as they are declared."""

from __future__ import annotations

import runpy

from docs.pages import PROJECT, text_of


def test_the_tables_of_calls_are_as_declared():
    script = runpy.run_path(str(PROJECT / "scripts" / "build_reference.py"))
    page = text_of("docs/reference/python.md")
    assert script["write_tables"](page) == page, "run scripts/build_reference.py"
