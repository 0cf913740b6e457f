"""Which texts share an inference; pure.

Padding costs as much as text, so texts of one length go together, and the cap counts padding.
"""

from __future__ import annotations

from collections.abc import Sequence


def group_by_length(lengths: Sequence[int], limit_tokens: int) -> list[list[int]]:
    """Group the positions of `lengths`: each group, padded to its longest, holds the limit.

    A text beyond the limit goes alone.
    """
    groups: list[list[int]] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Ascending order: the newest is the longest, and sets the padding of its group.
        if groups and (len(groups[-1]) + 1) * lengths[position] <= limit_tokens:
            groups[-1].append(position)
        else:
            groups.append([position])
    return groups
