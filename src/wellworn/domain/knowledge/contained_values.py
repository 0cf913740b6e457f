"""A value inside another: the port of "10.0.0.5:8080", of "LMTP on TCP 2424" or of a URL.

It is only what a value that is the thing's own holds: what a target, an agent or a gateway has is
somebody else's.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from wellworn.domain.knowledge.answers import Value
from wellworn.domain.knowledge.attributes import Attribute, list_attributes
from wellworn.domain.knowledge.commonness import is_common, is_trade
from wellworn.domain.knowledge.entities import name_key

_PORT: Final = re.compile(
    r"(?<=[\w\]]):(?P<behind>\d{2,5})(?![\w.:])"
    r"|(?<![\w.:])(?P<before>\d{2,5})/(?:tcp|udp)\b"
    r"|\b(?:tcp|udp|port)[ /]+(?P<named>\d{2,5})(?![\w.:])",
    re.IGNORECASE,
)
#: Attributes whose value says where a thing itself is.
_WHERE: Final = frozenset(("address", "listen address", "url", "endpoint", "hostname"))


def find_contained(asked: Attribute, value: Value) -> Value | None:
    """Return the one port that another value of a thing holds, where a port is asked for."""
    if asked.name != "port" or not (_is_where(value) or is_own(value.attribute)):
        return None
    ports = list(_PORT.finditer(value.value))
    if len(ports) != 1:
        return None
    [port] = ports
    start, end = port.span(port.lastgroup or 0)
    return replace(
        value,
        fact_type="port",
        value=value.value[start:end],
        start=value.start + start,
        end=value.start + end,
    )


def is_own(attribute: str) -> bool:
    """Tell whether what a value is called is plain English, which names nobody else."""
    return all(is_common(word) and not is_trade(word) for word in attribute.split())


def _is_where(value: Value) -> bool:
    own = {name_key(word) for word in value.term.split()}
    words = [word for word in value.attribute.split() if name_key(word) not in own]
    named = {attribute.name for attribute, _ in list_attributes(words)}
    known = {word for _, piece in list_attributes(words) for word in piece}
    return bool(named) and named <= _WHERE and known == set(words)
