"""Ids in paths, which no fixed word of a path can be.

Where `/turns/research` stands beside the turn of an id, the methods of the turn are not those of
the word: a method that the word does not have is refused as such, with its own `Allow`.
"""

from __future__ import annotations

from typing import Final

from starlette.convertors import Convertor, register_url_convertor


class IdConvertor(Convertor[str]):
    """A part of a path that is more than lower-case letters; routes say what an id is."""

    regex = "[a-z]*[^a-z/][^/]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


_NAME: Final = "id"
register_url_convertor(_NAME, IdConvertor())


def format_id(parameter: str) -> str:
    """Return the part of a route's path that an id stands in, as a parameter of this name."""
    return f"{{{parameter}:{_NAME}}}"
