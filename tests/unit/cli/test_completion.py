"""What a shell is offered when the Tab key is pressed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

PROGRAM = [sys.executable, "-m", "wellworn"]


# What is asked for is printed, whichever shell runs the tests.
NAMED = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}


def printed(command, **variables):
    environment = {**os.environ, **NAMED, **variables}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return done.stdout


@pytest.fixture
def completed_by_bash(tmp_path):
    """Let bash complete the last of some words with the script that is printed for it."""
    executable = tmp_path / "wellworn"
    executable.write_text(f'#!/bin/sh\nexec {" ".join(PROGRAM)} "$@"\n')
    executable.chmod(0o755)
    script = printed([*PROGRAM, "--show-completion", "bash"])

    def complete(*words):
        last = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}"
        ask = f'_wellworn_completion "{executable}"; echo "${{COMPREPLY[@]}}"'
        return printed(["bash", "-c", f"{script}\n{last}\n{ask}"]).split()

    return complete


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["wellworn", "thought", "er"], "erase"),
        (["wellworn", "remember", "x", "--repl"], "--replaces"),
        (["wellworn", "feedback", "x", "o"], "outdated"),
    ],
)
def test_bash_completes_commands_options_and_choices(completed_by_bash, words, offered):
    assert completed_by_bash(*words) == [offered]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_told_what_a_command_does_as_well(shell):
    assert "_WELLWORN_COMPLETE" in printed([*PROGRAM, "--show-completion", shell])
    told = printed(
        PROGRAM,
        _WELLWORN_COMPLETE=f"complete_{shell}",
        _TYPER_COMPLETE_ARGS="wellworn hig",
        _TYPER_COMPLETE_FISH_ACTION="get-args",
    )
    assert "highways" in told
    assert "List the thoughts" in told
