from __future__ import annotations

import subprocess
import sys
from threading import Event

from patience import LONG_S
from wellworn.interfaces.cli.waiting import note_if_slow


class Screen:
    def __init__(self, *, is_terminal: bool = True) -> None:
        self.text = ""
        self.is_terminal = is_terminal
        self.is_written = Event()

    def isatty(self) -> bool:
        return self.is_terminal

    def write(self, text: str) -> None:
        self.text += text
        self.is_written.set()


def test_what_is_slow_says_what_it_does_and_what_is_quick_says_nothing(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with note_if_slow("quick", after_s=LONG_S):
        pass
    with note_if_slow("starting", after_s=0):
        assert screen.is_written.wait(LONG_S)
    assert screen.text == "starting\n"


def test_a_script_reads_the_same_however_slow_the_machine_is(monkeypatch):
    screen = Screen(is_terminal=False)
    monkeypatch.setattr(sys, "stderr", screen)
    with note_if_slow("starting", after_s=0):
        assert not screen.is_written.wait(0)
    assert screen.text == ""


def test_the_command_line_can_speak_before_its_modules_are_loaded():
    program = "import sys, wellworn.interfaces.cli; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.split())
    assert "wellworn.interfaces.cli.waiting" in loaded
    assert not {"typer", "wellworn.client", "wellworn.errors"} & loaded
