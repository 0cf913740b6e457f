"""Screens a record: no secrets come in, and nothing that only the space's admins can vouch for.

Whose a thought, a session or a query is travels beside the record, under names of its own, and is
believed of an admin alone: else anybody could speak for others by importing.

Source: `docs/security.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from wellworn.engines.safety import redact
from wellworn.errors import InvalidInput

VOUCHED = ("owner", "quarantined_at", "by_admin", "unconfirmed_until", "deposits", "decision")
"""Fields that travel beside a record."""

_LONGEST_NAME = 100
_CHECKED = frozenset(
    (
        *("record", "id", "thought_id", "other_id", "replaced_id", "session_id", "query_id"),
        *("contributed_id", "turn_id", "source_ids", "returned_ids", "query_vector"),
        # An address with a secret in it is refused, not changed.
        "config",
    )
)
"""Fields that can hold no secret: their form is checked, or what they say."""


class Screening:
    """Takes the secrets out of records; names that come again and again are looked at once."""

    def __init__(self) -> None:
        self._clean_names: set[str] = set()

    def screen(self, record: object) -> tuple[object, dict[str, Any]]:
        """Return the record without secrets, and what travelled beside it.

        What is no record at all is returned as it is, for the format to refuse it.

        Raises:
            InvalidInput: it is nested too deeply.
        """
        if not isinstance(record, Mapping):
            return record, {}
        plain, beside = split_vouched(cast("Mapping[str, Any]", record))
        try:
            clean = {
                name: value if name in _CHECKED else self._clean(value)
                for name, value in plain.items()
            }
        except RecursionError:
            raise InvalidInput("a record is nested too deeply to be read") from None
        if clean.get("query_vector") is not None and clean != plain:
            # It was made from the words with the secret in them.
            clean["query_vector"] = None
        return clean, beside

    def _clean(self, value: object) -> object:
        if isinstance(value, str):
            return self._clean_text(value)
        if isinstance(value, list):
            return [self._clean(item) for item in cast("list[object]", value)]
        if isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            return {self._clean_text(name): self._clean(fields[name]) for name in fields}
        return value

    def _clean_text(self, text: str) -> str:
        if text in self._clean_names:
            return text
        clean = redact(text).text
        if clean == text and len(text) <= _LONGEST_NAME:
            self._clean_names.add(text)
        return clean


def split_vouched(record: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a record's own fields, and what travels beside them."""
    plain = {name: record[name] for name in record if name not in VOUCHED}
    beside = {name: record[name] for name in VOUCHED if record.get(name) is not None}
    return plain, beside
