from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
from wellworn.engines.embedding import EmbeddingSettings, MiniLM
MiniLM(EmbeddingSettings()).warm()
"""


def test_loading_the_model_leaves_no_telemetry_behind(tmp_path):
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(temporary)}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    environment.pop("XDG_CACHE_HOME", None)
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, env=environment)
    assert [*home.rglob("*"), *temporary.rglob("*")] == []
