"""`wellworn`, where nothing is embedded in the background: what comes is found by its words."""

from __future__ import annotations

import sys

from wellworn.application.calls import App, BackgroundEmbedding
from wellworn.interfaces.cli import main


def _run(self: BackgroundEmbedding) -> None:
    """Leave everything for later."""


def _leave(self: App) -> None:
    """Leave what was stored unindexed before the start."""


if __name__ == "__main__":
    App.repair_if_possible = _leave  # type: ignore[method-assign]
    BackgroundEmbedding.run = _run  # type: ignore[method-assign]
    sys.exit(main())
