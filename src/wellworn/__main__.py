"""`python -m wellworn`, the same as the command `wellworn`."""

from __future__ import annotations

import sys

from wellworn.interfaces.cli import main

sys.exit(main())
