"""A memory changes its encoder, to vectors of another length, however often it is cut off."""

from __future__ import annotations

import shutil
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from integration.embedding_server import serving_vectors
from wellworn.application.bootstrap import changeover, open_app
from wellworn.application.maintenance import backup, doctor, rebuild, reembed, restore
from wellworn.application.migrations.staging import FeatureRows
from wellworn.application.settings import Settings
from wellworn.domain.memory import Prompt
from wellworn.domain.sources import NewSource
from wellworn.domain.spaces import DEFAULT_SPACE, local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.turns import TurnQuery
from wellworn.engines.daemon import hold_folder
from wellworn.engines.storage.vectors import passages
from wellworn.errors import EmbeddingFailed, NotFound, StoreInUse

ME = local_access(DEFAULT_SPACE)
WORDS = ("lichen", "granite", "harbour", "violin", "quartz")
PAGES = ("cedar", "lantern")
SHIPPED = "all-MiniLM-L6-v2/w8-1"


class Cut(BaseException):
    """Ends a run the way the end of its process does: nothing after it runs."""


@pytest.fixture
def server():
    with serving_vectors() as made:
        made.dimensions = 96
        yield made


@pytest.fixture
def settings(server):
    return Settings(embedding=server.settings(request_texts=4))


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A memory that the shipped encoder made: thoughts, documents, and a turn that ended."""
    home = tmp_path_factory.mktemp("template") / "home"
    pages = home.with_name("pages")
    pages.mkdir()
    for word in PAGES:
        (pages / f"{word}.md").write_text(f"# {word.title()}\n\nNotes about the {word} we have.\n")
    with memory(home) as app:
        for word in WORDS:
            app.think(ME, draft(f"Notes about the {word}, and nothing else."))
        source = app.guard.pool.shared.sources.create(
            ME, NewSource("folder", "notes", {"path": str(pages)})
        )
        app.syncs.request_sync(ME, source.id)
        app.memory.converse(ME, Prompt(prompt="violin?", agent_id="bob", agent_name="Bob"))
        app.turns.ask(ME, TurnQuery("What do we know of the lantern?", "ann", "Ann"))
    return home


@pytest.fixture
def home(template, tmp_path):
    shutil.copytree(template, tmp_path / "home")
    return tmp_path / "home"


def draft(content: str) -> ThoughtDraft:
    return ThoughtDraft(content=content, contributor_id="ann", contributor_name="Ann")


@contextmanager
def memory(home: Path, settings: Settings | None = None):
    with closing(open_app(home, settings or Settings())) as app:
        yield app


def model_of(home: Path) -> str:
    return (home / "index" / "MODEL").read_text().strip()


def assert_all_is_found(home: Path, settings: Settings, *more: str) -> None:
    with memory(home, settings) as app:
        assert app.unindexed == 0
        for word in (*WORDS, *more):
            [hit, *_] = app.look_up(ME, f"notes {word}", limit=1)
            assert word in hit.content
        for word in PAGES:
            [passage, *_] = app.search_documents(ME, f"notes {word}", limit=1, sources=None)
            assert word in passage.text
    findings = [finding for finding in doctor(home).findings if not finding.ok]
    assert findings == []


def test_everything_has_vectors_of_the_new_encoder_and_is_found(home, server, settings):
    done: list[int] = []
    summary = reembed(home, done.append, settings=settings)
    assert (summary.thoughts, summary.chunks, summary.turns) == (len(WORDS), len(PAGES), 1)
    assert (summary.former, summary.dimensions, summary.state) == (SHIPPED, 96, "changed")
    assert done[-1] == len(WORDS) + len(PAGES)
    assert model_of(home) == summary.encoder
    sent = len(server.requests)
    with memory(home) as app:
        # Without settings a memory keeps the encoder that it has.
        assert (app.embedder.name, app.embedder.dimensions) == (summary.encoder, 96)
        app.think(ME, draft("Notes about the meadow, and nothing else."))
        answer = app.turns.ask(ME, TurnQuery("And what of the lantern?", "ann", "Ann"))
        assert "lantern" in answer.text.casefold()
    assert sent < len(server.requests) < sent + 20, "it was embedded again"
    assert_all_is_found(home, settings, "meadow")
    assert sorted(path.name for path in home.iterdir() if "index" in path.name) == ["index"]
    assert {path.name for path in (home / "index").iterdir()} == {
        *("ENCODER", "MODEL", "chunks", "thoughts")
    }


def test_a_second_run_does_nothing(home, settings):
    assert reembed(home, settings=settings).state == "changed"
    before = {path: path.stat().st_mtime_ns for path in (home / "index").rglob("*")}
    summary = reembed(home, settings=settings)
    assert (summary.state, summary.thoughts) == ("unchanged", 0)
    assert {path: path.stat().st_mtime_ns for path in (home / "index").rglob("*")} == before


def test_the_shipped_encoder_comes_back_the_same_way(home, settings):
    reembed(home, settings=settings)
    summary = reembed(home, settings=Settings())
    assert (summary.encoder, summary.state, summary.chunks) == (SHIPPED, "changed", len(PAGES))
    assert_all_is_found(home, Settings())
    assert not (home / "index" / "ENCODER").exists()


def test_a_dry_run_counts_and_writes_nothing(home, settings):
    before = sorted(home.rglob("*"))
    summary = reembed(home, settings=settings, is_dry=True)
    assert (summary.state, summary.thoughts, summary.chunks) == ("planned", 5, 2)
    assert sorted(home.rglob("*")) == before
    assert model_of(home) == SHIPPED


def test_an_endpoint_that_fails_half_way_loses_nothing_and_is_gone_on_with(home, server, settings):
    answers = iter(range(100))
    whole = server.change
    # The samples take 24 requests and the check 1; then some texts get through.
    server.change = lambda vectors: vectors if next(answers) < 26 else None
    with pytest.raises(EmbeddingFailed, match="usual form"):
        reembed(home, settings=settings)
    assert model_of(home) == SHIPPED
    assert_all_is_found(home, Settings())
    server.change = whole
    assert reembed(home, settings=settings).state == "changed"
    assert_all_is_found(home, settings)


@pytest.mark.parametrize("at", range(1, 5))
def test_a_run_that_is_cut_off_is_gone_on_with_by_the_next(home, settings, monkeypatch, at):
    saves, save = iter(range(1, 100)), FeatureRows.save

    def cut(self, rows):
        if next(saves) == at:
            raise Cut
        save(self, rows)

    monkeypatch.setattr(passages, "BATCH", 2)
    with monkeypatch.context() as patch:
        patch.setattr(FeatureRows, "save", cut)
        with pytest.raises(Cut):
            reembed(home, settings=settings)
    assert model_of(home) == SHIPPED
    with memory(home) as app:
        app.think(ME, draft("Notes about the meadow, and nothing else."))
    summary = reembed(home, settings=settings)
    # What was staged before is not embedded again; what came meanwhile is.
    assert summary.thoughts == len(WORDS) + 1 - min(2 * (at - 1), len(WORDS))
    assert_all_is_found(home, settings, "meadow")


@pytest.mark.parametrize("at", range(7))
def test_a_change_that_is_cut_off_is_done_by_whoever_opens_the_memory_next(
    home, settings, monkeypatch, at
):
    """The steps: take the mark, apply the rows, move both folders, clear up."""
    steps, was_cut = iter(range(100)), []

    def cutting(step, is_one=lambda *_: True):
        def run(*arguments, **options):
            if is_one(*arguments) and next(steps) == at:
                was_cut.append(True)
                raise Cut
            return step(*arguments, **options)

        return run

    def moves_an_index(path, *_):
        return path.name in {"index", "index.next", "WHOLE"}

    with monkeypatch.context() as patch:
        patch.setattr(changeover, "apply_staged", cutting(changeover.apply_staged))
        patch.setattr(changeover, "_clear_up", cutting(changeover._clear_up))
        patch.setattr(Path, "rename", cutting(Path.rename, moves_an_index))
        try:
            reembed(home, settings=settings)
        except Cut:
            assert was_cut
    assert bool(was_cut) == (at < 5), "there are other steps than five"
    assert_all_is_found(home, settings)
    assert model_of(home).startswith("endpoint/stub/")
    assert sorted(path.name for path in home.iterdir() if "index" in path.name) == ["index"]


def test_two_runs_at_once_are_one_too_many(home, settings):
    with hold_folder(home / "index.next", "reembed"), pytest.raises(StoreInUse):
        reembed(home, settings=settings)
    assert reembed(home, settings=settings).state == "changed"


def test_a_server_that_does_not_change_over_in_time_serves_on_and_changes_later(home, settings):
    with hold_folder(home, "serve"), memory(home) as app:
        summary = reembed(home, settings=settings, wait_s=0)
        assert (summary.state, summary.thoughts) == ("waiting", len(WORDS))
        app.think(ME, draft("Notes about the meadow, and nothing else."))
        assert app.look_up(ME, "notes meadow", limit=1)
    assert_all_is_found(home, settings, "meadow")
    assert model_of(home) == summary.encoder


def test_who_keeps_the_present_encoder_after_all_loses_only_what_waited(home, settings):
    with hold_folder(home, "serve"):
        reembed(home, settings=settings, wait_s=0)
        assert reembed(home, settings=Settings()).state == "unchanged"
    assert not (home / "index.next").exists()
    assert_all_is_found(home, Settings())


def test_another_encoder_than_the_one_that_waits_begins_anew(home, server, settings):
    with hold_folder(home, "serve"):
        reembed(home, settings=settings, wait_s=0)
    other = Settings(embedding=server.settings(dimensions=64))
    summary = reembed(home, settings=other)
    assert (summary.dimensions, summary.thoughts, summary.state) == (64, len(WORDS), "changed")
    assert_all_is_found(home, other)


def test_what_is_forgotten_meanwhile_does_not_come_back(home, settings):
    with hold_folder(home, "serve"), memory(home) as app:
        reembed(home, settings=settings, wait_s=0)
        [hit] = app.look_up(ME, "notes violin", limit=1)
        app.forget(ME, hit.thought_id, agent_id="ann")
    with memory(home, settings) as app:
        assert not any("violin" in hit.content for hit in app.look_up(ME, "notes violin"))
        assert len(app.indexes[0].ids()) == len(WORDS) - 1


def test_settings_alone_do_not_change_the_encoder_and_say_so(home, settings, caplog):
    with memory(home, settings) as app:
        assert app.embedder.name == SHIPPED
    assert "wellworn reembed" in caplog.text


def test_a_dead_endpoint_leaves_a_memory_that_finds_by_words(home, server, settings):
    reembed(home, settings=settings)
    server.statuses = [404] * 1_000
    with memory(home, settings) as app:
        assert "violin" in app.look_up(ME, "violin")[0].content
        assert "cedar" in app.search_documents(ME, "cedar", limit=1, sources=None)[0].text
        app.think(ME, draft("Notes about the meadow, and nothing else."))
        assert "meadow" in app.look_up(ME, "meadow")[0].content
        assert not app.health(ME).embedding
    [model] = [finding for finding in doctor(home).findings if finding.check == "model"]
    assert not model.ok
    assert "endpoint" in model.message


def test_a_memory_opens_while_its_endpoint_is_away_and_indexes_the_rest_later(
    home, server, settings
):
    with hold_folder(home, "serve"), memory(home) as app:
        reembed(home, settings=settings, wait_s=0)
        app.think(ME, draft("Notes about the meadow, and nothing else."))
    server.statuses = [404] * 1_000
    with memory(home, settings) as app:
        # Found by its words without the endpoint, and by meaning when that is back.
        assert app.unindexed == 0
        findable = app.health(ME).findable
        assert findable.by_words == findable.thoughts == findable.by_meaning + 1
        with pytest.raises(EmbeddingFailed):
            app.embedding.finish()
        server.statuses = []
        app.embedding.finish()
        assert app.health(ME).findable.is_embedded
    assert_all_is_found(home, settings, "meadow")


def test_a_backup_and_a_rebuild_keep_the_encoder(home, settings, tmp_path):
    encoder = reembed(home, settings=settings).encoder
    backup(home, tmp_path / "copy")
    restore(tmp_path / "restored", tmp_path / "copy")
    rebuild(home)
    for folder in (home, tmp_path / "restored"):
        assert model_of(folder) == encoder
        assert_all_is_found(folder, settings)


def test_there_must_be_a_memory(tmp_path, settings):
    with pytest.raises(NotFound):
        reembed(tmp_path, settings=settings)
