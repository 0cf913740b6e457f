"""The machine the figures belong to: without it a figure says nothing."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

from wellworn import __version__

_GIGABYTE = 1e9


@dataclass(frozen=True)
class Machine:
    """What matters about a machine, and how busy it was when the run began."""

    processor: str
    cores: int
    memory_gb: float
    system: str
    python: str
    wellworn: str
    load_at_start: float

    @classmethod
    def seen(cls) -> Machine:
        """Look at the machine this runs on."""
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
        return cls(
            processor=_processor(),
            cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _cores(),
            memory_gb=round(pages * size / _GIGABYTE, 1),
            system=f"{platform.system()} {platform.release()}",
            python=platform.python_version(),
            wellworn=__version__,
            load_at_start=round(os.getloadavg()[0], 2),
        )

    @property
    def told(self) -> str:
        """One line for people."""
        return (
            f"wellworn {self.wellworn}, Python {self.python}, {self.system}; {self.processor}, "
            f"{self.cores} cores, {self.memory_gb:g} GB; load at start {self.load_at_start:g}"
        )


def _cores() -> int:
    return os.cpu_count() or 1


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
