"""Every route answers as documented, and every field of an answer is seen filled at least once.

One session provokes all of it; a field that it never fills could be anything on the wire.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from api.routes import TABLE, Known, call, furnished, query
from api.test_audit_actions import ORDER
from api.test_disambiguation import AREAS
from api.test_feedback import INSIGHT, ROLES
from api.test_knowledge_sources import TOKEN
from api.test_outline import turn
from api.test_topics import LAMPS, ROPES, said
from api.walls import Caller, founded, served, unlimited
from api.world import World, accepted, talk
from integration.files_to_read import pdf_of
from patience import LONG_S
from wellworn.errors import InvalidInput
from wellworn.interfaces.http import create_api
from wellworn.kit.project_ids import derive_project_id

KNOWLEDGE = "/api/knowledge"
READS = True
TOPICS = (
    *("Page.changes", "Page.path", "Name.id", "Name.title", "s.changes"),
    *(f"Change.{field}" for field in ("changed_at", "kind", "other_id", "shared", "topic_id")),
    *(f"Change.kind = {kind}" for kind in ("split", "merged", "ended")),
    *(f"Trend.course = {course}" for course in ("surging", "steady", "fading")),
    *("Trend.expected", "Trend.p"),
)
CONTEXT = ("value", "dispute", "shared", "sources")
NEVER_ANSWERED = {"POST /api/v1/policy/try": "test_policy"}
NEVER_FILLED = {
    **dict.fromkeys(("Captured.picked_by", "Captured.statements"), "test_capture"),
    **{
        f"CapturedStatement.{field}": "test_capture"
        for field in ("text", "by", "by = user", "by = agent", "worth", "outcome", "thought_id")
    },
    **{
        f"CapturedStatement.outcome = {outcome}": "test_capture"
        for outcome in ("kept", "known", "passing", "secret", "order", "unjudged")
    },
    **{f"ContextItem.kind = {kind}": "test_context" for kind in CONTEXT},
    "CurationCandidate.reason = contested": "test_curation",
    "CurationCandidate.reason = unneeded": "test_curation",
    "Decision.outcome = held": "test_decisions",
    "Decision.replaces": "test_decisions",
    "DigestLine.section = disputed": "test_digest",
    **{
        f"JudgedThought.fate = {fate}": "test_decisions"
        for fate in ("held", "not_meant", "out_of_scope", "retracted")
    },
    "EffectiveSetting.source = environment": "test_care",
    "Experiment.answer = no": "test_verdicts",
    "Experiment.answer = yes": "test_verdicts",
    "Experiment.verdicts": "test_verdicts",
    **{
        f"ExperimentVerdict.{field}": "test_verdicts"
        for field in ("judged_at", "is_open", "gain", "low", "high", "sessions", "uses")
    },
    **dict.fromkeys(
        ("Overview.claims", "OverviewClaim.source_ids", "OverviewClaim.text"), "test_retelling"
    ),
    "Overview.changes": "test_sleep",
    **{
        f"OverviewChange.{field}": "test_sleep"
        for field in ("version", "made_at", "came", "went", "came_ids", "went_ids")
    },
    "Gathered.regions": "test_sessions",
    **{f"Gathered.answer = {each}": "test_sessions" for each in ("yes", "no", "not_enough_days")},
    **{
        f"GatheredRegion.{field}": "test_sessions"
        for field in (
            *("agents", "sessions", "p", "first_at"),
            *("topic_id", "title", "thoughts", "questions"),
        )
    },
    **{f"GatheredThought.{field}": "test_sessions" for field in ("thought_id", "opening")},
    "SessionPath.p": "test_sessions",
    **{
        f"SessionPath.regime = {each}": "test_sessions"
        for each in ("contractive", "oscillatory", "exploratory")
    },
    "Bridges.bridges": "test_bridges",
    **{
        f"Bridge.{field}": "test_bridges"
        for field in (
            *("id", "ends", "sessions", "users", "expected", "p"),
            *("found_at", "last_found_at", "taken_at", "expires_at"),
        )
    },
    **{f"BridgeEnd.{field}": "test_bridges" for field in ("topic_id", "title", "size", "central")},
    "Workload.failing": "no upkeep fails here",
    **{
        f"BackgroundJob.status = {status}": "test_care"
        for status in ("cancelled", "done", "queued", "running")
    },
    **{f"MapEdge.{field}": "test_map" for field in ("thought_id", "other_id", "sessions")},
    **{
        f"MapStep.{field}": "test_map"
        for field in ("asked_at", "question", "thought_ids", "x", "y")
    },
    **dict.fromkeys(("MemoryMap.edges", "MemoryMap.path"), "test_map"),
    "Thought.expires_at": "test_ends",
    "Found.rediscovered": "test_convergence",
    "Document.state = gone": "of a document that is gone there is no answer",
    **{f"LearnedFactor.{field}": "test_policy" for field in ("reason", "factor")},
    **{
        f"Policy.{field}": "test_policy"
        for field in ("gain", "low", "high", "factors", "versions", "changes", "trial")
    },
    **{
        f"PolicyVersion.{field}": "test_policy"
        for field in (
            *("version", "learned_at", "factors", "gain", "low", "high"),
            *("queries", "withdrawn_at", "tried_at", "taken_at"),
        )
    },
    **{
        f"PolicyTrial.{field}": "test_policy"
        for field in (
            *("version", "since", "questions", "wins", "losses", "ties", "needed"),
            *("lead", "low", "high", "more", "in_use", "tried"),
        )
    },
    **{f"PolicyValue.{field}": "test_policy" for field in ("rate", "low", "high", "effective")},
    "JudgedThought.team": "test_policy",
    **{f"JudgedThought.team = {team}": "test_policy" for team in ("in_use", "tried", "both")},
    **{
        f"PolicyChanges.{field}": "test_policy"
        for field in (
            *("version", "questions", "controls", "reordered", "first_places"),
            *("gained", "lost", "changes"),
        )
    },
    **{
        f"PolicyChange.{field}": "test_policy"
        for field in ("query_id", "asked_at", "question", "shipped", "learned", "reason")
    },
    **{
        f"FirstPlace.{field}": "test_policy"
        for field in ("thought_id", "content_preview", "evidence")
    },
    **{
        f"FirstPlace.evidence = {each}": "test_policy"
        for each in ("used", "irrelevant", "shown", "unknown")
    },
    "Policy.in_use = learned": "test_policy",
    "Policy.learned_at": "test_learned_weights",
    "Evidence.committed_at": "test_commit_dates",
    "Evidence.dated_at": "test_dated_documents",
    "Evidence.encoding_note": "test_dated_documents",
    "Evidence.table_head": "test_dated_documents",
    "FoundDocument.dated_at": "test_dated_documents",
    "FoundDocument.encoding_note": "test_dated_documents",
    "Snippet.table_head": "test_dated_documents",
    "Source.contested": "test_contested",
    "Evidence.stale": "test_past_pages",
    "Health.advice": "test_faults",
    "Health.status = degraded": "test_faults",
    "ModelHealth.status = error": "test_faults",
    "PartHealth.status = error": "test_faults",
    "ReaderHealth.status = error": "test_reading_answers",
    "ReaderHealth.status = off": "test_reading_answers",
    "Progress.done": "only while a sync runs",
    "Progress.total": "only while a sync runs",
    "ShownSource.progress": "only while a sync runs",
    "ResearchDocument.scope = global": "test_research",
    "ResearchDocument.scope = user": "test_research",
    "ResearchDocument.status = expired": "test_research",
    "ResearchDocument.status = stale": "test_research",
    "ListedThought.unconfirmed_until": "test_unconfirmed",
    "Source.unconfirmed_until": "test_unconfirmed",
    "Thought.unconfirmed_until": "test_unconfirmed",
    "Imported.clashing": "test_turn_transfer",
    **{f"Topic{field}": "test_kept_topics" for field in TOPICS},
    **{f"TopicValue.{field}": "test_values" for field in ("topic_id", "title", "is_alone")},
    "Turn.archived_at": "test_turn_archive",
    "Turn.status = interrupted": "test_turns",
    "Turn.status = running": "test_turns",
    "TurnSource.kind = page": "pages are on the web",
    "TurnSource.kind = research": "research is on the web",
    "TurnSource.kind = turn": "only a model answers with an earlier turn",
    **{
        f"VisitedSite.{field}": "test_research"
        for field in ("cited", "failures", "last_visited_at", "reliability", "site", "visits")
    },
    "TurnStatistics.sites": "test_research",
    "Verdict.first_bad_seq": "test_audit",
    "Verdict.reason": "test_audit",
}
"""Fields and values that the session cannot provoke, each with the reason or the test that does."""


class Recorder:
    """Validates every answer against the document; keeps which fields and values were filled."""

    def __init__(self) -> None:
        self.schema = create_api(None, documents_inner=True).openapi()
        self.components = self.schema["components"]["schemas"]
        self.answered: set[str] = set()
        self.filled: set[str] = set()
        self._patterns = [
            (re.compile(re.sub(r"{(\w+)}", "[^/]+", path) + "$"), path)
            for path in sorted(self.schema["paths"], key=lambda path: path.count("{"))
        ]

    def attach(self, world: World, monkeypatch: pytest.MonkeyPatch) -> World:
        request = world.client.request

        def recording(method: str, url: str, **more: Any) -> Any:
            response = request(method, url, **more)
            self.see(method, response)
            return response

        monkeypatch.setattr(world.client, "request", recording)
        return world

    def see(self, method: str, response: Any) -> None:
        sent_to = response.request.url.path
        path = next((p for pattern, p in self._patterns if pattern.match(sent_to)), None)
        if path is None:  # the inner files' path has slashes
            path = next(p for p in self.schema["paths"] if "{path}" in p and "/files/" in sent_to)
        documented = self.schema["paths"][path][method.lower()]["responses"]
        content = documented[str(response.status_code)].get("content", {})
        kind = response.headers["content-type"].partition(";")[0]
        if response.is_success:
            self.answered.add(f"{method} {path}")
        if kind == "application/json" and "schema" in content.get(kind, {}):
            schema, body = content[kind]["schema"], response.json()
            whole = {**schema, "components": self.schema["components"]}
            Draft202012Validator(whole).validate(body)
            self.fill(schema, body)

    def fill(self, schema: dict[str, Any], value: Any, place: str = "") -> None:
        if value is None or value == []:
            return
        if place:
            self.filled.add(place)
        if "enum" in schema:
            self.filled.add(f"{place} = {value}")
        for part in schema.get("anyOf", ()):
            self.fill(part, value, place)
        for item in value if "items" in schema else ():
            self.fill(schema["items"], item, place)
        name = schema.get("$ref", "").rpartition("/")[2]
        if name and isinstance(value, dict):
            for field, described in self.components[name].get("properties", {}).items():
                self.fill(described, value.get(field), f"{name}.{field}")

    def fillable(self) -> set[str]:
        """Return all fields and values of the answers."""
        roots = [
            content["application/json"]["schema"]
            for operations in self.schema["paths"].values()
            for operation in operations.values()
            for response in operation["responses"].values()
            if "application/json" in (content := response.get("content", {}))
        ]
        return set(self._walk(roots, set()))

    def _walk(self, schemas: list[Any], seen: set[str], place: str = "") -> Iterator[str]:
        for schema in schemas:
            yield from (f"{place} = {value}" for value in schema.get("enum", ()))
            inner = [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())]
            yield from self._walk(inner, seen, place)
            name = schema.get("$ref", "").rpartition("/")[2]
            if name and name not in seen:
                seen.add(name)
                for field, described in self.components[name].get("properties", {}).items():
                    yield f"{name}.{field}"
                    yield from self._walk([described], seen, f"{name}.{field}")


def converse(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Provoke every operation of a conversation and every field of a reply, at the open door."""
    for tag, count in AREAS.items():
        for number in range(count):
            world.know(f"Architecture entry {tag} {number}".replace("-", ""), tags=[tag])
    world.ask("architecture?", "dev")
    roles, cache = world.know(ROLES, tags=["roles"]), world.know("Cache invalidation is hard.")
    world.know(ROLES, "amy")
    chain = [roles]
    for kind in ("refinement", "consolidation", "refinement"):
        traced = {"thought_type": kind, "source_ids": chain[-1:], "context_metadata": "teams"}
        chain.append(world.know(f"The {kind} number {len(chain)}.", **traced))
    more: dict[str, str] = {}
    for question, thought_id in (("role boundaries?", roles), ("cache invalidation?", cache)):
        more = {"session_id": world.ask(question, limit=5, **more)["trace"]["session_id"]}
        judge(world, thought_id, more)
    world.ask(INSIGHT, **more, filter_tags=["none"])
    change_minds(world, cache, more)
    open_gate(world, monkeypatch)
    world.ask("role boundaries?", "eve", limit=1, explain=True, retrieval_method="vector")
    world.ask(ROLES, "joe", contribute="always", context="roles")
    chain.append(say_until(world))
    tidy(world)
    for prompt in ("What is trending?", "list the tags"):
        world.ask(prompt, "eve")
    accepted(world.post("retrieve", {"query": "roles", "agent_id": "ada", **more, "explain": True}))
    world.read("highways", min_access=0, min_users=0)
    world.ask("What are the roles?", explain=True, filter_tags=["roles"])
    world.ask("Where do the agents stand?", "joe")
    for thought_id in (*chain, cache):
        world.read(f"thoughts/{thought_id}/provenance")
        world.read(f"thoughts/{thought_id}/neighbours")
        world.record(thought_id)
    world.forget(cache)
    world.record(cache)
    for path in ("/health/live", "/health/ready"):
        accepted(world.client.get(path))


