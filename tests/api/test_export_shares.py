"""How many exports at once: a share for each member, and for each address at the open door."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from starlette.testclient import TestClient

from api.world import World, accepted
from wellworn.application.calls import App
from wellworn.engines.slots import MOST_OF_A_CALLER


def export_from(world: World, host: str, **headers: str) -> Any:
    client = TestClient(world.client.app, base_url=world.client.base_url, client=(host, 50_000))
    return client.get("/api/v1/export", headers=headers)


def under_way(monkeypatch: Any, world: World, host: str, meanwhile: Callable[[], None]) -> None:
    """Do something while all exports that the address may have at once are under way."""
    export, begun = App.export, []

    def export_slowly(self: App, *arguments: Any) -> Iterator[dict[str, Any]]:
        begun.append(host)
        if len(begun) < MOST_OF_A_CALLER:
            assert export_from(world, host).status_code == 200
        elif len(begun) == MOST_OF_A_CALLER:
            meanwhile()
        yield from export(self, *arguments)

    monkeypatch.setattr(App, "export", export_slowly)
    assert export_from(world, host).status_code == 200
    assert len(begun) >= MOST_OF_A_CALLER


def test_an_address_with_its_share_leaves_exports_to_others(world, monkeypatch):
    made = accepted(world.post("spaces", {"name": "team", "sealed": False}))
    key = {"authorization": f"Bearer {made['issued']['key']}"}
    statuses = {}

    def ask() -> None:
        statuses["same"] = export_from(world, "127.0.0.1").status_code
        statuses["other"] = export_from(world, "127.0.0.2").status_code
        statuses["member"] = export_from(world, "127.0.0.1", **key).status_code

    under_way(monkeypatch, world, "127.0.0.1", ask)
    assert statuses == {"same": 429, "other": 200, "member": 200}
