"""`wellworn`, where nothing is embedded in the background: what comes is found by its words."""

from __future__ import annotations

import sys

from wellworn.application.calls import BackgroundEmbedding
from wellworn.interfaces.cli import main


def _run(self: BackgroundEmbedding) -> None:
    """Leave everything for later."""


if __name__ == "__main__":
    BackgroundEmbedding.run = _run  # type: ignore[method-assign]
    sys.exit(main())
