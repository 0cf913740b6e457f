"""Finds who came to the same by themselves: who said it again without having been shown it.

Two say the same where they say it in the same words. The later one *found it independently* if no
door of the memory had shown it to them before, *repeats* it if one had, and where the record does
not reach back, or somebody unknown was shown it, it is not known. Nothing is guessed: an export or
a talk outside of the memory leaves no record, and one who goes by two names counts as two.

Source: `docs/concepts.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from wellworn.domain.thoughts.store import rows, sightings
from wellworn.errors import StorageUnavailable

if TYPE_CHECKING:
    from wellworn.domain.spaces import Access
    from wellworn.domain.thoughts.alike import AlikeFinder
    from wellworn.domain.thoughts.models import FoundThought
    from wellworn.engines.storage.sql import Database, Transaction
    from wellworn.kit.clock import Clock

    Load = Callable[[Access, Sequence[int]], Iterable[FoundThought]]

_MOST_COMPARED: Final = 20_000
_MOST_NOTED: Final = 1_000


class RepeatKind(StrEnum):
    """The way somebody came to say what another had said."""

    INDEPENDENT = "independent"
    ECHO = "echo"
    UNKNOWN = "unknown"


class Voice(NamedTuple):
    """Somebody who said it, as the thought `seq` or by repeating that.

    `at` is when, in epoch seconds; None where it is not known.
    """

    user: str
    seq: int
    at: float | None


@dataclass(frozen=True, slots=True)
class Converged:
    """A text that several said.

    Attributes:
        thought: as it was said first, of what is true now.
        independent: how many said it who had been shown it by no door.
        echoes: how many had been.
        unknown: of how many that is not known.
        others: the ids of thoughts that say it, too.
        last_at: when the last of those said it who found it independently, or else of all.
    """

    thought: FoundThought
    independent: int
    echoes: int
    unknown: int
    others: tuple[str, ...]
    last_at: float


@dataclass(frozen=True, slots=True)
class Convergences:
    """Texts that several said, most found independently first; and how often each kind in all."""

    converged: tuple[Converged, ...]
    counts: Mapping[RepeatKind, int]


class Sightings:
    """First sights of thoughts by doors that leave no row in the query log."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def note(self, access: Access, thought_ids: Iterable[str], agent_id: str = "") -> None:
        """Write down that the caller is shown thoughts, of a project's shared space as well.

        At the open door it is nobody in particular who does not say which agent they are. Where
        nothing can be written, as on a full disk, what was asked for is shown all the same.
        """
        ids = [*dict.fromkeys(thought_ids)][:_MOST_NOTED]
        if not ids:
            return
        user = access.resolve_user(agent_id)
        with self._database.read() as transaction:
            spaces = filter(None, (access, access.shared))
            seqs = {
                seq for space in spaces for seq in rows.find_seqs(transaction, space, ids).values()
            }
            unseen = sightings.filter_unseen(transaction, sorted(seqs), user)
        if unseen:
            with suppress(StorageUnavailable), self._database.share_write() as transaction:
                living = rows.filter_living(transaction, unseen)
                sightings.save(transaction, sorted(living), user, now=self._clock.now())


class ConvergenceFinder:
    """Finds what several said; every method needs an Access."""

    def __init__(self, database: Database, alike: AlikeFinder, load: Load) -> None:
        self._database = database
        self._alike = alike
        self._load = load

    def find(self, access: Access, *, since: float = 0.0, limit: int = 20) -> Convergences:
        """Return what several said, of which somebody said it again since a moment."""
        with self._database.read() as transaction:
            groups = [
                group
                for group in _group_sayings(transaction, access, self._alike)
                if max((voice.at or 0.0 for voice in group), default=0.0) >= since
            ]
            seqs = {voice.seq for group in groups for voice in group}
            seen = sightings.load_sightings(transaction, seqs)
            shown = sightings.load_showings(transaction, seqs)
        current = {
            thought.seq: thought
            for thought in self._load(access, sorted(seqs))
            if thought.outdated_at is None
        }
        told: list[Converged] = []
        counts = dict.fromkeys(RepeatKind, 0)
        for group in groups:
            voices = [voice for voice in group if voice.seq in current]
            kinds = judge_voices(voices, seen, shown)
            recent = {voice: kind for voice, kind in kinds.items() if (voice.at or 0.0) >= since}
            if recent:
                told.append(_tell(voices, kinds, recent, current))
            for kind in recent.values():
                counts[kind] += 1
        told.sort(key=lambda each: (-each.independent, -each.last_at, each.thought.seq))
        return Convergences(tuple(told[:limit]), counts)


def _group_sayings(
    transaction: Transaction, access: Access, alike: AlikeFinder
) -> list[list[Voice]]:
    """Return the voices of each thing that several said, the first of it first."""
    groups = [{each.seq for each in group} for group in alike.find(transaction, access)]
    repeats = sightings.list_repeats(transaction, access, most=_MOST_COMPARED)
    grouped = {seq: group for group in groups for seq in group}
    for repeat in repeats:
        if repeat.seq not in grouped:
            grouped[repeat.seq] = {repeat.seq}
            groups.append(grouped[repeat.seq])
    return _list_voices(transaction, groups, repeats)


