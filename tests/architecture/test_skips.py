"""A test that CI does not run is noticed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import skips

TESTS = Path(skips.__file__).parent
WHOLE_FILE = 'import pytest\npytest.importorskip("no_such_module", reason="not installed")\n'
ONE_TEST = 'import pytest\n\ndef test_it():\n    pytest.skip("{}")\n'


def ran(folder: Path, text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    file = folder / "test_skipping.py"
    file.write_text(text)
    words = ["-m", "pytest", "-p", "skips", "-p", "no:randomly", "-p", "no:cacheprovider"]
    kept = {
        name: value for name, value in os.environ.items() if name not in {"CI", "PYTEST_ADDOPTS"}
    }
    return subprocess.run(
        [sys.executable, *words, f"--rootdir={folder}", str(file)],
        env={**kept, "PYTHONPATH": str(TESTS), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("text", [WHOLE_FILE, ONE_TEST.format("no disk here")])
def test_a_skip_is_a_failure_in_ci_and_only_there(tmp_path, text):
    refused = ran(tmp_path, text, CI="1")
    assert refused.returncode not in {0, 5}
    assert "skipped in CI" in refused.stdout
    assert ran(tmp_path, text).returncode in {0, 5}


@pytest.mark.parametrize("reason", sorted(skips.ALLOWED))
def test_a_skip_that_is_listed_is_none(tmp_path, reason):
    assert ran(tmp_path, ONE_TEST.format(reason), CI="1").returncode == 0


def test_every_listed_reason_is_one_that_a_test_gives():
    texts = [file.read_text("utf-8") for file in TESTS.rglob("test_*.py")]
    for reason in skips.ALLOWED:
        assert any(reason in text for text in texts), reason
