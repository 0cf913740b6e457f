"""A memory whose database is damaged: whoever starts it is told what to do, and that helps."""

from __future__ import annotations

import json
import random

NOISE = random.Random(4).randbytes(4096)
INSIGHT = "Role boundaries prevent coordination collapse in multi-agent systems."


def test_a_destroyed_page_ends_with_a_memory_that_remembers(server, wellworn, tmp_path):
    assert wellworn("remember", INSIGHT).returncode == 0
    server.kill()
    with (server.home / "wellworn.db").open("r+b") as file:
        file.write(NOISE)
    for command in (["serve", "--port", "0"], ["recall", "roles?"], ["doctor"], ["rebuild"]):
        said = wellworn(*command)
        assert said.returncode == 1
        assert "wellworn salvage" in said.stdout + said.stderr, command
    new = tmp_path / "new"
    dry = json.loads(wellworn("salvage", str(new), "--dry-run", "--json").stdout)
    assert not new.exists()
    said = wellworn("salvage", str(new), "--json")
    assert said.returncode == 0
    report = json.loads(said.stdout)
    assert report == dry | {"target": str(new)}
    assert report["lost"] == []
    assert wellworn("doctor", "--home", str(new)).returncode == 0
    assert INSIGHT in wellworn("recall", "role boundaries", "--home", str(new)).stdout
    assert wellworn("stop", "--home", str(new)).returncode == 0


def test_what_is_lost_is_printed(server, wellworn, tmp_path):
    assert wellworn("remember", INSIGHT).returncode == 0
    assert wellworn("stop").returncode == 0
    database = server.home / "wellworn.db"
    page = database.read_bytes().index(INSIGHT.encode()) // 4096
    with database.open("r+b") as file:
        file.seek(page * 4096)
        file.write(NOISE)
    said = wellworn("salvage", str(tmp_path / "new"))
    assert said.returncode == 1
    assert f"recovered into {tmp_path / 'new'}" in said.stdout
    assert "knowledge_space_id ks-default, id " in said.stdout
