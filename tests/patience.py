"""How long a test waits for what must come: no machine is so busy that it takes longer."""

from __future__ import annotations

LONG_S = 300.0
