"""What is handed to others: the metadata of the wheel, and the container."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import yaml
from packaging.metadata import Metadata
from trove_classifiers import classifiers

import wellworn
from patience import LONG_S

PROJECT = Path(__file__).resolve().parents[2]
DESCRIBE = (
    "import sys; from hatchling.build import *; prepare_metadata_for_build_wheel(sys.argv[1])"
)


def test_an_index_takes_the_metadata(tmp_path):
    words = [sys.executable, "-c", DESCRIBE, str(tmp_path)]
    subprocess.run(words, cwd=PROJECT, check=True, stdout=subprocess.DEVNULL, timeout=LONG_S)
    [described] = tmp_path.glob("*.dist-info/METADATA")
    told = Metadata.from_email(described.read_bytes(), validate=True)
    assert (told.name, str(told.version)) == ("wellworn", wellworn.__version__)
    assert set(told.classifiers) <= classifiers
    assert told.license_expression == "Apache-2.0"
    assert told.description_content_type == "text/markdown"
    assert told.description == (PROJECT / "README.md").read_text()
    assert told.summary


def test_both_programs_are_there():
    scripts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["scripts"]
    assert set(scripts) == {"wellworn", "wellworn-hook"}
    assert all(callable(EntryPoint(name, scripts[name], "").load()) for name in scripts)


def test_the_image_is_built_from_what_is_there_and_runs_without_root():
    lines = (PROJECT / "Dockerfile").read_text().splitlines()
    copied = [line.split()[1:-1] for line in lines if re.match(r"COPY (?!--from)", line)]
    sent = (PROJECT / ".dockerignore").read_text().splitlines()
    for name in (name for names in copied for name in names):
        assert (PROJECT / name).exists()
        assert f"!{name}" in sent
    [user] = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert int(user.partition(":")[0]) >= 10_000


def test_the_container_writes_its_data_alone_and_listens_to_this_machine():
    [server] = yaml.safe_load((PROJECT / "compose.yaml").read_text())["services"].values()
    assert server["read_only"]
    assert server["cap_drop"] == ["ALL"]
    assert server["security_opt"] == ["no-new-privileges:true"]
    assert [volume.partition(":")[2] for volume in server["volumes"]] == ["/data"]
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])
