"""Every route of the API: who may call it, and how it is called about somebody's things."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from api.walls import Caller, lines, send, thought
from api.world import NOBODY, World, accepted, talk

ANYONE, MEMBER, READER, CONTRIBUTOR, ADMIN = "anyone", "member", "reader", "contributor", "admin"
RANKS = (READER, CONTRIBUTOR, ADMIN)
"""`anyone` needs no credential, `member` needs one and no space."""


@dataclass(frozen=True)
class Known:
    """Ids of what one space holds, by the names they have in paths and bodies."""

    caller: Caller
    space: str
    member: str
    invitation: str
    kid: str
    thought_id: str
    replaced_id: str
    contributor_id: str
    session_id: str
    query_id: str
    source_id: int
    document_id: int
    conflict_id: int
    ruling_id: int
    turn_id: str
    open_id: str
    topic_id: str
    # Words in paths: nobody's, so everybody's are the same.
    path: str = "context.md"
    name: str = "catalog.md"
    term: str = "cube"


Body = Callable[[Known], Any] | None


@dataclass(frozen=True)
class Ask:
    """Who may call a route, and how it is called with the ids of what is asked about."""

    least: str
    body: Body = None
    query: dict[str, str] | None = None
    sealed: bool = False
    """Whether only a sealed space can do it."""
    raw: bytes | None = None
    """A body that is no JSON."""


def retrieval(known: Known) -> dict[str, Any]:
    return {"query": "lamp", "agent_id": "ada", "session_id": known.session_id}


def query(text: str, agent: str = "ada", **more: Any) -> dict[str, Any]:
    """Return the body of a query to be worked on in a turn."""
    return {"query": text, "agent_id": agent, "agent_name": agent.title(), **more}


TABLE = {
    "POST memory": Ask(READER, lambda _: talk("What does the lamp burn?")),
    "POST memory/feedback": Ask(
        CONTRIBUTOR,
        lambda known: {
            "session_id": known.session_id,
            "thought_id": known.thought_id,
            "signal": "useful",
        },
    ),
    "POST turns": Ask(READER, lambda _: query("What does the lamp burn?")),
    "POST turns/open": Ask(CONTRIBUTOR, lambda _: query("Where is the lamp?")),
    "POST turns/{open_id}/entries": Ask(
        CONTRIBUTOR,
        lambda _: {"entries": [{"tool": "look", "result": "On the hill."}, {"result": "Easy."}]},
    ),
    "POST turns/{open_id}/close": Ask(
        CONTRIBUTOR,
        lambda _: {"answer": "On the hill.", "claims": [{"text": "On the hill", "evidence": 1}]},
    ),
    "GET turns": Ask(READER),
    "GET turns/research": Ask(READER),
    "GET turns/statistics": Ask(READER),
    "GET turns/{turn_id}": Ask(READER),
    "POST turns/{turn_id}/resume": Ask(READER),
    "GET turns/{turn_id}/files": Ask(READER),
    "GET turns/{turn_id}/files/{path}": Ask(READER),
    "POST turns/archive": Ask(CONTRIBUTOR, lambda _: {"before": "2026-01-01"}),
    "POST turns/{turn_id}/restore": Ask(CONTRIBUTOR),
    "DELETE turns/{turn_id}": Ask(CONTRIBUTOR),
    "POST turns/rebuild": Ask(ADMIN),
    "GET thoughts/{thought_id}": Ask(READER),
    "GET held": Ask(ADMIN),
    "POST thoughts/{thought_id}/release": Ask(ADMIN),
    "GET thoughts/{thought_id}/provenance": Ask(READER),
    "GET thoughts": Ask(READER),
    "DELETE thoughts/{thought_id}/replaces/{replaced_id}": Ask(
        CONTRIBUTOR, query={"agent_id": "zoe"}
    ),
    "PUT thoughts/{thought_id}/end": Ask(
        CONTRIBUTOR, lambda _: {"expires_at": "2126-12-24", "agent_id": "zoe"}
    ),
    "DELETE thoughts/{thought_id}": Ask(CONTRIBUTOR, lambda _: {"agent_id": "zoe"}),
    "GET thoughts/{thought_id}/neighbours": Ask(READER),
    "GET experiment": Ask(READER),
    "GET values": Ask(READER),
    "GET policy": Ask(READER),
    "POST policy/try": Ask(ADMIN),
    "POST policy/take": Ask(ADMIN),
    "POST policy/back": Ask(ADMIN),
    "GET curation": Ask(READER),
    "POST curation": Ask(
        CONTRIBUTOR,
        lambda known: {
            "action": "outdated",
            "thought_ids": [known.thought_id],
            "agent_id": "zoe",
        },
    ),
    "POST curation/matching": Ask(
        CONTRIBUTOR, lambda _: {"action": "outdated", "agent_id": "zoe", "dry_run": True}
    ),
    "POST curation/take-back": Ask(
        CONTRIBUTOR, lambda _: {"done_at": "2026-02-23", "agent_id": "zoe"}
    ),
    "GET digest": Ask(READER),
    "GET sleep": Ask(READER),
    "POST sleep": Ask(CONTRIBUTOR, lambda _: {"dry_run": True}),
    "GET bridges": Ask(READER),
    "POST bridges": Ask(ADMIN, lambda _: {"take": []}),
    "GET decisions": Ask(READER),
    "GET convergence": Ask(READER),
    "GET sessions": Ask(READER),
    "GET sessions/{session_id}/trajectory": Ask(READER),
    "POST context": Ask(READER, lambda _: {"agent_id": "zoe", "prompt": "lamp"}),
    "POST capture": Ask(CONTRIBUTOR, lambda _: {"agent_id": "zoe"}),
    "GET contributors/{contributor_id}": Ask(READER),
    "GET search": Ask(READER, query={"q": "lamp"}),
    "GET outline": Ask(READER),
    "GET outline/read": Ask(READER, query={"node": "lamp-tag"}),
    "GET topics": Ask(READER),
    "GET topics/{topic_id}": Ask(READER),
    "POST topics": Ask(CONTRIBUTOR),
    "POST query": Ask(READER, lambda _: {"query": "lamp"}),
    "POST ingest": Ask(CONTRIBUTOR, lambda _: {"content": "Trim the wick."}),
    "POST import": Ask(CONTRIBUTOR, lambda _: []),
    "GET export": Ask(READER),
    "GET health": Ask(READER),
    "GET workload": Ask(ADMIN),
    "GET jobs": Ask(ADMIN),
    "GET settings": Ask(ADMIN),
    "GET map": Ask(READER),
    "GET ": Ask(ANYONE),
    "POST think": Ask(CONTRIBUTOR, lambda _: thought("The wick is trimmed at dusk.")),
    "POST retrieve": Ask(READER, retrieval),
    "GET highways": Ask(READER),
    "POST maintenance/decay": Ask(ADMIN),
    # The first event says that it began; after that the stream ends.
    "GET events": Ask(READER, query={"limit": "1"}),
    "GET audit": Ask(ADMIN),
    "GET audit/verify": Ask(ADMIN),
    "GET audit/export": Ask(ADMIN),
    "GET spaces": Ask(MEMBER),
    "POST spaces": Ask(MEMBER, lambda _: {"name": "new"}),
    "GET spaces/{space}": Ask(READER),
    "PUT spaces/{space}": Ask(ADMIN, lambda _: {"unconfirmed_hours": 48}),
    "DELETE spaces/{space}": Ask(ADMIN),
    "GET spaces/{space}/members": Ask(READER),
    "PUT spaces/{space}/members/{member}": Ask(ADMIN, lambda _: {"role": "reader"}),
    "DELETE spaces/{space}/members/{member}": Ask(ADMIN),
    "POST spaces/{space}/invitations": Ask(ADMIN, lambda _: {}),
    "DELETE spaces/{space}/invitations/{invitation}": Ask(ADMIN),
    "POST spaces/{space}/leave": Ask(READER),
    "POST spaces/{space}/seal": Ask(ADMIN),
    "POST spaces/{space}/unseal": Ask(ADMIN, sealed=True),
    "POST spaces/{space}/rotate": Ask(ADMIN, sealed=True),
    "POST spaces/{space}/reseal": Ask(ADMIN, sealed=True),
    "POST spaces/{space}/rollback": Ask(
        ADMIN, lambda known: {"owner": known.member, "since": "2020-01-01T00:00:00Z"}
    ),
    "POST invitations/accept": Ask(ANYONE, lambda _: {"token": f"wi_{'a' * 12}_{'a' * 52}"}),
    "POST credentials": Ask(MEMBER, lambda _: {"name": "child"}),
    "GET credentials": Ask(MEMBER),
    "POST credentials/{kid}/rotate": Ask(MEMBER),
    "DELETE credentials/{kid}": Ask(MEMBER),
    "POST /api/knowledge/sources": Ask(
        ADMIN,
        lambda _: {"source_type": "manual_note", "name": "another", "config": {"text": "A word."}},
    ),
    "GET /api/knowledge/sources": Ask(READER),
    "GET /api/knowledge/sources/{source_id}": Ask(READER),
    "PUT /api/knowledge/sources/{source_id}": Ask(ADMIN, lambda _: {"is_paused": True}),
    "DELETE /api/knowledge/sources/{source_id}": Ask(ADMIN),
    "POST /api/knowledge/sources/{source_id}/sync": Ask(CONTRIBUTOR),
    "GET /api/knowledge/sources/{source_id}/runs": Ask(READER),
    "GET /api/knowledge/sources/{source_id}/secrets": Ask(ADMIN),
    "PUT /api/knowledge/sources/{source_id}/files/{path}": Ask(CONTRIBUTOR, raw=b"# Guide"),
    "PUT /api/knowledge/sources/{source_id}/webhook": Ask(ADMIN),
    "DELETE /api/knowledge/sources/{source_id}/webhook": Ask(ADMIN),
    "GET /api/knowledge/documents": Ask(READER),
    "GET /api/knowledge/documents/{document_id}": Ask(READER),
    "GET /api/knowledge/search": Ask(READER, query={"q": "lamp"}),
    "GET /api/knowledge/resolve": Ask(READER, query={"term": "cube"}),
    "POST /api/knowledge/resolve": Ask(READER, lambda _: {"term": "cube"}),
    "POST /api/knowledge/aliases": Ask(
        CONTRIBUTOR, lambda _: {"term": "box", "citation": "uploads/one.md#cube"}
    ),
    "GET /api/knowledge/provenance": Ask(READER, query={"term": "cube"}),
    "GET /api/knowledge/artifacts": Ask(READER),
    "GET /api/knowledge/artifacts/{name}": Ask(READER),
    "GET /api/knowledge/preamble": Ask(READER),
    "POST /api/knowledge/compile": Ask(CONTRIBUTOR),
    "GET /api/knowledge/conflicts": Ask(READER),
    "POST /api/knowledge/conflicts/{conflict_id}/decision": Ask(
        ADMIN, lambda _: {"resolution": "both"}
    ),
    "GET /api/knowledge/names": Ask(ADMIN),
    "POST /api/knowledge/names": Ask(ADMIN, lambda _: {"term": "box", "verdict": "several"}),
    "DELETE /api/knowledge/names/{ruling_id}": Ask(ADMIN),
    "GET /api/knowledge/pins": Ask(READER),
    "PUT /api/knowledge/pins/{term}": Ask(ADMIN),
    "DELETE /api/knowledge/pins/{term}": Ask(ADMIN),
    "GET /api/knowledge/unknowns": Ask(READER),
    "GET /api/knowledge/quality": Ask(READER),
}
IMPORTED = {
    "record": "thought", "content": "Salt spoils the glass.", "contributor_id": "eve",
    "contributor_name": "Eve",
}  # fmt: skip
PROBES = {
    "GET /health/live",
    "GET /health/ready",
    "POST /api/knowledge/sources/{source_id}/webhook",
}
"""What machines call, which carry no credential."""
IN_A_SPACE = [route for route, ask in TABLE.items() if ask.least in RANKS]
BY_HEADER = [route for route in IN_A_SPACE if "{space}" not in route]
WORDS = frozenset({"path", "name", "term"})
"""What stands in paths and is nobody's id."""


