"""A test that CI does not run is noticed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import skips

pytestmark = pytest.mark.slow

TESTS = Path(skips.__file__).parent
WHOLE_FILE = 'import pytest\npytest.importorskip("no_such_module", reason="not installed")\n'
ONE_TEST = 'import pytest\n\ndef test_it():\n    pytest.skip("{}")\n'


def run_tests(*texts: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    for number, text in enumerate(texts):
        (folder / f"test_skipping_{number}.py").write_text(text)
    words = ["-m", "pytest", "-p", "skips", "-p", "no:randomly", "-p", "no:cacheprovider"]
    words += ["--continue-on-collection-errors", f"--rootdir={folder}", str(folder)]
    kept = {
        name: value for name, value in os.environ.items() if name not in {"CI", "PYTEST_ADDOPTS"}
    }
    return subprocess.run(
        [sys.executable, *words],
        env={**kept, "PYTHONPATH": str(TESTS), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_skip_is_a_failure_in_ci_and_only_there(tmp_path):
    texts = [WHOLE_FILE, ONE_TEST.format("no disk here")]
    refused = run_tests(*texts, folder=tmp_path, CI="1")
    assert refused.returncode not in {0, 5}
    for reason in ("not installed", "no disk here"):
        assert f"skipped in CI, and tests/skips.py does not allow it: Skipped: {reason}" in (
            refused.stdout
        )
    assert run_tests(*texts, folder=tmp_path).returncode == 0


def test_a_skip_that_is_listed_is_none(tmp_path):
    texts = [ONE_TEST.format(reason) for reason in sorted(skips.ALLOWED)]
    allowed = run_tests(*texts, folder=tmp_path, CI="1")
    assert allowed.returncode == 0
    assert f"{len(texts)} skipped" in allowed.stdout


def test_every_listed_reason_is_one_that_a_test_gives():
    files = (file for file in TESTS.rglob("*.py") if file != Path(skips.__file__))
    texts = [file.read_text("utf-8") for file in files]
    for reason in skips.ALLOWED:
        assert any(reason in text for text in texts), reason
