"""Ids of thoughts as other commands print them."""

from __future__ import annotations

import pytest

from unit.cli.fake_server import THOUGHT


@pytest.mark.parametrize("given", [THOUGHT, f"thought:{THOUGHT}"])
def test_a_thought_is_shown_by_its_id_also_as_an_outline_prints_it(run, fake, given):
    assert run("thought", "show", given, "--url", fake.url).code == 0
    assert fake.asked[-1][:2] == ("GET", f"/api/v1/thoughts/{THOUGHT}")
