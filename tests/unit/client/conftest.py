"""Every test of the client is run with the one that blocks and with the async one."""

from __future__ import annotations

import pytest

from both_clients import CLIENTS


@pytest.fixture(autouse=True, params=CLIENTS)
def both_clients(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unit.client.test_client.Wellworn", CLIENTS[request.param])
