"""Records what a call leaves on trails, within the transaction of its service.

Trails are read, changed by pure rules and written back in that transaction; writers queue, so
counts stay exact however many agents call at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import partial
from typing import NamedTuple

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts import pheromone
from wellworn.domain.thoughts import trail as trails
from wellworn.domain.thoughts.models import Exposure, FeedbackSignal, FoundThought, UseKind
from wellworn.domain.thoughts.store import decisions, ledger, rows, sessions
from wellworn.domain.thoughts.store.ledger import FeedbackEntry, PriorAccess
from wellworn.domain.thoughts.trail import Effect, Trail, is_evidence
from wellworn.engines.storage.sql import Asked, Rows, Transaction, fetch, fetch_together


class TraceAhead(NamedTuple):
    """What leaving a trace waits for, where it was read together with something else.

    Nothing that is read here may change before the trace is left.
    """

    query_seq: int | None
    """The number of the query; None where its row tells it at once."""
    rows: Iterable[Rows] | None
    """What `ask_trails` asked for; None where it has to be read again."""


def ask_trails(
    access: Access, agent_id: str, session_id: str, seqs: Sequence[int], *, now: float
) -> list[Asked]:
    """Ask for what is known of thoughts and of the agent's visits to them."""
    if not seqs:
        return []
    visits = ledger.ask_prior_accesses(access.resolve_user(agent_id), seqs)
    asked = [ledger.ask_trails(seqs), visits]
    if access.owner is not None:
        asked.append(ledger.ask_recent_deposits(session_id, seqs, now=now))
    return asked