def say_until(world: World) -> str:
    """Say something that has an end, and move that."""
    tide = world.know("The tide gate is shut.", expires_at="2126-12-24")
    world.ask("Is the tide gate shut?", "eve", explain=True)
    ended = {"expires_at": "2126-12-25", "agent_id": "zoe"}
    accepted(world.send("PUT", f"thoughts/{tide}/end", ended))
    world.read("thoughts", count=True)
    return tide


def tidy(world: World) -> None:
    """Tidy what is over and what says the same, in every way, and tell what became of it all."""
    first, second, third = (
        world.know(f"{lead}The quay lamp is out.") for lead in ("", "Entry 1: ", "Entry 2: ")
    )
    world.read(f"thoughts/{first}/neighbours")
    for action, more in (
        ("merge", {"into": first}),
        ("end", {"expires_at": "2126-12-24"}),
        ("outdated", {}),
    ):
        asked = {"action": action, "thought_ids": [second], "agent_id": "zoe", **more}
        world.read("curation")
        accepted(world.post("curation", asked))
    world.read("curation")
    tidy_all(world)
    world.read(f"thoughts/{first}/neighbours")
    erased = {"action": "erase", "thought_ids": [third], "agent_id": "zoe", "dry_run": True}
    accepted(world.post("curation", erased))
    for lamp in LAMPS:
        world.know(lamp)
    accepted(world.post("sleep", {}))
    world.read("bridges")
    world.ask("What does the lamp burn, whale oil?")
    world.read("search", q="What does the lamp burn, whale oil?")
    world.ask("Where does the heron nest?", min_relevance=1)
    bell = "The bell of the quay is rung at noon."
    world.know(f"Entry 1: {world.record(world.know(bell))['content']}", "eve")
    world.ask("When is the bell of the quay rung?")
    world.read("decisions", limit=100)
    world.read("settings")
    world.read("workload")
    fail_in_the_background(world)
    world.read("convergence")
    for each in world.read("sessions", limit=3)["sessions"]:
        world.read(f"sessions/{each['session_id']}/trajectory")
    world.read("digest")
    accepted(world.post("context", {"agent_id": "zoe"}))
    accepted(world.post("context", {"agent_id": "zoe", "prompt": "The quay lamp is out."}))
    world.read("values")


