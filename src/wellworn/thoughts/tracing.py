"""What a call leaves behind, inside the one transaction that its service owns.

Trails are read, changed by pure rules and written back within that transaction; writers queue, so
counts are exact however many agents call at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wellworn.spaces import Access
from wellworn.storage.sql import Transaction
from wellworn.thoughts import pheromone
from wellworn.thoughts import trail as trails
from wellworn.thoughts.models import Exposure, Signal, Use
from wellworn.thoughts.store import ledger, sessions, units
from wellworn.thoughts.trail import Trail, counts_again


def leave_trace(
    transaction: Transaction,
    access: Access,
    exposure: Exposure,
    shown: Mapping[str, int],
    *,
    authors: Mapping[int, str],
    offered_tags: Sequence[str] = (),
    contributed_seq: int | None = None,
    now: float,
) -> dict[int, Trail]:
    """Write the query, its accesses, the co-retrieved pairs and the new trails.

    `shown` maps thought ids to seqs in the order of the result; returns the new trail of each seq.
    """
    query_seq = sessions.log_query(
        transaction,
        access,
        exposure,
        returned_ids=list(shown),
        offered_tags=offered_tags,
        contributed_seq=contributed_seq,
        now=now,
    )
    seqs = list(shown.values())
    if not seqs:
        return {}
    agent_id = exposure.agent_id
    before = ledger.trails_of(transaction, seqs)
    visits = ledger.visits(transaction, agent_id, seqs)
    counting = {
        seq for seq in seqs if authors[seq] != agent_id and counts_again(visits.get(seq), now)
    }
    after = {
        seq: trails.shown(
            before[seq], rank=rank, now=now, newcomer=seq not in visits, counts=seq in counting
        )
        for rank, seq in enumerate(seqs)
    }
    ledger.save_trails(transaction, after)
    ledger.add_accesses(transaction, query_seq, seqs, agent_id=agent_id, counting=counting, now=now)
    return after


def encourage(
    transaction: Transaction, access: Access, thought_ids: Sequence[str], *, now: float
) -> None:
    """Give each thought the bonus of implicit feedback."""
    seqs = list(units.seqs_of(transaction, access, thought_ids).values())
    changed = {
        seq: trails.with_pheromone(
            trail, pheromone.encouraged(trail.pheromone, now, pheromone.BONUS)
        )
        for seq, trail in ledger.trails_of(transaction, seqs).items()
    }
    ledger.save_trails(transaction, changed)


def note_use(
    transaction: Transaction,
    seq: int,
    *,
    agent_id: str,
    kind: Use,
    session_id: str | None = None,
    query_seq: int | None = None,
    now: float,
) -> int | None:
    """Count a use: never the author's own, and once per agent and thought in 24 hours.

    Returns the number of the use, or None when it does not count.
    """
    if units.author_of(transaction, seq) == agent_id:
        return None
    if not ledger.counts_as_use(transaction, seq, agent_id=agent_id, now=now):
        return None
    before = ledger.trails_of(transaction, [seq])[seq]
    earlier = ledger.uses_by(transaction, seq, agent_id)
    ledger.save_trails(transaction, {seq: trails.used(before, uses_by_agent=earlier, now=now)})
    return ledger.add_use(
        transaction,
        seq,
        agent_id=agent_id,
        kind=kind,
        session_id=session_id,
        query_seq=query_seq,
        now=now,
    )


def take_back_use(transaction: Transaction, seq: int, use_seq: int, *, now: float) -> None:
    taken = ledger.remove_use(transaction, use_seq)
    if taken is None:
        return
    agent_id, used_at = taken
    remaining = ledger.uses_by(transaction, seq, agent_id)
    before = ledger.trails_of(transaction, [seq])[seq]
    after = trails.unused(before, uses_by_agent=remaining + 1, used_at=used_at, now=now)
    ledger.save_trails(transaction, {seq: after})


def judge(
    transaction: Transaction,
    seq: int,
    *,
    session_id: str,
    agent_id: str,
    query_seq: int,
    signal: Signal,
    now: float,
) -> float:
    """Apply a signal in place of the session's earlier one on the thought; return the new weight.

    An earlier signal's effect on the weight is taken back first; the same signal again changes
    nothing.
    """
    trail = ledger.trails_of(transaction, [seq])[seq]
    earlier = ledger.signal_given(transaction, session_id, seq)
    if earlier is not None and earlier.signal == signal:
        return trail.weight_at(now)
    current = trail.pheromone
    if earlier is not None:
        # What is left of it: the weight it changed has faded since.
        left = earlier.effect * pheromone.faded_since(earlier.given_at, now)
        current = pheromone.encouraged(current, now, -left)
        if earlier.use_seq is not None:
            take_back_use(transaction, seq, earlier.use_seq, now=now)
            trail = ledger.trails_of(transaction, [seq])[seq]
    changed = (
        pheromone.encouraged(current, now, pheromone.USEFUL)
        if signal is Signal.USEFUL
        else pheromone.dampened(current, now)
    )
    ledger.save_trails(transaction, {seq: trails.with_pheromone(trail, changed)})
    use_seq = None
    if signal is Signal.USEFUL:
        use_seq = note_use(
            transaction,
            seq,
            agent_id=agent_id,
            kind=Use.FEEDBACK,
            session_id=session_id,
            query_seq=query_seq,
            now=now,
        )
    weight = pheromone.weight_at(changed, now)
    ledger.replace_signal(
        transaction,
        session_id,
        seq,
        signal=signal,
        effect=weight - pheromone.weight_at(current, now),
        use_seq=use_seq,
        now=now,
    )
    return weight