def ids_of(route: str) -> list[str]:
    """Return the names of the ids in a route's path."""
    return [name for name in re.findall(r"{(\w+)}", route) if name not in WORDS]


BY_ID = [route for route in TABLE if ids_of(route)]


def call(caller: Any, route: str, about: Known, **more: Any) -> Any:
    """Call a route as the caller, about the given ids."""
    method, _, path = route.partition(" ")
    ask = TABLE[route]
    path = path.format_map(vars(about))
    body = ask.body(about) if ask.body else None
    if ask.raw is not None:
        return caller.send(method, path, content=ask.raw, **more)
    if path == "import":
        return caller.send(method, path, lines=lines([IMPORTED]), **more)
    return caller.send(method, path, body, params=ask.query, **more)


NO_DOCUMENTS = dict.fromkeys(("source_id", "document_id", "conflict_id", "ruling_id"), 10**9)
SERVERS = "# Servers\n\n## cube\n\n- IP: 100.70.237.{}\n- The {} stands on it.\n"
"""Two of these disagree about cube."""


def documented(caller: Caller, word: str) -> dict[str, int]:
    """Give a space documents that disagree; return the ids of a source, of one, of the conflict."""
    base = "/api/knowledge"
    kept = {"source_type": "upload", "name": "uploads", "config": {}}
    source = accepted(caller.post(f"{base}/sources", kept))["id"]
    for number, name in enumerate(("one", "two"), start=79):
        raw = SERVERS.format(number, word).encode()
        accepted(caller.send("PUT", f"{base}/sources/{source}/files/{name}.md", content=raw))
    accepted(caller.post(f"{base}/compile"))
    documents = accepted(caller.get(f"{base}/documents"))["documents"]
    [conflict] = accepted(caller.get(f"{base}/conflicts"))["conflicts"]
    merged = {"term": f"{word} box", "other": "cube", "verdict": "one", "reason": "the same"}
    return {
        "source_id": source,
        "document_id": documents[0]["id"],
        "conflict_id": conflict["id"],
        "ruling_id": accepted(caller.post(f"{base}/names", merged))["id"],
    }


