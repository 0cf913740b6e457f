"""The benchmarks are no installed package: they are found at the root of the checkout."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