def leave_trace(
    transaction: Transaction,
    access: Access,
    exposure: Exposure,
    shown: Sequence[FoundThought],
    *,
    offered_tags: Sequence[str] = (),
    contributed_seq: int | None = None,
    ahead: TraceAhead | None = None,
    now: float,
) -> dict[int, Trail]:
    """Write the query, its accesses and the new trails.

    What was read `ahead` is of the thoughts that were shown, or of more. Returns the new trails by
    seq.
    """
    ids = {thought.thought_id: thought.seq for thought in shown}
    authors = {thought.seq: thought.author for thought in shown}
    seqs = list(ids.values())
    counted = access.resolve_user(exposure.agent_id)
    ask = partial(ask_trails, access, exposure.agent_id, exposure.session_id, seqs, now=now)
    query_seq, known = ahead or _read_ahead(transaction, ask())
    row = sessions.build_query_row(
        access,
        exposure,
        returned_ids=list(ids),
        offered_tags=offered_tags,
        contributed_seq=contributed_seq,
        now=now,
    )
    if query_seq is None:
        [(query_seq,)] = fetch(transaction, *sessions.ask_to_log(row))
    else:
        sessions.log_query(transaction, row, query_seq)
    if exposure.decision is not None:
        decisions.save(transaction, access, query_seq, exposure.decision, now=now)
    if not seqs:
        return {}
    found = [*(fetch_together(transaction, *ask()) if known is None else known)]
    before, visits = ledger.build_trails(found[0]), ledger.build_prior_accesses(found[1])
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
        lately = {seq for (seq,) in found[2]}
        deposits = _compute_deposits(access, visits, authors, lately)
    after = {
        seq: trails.add_retrieval(
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


def _read_ahead(transaction: Transaction, asked: Sequence[Asked]) -> TraceAhead:
    numbers = sessions.ask_query_seq(transaction)
    found = fetch_together(transaction, *numbers, *asked)
    return TraceAhead(next(found)[0][0] if numbers else None, found)


def _compute_deposits(
    access: Access, visits: Mapping[int, PriorAccess], authors: Mapping[int, str], lately: Set[int]
) -> dict[int, float]:
    """Return what an owner's retrieval adds to the weight of each result.

    Nothing is added to the owner's own thoughts and to those that the session deposited on lately.
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
    bonuses = _claim_amounts(transaction, access, seqs, pheromone.BONUS)
    changed = {
        seq: trails.with_pheromone(trail, pheromone.add(trail.pheromone, now, bonuses[seq]))
        for seq, trail in ledger.load_trails(transaction, seqs).items()
        if bonuses[seq]
    }
    ledger.save_trails(transaction, changed)


def _claim_amounts(
    transaction: Transaction, access: Access, seqs: Sequence[int], amount: float
) -> dict[int, float]:
    """Return how much of an amount the caller may add to each weight, and count it as added.

    All of it without credentials; an owner adds none to its own thoughts, and is limited on others.
    """
    if access.owner is None:
        return dict.fromkeys(seqs, amount)
    visits = ledger.load_prior_accesses(transaction, access.owner, seqs)
    authorships = rows.load_authorships(transaction, seqs)
    added = {
        seq: 0.0
        if authorships[seq].author == access.owner
        else pheromone.cap(amount, visits[seq].deposited if seq in visits else 0.0)
        for seq in seqs
    }
    deposits = {seq: deposit for seq, deposit in added.items() if deposit}
    ledger.add_deposits(transaction, access.owner, deposits)
    return added


def record_use(
    transaction: Transaction,
    seq: int,
    *,
    agent_id: str,
    kind: UseKind,
    session_id: str | None = None,
    query_seq: int | None = None,
    now: float,
) -> int | None:
    """Count a use, once per agent and thought in 24 hours; return its seq, or None if not counted.

    Uses by the author and of thoughts in quarantine never count. `agent_id` is who counts as one
    user.
    """
    authorship = rows.load_authorships(transaction, [seq])[seq]
    last = ledger.find_last_use(transaction, seq, agent_id)
    if authorship.held or not is_evidence(agent_id, author=authorship.author, last=last, now=now):
        return None
    before = ledger.load_trails(transaction, [seq])[seq]
    earlier = ledger.count_uses(transaction, seq, agent_id)
    ledger.save_trails(transaction, {seq: trails.add_use(before, uses_by_agent=earlier, now=now)})
    return ledger.add_use(
        transaction,
        seq,
        agent_id=agent_id,
        kind=kind,
        session_id=session_id,
        query_seq=query_seq,
        now=now,
    )


def revert_use(transaction: Transaction, seq: int, use_seq: int, *, now: float) -> None:
    removed = ledger.remove_use(transaction, use_seq)
    if removed is None:
        return
    agent_id, used_at = removed
    remaining = ledger.count_uses(transaction, seq, agent_id)
    before = ledger.load_trails(transaction, [seq])[seq]
    after = trails.remove_use(before, uses_by_agent=remaining + 1, used_at=used_at, now=now)
    ledger.save_trails(transaction, {seq: after})


def apply_signal(
    transaction: Transaction,
    access: Access,
    seq: int,
    *,
    session_id: str,
    agent_id: str,
    query_seq: int,
    signal: FeedbackSignal,
    now: float,
) -> float:
    """Replace the session's signal on a thought; return the new weight.

    The effect of an earlier signal is reverted first; repeating the same signal changes nothing.
    """
    trail = ledger.load_trails(transaction, [seq])[seq]
    earlier = ledger.find_feedback(transaction, session_id, seq)
    if earlier is not None and earlier.signal == signal:
        return trail.weight_at(now)
    if earlier is not None and earlier.use_seq is not None:
        revert_use(transaction, seq, earlier.use_seq, now=now)
        trail = ledger.load_trails(transaction, [seq])[seq]
    amount = 0.0
    if signal is FeedbackSignal.USEFUL:
        amount = _claim_amounts(transaction, access, [seq], pheromone.USEFUL)[seq]
    changed, effect = trails.apply_signal(
        trail.pheromone,
        signal,
        earlier=None if earlier is None else Effect(earlier.effect, earlier.given_at),
        amount=amount,
        now=now,
    )
    ledger.save_trails(transaction, {seq: trails.with_pheromone(trail, changed)})
    use_seq = None
    if signal is FeedbackSignal.USEFUL:
        use_seq = record_use(
            transaction,
            seq,
            agent_id=access.resolve_user(agent_id),
            kind=UseKind.FEEDBACK,
            session_id=session_id,
            query_seq=query_seq,
            now=now,
        )
    newest = ledger.find_newest_query(transaction)
    entry = FeedbackEntry(signal.value, now, use_seq is not None, query_seq, newest)
    history = [] if earlier is None else ledger.parse_history(earlier)
    ledger.replace_feedback(
        transaction,
        session_id,
        seq,
        history=[*history, entry],
        effect=effect,
        use_seq=use_seq,
        by_admin=access.is_admin_member,
    )
    return pheromone.weight_at(changed, now)
