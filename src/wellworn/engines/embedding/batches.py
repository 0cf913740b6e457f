"""Groups texts for inference; pure. Padding costs as much as text, so the limit counts it."""

from __future__ import annotations

from collections.abc import Sequence


def group_by_length(lengths: Sequence[int], limit_tokens: int) -> list[list[int]]:
    """Group positions so that each group, padded to its longest text, is within the limit.

    A text beyond the limit is a group of its own.
    """
    groups: list[list[int]] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Ascending order: the newest is the longest, and sets the padding of its group.
        if groups and (len(groups[-1]) + 1) * lengths[position] <= limit_tokens:
            groups[-1].append(position)
        else:
            groups.append([position])
    return groups