def furnished(caller: Caller, word: str = "lamp", *, documents: bool = True) -> Known:
    """Fill a space and return the ids of what is in it."""
    first = caller.know(f"The {word} burns whale oil.", f"{word}-agent", tags=[f"{word}-tag"])
    refined = caller.know(
        f"Of the {word}: trim its wick.", f"{word}-agent",
        thought_type="refinement", source_ids=[first],
    )  # fmt: skip
    answer = caller.ask(f"What does the {word} burn?", context=f"{word} keeping")
    accepted(caller.post("ingest", {"content": f"A {word} practice."}))
    invited = accepted(caller.post(f"spaces/{caller.space}/invitations", {"role": "reader"}))
    [logged] = [one for one in caller.everything() if one["record"] == "query"]
    return Known(
        caller=caller,
        space=caller.space,
        member=caller.guest(name=f"{word}-guest").member_id,
        invitation=invited["invitation"]["id"],
        kid=caller.child().kid,
        thought_id=first,
        replaced_id=refined,
        contributor_id=f"{word}-agent",
        session_id=answer["trace"]["session_id"],
        query_id=logged["id"],
        turn_id=accepted(caller.post("turns", query(f"What does the {word} burn?")))["turn"]["id"],
        open_id=accepted(caller.post("turns/open", query(f"Where is the {word}?")))["id"],
        topic_id=_find_topic(caller),
        **(documented(caller, word) if documents else NO_DOCUMENTS),
    )


