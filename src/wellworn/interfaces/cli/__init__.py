"""The command line: parse words, call the memory, print. It decides nothing."""

from __future__ import annotations

from wellworn.interfaces.cli.app import main

__all__ = ["main"]
