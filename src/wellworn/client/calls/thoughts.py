"""Thoughts: read, traced, searched without a trail, and what is worn in."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field
from typing_extensions import TypeAliasType

from wellworn.client import models
from wellworn.client.fields import (
    AgentId,
    Citation,
    Label,
    Listed,
    Moment,
    PromptText,
    SaidStatement,
    Statement,
    Tag,
    TopicId,
    UpToFifty,
    UpToHundred,
    Uuid,
    UuidBeginning,
    Words,
)
from wellworn.client.operations import Calls, Operation
from wellworn.client.paths import path_of
from wellworn.client.twins import wrap_call

ThoughtId: TypeAlias = Annotated[Uuid, Field(description="UUID of a thought.")]
Since: TypeAlias = Annotated[Moment | None, Field(description="Only what was said since then.")]
Until: TypeAlias = Annotated[
    Moment | None, Field(description="Only what was said up to then; a day counts to its end.")
]
By: TypeAlias = Annotated[AgentId | None, Field(description="Only what this contributor said.")]
Count: TypeAlias = Annotated[int, Field(ge=0, le=2**31)]
Statements: TypeAlias = Annotated[Listed[SaidStatement], Field(max_length=50)]
_CAPTURE_S: Final = 600.0
"""The longest wait for a judgement: a busy processor, or a language model, takes its time."""
HighwayOrder = TypeAliasType(
    "HighwayOrder",
    Annotated[
        Literal["traffic", "pheromone", "recent", "use"],
        Field(title="HighwayOrder", description="The order of highways."),
    ],
)


class ThoughtCalls(Calls):
    """The calls about single thoughts, and those that look at all of them."""

    @Operation("POST /api/v1/context", body="ContextRequest", says_who=True)
    def context(
        self,
        prompt: PromptText | None = None,
        *,
        budget_tokens: Annotated[int, Field(ge=100, le=20_000)] = 600,
        leave_out: Annotated[Listed[Citation], Field(max_length=1_000)] = (),
    ) -> models.Context:
        """Pack what an agent should have before it goes on, the most useful first.

        For a prompt: what is close to it, and nothing where nothing is. The thoughts count as
        shown; the prompt is not kept. Without one: what changed, what is worn in, what is new, in
        dispute and open. Nothing is said twice, and what is replaced is left out.

        Args:
            prompt: What the agent was told.
            budget_tokens: Most tokens, at four characters each.
            leave_out: Ids of what the agent was shown already.

        Example:
            memory.context("why does staging refuse connections?").text
        """
        ...

    @Operation("POST /api/v1/capture", body="CaptureRequest", says_who=True, timeout_s=_CAPTURE_S)
    def capture(
        self,
        statements: Statements = (),
        *,
        before: Statement | None = None,
        after: Statement | None = None,
        session: Label | None = None,
        dry_run: bool = False,
    ) -> models.Captured:
        """Keep what a session said that is worth it: what was decided, learned, failed, preferred.

        A trained judge decides, sentence by sentence, by what each says and what stands beside it;
        or a language model picks, where the server's settings let one.
        What is kept has the tag `captured` and says in its context who said it, and in which
        session.

        Args:
            statements: Sentences in their order.
            before: The sentence before the first; it is not judged.
            after: The sentence after the last; it is not judged.
            session: The session's name.
            dry_run: Only say what would be kept.

        Example:
            memory.capture([{"by": "user", "text": "We never deploy on Fridays."}]).statements
        """
        ...

    @Operation("GET /api/v1/thoughts")
    def list_thoughts(  # noqa: PLR0913 - each is a filter, or part of the page
        self,
        *,
        since: Since = None,
        until: Until = None,
        by: By = None,
        words: Words | None = None,
        tag: Tag | None = None,
        topic: TopicId | None = None,
        state: models.ThoughtState | None = None,
        limit: UpToHundred = 20,
        cursor: Uuid | None = None,
        count: bool = False,
    ) -> models.ThoughtList:
        """List what was said, newest first, whether or not it is still true. Leaves no trail.

        What is listed fits all conditions.

        Args:
            words: Only thoughts that hold all of these words, in any order and form. `search` also
                finds what says the same in other words.
            tag: Only thoughts with this tag.
            topic: Only those in this topic, which has only what is still true.
            state: Only those that wait for another member to confirm them (`unconfirmed`), or that
                are not true any more (`outdated`).
            cursor: `next_cursor` of the page before.
            count: Also tell how many fit, on all pages.

        Example:
            memory.list_thoughts(since="2026-02-01", by="ana").thoughts
        """
        ...

    @Operation("GET /api/v1/thoughts/{thought_id}")
    def thought(self, thought_id: UuidBeginning) -> models.Thought:
        """Return a thought with its whole trace.

        Args:
            thought_id: UUID of a thought, or at least its first 6 characters.
        """
        ...

    @Operation("GET /api/v1/thoughts/{thought_id}/provenance")
    def provenance(
        self, thought_id: ThoughtId, *, depth: Annotated[int, Field(ge=1, le=20)] = 20
    ) -> models.Provenance:
        """Return what a thought came from and what was built on it.

        Args:
            depth: Most steps in each direction.
        """
        ...

    @Operation("GET /api/v1/thoughts/{thought_id}/neighbours")
    def neighbours(
        self,
        thought_id: ThoughtId,
        *,
        kind: models.NeighbourKind | None = None,
        limit: UpToFifty = 10,
    ) -> models.Neighbours:
        """Return what is tied to a thought, by kind, each with its evidence. Leaves no trail.

        Args:
            kind: Only what was used with it (`co_use`), it was built on or into (`provenance`), it
                replaces or is replaced by (`replacement`), says the same (`affirmation`), was shown
                with it (`co_retrieval`), or lies near (`nearness`).
            limit: Most of each kind.

        Example:
            memory.neighbours(thought_id, kind="co_use").neighbours
        """
        ...

    @Operation("GET /api/v1/experiment", failures=(400, 404))
    def experiment(self) -> models.Experiment:
        """Tell from the log: does what was used together tell more than what lies together?

        It is judged anew when the log has grown by a fifth; that may take some seconds.

        Example:
            memory.experiment().answer
        """
        ...

    @Operation("GET /api/v1/values", failures=(400, 404))
    def values(self, *, since: Moment | None = None, limit: UpToHundred = 20) -> models.Values:
        """Tell who gave what others used, by topic, and which topics hang on one alone.

        What somebody uses of their own never counts. Admins of the space see everybody, others
        themselves.

        Args:
            since: Only what was used since then.

        Example:
            memory.values(since="2026-02-01").values
        """
        ...

    @Operation("GET /api/v1/policy", failures=(400, 404))
    def policy(self, *, questions: Annotated[int, Field(ge=0, le=100)] = 100) -> models.Policy:
        """Tell by which weights a space ranks, what they were learned from, and what they change.

        Where weights were learned, the last questions are searched again by them and by those
        shipped; that may take some seconds. Members are told of their own questions, admins of
        everybody's.

        Args:
            questions: How many of the last ones; 0 to compare none.

        Example:
            memory.policy().in_use
        """
        ...

    @Operation("POST /api/v1/policy/try")
    def try_policy(self, *, version: int | None = None) -> models.Policy:
        """Let learned weights that are not in use pick results in turn with those in use.

        What is used of each side's picks is counted, and `policy` tells who wins. Nothing else is
        learned meanwhile; one question in five keeps the shipped order. For admins of the space.

        Args:
            version: Which of the learned weights; the newest that are not in use by default.

        Example:
            memory.try_policy().trial
        """
        ...

    @Operation("POST /api/v1/policy/take")
    def take_policy(self, *, version: int | None = None) -> models.Policy:
        """Put the weights on trial in use, which ends the trial; for admins of the space.

        Args:
            version: The one that you saw on trial; nothing is done where it no longer is.

        Example:
            memory.take_policy().version
        """
        ...

    @Operation("POST /api/v1/policy/back")
    def go_back(self, *, version: int | None = None) -> models.Policy:
        """End a trial, or rank by the version before the one in use, or by the shipped weights.

        Nothing is learned after that until 100 questions asked since tell something. For admins of
        the space.

        Args:
            version: The one that you saw on trial or in use; nothing is done where it no longer is.

        Example:
            memory.go_back(version=memory.policy().version).version
        """
        ...

    @Operation("GET /api/v1/held", models.HeldThoughts, failures=(400, 404))
    def held(self) -> tuple[models.HeldThought, ...]:
        """List thoughts that read like orders and are held back until an admin decides."""
        ...

    @Operation("POST /api/v1/thoughts/{thought_id}/release", models.Released)
    def release(self, thought_id: ThoughtId) -> None:
        """Release a held thought, so that it is found like any other."""

    @Operation("PUT /api/v1/thoughts/{thought_id}/end", body="EndRequest", says_who=True)
    def end(self, thought_id: ThoughtId, expires_at: Moment | None = None) -> models.Ended:
        """Say until when a thought is true; past it, it is history.

        Who said it may, and admins of the space. What was said last counts.

        Args:
            expires_at: A day counts to its end. Without it, it has none, whatever was said before.

        Example:
            memory.end(thought_id, "2026-12-24")
        """
        ...

    @wrap_call
    async def withdraw_replacement(self, thought_id: str, replaced_id: str) -> models.Withdrawn:
        """Take back that one thought replaces another; both are true again."""
        path = path_of("thoughts", thought_id, "replaces", replaced_id)
        return await self._wire.send(
            models.Withdrawn, "DELETE", path, params={"agent_id": self.agent_id}
        )

    @wrap_call
    async def erase(self, thought_id: str, *, reason: str | None = None) -> models.Erased:
        """Remove a thought's content and vector for good; a trace that it existed stays."""
        body = {"agent_id": self.agent_id, "reason": reason}
        return await self._wire.send(
            models.Erased, "DELETE", path_of("thoughts", thought_id), body=body
        )

    @Operation("GET /api/v1/contributors/{contributor_id:path}")
    def contributor(self, contributor_id: AgentId) -> models.Contributor:
        """Summarize what one agent contributed and how often it was read."""
        ...

    @Operation("GET /api/v1/search", models.Findings, failures=(400,))
    def search(
        self,
        query: Annotated[PromptText, Field(alias="q")],
        *,
        limit: UpToFifty = 10,
        filter_tags: Annotated[Listed[Tag], Field(max_length=20)] = (),
        as_of: Moment | None = None,
        since: Since = None,
        until: Until = None,
        by: By = None,
        history: bool = False,
    ) -> tuple[models.Found, ...]:
        """Search without leaving a trace: no access is counted and nothing is logged.

        Args:
            query: What to look for.
            as_of: As it was at this time.
            history: Also what was true before.

        Example:
            memory.search("staging port", as_of="2026-02-01")[0].content
        """
        ...

    @Operation("GET /api/v1/highways", failures=(400,))
    def highways(
        self,
        *,
        min_access: Count = 3,
        min_users: Count = 2,
        limit: UpToHundred = 20,
        sort_by: HighwayOrder = "use",
    ) -> tuple[models.Highway, ...]:
        """Return the thoughts that several agents keep coming back to."""
        ...

    @Operation("POST /api/v1/maintenance/decay", failures=())
    def decay(self) -> models.Settled:
        """Store the faded weight of every thought. Reading never needs it."""
        ...

    @Operation("GET /api/v1/health", failures=())
    def health(self) -> models.Health:
        """Report the state of every part and how much is stored."""
        ...

    @Operation("GET /api/v1/workload", failures=())
    def workload(self) -> models.Workload:
        """Tell how long calls take and what was shed since the start.

        For who runs the server, and for admins of the default space.

        Example:
            memory.workload().refused
        """
        ...

    @Operation("GET /api/v1/jobs", failures=(400,))
    def jobs(self, *, limit: UpToHundred = 20) -> models.BackgroundWork:
        """Tell what runs in the background, what became of it, and which upkeep fails.

        For who runs the server, and for admins of the default space. Jobs that ended are kept for
        some days.

        Args:
            limit: Most jobs, the newest first.

        Example:
            [job.message for job in memory.jobs().jobs if job.status == "failed"]
        """
        ...

    @Operation("GET /api/v1/settings", models.EffectiveSettings, failures=())
    def settings(self) -> tuple[models.EffectiveSetting, ...]:
        """List the settings as they hold, where they come from, and what each is for.

        For who runs the server, and for admins of the default space. Secrets show as stars.

        Example:
            [each.variable for each in memory.settings() if each.source == "environment"]
        """
        ...
