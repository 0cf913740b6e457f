"""A whole memory whose compiler has a model: what is sent, kept, paid for, and left alone."""

from __future__ import annotations

import pytest

from integration.knowledge_world import local, opened, synced, write
from integration.model_server import Reply, serving
from knowledge_calls import sync_source
from wellworn.application.settings import Settings
from wellworn.domain.knowledge import ArtifactName, Discovery, ResolutionOutcome
from wellworn.domain.knowledge.digests import COMPILER_VERSION
from wellworn.domain.knowledge.enrichment import Enricher
from wellworn.domain.spaces import Mode
from wellworn.engines.llm import LlmSettings, ModelRefusal, RefusalReason
from wellworn.testing.chat_model import ScriptedModel
from wellworn.testing.clock import ManualClock

DOCUMENTS = {
    "kopia.md": "# Kopia\n\nKopia makes the copies, and Ben Ode looks after it.\n",
    "web.md": "# clifford\n\n- Address: 5.161.97.53\n\nIt serves the shop and little else.\n",
}
OWNER = {
    "term": "kopia",
    "name": "looks after",
    "fact_type": "detail",
    "value": "Ben Ode",
    "quote": "Ben Ode looks after it",
    "repeat": 0,
}


def says(question):
    if "Kopia" in question.prompt:
        return {"summary": "Kopia, the copies, and who looks after it.", "facts": [OWNER]}
    return {"summary": "", "facts": []}


class World:
    """A memory with documents; `with_model` gives it a compiler that asks one."""

    def __init__(self, app, folder):
        self.app = app
        self.folder = folder
        self.access = local(app)
        self.sources = app.guard.pool.shared.sources
        self.source = synced(app, self.access, folder, DOCUMENTS)

    def with_model(self, model, **settings):
        settings = LlmSettings(model=model.name, **settings)
        return Discovery(
            self.app.database,
            self.sources,
            ManualClock(),
            enricher=Enricher(model, settings),
        )


@pytest.fixture
def world(tmp_path):
    with opened(tmp_path / "home") as app:
        yield World(app, tmp_path / "docs")


def test_what_the_model_finds_is_known_with_its_place(world):
    model = ScriptedModel(says)
    discovery = world.with_model(model)
    done = discovery.compile(world.access)
    assert done.tokens > 0
    [value] = discovery.provenance(world.access, "kopia", fact_type="detail")
    assert value.value == "Ben Ode"
    assert "Ben Ode" in value.evidence.text
    assert value.evidence.citation == "mytech/kopia.md"
    assert (value.derived_by, value.confidence) == ("model:scripted", 0.6)
    assert {
        one.derived_by for one in discovery.provenance(world.access, "clifford", fact_type="ip")
    } == {f"compiler_{COMPILER_VERSION}"}
    answer = discovery.resolve(world.access, "kopia", context="", agent_id="a")
    assert answer.outcome is ResolutionOutcome.RESOLVED
    assert "Ben Ode" in {one.value for one in answer.values}


def test_a_document_is_sent_once_and_again_when_it_changed(world):
    model = ScriptedModel(says)
    discovery = world.with_model(model)
    discovery.compile(world.access)
    assert len(model.requests) == 2
    assert discovery.compile(world.access).tokens == 0
    assert len(model.requests) == 2
    write(world.folder, {"web.md": "# clifford\n\nIt serves the shop no more.\n"})
    sync_source(world.app, world.access, world.source.id)
    discovery.compile(world.access)
    [again] = model.requests[2:]
    assert "no more" in again.prompt


def test_another_model_reads_everything_anew(world):
    world.with_model(ScriptedModel(says, name="one")).compile(world.access)
    other = ScriptedModel(says, name="two")
    world.with_model(other).compile(world.access)
    assert len(other.requests) == 2


def test_what_a_model_found_stays_when_it_is_configured_no_more(world):
    world.with_model(ScriptedModel(says)).compile(world.access)
    without = world.app.guard.pool.shared.discovery
    assert without.compile(world.access).recompiled == 0
    assert without.provenance(world.access, "kopia", fact_type="detail")


def test_nobody_who_waits_for_an_answer_waits_for_a_model(world):
    model = ScriptedModel(says)
    discovery = world.with_model(model)
    write(world.folder, {"new.md": "# Vault\n\nVault is reached at 10.0.0.7 by everybody.\n"})
    world.sources.sync(world.access, world.source.id)
    discovery.resolve(world.access, "vault", context="", agent_id="a")
    discovery.unknowns(world.access)
    for name in ArtifactName:
        discovery.artifact(world.access, name)
    assert model.requests == []
    discovery.compile(world.access)
    assert len(model.requests) == 3


def test_what_is_left_for_want_of_budget_is_asked_in_the_next_compile(world, caplog):
    model = ScriptedModel(says)
    discovery = world.with_model(model, compile_tokens=700, answer_tokens=128)
    assert discovery.compile(world.access).tokens <= 700
    assert len(model.requests) == 1
    assert "1 document was compiled by rules alone" in caplog.text
    discovery.compile(world.access)
    assert len(model.requests) == 2
    assert discovery.compile(world.access).tokens == 0


def test_without_an_answer_everything_is_as_without_a_model(world):
    gone = ModelRefusal(RefusalReason.UNAVAILABLE, "the model gave no answer: it cannot be reached")
    discovery = world.with_model(ScriptedModel([gone]))
    by_rule = world.app.guard.pool.shared.discovery.compile(world.access)
    done = discovery.compile(world.access)
    assert (done.documents, done.facts) == (by_rule.documents, by_rule.facts)
    assert discovery.provenance(world.access, "clifford", fact_type="ip")


def test_what_a_model_changed_is_read_in_the_artifacts_at_once(world):
    before = world.app.guard.pool.shared.discovery.artifact(world.access, ArtifactName.CATALOG)
    assert "who looks after it" not in before.content
    discovery = world.with_model(ScriptedModel(says))
    discovery.compile(world.access)
    after = discovery.artifact(world.access, ArtifactName.CATALOG)
    assert "Kopia, the copies, and who looks after it." in after.content


def test_what_was_left_to_the_rules_is_told(world):
    discovery = world.with_model(ScriptedModel([]))
    assert discovery.compile(world.access).note.startswith("2 documents were compiled by rules")
    assert world.app.guard.pool.shared.discovery.compile(world.access).note == ""


def test_the_model_of_the_settings_is_asked_when_a_sync_is_done(tmp_path):
    pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")
    with serving([Reply({"summary": "Kopia, and who looks after it.", "facts": []})] * 2) as server:
        settings = Settings(llm=LlmSettings(model="stub", base_url=server.url))
        with opened(tmp_path / "home", settings=settings) as app:
            synced(app, local(app), tmp_path / "docs", DOCUMENTS)
    assert len(server.requests) == 2


def test_a_sealed_space_is_not_sent(world):
    model = ScriptedModel(says)
    sealed = type(world.access)(
        world.access.principal, world.access.space, world.access.role, Mode.SEALED
    )
    assert world.with_model(model).compile(sealed).tokens == 0
    assert model.requests == []