def tidy_all(world: World) -> None:
    """Do one thing with all that fit, and take it back."""
    matching = {"action": "outdated", "by": "zoe", "agent_id": "zoe"}
    done = accepted(world.post("curation/matching", matching))["done"]
    accepted(world.post("curation/take-back", {"done_at": done["done_at"], "agent_id": "zoe"}))
    released = {"action": "release", "held": True, "agent_id": "zoe", "dry_run": True}
    accepted(world.post("curation/matching", released))


def judge(world: World, thought_id: str, more: dict[str, str]) -> None:
    """Give every signal on a thought, one after the other."""
    for signal in ("irrelevant", "outdated", "wrong", "none", "useful"):
        world.feedback(**more, thought_id=thought_id, signal=signal)


def change_minds(world: World, cache: str, more: dict[str, str]) -> None:
    """Provoke every reason not to store, and what a replaced thought is shown with."""
    for prompt in ("thanks!", "list what you know of", "roles", "https://roles.example", ROLES):
        world.ask(prompt, **more)
    world.ask("you said that roles stay apart", **more)
    world.ask(ROLES, contribute="never")
    hard = world.know("Cache invalidation is easy.", replaces=[cache])
    world.ask("cache invalidation?", history=True)
    session = world.ask("cache invalidation?", limit=1)["trace"]["session_id"]
    world.feedback(session_id=session, thought_id=hard, signal="outdated")
    world.ask("cache invalidation?", limit=1)
    world.ask("Catch me up!")
    world.ask("What did Zoe say today?")
    world.ask("What did Zoe say in the last 3 days?")
    world.ask("What did everyone but Zoe say?")
    world.ask("What did Methuselah say of the flood?")
    world.ask("What was forgotten in October?")
    world.ask("What was said on 1 January 1971?")
    world.record(hard)
    world.record(cache)
    for text in ("The kettle stands on the stove.", "Note 2: the kettle stands on the stove."):
        world.know(text)
    world.ask("where does the kettle stand?")
    need_bread(world)
    world.read("thoughts", limit=100)
    in_project = {"headers": {"wellworn-space": derive_project_id("shop", "git", "shop")}}
    world.post("memory", talk("Cache invalidation of the shop."), **in_project)


