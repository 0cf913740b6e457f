"""What the pages tell their readers to type is typed here, and what they show is compared."""

from __future__ import annotations

import json
import re
import shutil
import tomllib

import pytest

from docs.examples import differences, documented, outputs, runnable
from docs.pages import PROJECT, blocks, name, pages, text_of
from wellworn.client import Wellworn

WITH_EXAMPLES = [page for page in pages() if "reference" not in page.parts and runnable(page)]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name)
def test_a_pages_examples_run_and_print_what_it_shows(page, server, tmp_path):
    if shutil.which("curl") is None and "curl" in page.read_text(encoding="utf-8"):
        pytest.skip("its examples use curl, which is not installed here")
    folder = tmp_path / "here"
    folder.mkdir()
    printed = outputs(page, server, folder)
    found = {
        f"{name(page)}, line {shown.line}": differences(shown, printed[example])
        for example, shown in documented(page)
    }
    assert {place: unlike for place, unlike in found.items() if unlike} == {}


def test_the_python_reference_begins_with_examples_that_run(server, monkeypatch, capsys):
    monkeypatch.setenv("WELLWORN_URL", server.url)
    first, second = blocks(PROJECT / "docs" / "reference" / "python.md")[:2]
    assert (first.language, second.language) == ("python", "python")
    exec(compile(first.text, "python.md", "exec"), {})
    with Wellworn(server.url) as memory:
        assert memory.highways(min_access=1, min_users=1)
    exec(compile(second.text, "python.md", "exec"), {})
    assert "Releases are cut on Tuesdays. 1" in capsys.readouterr().out


def test_the_quick_start_and_the_tutorial_have_examples():
    assert {"README.md", "docs/tutorial/first-memory.md"} <= {name(page) for page in WITH_EXAMPLES}


def test_output_that_differs_is_noticed():
    readme = PROJECT / "README.md"
    shown = next(output for _, output in documented(readme) if output.language == "json")
    whole = json.loads(shown.text)
    whole["result"]["sources"][0]["contributor"] = "somebody else"
    assert differences(shown, json.dumps(whole)) == [
        "answer.result.sources[0].contributor: shown 'ana', printed 'somebody else'"
    ]


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    said = {
        target
        for page in pages()
        for target in re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text(), re.MULTILINE)
    }
    assert {"serve", "test"} <= said <= targets


@pytest.mark.parametrize("page", pages(), ids=name)
def test_every_block_of_data_on_a_page_can_be_read(page):
    for block in blocks(page):
        if block.language == "json":
            json.loads(block.text)
        if block.language == "toml":
            tomllib.loads(block.text)
