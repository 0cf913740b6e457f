"""Checks what every kind of source must do, of those that ship and of others; each takes one.

    @pytest.mark.parametrize("check", CONNECTOR_CONTRACT)
    def test_it_keeps_the_contract(check, my_place):
        check(my_place)

Source: the port in wellworn.domain.sources.connectors.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from wellworn.domain.sources import Problem
from wellworn.domain.sources.connectors import Listing, NotModified, SourceConnector, SourceItem
from wellworn.errors import InvalidInput


class ConnectorPlace(Protocol):
    """A place that a connector reads, with at least one document."""

    @property
    def connector(self) -> SourceConnector: ...

    @property
    def config(self) -> Mapping[str, Any]: ...

    def write(self, text: str) -> None:
        """Replace the text of the first document."""
        ...


def a_configuration_has_one_form(place: ConnectorPlace) -> None:
    once = place.connector.validate_config(place.config)
    assert place.connector.validate_config(once) == once
    assert json.loads(json.dumps(once)) == once


def a_field_that_nobody_knows_is_refused(place: ConnectorPlace) -> None:
    for config in ({**place.config, "surprise": 1}, {"surprise": 1}):
        try:
            place.connector.validate_config(config)
        except InvalidInput:
            continue
        raise AssertionError(config)


def what_is_listed_can_be_read_each_item_once(place: ConnectorPlace) -> None:
    place.write("# Lantern\n\nIt hangs in the harbour.\n")
    listing, read = _list_and_read(place)
    assert listing.items
    assert len({item.path for item in listing.items}) == len(listing.items)
    assert [path for path, _ in read] == sorted(item.path for item in listing.items)
    assert any(b"It hangs in the harbour." in raw for _, raw in read)


def nothing_changed_gives_the_same_versions(place: ConnectorPlace) -> None:
    place.write("# Lantern\n\nOnce.\n")
    assert _versions(_list_and_read(place)[0]) == _versions(_list_and_read(place)[0])


def another_text_gives_another_version(place: ConnectorPlace) -> None:
    place.write("# Lantern\n\nOnce.\n")
    before = _versions(_list_and_read(place)[0])
    place.write("# Lantern\n\nTwice, and longer.\n")
    assert _versions(_list_and_read(place)[0]) != before


def what_it_remembers_spares_work_and_hides_nothing(place: ConnectorPlace) -> None:
    place.write("# Lantern\n\nOnce.\n")
    before, _ = _list_and_read(place)
    state = json.loads(json.dumps(dict(before.state)))
    again = _list(place, state)
    assert isinstance(again, NotModified) or _versions(again) == _versions(before)
    place.write("# Lantern\n\nTwice, and longer.\n")
    changed = _list(place, state)
    assert isinstance(changed, Listing)
    assert _versions(changed) != _versions(before)


def _list_and_read(place: ConnectorPlace) -> tuple[Listing, list[tuple[str, bytes]]]:
    config = place.connector.validate_config(place.config)
    with place.connector.open_snapshot(config, secret=None, state={}) as snapshot:
        listing = snapshot.list_items()
        assert isinstance(listing, Listing), listing
        read = [_bytes(item, raw) for item, raw in snapshot.read(listing.items)]
    return listing, sorted(read)


def _list(place: ConnectorPlace, state: Mapping[str, Any]) -> Listing | NotModified:
    config = place.connector.validate_config(place.config)
    with place.connector.open_snapshot(config, secret=None, state=state) as snapshot:
        listing = snapshot.list_items()
    assert isinstance(listing, Listing | NotModified), listing
    return listing


def _bytes(item: SourceItem, raw: bytes | Problem) -> tuple[str, bytes]:
    assert isinstance(raw, bytes), raw
    return item.path, raw


def _versions(listing: Listing) -> dict[str, str]:
    return {item.path: item.version for item in listing.items}


CONNECTOR_CONTRACT: tuple[Callable[[ConnectorPlace], None], ...] = (
    a_configuration_has_one_form,
    a_field_that_nobody_knows_is_refused,
    what_is_listed_can_be_read_each_item_once,
    nothing_changed_gives_the_same_versions,
    another_text_gives_another_version,
    what_it_remembers_spares_work_and_hides_nothing,
)
"""Every check; each takes a place with one document at least."""
