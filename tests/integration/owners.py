"""A memory over which several members and the open door meet, and what they say to it."""

from __future__ import annotations

import shutil
from contextlib import closing, contextmanager

from sqlalchemy import text

from integration.memory_parts import assemble
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.spaces import Access, Principal, Role, local_access
from wellworn.domain.thoughts import (
    HighwayOrder,
    RetrievalMethod,
    ThoughtDraft,
    ThoughtType,
)
from wellworn.engines.storage.sql import Database
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder
from wellworn.testing.vectors import ListVectorIndex

LOCAL = local_access()
WORDS = ("rust", "tide", "cedar", "lantern", "quartz", "harbour", "violin", "pepper")
POISON = ("mirage", "venom", "decoy", "husk", "rust mirage", "tide venom")


def member(name, role=Role.CONTRIBUTOR):
    credential = Principal(f"member-{name}", f"kid-{name}", role, None)
    return Access(credential.member_id, LOCAL.space, role, credential=credential)


WHO = {
    "ann": member("ann"),
    "bob": member("bob"),
    "cy": LOCAL,
    "dora": member("dora"),
    "mallory": member("mallory"),
    "trudy": LOCAL,
}


@contextmanager
def opened(empty, path, *, inspector=None):
    shutil.copyfile(empty, path)
    clock, embedder, index = ManualClock(), HashEmbedder(), ListVectorIndex()
    with closing(Database(path)) as database:
        yield assemble(
            database,
            index,
            ListVectorIndex(),
            embedder,
            clock,
            path.parent,
            inspector=inspector,
        )
    path.unlink()


def say(app, who, content, label=None, **more):
    """Say something through somebody's door, by default under their own name."""
    label = label or who
    more = {
        "contribute": Contribute.ALWAYS,
        "limit": 50,
        "retrieval_method": RetrievalMethod.VECTOR,
    } | more
    return app.memory.converse(WHO[who], Prompt(content, label, label.title(), **more))


def ask(app, who, content, label=None, **more):
    return say(app, who, content, label, contribute=Contribute.NEVER, **more)


def think(app, who, content, *sources, **more):
    kind = ThoughtType.REFINEMENT if sources else ThoughtType.ORIGINAL
    draft = ThoughtDraft(content, who, who.title(), thought_type=kind, source_ids=sources, **more)
    return app.thoughts.think(WHO[who], draft).thought_id


def rows(app, statement):
    with app.database.read() as transaction:
        return [tuple(row) for row in transaction.execute(text(statement))]


def whole(app):
    """Return everything that can be told apart, with ids in the place of numbers."""
    of_a_thought = "JOIN thoughts t ON t.seq = x.thought_seq ORDER BY t.id"
    roads = {
        road: app.thoughts.list_highways(LOCAL, min_access=1, min_users=1, limit=100, sort_by=road)
        for road in HighwayOrder
    }
    return {
        # What the search made of what others had said stays in the log of decisions.
        "records": [
            {key: value for key, value in record.items() if key != "decision"}
            for record in app.transfer.export(LOCAL)
        ],
        "roads": roads,
        "trails": rows(
            app,
            "SELECT t.id, x.access_count, x.unique_users, x.traffic_score, x.weight,"
            f" x.frozen_until_h, x.order_key, x.uses, x.exposures FROM trails x {of_a_thought}",
        ),
        "agents": rows(
            app,
            "SELECT t.id, x.agent_id, x.accesses, x.uses, x.first_accessed, x.exposed_at,"
            f" x.deposits, x.deposited FROM trail_agents x {of_a_thought}, x.agent_id",
        ),
        "tags": rows(app, "SELECT tag_key, tag, thoughts FROM tags ORDER BY tag_key"),
        "found": [
            (one.thought_id, one.score)
            for word in (*WORDS, *POISON)
            for one in app.memory.look_up(LOCAL, word, limit=50)
        ],
    }