def _find_topic(caller: Caller) -> str:
    """Return the id of a topic of the space, which three thoughts of one thing are."""
    for at in "xyz":
        caller.know(f"The mast carries a flag, watch {at} of the mast flag.", "mast-agent")
    caller.world.app.embedding.finish()
    [topic, *_] = accepted(caller.get("topics"))["topics"]
    return topic["id"]


def unknown(caller: Caller) -> Known:
    """Return ids in the right shapes of what is nowhere."""
    return Known(
        caller=caller,
        space="ks-nowhere-00000000",
        member=NOBODY,
        invitation="a" * 12,
        kid="b" * 12,
        thought_id=NOBODY,
        replaced_id=NOBODY,
        contributor_id="nobody",
        session_id="00000000-0000-4000-8000-000000000001",
        query_id="00000000-0000-4000-8000-000000000002",
        turn_id=NOBODY,
        open_id=NOBODY,
        topic_id="c" * 16,
        **NO_DOCUMENTS,
    )


def mixed(ours: Known, other: Known, names: tuple[str, ...]) -> Known:
    return Known(**{**vars(ours), **{name: getattr(other, name) for name in names}})


class Nobody:
    """Calls without a credential."""

    def __init__(self, world: World) -> None:
        self.world = world

    def send(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        return send(self.world, method, path, body, **more)
