"""The list of actions promises nothing: each is written down somewhere in the product."""

from __future__ import annotations

import re
from pathlib import Path

import wellworn
from wellworn.domain.audit import Action

SOURCE = Path(wellworn.__file__).parent


def test_every_action_of_the_list_is_written_down_somewhere():
    used: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        if path.parent != SOURCE / "audit":
            used |= set(re.findall(r"\bAction\.([A-Z_]+)", path.read_text(encoding="utf-8")))
    assert {one.name for one in Action} == used
