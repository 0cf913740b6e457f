"""The calls about the traces of a memory."""

from __future__ import annotations

from wellworn.client import models
from wellworn.client.fields import Moment, UpToHundred, Uuid
from wellworn.client.operations import Calls, Operation


class TraceCalls(Calls):
    """The calls that tell what the traces know."""

    @Operation("GET /api/v1/decisions", failures=(400, 404))
    def decisions(
        self,
        *,
        query_id: Uuid | None = None,
        session_id: Uuid | None = None,
        thought_id: Uuid | None = None,
        limit: UpToHundred = 20,
    ) -> models.Decisions:
        """Tell what calls showed, what they withheld and why, and what they stored.

        Members are told of their own calls, admins of everybody's. Leaves no trail.

        Args:
            query_id: Of this call alone.
            session_id: Of this session alone.
            thought_id: Only those that showed or withheld this thought.
            limit: Most.

        Example:
            memory.decisions(thought_id=thought_id).decisions
        """
        ...

    @Operation("GET /api/v1/convergence", failures=(400, 404))
    def convergence(
        self, *, since: Moment | None = None, limit: UpToHundred = 20
    ) -> models.Convergence:
        """Tell what several said in the same words, and who of them by themselves.

        Somebody found it independently whom no door of the memory had shown it to before; echoes
        are counted apart, and where the record does not reach back it is not known.

        Args:
            since: Only what was said again since then.
            limit: Most.

        Example:
            memory.convergence(since="2026-11-22").counts.independent
        """
        ...