def count_independent(
    transaction: Transaction,
    groups: Sequence[Sequence[int]],
    repeats: Sequence[sightings.Repeat] | None = None,
) -> list[int]:
    """Return of each group of thoughts that say the same how many others found it by themselves.

    A thought stands by itself in its group where nothing else is known to say the same. `repeats`
    of all of them are read unless they are given.
    """
    if repeats is None:
        repeats = sightings.list_repeats_of(transaction, [*chain.from_iterable(groups)])
    repeated = {repeat.seq for repeat in repeats}
    several = [
        place
        for place, group in enumerate(groups)
        if len(group) > 1 or not repeated.isdisjoint(group)
    ]
    counts = [0] * len(groups)
    if several:
        voices = _list_voices(transaction, [{*groups[place]} for place in several], repeats)
        seqs = {voice.seq for group in voices for voice in group}
        seen = sightings.load_sightings(transaction, seqs)
        shown = sightings.load_showings(transaction, seqs)
        for place, group in zip(several, voices, strict=True):
            kinds = judge_voices(group, seen, shown).values()
            counts[place] = [*kinds].count(RepeatKind.INDEPENDENT)
    return counts


def _list_voices(
    transaction: Transaction,
    groups: Sequence[AbstractSet[int]],
    repeats: Iterable[sightings.Repeat],
) -> list[list[Voice]]:
    """Return who said the thoughts of each group, the first of it first; of deleted ones nobody."""
    seqs = sorted({*chain.from_iterable(groups)})
    authors = {seq: each.author for seq, each in rows.load_authorships(transaction, seqs).items()}
    stored = sightings.load_sightings(transaction, seqs)
    voices: dict[int, list[Voice]] = {
        seq: [Voice(author, seq, stored[seq].get(author))] for seq, author in authors.items()
    }
    for repeat in repeats:
        if repeat.seq in voices:
            voices[repeat.seq].append(Voice(repeat.user, repeat.seq, repeat.at))
    return [
        sorted(
            (voice for seq in group for voice in voices.get(seq, ())),
            key=lambda voice: (voice.at or 0.0, voice.seq),
        )
        for group in groups
    ]


def judge_voices(
    voices: Sequence[Voice],
    seen: Mapping[int, Mapping[str, float]],
    shown: Mapping[int, Mapping[str, float]],
) -> dict[Voice, RepeatKind]:
    """Return how each but the first came to say the same, each user once; pure.

    Args:
        voices: those who said it, the first of them first.
        seen: by thought and user when they first saw it, as far as that was written down; those who
            stored or repeated it among them.
        shown: by thought and user when the query log first showed it to them.
    """
    judged: dict[Voice, RepeatKind] = {}
    users = {voices[0].user} if voices else set[str]()
    for place, voice in enumerate(voices):
        if voice.user in users:
            continue
        users.add(voice.user)
        earlier = {other.seq: other for other in reversed(voices[:place])}
        judged[voice] = _judge(voice, earlier.values(), seen, shown)
    return judged


def _judge(
    voice: Voice,
    earlier: Iterable[Voice],
    seen: Mapping[int, Mapping[str, float]],
    shown: Mapping[int, Mapping[str, float]],
) -> RepeatKind:
    own = seen[voice.seq].get(voice.user)
    if voice.at is None or own is None or own > voice.at:
        # An import brought it.
        return RepeatKind.UNKNOWN
    at, is_known = voice.at, True
    for other in earlier:
        before = seen[other.seq]
        times = (before.get(voice.user), shown[other.seq].get(voice.user))
        if any(time is not None and time < at for time in times):
            return RepeatKind.ECHO
        by_nobody = before.get(sightings.NOBODY)
        is_unwatched = other.at is None or (by_nobody is not None and by_nobody < at)
        is_known = is_known and not is_unwatched
    return RepeatKind.INDEPENDENT if is_known else RepeatKind.UNKNOWN


def _tell(
    voices: Sequence[Voice],
    kinds: Mapping[Voice, RepeatKind],
    recent: Mapping[Voice, RepeatKind],
    current: Mapping[int, FoundThought],
) -> Converged:
    found = [*kinds.values()]
    independent = [voice for voice, kind in recent.items() if kind is RepeatKind.INDEPENDENT]
    thoughts = dict.fromkeys(voice.seq for voice in voices)
    first, *others = (current[seq] for seq in thoughts)
    return Converged(
        thought=first,
        independent=found.count(RepeatKind.INDEPENDENT),
        echoes=found.count(RepeatKind.ECHO),
        unknown=found.count(RepeatKind.UNKNOWN),
        others=tuple(each.thought_id for each in others),
        last_at=max(voice.at or 0.0 for voice in independent or recent),
    )
