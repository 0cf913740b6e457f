"""How much of a history is told at once, where links join hundreds of thoughts."""

from __future__ import annotations

from itertools import pairwise

import pytest

from integration.owners import LOCAL
from wellworn.domain.thoughts.store import replacements, rows
from wellworn.domain.thoughts.store.replacements import MOST_IN_HISTORY
from wellworn.domain.thoughts.truth import ReplacementLink, ReplacementOrigin

MANY = 2 * MOST_IN_HISTORY


@pytest.fixture
def seqs(app):
    """Notes that each replace the one before with some likelihood, oldest first."""
    notes = [
        {
            "record": "thought",
            "content": f"lantern {number} burns",
            "contributor_id": "ann",
            "contributor_name": "Ann",
        }
        for number in range(MANY)
    ]
    app.transfer.import_records(LOCAL, notes)
    with app.database.write() as transaction:
        seqs = rows.list_living(transaction)
        links = [
            ReplacementLink(newer, older, ReplacementOrigin.INFERRED, "", 0.6, float(newer))
            for older, newer in pairwise(seqs)
        ]
        replacements.insert_replacements(transaction, links, made_by="ann")
    return seqs


def find_companions(app, seqs, at=MANY + 1.0):
    with app.database.read() as transaction:
        standings = replacements.load_standings(transaction, seqs, at=at, whole=True)
    return standings.list_companions(history=True)


def test_a_history_without_end_is_told_in_part(app, seqs):
    star = [
        ReplacementLink(seqs[-1], older, ReplacementOrigin.INFERRED, "", 0.6, float(seqs[-1]))
        for older in seqs[:-2]
    ]
    with app.database.write() as transaction:
        replacements.insert_replacements(transaction, star, made_by="ann")
    assert find_companions(app, seqs[-1:]) == set(seqs[-MOST_IN_HISTORY:])


def test_a_history_of_few_steps_is_told_whole(app, seqs):
    assert find_companions(app, seqs[:1]) == set(seqs[:21])


def test_what_replaced_a_result_is_followed_for_a_part(app, seqs, monkeypatch):
    monkeypatch.setattr(replacements, "_MOST_BESIDE", 5)
    chain = [
        ReplacementLink(newer, older, ReplacementOrigin.STATED, "", 1.0, float(newer))
        for older, newer in pairwise(seqs)
    ]
    with app.database.write() as transaction:
        replacements.insert_replacements(transaction, chain, made_by="ann")
    with app.database.read() as transaction:
        standings = replacements.load_standings(transaction, seqs[:1], at=MANY + 1.0)
    # The last of them names what replaces it.
    assert standings.list_companions(history=False) == set(seqs[1:7])
