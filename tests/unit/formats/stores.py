"""Stores of other programs, built again from what the programs themselves wrote.

The texts in `foreign/` are of mem0ai 2.2.1, mcp-memory-service 12.4.0, mempalace 3.11.0,
basic-memory 0.24.1, graphiti-core 0.31.2, hindsight-api 1.1.0, and of OpenCode 1.18.33 and 1.1.65,
with a few memories or sessions each. The databases are dumped without their indexes.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

DUMPS = Path(__file__).parent / "foreign"


def build_database(file, dump):
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as database:
        database.executescript((DUMPS / f"{dump}.sql").read_text("utf-8"))
    return file


def build_mem0(folder):
    build_database(folder / "qdrant" / "collection" / "mem0" / "storage.sqlite", "mem0_store")
    build_database(folder / "history.db", "mem0_history")
    return folder


def build_mcp_memory_service(folder):
    return build_database(folder / "sqlite_vec.db", "mcp_memory_service")


def build_mempalace(folder):
    build_database(folder / "palace" / "chroma.sqlite3", "mempalace_drawers")
    build_database(folder / "knowledge_graph.sqlite3", "mempalace_graph")
    return folder


def build_basic_memory(folder):
    return shutil.copytree(DUMPS / "basic_memory", folder)


def build_hindsight(folder):
    with zipfile.ZipFile(folder / "bank.zip", "w") as archive:
        for file in sorted((DUMPS / "hindsight").rglob("*.json")):
            archive.write(file, file.relative_to(DUMPS / "hindsight"))
    return folder / "bank.zip"


def build_opencode(folder):
    """Build the database of OpenCode 1.18.33: two sessions, one with a sub-agent."""
    return build_database(folder / "opencode.db", "opencode")


def build_old_opencode(folder):
    """Build the files of OpenCode 1.1.65, with one session."""
    for name, value in json.loads((DUMPS / "opencode_files.json").read_text("utf-8")).items():
        file = folder / "storage" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value), "utf-8")
    return folder
