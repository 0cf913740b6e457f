"""Small readings of the XML of a Word document.

Source: ECMA-376 part 1, section 17.
"""

from __future__ import annotations

from typing import Any, Final

_NAMESPACE: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def tag(name: str) -> str:
    """Return the full name of an element or attribute of a Word document."""
    return _NAMESPACE + name


def child_of(owner: Any, name: str) -> Any:
    """Return the first child of a full name or None, sooner than `find`, which reads paths."""
    return next(owner.iterchildren(name), None) if owner is not None else None


def value_of(owner: Any, name: str) -> str | None:
    """Return the value of a child element; None when it has none."""
    child = child_of(owner, tag(name))
    return child.get(tag("val")) if child is not None else None


PROPERTIES: Final = tag("pPr")


def children_of(document: Any, relationship: str, name: str) -> list[Any]:
    """Return elements of a part beside the document; none when the file has no such part."""
    try:
        part = document.part.part_related_by(relationship)
    except KeyError:
        return []
    return [*part.element.iterchildren(tag(name))]
