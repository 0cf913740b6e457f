"""Sorts the thoughts of a space into topics and assigns later ones.

Only numbers are kept: which thoughts belong together, and where topics lie, never words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.domain.thoughts.store.topics import Gist, Seqs
from wellworn.engines.embedding import FloatArray
from wellworn.engines.retrieval.topics import (
    TopicCluster,
    TopicEncoder,
    cluster_topics,
    compute_centroids,
)
from wellworn.kit.text import fingerprint

LEAST_TO_JOIN: Final = 0.3
"""Cosine of a later thought to the middle of the topic it joins."""
_ID_LENGTH: Final = 16
_NOWHERE: Final = -1


@dataclass(frozen=True, slots=True)
class Topic:
    """Thoughts about one thing, as they were sorted; some may be erased or held since.

    Attributes:
        id: follows from its most central thought and how deep it lies.
        members: seqs of all thoughts in it, the most central first, then those that came later.
        loose: those of them that are in none of the topics inside.
        inside: smaller topics, the largest first.
    """

    id: str
    members: Seqs
    loose: Seqs
    inside: tuple[Topic, ...]


@dataclass(frozen=True, slots=True)
class TopicLayout:
    """Topics of a space.

    Attributes:
        middles: `(leaves, d)`; leaves are the topics without others inside, in order.
        late: seqs of what came after the topics were made, and the leaf that each joined.
    """

    lens: TopicEncoder
    basis: tuple[tuple[int, str], ...]
    branches: tuple[TopicCluster, ...]
    middles: FloatArray
    late: tuple[Seqs, NDArray[np.intp]]

    @classmethod
    def build(cls, gists: Sequence[Gist]) -> TopicLayout:
        """Sort thoughts into topics; time grows with the square of their number."""
        lens = TopicEncoder.fit([gist.codes for gist in gists], [gist.counts for gist in gists])
        vectors = _project(lens, gists)
        branches = cluster_topics(vectors)
        basis = tuple((gist.seq, gist.thought_id) for gist in gists)
        nothing = np.empty(0, np.int64), np.empty(0, np.intp)
        return cls(
            lens, basis, branches, compute_centroids([*_iterate_leaves(branches)], vectors), nothing
        )

    def with_later(self, gists: Sequence[Gist]) -> TopicLayout:
        """Return the layout with later thoughts added, each to its nearest topic if any is near."""
        if not gists or not len(self.middles):
            leaves = np.full(len(gists), _NOWHERE, np.intp)
        else:
            cosines = _project(self.lens, gists) @ self.middles.T
            near = cosines.max(axis=1) >= LEAST_TO_JOIN
            leaves = np.where(near, cosines.argmax(axis=1), _NOWHERE)
        seqs = np.array([gist.seq for gist in gists], np.int64)
        late = np.concatenate([self.late[0], seqs]), np.concatenate([self.late[1], leaves])
        return replace(self, late=late)

    def build_topics(self) -> tuple[Topic, ...]:
        """Return the topics, the largest first as they were made."""
        seqs, leaves = self.late
        arrived = (seqs[leaves == leaf] for leaf in range(len(self.middles)))
        return tuple(self._build_topic(branch, arrived, 1)[0] for branch in self.branches)

    def list_seqs(self) -> Seqs:
        """Return the seqs of all thoughts that were sorted or added."""
        return np.concatenate([np.array([seq for seq, _ in self.basis], np.int64), self.late[0]])

    def _build_topic(
        self, branch: TopicCluster, arrived: Iterator[Seqs], depth: int
    ) -> tuple[Topic, Seqs]:
        """Return a topic, and the thoughts added to it later."""
        built = [self._build_topic(child, arrived, depth + 1) for child in branch.children]
        late = np.concatenate([late for _, late in built]) if built else next(arrived)
        inside = tuple(topic for topic, _ in built)
        members = np.array([self.basis[row][0] for row in branch.members], np.int64)
        members = np.concatenate([members, late])
        deeper = [topic.members for topic in inside]
        loose = members[~np.isin(members, np.concatenate(deeper))] if deeper else members
        central = self.basis[int(branch.members[0])][1]
        return Topic(fingerprint(str(depth), central)[:_ID_LENGTH], members, loose, inside), late


def _project(lens: TopicEncoder, gists: Sequence[Gist]) -> FloatArray:
    return lens.encode([gist.codes for gist in gists], [gist.counts for gist in gists])


def _iterate_leaves(branches: Sequence[TopicCluster]) -> Iterator[TopicCluster]:
    for branch in branches:
        if branch.children:
            yield from _iterate_leaves(branch.children)
        else:
            yield branch
