"""Curation: what may have had its day, and what is done with it; the digest; and sleep."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from wellworn.client import models
from wellworn.client.fields import (
    AgentId,
    Listed,
    Moment,
    Note,
    Tag,
    TopicId,
    UpToHundred,
    Uuid,
    Words,
)
from wellworn.client.operations import Calls, Operation

OlderThan: TypeAlias = Annotated[int, Field(ge=1, le=36_500)]
Count: TypeAlias = Annotated[int, Field(ge=0)]
MatchingAction: TypeAlias = Literal["outdated", "end", "release", "erase"]
Chosen: TypeAlias = Annotated[Listed[Uuid], Field(min_length=1, max_length=100)]

Decided: TypeAlias = Annotated[Listed[Uuid], Field(max_length=100)]


class CurationCalls(Calls):
    """The calls that tidy a memory, and tell what became of it."""

    @Operation("GET /api/v1/curation", failures=(400, 404))
    def curation(
        self,
        *,
        reason: models.CurationReason | None = None,
        older_than_days: OlderThan = 90,
        limit: UpToHundred = 20,
    ) -> models.Curation:
        """List thoughts that may have had their day, each with the evidence. Leaves no trail.

        Args:
            reason: Only those that are over (`expired`), in dispute (`contested`), said elsewhere
                in the same words (`duplicate`), or never shown, used or built upon (`unneeded`).
            older_than_days: How long a thought was there that nobody needed.
            limit: Most for each reason.

        Example:
            memory.curation(reason="unneeded").candidates
        """
        ...

    @Operation("POST /api/v1/curation", body="CurateRequest", says_who=True)
    def curate(
        self,
        action: models.CurationAction,
        thought_ids: Chosen,
        *,
        into: Uuid | None = None,
        expires_at: Moment | None = None,
        reason: Note | None = None,
        dry_run: bool = False,
    ) -> models.Curated:
        """Do one thing with thoughts of your own; admins of the space with anybody's.

        Args:
            action: `outdated`: they are history from now on; `end`: they are from `expires_at` on;
                `merge`: the one that is named by `into` takes their place; `release`: those held
                back can be found, which admins may say; `erase`: their words are gone for good.
            thought_ids: None is changed if one of them may not be.
            into: With `merge`: the thought that stays.
            expires_at: With `end`: a day counts to its end; null takes an end back.
            reason: With `erase`: why. It is kept.
            dry_run: Only say whether it could be done.

        Example:
            memory.curate("outdated", [thought_id], dry_run=True)
        """
        ...

    @Operation("POST /api/v1/curation/matching", body="CurateMatchingRequest", says_who=True)
    def curate_matching(  # noqa: PLR0913 - each is a filter, or goes with an action
        self,
        action: MatchingAction,
        *,
        by: AgentId | None = None,
        words: Words | None = None,
        tag: Tag | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        topic: TopicId | None = None,
        state: models.ThoughtState | None = None,
        candidates: models.CurationReason | None = None,
        held: bool = False,
        expires_at: Moment | None = None,
        reason: Note | None = None,
        expected: Count | None = None,
        dry_run: bool = False,
    ) -> models.CuratedSelection:
        """Do one thing with all thoughts that fit a filter; of those that you may change.

        Without a filter, these are all of the space. What is outdated already is left as it is.
        Call it with `dry_run` first, and pass on the count that it returns as `expected`.

        Args:
            action: As of `curate`; `release` goes with `held`.
            by: Who said them: an agent's id or name, or a member.
            words: They hold all of these words, in any order and form.
            tag: One that they carry.
            since: They were said at this time or later.
            until: They were said before this time; a day counts to its end.
            topic: They are in this topic.
            state: They wait to be confirmed (`unconfirmed`), or are not true any more (`outdated`).
            candidates: They may have had their day for this reason.
            held: They are held back; nothing else is then selected. For admins.
            expires_at: With `end`: a day counts to its end.
            reason: With `erase`: why. It is kept.
            expected: Change nothing if it is not as many that you may change.
            dry_run: Only count them, with examples.

        Example:
            memory.curate_matching("outdated", tag="old", dry_run=True).changeable
        """
        ...

    @Operation("POST /api/v1/curation/take-back", body="TakeBackRequest", says_who=True)
    def take_back(self, done_at: Moment, *, dry_run: bool = False) -> models.TakenBack:
        """Take back the ends that you gave with one call, to many thoughts or one.

        Each has the end again that it had before, or none. What was given another since is left
        as it is. What was released or erased cannot be taken back.

        Args:
            done_at: As `curate` and `curate_matching` return it.
            dry_run: Only say which they are.

        Example:
            memory.take_back("2026-11-30T09:30:00.123456Z", dry_run=True)
        """
        ...

    @Operation("GET /api/v1/digest", failures=(400, 404))
    def digest(self, *, since: Moment | None = None) -> models.Digest:
        """Tell what became of the memory since a time, on one screen. Leaves no trail.

        What was learned, what changed, what several found by themselves, what was asked and not
        answered, what is in dispute, and what nobody needs any more, each with the ids of its
        thoughts.

        Args:
            since: By default the last seven days.

        Example:
            memory.digest(since="2026-11-22").lines
        """
        ...

    @Operation("GET /api/v1/sleep", failures=(400, 404))
    def overviews(self, *, limit: UpToHundred = 20) -> models.Rest:
        """Return what several thoughts say alike, as the last sleep brought it together.

        Args:
            limit: Most consolidations.

        Example:
            [overview.title for overview in memory.overviews().overviews]
        """
        ...

    @Operation("GET /api/v1/bridges", failures=(400, 404))
    def bridges(self) -> models.Bridges:
        """Tell which topics that lie far apart were needed together, more than by chance.

        The last sleep found them, as proposals that expire; no result follows from them.

        Example:
            memory.bridges().bridges
        """
        ...

    @Operation("POST /api/v1/bridges", body="BridgesRequest")
    def decide_bridges(self, *, take: Decided = (), decline: Decided = ()) -> models.Bridges:
        """Take bridges, which then stay, or decline them, which are not proposed again.

        For admins of the space. All are decided, or none.

        Args:
            take: Ids of bridges that stay.
            decline: Ids of those that nobody is told of any more, as long as they are found.

        Example:
            memory.decide_bridges(take=[]).bridges
        """
        ...

    @Operation("POST /api/v1/sleep", body="SleepRequest")
    def sleep(self, *, dry_run: bool = False, limit: UpToHundred = 20) -> models.Rest:
        """Bring together what several thoughts say alike; of a large space in the background.

        What is no longer true, or not sure, is left out. Quotes stay those of their thoughts.

        Args:
            dry_run: Only say what it would bring together.
            limit: Most consolidations that are told.

        Example:
            memory.sleep(dry_run=True).overviews[0].quotes
        """
        ...
