"""What is done once for all servers of the tests: the process that they are forked from imports it.

Loading the modules and making the commands takes longer than everything else that a start does.
"""

from __future__ import annotations

import gc

import typer

import wellworn.application.migrations.revisions
import wellworn.domain.turns.tools.web_visit
import wellworn.engines.embedding.engine
import wellworn.interfaces.server  # noqa: F401 - what a start would import later
from wellworn.interfaces.cli import app as command_line

command_line.app = typer.main.get_command(command_line.app)
# A collection would touch, and so copy, every object of this process in each of its forks.
gc.collect()
gc.freeze()
