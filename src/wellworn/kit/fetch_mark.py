"""The mark on all that a server asks others for, by which no server lets it in at the open door.

Those who can make a server ask borrow its place on the machine. The mark takes that right away, on
ways that no check of addresses sees: through a proxy in front of a server, or to a second server.
"""

from __future__ import annotations

from typing import Final

FETCH_MARK: Final = "wellworn-fetch"
"""A header; it takes rights away and gives none, so nobody gains by sending it."""
MARKED: Final = {FETCH_MARK: "1"}
