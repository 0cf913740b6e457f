"""What the traces of a memory tell."""

from __future__ import annotations

from wellworn.client import models
from wellworn.client.fields import UpToHundred, Uuid
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
