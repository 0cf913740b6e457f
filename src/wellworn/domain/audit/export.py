"""A trail as JSON lines.

An export only ever grows: an earlier one is the beginning of a later one, byte for byte. What a
sealed entry holds has a line of its own, so that all other lines are the same without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from wellworn.domain.audit.chain import compact
from wellworn.domain.audit.models import Checkpoint, Link
from wellworn.domain.audit.sealing import Opened

_FORMAT = 1


def heading(space: str) -> str:
    return compact({"audit": space, "format": _FORMAT})


def line_of_link(link: Link) -> str:
    # The entry stands as it was chained, also when somebody damaged it: an export is evidence.
    entry = link.entry.decode(errors="replace")
    return f'{{"entry":{entry},"hash":"{link.hash.hex()}","seq":{link.seq!r}}}'


def line_of_checkpoint(checkpoint: Checkpoint) -> str:
    return (
        f'{{"checkpoint":{checkpoint.seq!r},"head":"{checkpoint.head.hex()}"'
        f',"key":"{checkpoint.key.hex()}","made_at":{checkpoint.made_at!r}'
        f',"signature":"{checkpoint.signature.hex()}"}}'
    )


def line_of_opened(seq: int, opened: Opened) -> str:
    entry = opened.entry.decode()
    return f'{{"of":{seq!r},"opened":{entry},"salt":"{opened.salt.hex()}"}}'


def lines(
    links: Iterable[Link],
    checkpoints: Sequence[Checkpoint],
    opened: Mapping[int, Opened | None],
) -> Iterator[str]:
    """Yield a line for each entry, one for what it holds, and one for the checkpoint made there."""
    made = {checkpoint.seq: checkpoint for checkpoint in checkpoints}
    for link in links:
        yield line_of_link(link)
        holding = opened[link.seq]
        if holding is not None:
            yield line_of_opened(link.seq, holding)
        if link.seq in made:
            yield line_of_checkpoint(made[link.seq])
