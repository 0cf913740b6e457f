"""What a call leaves behind, inside the one transaction that its service owns.

Trails are read, changed by pure rules and written back within that transaction; writers queue, so
counts are exact however many agents call at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import pheromone
from wellworn.domain.thoughts import trail as trails
from wellworn.domain.thoughts.models import Exposure, Signal, Use
from wellworn.domain.thoughts.store import ledger, rows, sessions
from wellworn.domain.thoughts.store.ledger import FeedbackEntry, PriorAccess
from wellworn.domain.thoughts.trail import Effect, Trail, is_evidence
from wellworn.engines.storage.sql import Transaction


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
    counted = access.counted(exposure.agent_id)
    before = ledger.load_trails(transaction, seqs)
    visits = ledger.load_prior_accesses(transaction, counted, seqs)
    counting = {
        seq
        for seq in seqs
        if is_evidence(
            counted,
            author=authors[seq],
            last=visits[seq].exposed_at if seq in visits else None,
            now=now,
        )
    }
    deposits: dict[int, float] = {}
    if access.owner is not None:
        lately = ledger.find_recent_deposits(transaction, exposure.session_id, seqs, now=now)
        deposits = _deposits(access, visits, authors, lately)
    after = {
        seq: trails.shown(
            before[seq],
            rank=rank,
            now=now,
            newcomer=seq not in visits,
            counts=seq in counting,
            deposit=deposits.get(seq, pheromone.DEPOSIT),
        )
        for rank, seq in enumerate(seqs)
    }
    ledger.save_trails(transaction, after)
    ledger.add_accesses(
        transaction,
        query_seq,
        seqs,
        agent_id=counted,
        counting=counting,
        deposits=deposits,
        now=now,
    )
    return after


def _deposits(
    access: Access, visits: Mapping[int, PriorAccess], authors: Mapping[int, str], lately: Set[int]
) -> dict[int, float]:
    """Return what an owner's retrieval adds to the weight of each thought shown.

    Nothing to its own, and nothing to those that the session deposited on `lately`.
    """
    unvisited = PriorAccess(None, 0, 0.0)
    return {
        seq: 0.0
        if author == access.owner or seq in lately
        else pheromone.next_deposit(
            visits.get(seq, unvisited).deposits, visits.get(seq, unvisited).deposited
        )
        for seq, author in authors.items()
    }


def encourage(
    transaction: Transaction, access: Access, thought_ids: Sequence[str], *, now: float
) -> None:
    """Give each thought the bonus of implicit feedback."""
    seqs = list(rows.find_seqs(transaction, access, thought_ids).values())
    bonuses = _allowed(transaction, access, seqs, pheromone.BONUS)
    changed = {
        seq: trails.with_pheromone(trail, pheromone.encouraged(trail.pheromone, now, bonuses[seq]))
        for seq, trail in ledger.load_trails(transaction, seqs).items()
        if bonuses[seq]
    }
    ledger.save_trails(transaction, changed)


def _allowed(
    transaction: Transaction, access: Access, seqs: Sequence[int], amount: float
) -> dict[int, float]:
    """Return how much of an amount the caller may add to each weight, and count it as added.

    At the open door all of it; an owner nothing to its own thoughts, and little by little less.
    """
    if access.owner is None:
        return dict.fromkeys(seqs, amount)
    visits = ledger.load_prior_accesses(transaction, access.owner, seqs)
    standings = rows.load_authorships(transaction, seqs)
    added = {
        seq: 0.0
        if standings[seq].author == access.owner
        else pheromone.allowed(amount, visits[seq].deposited if seq in visits else 0.0)
        for seq in seqs
    }
    ledger.add_deposits(transaction, access.owner, {seq: one for seq, one in added.items() if one})
    return added


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

    `agent_id` is who counts as one user. Returns the number of the use, or None when it does not
    count; what is held in quarantine is never used.
    """
    standing = rows.load_authorships(transaction, [seq])[seq]
    last = ledger.find_last_use(transaction, seq, agent_id)
    if standing.held or not is_evidence(agent_id, author=standing.author, last=last, now=now):
        return None
    before = ledger.load_trails(transaction, [seq])[seq]
    earlier = ledger.count_uses(transaction, seq, agent_id)
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
    remaining = ledger.count_uses(transaction, seq, agent_id)
    before = ledger.load_trails(transaction, [seq])[seq]
    after = trails.unused(before, uses_by_agent=remaining + 1, used_at=used_at, now=now)
    ledger.save_trails(transaction, {seq: after})


def judge(
    transaction: Transaction,
    access: Access,
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
    trail = ledger.load_trails(transaction, [seq])[seq]
    earlier = ledger.find_feedback(transaction, session_id, seq)
    if earlier is not None and earlier.signal == signal:
        return trail.weight_at(now)
    if earlier is not None and earlier.use_seq is not None:
        take_back_use(transaction, seq, earlier.use_seq, now=now)
        trail = ledger.load_trails(transaction, [seq])[seq]
    amount = 0.0
    if signal is Signal.USEFUL:
        amount = _allowed(transaction, access, [seq], pheromone.USEFUL)[seq]
    changed, effect = trails.judged(
        trail.pheromone,
        signal,
        earlier=None if earlier is None else Effect(earlier.effect, earlier.given_at),
        amount=amount,
        now=now,
    )
    ledger.save_trails(transaction, {seq: trails.with_pheromone(trail, changed)})
    use_seq = None
    if signal is Signal.USEFUL:
        use_seq = note_use(
            transaction,
            seq,
            agent_id=access.counted(agent_id),
            kind=Use.FEEDBACK,
            session_id=session_id,
            query_seq=query_seq,
            now=now,
        )
    newest = ledger.find_newest_query(transaction)
    given = FeedbackEntry(signal.value, now, use_seq is not None, query_seq, newest)
    history = [] if earlier is None else ledger.parse_history(earlier)
    ledger.replace_feedback(
        transaction, session_id, seq, history=[*history, given], effect=effect, use_seq=use_seq
    )
    return pheromone.weight_at(changed, now)
