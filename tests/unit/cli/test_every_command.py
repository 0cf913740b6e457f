"""What holds for every command: help with an example, JSON alone on stdout, words for people."""

from __future__ import annotations

import pytest

from unit.cli.commands import KNOWLEDGE, MEMORY, SPACES
from unit.cli.fake_server import KEY, SPACE

WITH_A_KEY = SPACES | KNOWLEDGE
UNLISTED = ["source upload", "audit export"]
"""Commands on a server that read or write files, which the fake one has no words for."""
ON_A_SERVER = MEMORY | WITH_A_KEY
WITHOUT_A_SERVER = [
    *(
        "serve",
        "stop",
        "install",
        "uninstall",
        "plugin",
        "import",
        "export",
        "backup",
        "restore",
        "doctor",
        "rebuild",
        "reembed",
        "version",
    ),
    "salvage",
    *("service install", "service uninstall", "service status"),
]
IN_A_SPACE = KNOWLEDGE | {"audit show": ["audit", "show"]}
IN_A_SPACE |= {name: MEMORY[name] for name in ("recall", "remember", "highways", "status")}


@pytest.mark.parametrize("command", [*ON_A_SERVER, *WITHOUT_A_SERVER, *UNLISTED])
def test_every_command_explains_itself_with_an_example_and_speaks_json(run, command):
    said = run(*command.split(), "--help")
    assert said.code == 0
    assert f"Example: wellworn {command}" in said.out.replace("&& wellworn", "Example: wellworn")
    assert "--json" in said.out
    # The variable of the key is named wherever one is needed.
    assert "WELLWORN_KEY" in said.out or command not in [*WITH_A_KEY, *UNLISTED]


@pytest.mark.parametrize("words", ON_A_SERVER.values(), ids=ON_A_SERVER)
def test_json_is_all_there_is_on_stdout(run, fake, words):
    said = run(*words, "--url", fake.url, "--json")
    assert said.code == 0
    assert said.json
    assert said.err == ""


@pytest.mark.parametrize("words", ON_A_SERVER.values(), ids=ON_A_SERVER)
def test_people_get_words_and_no_control_characters(run, fake, words):
    said = run(*words, "--url", fake.url)
    assert said.code == 0
    assert said.out.strip()
    assert "\x1b" not in said.out + said.err
    assert not said.out.startswith(("{", "["))


@pytest.mark.parametrize("words", WITH_A_KEY.values(), ids=WITH_A_KEY)
def test_the_key_of_the_environment_goes_along_with_every_call(run, fake, words, monkeypatch):
    monkeypatch.setenv("WELLWORN_KEY", KEY)
    run(*words, "--url", fake.url)
    assert {key for key, _ in fake.shown} == {f"Bearer {KEY}"}


@pytest.mark.parametrize("words", IN_A_SPACE.values(), ids=IN_A_SPACE)
def test_key_and_space_go_along_wherever_a_space_is_talked_to(run, fake, words):
    run(*words, "--url", fake.url, "--key", KEY, "--space", SPACE)
    assert set(fake.shown) == {(f"Bearer {KEY}", SPACE)}
