"""The examples of the page about frameworks, with a model on loopback instead of a real one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from docs.pages import DOCS, blocks
from frameworks.conftest import STAGING
from journeys.conftest import SOURCE
from journeys.scripted_model import scripted_model

PAGE = DOCS / "how-to" / "use-a-framework.md"
EXAMPLES = {block.line: block for block in blocks(PAGE) if block.language == "python"}
PRINTED = {
    "pydantic_ai": STAGING,
    "langgraph": "Restart the pooler at 100 clients.",
    "langchain_core": f"ben {STAGING}",
    "agents": "My cat is called Momo.",
    "llama_index.core": STAGING,
    "google.adk": f"ben {STAGING}",
    "agent_framework": "",
}
"""What an example prints, by the framework that it wants, in the order of the page."""


@pytest.mark.parametrize(("wanted", "line"), list(zip(PRINTED, EXAMPLES, strict=True)))
def test_an_example_of_the_page_runs_and_prints_what_memory_knows(
    wanted, line, known, server, tmp_path: Path
):
    pytest.importorskip(wanted, reason="this agent framework is not installed here")
    with scripted_model() as model:
        ran = subprocess.run(
            [sys.executable, "-c", EXAMPLES[line].text],
            check=False,
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(SOURCE),
                "WELLWORN_URL": server.url,
                "OPENAI_API_KEY": "none",
                "OPENAI_BASE_URL": f"{model.url}/v1",
            },
            capture_output=True,
            text=True,
        )
    assert ran.returncode == 0, ran.stderr
    assert PRINTED[wanted] in ran.stdout
