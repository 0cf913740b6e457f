"""The import contracts of pyproject.toml hold, and each of them catches what it is there for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

LINTER = Path(sys.executable).with_name("lint-imports")

# contract -> (file to add, what it says, what the linter must answer)
SEEDS = {
    "jobs": (
        "domain/sources/schedule.py",
        "import cronsim",
        "wellworn.domain.sources.schedule -> cronsim",
    ),
    "models": (
        "domain/knowledge/compiling.py",
        "import pydantic_ai",
        "wellworn.domain.knowledge.compiling -> pydantic_ai",
    ),
    "parsers": (
        "domain/sources/document_builder.py",
        "import pypdfium2",
        "wellworn.domain.sources.document_builder -> pypdfium2",
    ),
    "layers": (
        "kit/seed_layer.py",
        "import wellworn.testing",
        "wellworn.kit.seed_layer -> wellworn.testing",
    ),
    "layers-interfaces": (
        "interfaces/mcp/seed_layer.py",
        "import wellworn.interfaces.cli",
        "wellworn.interfaces.mcp.seed_layer -> wellworn.interfaces.cli",
    ),
    "layers-application": (
        "application/transfer/seed_layer.py",
        "import wellworn.application.bootstrap",
        "wellworn.application.transfer.seed_layer -> wellworn.application.bootstrap",
    ),
    "layers-domain": (
        "domain/sources/seed_layer.py",
        "import wellworn.domain.knowledge",
        "wellworn.domain.sources.seed_layer -> wellworn.domain.knowledge",
    ),
    "engines-independent": (
        "engines/fetch/seed_engine.py",
        "import wellworn.engines.crypto",
        "wellworn.engines.fetch.seed_engine -> wellworn.engines.crypto",
    ),
    "acyclic": (
        "kit/seed_cycle/near.py",
        "from wellworn.kit.seed_cycle import far",
        "wellworn.kit.seed_cycle",
    ),
    "package-interfaces": (
        "domain/memory/seed_bypass.py",
        "from wellworn.domain.spaces.models import Role",
        "wellworn.domain.memory.seed_bypass -> wellworn.domain.spaces.models",
    ),
    "own-server": (
        "domain/thoughts/seed_client.py",
        "import wellworn.client",
        "wellworn.domain.thoughts.seed_client -> wellworn.client",
    ),
    "http": (
        "domain/thoughts/seed_http.py",
        "import fastapi",
        "wellworn.domain.thoughts.seed_http -> fastapi",
    ),
    "mcp-and-terminal": (
        "domain/thoughts/seed_terminal.py",
        "from rich import print",
        "wellworn.domain.thoughts.seed_terminal -> rich",
    ),
    "sql": (
        "domain/thoughts/seed_sql.py",
        "from sqlalchemy import select",
        "wellworn.domain.thoughts.seed_sql -> sqlalchemy",
    ),
    "crypto": (
        "engines/storage/seed_crypto.py",
        "from cryptography.hazmat.primitives import hashes",
        "wellworn.engines.storage.seed_crypto -> cryptography",
    ),
    "markdown": (
        "domain/sources/seed_markdown.py",
        "import pyromark",
        "wellworn.domain.sources.seed_markdown -> pyromark",
    ),
    "pages": (
        "domain/memory/seed_pages.py",
        "import jinja2",
        "wellworn.domain.memory.seed_pages -> jinja2",
    ),
    "onnx": (
        "engines/storage/seed_onnx.py",
        "import onnxruntime",
        "wellworn.engines.storage.seed_onnx -> onnxruntime",
    ),
    "network": (
        "engines/extraction/seed_network.py",
        "import httpx2",
        "wellworn.engines.extraction.seed_network -> httpx2",
    ),
    "pure-rules": (
        "domain/thoughts/tags.py",
        "import time",
        "wellworn.domain.thoughts.tags -> time",
    ),
}


def _contracts(project: Path) -> dict[str, str]:
    settings = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    return {part["id"]: part["name"] for part in settings["tool"]["importlinter"]["contracts"]}


def _linted(project: Path, source: Path) -> tuple[int, str]:
    done = subprocess.run(
        [LINTER, "--config", project / "pyproject.toml", "--no-cache"],
        cwd=source,
        env={**os.environ, "PYTHONPATH": str(source), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def report_on_seeds(project, tmp_path_factory) -> str:
    """Return the linter's report on a copy of the source with every contract broken once."""
    source = tmp_path_factory.mktemp("seeded")
    package = source / "wellworn"
    shutil.copytree(project / "src" / "wellworn", package, ignore=shutil.ignore_patterns("model"))
    for room in ("testing", "kit/seed_cycle"):
        (package / room).mkdir(exist_ok=True)
        (package / room / "__init__.py").touch()
    for name, line, _ in SEEDS.values():
        with (package / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
    (package / "kit/seed_cycle/far.py").write_text("from wellworn.kit.seed_cycle import near\n")
    (package / "helpers.py").write_text('"""A room nobody gave a place."""\n')
    code, report = _linted(project, source)
    assert code == 1, report
    return report


def test_the_source_keeps_every_contract(project):
    code, report = _linted(project, project / "src")
    assert code == 0, report


def test_every_contract_has_a_seeded_violation(project):
    assert set(SEEDS) == set(_contracts(project))


@pytest.mark.parametrize("contract", SEEDS)
def test_a_seeded_violation_is_caught(contract, project, report_on_seeds):
    heading = _contracts(project)[contract]
    caught = re.search(
        rf"\n{re.escape(heading)}\n-+\n(.*?)(?=\n[^\n]+\n-{{5,}}\n|\Z)", report_on_seeds, re.DOTALL
    )
    assert caught, f"{heading!r} is not reported as broken"
    assert SEEDS[contract][2] in caught.group(1)


def test_a_module_without_a_place_in_the_layers_is_caught(report_on_seeds):
    assert "helpers" in report_on_seeds
