"""The daemon: the one process that owns a data folder; other processes find, start or stop it.

The vector engine and the database belong to one process. Every other process (command line,
MCP over stdio, scripts) is a thin client of it.
"""

from __future__ import annotations

from wellworn.engines.daemon.announcement import (
    announce,
    find_announced,
    find_daemon,
    is_announced,
    is_ready,
)
from wellworn.engines.daemon.launch import START_S, ensure_daemon, stop_daemon, wait_until_ready
from wellworn.engines.daemon.lock import (
    LockHolder,
    find_holder,
    hold_folder,
    lock_exclusively,
)
from wellworn.engines.daemon.models import DEFAULT_HOME, DaemonFailed, RunningDaemon, find_home
from wellworn.engines.daemon.private_files import create_files_privately, make_private_folder
from wellworn.engines.daemon.renewal import Inheritance, renew_process, take_inheritance