def open_gate(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is needed next be told, by what is counted from now on."""
    for name, known in (("_is_open", {"ks-default": True}), ("_chances", {})):
        monkeypatch.setattr(world.app.thoughts.needed_next, name, known)


def need_bread(world: World) -> None:
    """Need two things that nothing else is needed with, so that the rest is not needed anyway."""
    bread = world.know("Bread dough rises slowly in a cold kitchen.")
    yeast = world.know("Yeast wakes in warm milk.")
    more: dict[str, str] = {}
    for question, thought_id in (("cold kitchen bread dough?", bread), ("warm milk yeast?", yeast)):
        asked = world.ask(question, "joe", limit=5, **more)
        more = {"session_id": asked["trace"]["session_id"]}
        judge(world, thought_id, more)


def fail_in_the_background(world):
    def refuse(_job=None):
        raise InvalidInput("this is bad")

    world.app.jobs.register("trial", refuse)
    world.app.jobs.wait(world.app.jobs.submit("trial", "bad").id, LONG_S)
    world.app.upkeep.run([refuse], is_over=lambda: False)
    world.read("jobs")
    world.app.upkeep.run([], is_over=lambda: False)


def fail_to_sync(world: World, folder: Path) -> None:
    """Provoke what is said of a source that cannot be reached, at the open door."""
    body = {"source_type": "folder", "name": "lost", "config": {"path": str(folder / "lost")}}
    source = accepted(world.client.post(f"{KNOWLEDGE}/sources", json=body))["id"]
    accepted(world.client.post(f"{KNOWLEDGE}/sources/{source}/sync"))
    for path in ("sources", f"sources/{source}"):
        accepted(world.client.get(f"{KNOWLEDGE}/{path}"))


def share(owner: Caller) -> None:
    """Provoke every field of credentials."""
    child = owner.child(spaces=[owner.space], lifetime_s=3600)
    accepted(child.get("health"))
    owner.world.app.maintain()  # writes when keys were used
    accepted(owner.get("credentials"))
    accepted(owner.send("DELETE", f"credentials/{child.kid}"))
    accepted(owner.get("credentials"))
    guest, space = owner.guest("admin"), owner.space
    accepted(guest.post(f"spaces/{space}/invitations", {}))
    accepted(owner.send("PUT", f"spaces/{space}/members/{guest.member_id}", {"role": "reader"}))
    accepted(guest.post(f"spaces/{space}/leave"))


def browse(owner: Caller) -> None:
    """Provoke every kind of place in an outline, and names that are not clear."""
    accepted(
        owner.import_records(
            turn(1, "bo", "Turn 1."),
            *map(said, [*LAMPS, *ROPES]),
            *(said(f"Lamp {number}", tags=["many"]) for number in range(50)),
        )
    )
    for of in ("space", "topics", "session:standup", "one.md"):
        accepted(owner.get("outline", params={"of": of, "depth": 6}))
    for params in ({"node": "one.md"}, {"node": "lamp-tag", "limit": 1}):
        accepted(owner.get("outline/read", params=params))
    accepted(owner.post("topics"))
    for topic in accepted(owner.get("topics", params={"depth": 4, "limit": 1}))["topics"]:
        accepted(owner.get(f"topics/{topic['id']}", params={"limit": 1}))
    record = next(one for one in owner.everything() if one.get("kind") == "turn")
    accepted(owner.get(f"thoughts/{record['id']}"))


def hold_back(owner: Caller) -> None:
    """Provoke what an admin is shown of a contributor's order."""
    owner.guest().ask(ORDER, contribute="always")
    [held] = accepted(owner.get("held"))["held"]
    accepted(owner.post(f"thoughts/{held['thought_id']}/release"))


def keep_documents(owner: Caller) -> None:
    """Provoke every field of sources and documents, beside those of `furnished`."""

    def add(name: str, source_type: str = "upload", **more: Any) -> int:
        body = {"source_type": source_type, "name": name, "config": {}, **more}
        return accepted(owner.post(f"{KNOWLEDGE}/sources", body))["id"]

    def upload(source: int, name: str, raw: bytes) -> None:
        accepted(owner.send("PUT", f"{KNOWLEDGE}/sources/{source}/files/{name}", content=raw))

    mine = add("mine", agents=[owner.member_id], sync_schedule="0 3 * * *")
    accepted(owner.send("PUT", f"{KNOWLEDGE}/sources/{mine}", {"name": "my own"}))
    for name, raw in {"broken.bin": bytes(2_000), "aged.bin": b"A text."}.items():
        upload(mine, name, raw)
    upload(mine, "aged.bin", bytes(2_000))
    upload(mine, "wick.pdf", pdf_of([[("The wick is of twisted cotton.", 12, 700, False)]]))
    upload(mine, "one.md", f"# Servers\n\n## cube\n\ntoken: {TOKEN}\n".encode())
    for path in (f"sources/{mine}", f"sources/{mine}/secrets", f"sources/{mine}/runs", "sources"):
        accepted(owner.get(f"{KNOWLEDGE}/{path}"))
    accepted(owner.get(f"{KNOWLEDGE}/documents", params={"limit": 1}))
    hook = f"{KNOWLEDGE}/sources/{mine}/webhook"
    secret = accepted(owner.send("PUT", hook))["secret"].encode()
    signed = {"x-hub-signature-256": f"sha256={hmac.new(secret, b'{}', 'sha256').hexdigest()}"}
    for _ in range(2):
        assert owner.world.client.post(hook, content=b"{}", headers=signed).is_success
    accepted(owner.get(f"{KNOWLEDGE}/sources/{mine}"))


def look_things_up(owner: Caller, known: Known) -> None:
    """Provoke what is said of documents, of terms and of those that disagree."""
    page = f"documents/{known.document_id}"
    accepted(owner.get(f"{KNOWLEDGE}/{page}", params={"limit": 1}))
    decision = {"resolution": "both", "reason": "two machines"}
    accepted(owner.post(f"{KNOWLEDGE}/conflicts/{known.conflict_id}/decision", decision))
    disputed = accepted(owner.get(f"{KNOWLEDGE}/conflicts"))["conflicts"][0]
    decision = {"resolution": disputed["claims"][0]["value"], "reason": "it was moved"}
    accepted(owner.post(f"{KNOWLEDGE}/conflicts/{disputed['id']}/decision", decision))
    accepted(owner.get(f"{KNOWLEDGE}/resolve", params={"term": f"{disputed['term']} ip"}))
    for _ in range(2):
        accepted(owner.post("ingest", {"content": "Trim the wick at dusk."}))
    for path in ("documents", "unknowns", "quality"):
        accepted(owner.get(f"{KNOWLEDGE}/{path}"))
    for term in ("cube", "cube ip", "nothing-like-it"):
        accepted(owner.get(f"{KNOWLEDGE}/resolve", params={"term": term}))
    for path in ("unknowns", "quality"):
        accepted(owner.get(f"{KNOWLEDGE}/{path}"))
    accepted(owner.get(f"{KNOWLEDGE}/search", params={"q": "twisted cotton wick"}))
    owner.ask("cube servers IP?", include_knowledge=True)


def work_in_turns(owner: Caller) -> None:
    """Provoke what turns end in, and a document that somebody changed."""
    accepted(owner.guest().post("turns", query("what about it?")))
    first = accepted(owner.post("turns", query("The lamp burns whale oil?")))["turn"]
    for text in ("My favourite oil is whale oil. What burns?", "My ship is called Ada."):
        accepted(owner.post("turns", query(text)))
    for asked in ("what is my favourite oil?", "what is my ship?"):
        accepted(owner.post("turns", query(asked)))
    for text in ("and its wick?", "what about it?", "buy a lamp", "open the lamp page"):
        accepted(owner.post("turns", query(text, follows=first["id"])))
    for text in ("cube servers IP?", "Which zebra paints the harbour?"):
        accepted(owner.post("turns", query(text)))
    accepted(owner.post("turns", query("What did Methuselah say in the last 3 days?")))
    unknown = query("Which zebra paints the harbour, and how tall is the Eiffel tower?")
    accepted(owner.guest().post("turns", unknown))
    accepted(owner.get("turns", params={"limit": 1}))
    accepted(owner.post("turns/archive", {"before": "2999-01-01", "dry_run": True}))
    for text in ("Where is a wick for sale?", "Open the wick page.", "What is a wick made of?"):
        read_page(owner, text)
    accepted(owner.get("turns/research", params={"topic": "wick"}))
    folder = f"turn_{first['number']:06d}"
    [document] = owner.world.home.rglob(f"{owner.space}/users/*/turns/{folder}/context.md")
    document.write_text(document.read_text("utf-8").replace("## 2. ", "## 2. Our "), "utf-8")
    accepted(owner.get(f"turns/{first['id']}"))


def read_page(owner: Caller, text: str) -> None:
    """Keep a turn of an agent that read a page of the web with a price on it."""
    opened = accepted(owner.post("turns/open", query(text)))["id"]
    page = {"text": "Wick of cotton $4", "source": "https://shop.example/wicks"}
    entry = {"tool": "visit", "result": "One page.", "sources": [page]}
    accepted(owner.post(f"turns/{opened}/entries", {"entries": [entry]}))
    claim = {"text": page["text"], "evidence": 1}
    accepted(owner.post(f"turns/{opened}/close", {"answer": page["text"], "claims": [claim]}))


LAST = {
    "DELETE /api/knowledge/sources/{source_id}/webhook": 0,
    "POST spaces/{space}/seal": 2,
    "POST spaces/{space}/unseal": 3,
    "DELETE spaces/{space}": 4,
}
"""When those come that cannot come among the other deleting ones, which have 1."""


def order(route: str) -> int:
    late = route.startswith("DELETE") or "/rollback" in route
    return LAST.get(route, 2 if TABLE[route].sealed else late)


def test_every_route_and_field_is_seen(monkeypatch, tmp_path):
    recorder = Recorder()
    with served(unlimited()) as world:
        recorder.attach(world, monkeypatch)
        converse(world, monkeypatch)
        fail_to_sync(world, tmp_path)
        owner = founded(world)
        known = furnished(owner)
        hold_back(owner)
        keep_documents(owner)
        look_things_up(owner, known)
        browse(owner)
        work_in_turns(owner)
        share(owner)
        for route in sorted(TABLE, key=order):
            call(owner, route, known)
    routes = {
        f"{method.upper()} {path}"
        for path, operations in recorder.schema["paths"].items()
        for method in operations
    }
    assert routes - recorder.answered == NEVER_ANSWERED.keys()
    assert recorder.fillable() - recorder.filled == NEVER_FILLED.keys()
