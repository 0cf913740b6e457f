"""The project as the architecture tests read it: folders, files and syntax trees."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


def _parsed(folder: Path) -> dict[str, ast.Module]:
    return {
        file.relative_to(PROJECT).as_posix(): ast.parse(file.read_text(encoding="utf-8"))
        for file in sorted(folder.rglob("*.py"))
    }


@pytest.fixture(scope="session")
def project() -> Path:
    return PROJECT


@pytest.fixture(scope="session")
def source_trees() -> dict[str, ast.Module]:
    return _parsed(PROJECT / "src" / "wellworn")


@pytest.fixture(scope="session")
def test_trees() -> dict[str, ast.Module]:
    return _parsed(PROJECT / "tests")


@pytest.fixture(scope="session")
def project_texts() -> dict[str, str]:
    """Every text file that is committed, or would be; of an unpacked archive, every one of ours."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=PROJECT,
        capture_output=True,
        check=False,
    )
    names = listing.stdout.decode().split("\0") if listing.returncode == 0 else _walked()
    texts: dict[str, str] = {}
    for name in filter(None, names):
        content = (PROJECT / name).read_bytes() if (PROJECT / name).is_file() else b""
        if b"\0" not in content[:8192]:
            texts[name] = content.decode("utf-8", errors="replace")
    return texts


def _walked() -> list[str]:
    folders = ("src", "tests", "scripts", "benchmarks", "docs", "requirements", ".ci")
    found = [file for folder in folders for file in (PROJECT / folder).rglob("*")]
    found += PROJECT.glob("*")
    return [file.relative_to(PROJECT).as_posix() for file in found if file.is_file()]
