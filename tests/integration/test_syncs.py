"""Syncs of a folder: incremental, whole or not at all, and honest about what they could not do."""

from __future__ import annotations

import os

import pytest

from integration.sources_world import LOCAL, CountingEmbedder, Docs, embed_pending, opened
from wellworn.domain.sources import NewSource, SourceChanges, SourceSettings
from wellworn.domain.sources.connectors import folder
from wellworn.errors import EmbeddingFailed, InvalidInput, SourceNotFound
from wellworn.testing.vectors import ListVectorIndex

GUIDE = "# Guide\n\n## Backups\n\nKopia runs nightly at 03:00.\n\n## Servers\n\ncube is 10.0.0.7.\n"


@pytest.fixture
def world(empty, tmp_path):
    with opened(empty, tmp_path / "memory.db") as world:
        yield world


@pytest.fixture
def docs(world, tmp_path):
    return Docs(world, tmp_path / "docs")


def test_documents_of_a_folder_are_found_with_exact_spans(docs):
    docs.write("guide.md", GUIDE)
    docs.write("deep/er/notes.txt", "The lantern hangs in the harbour.")
    run = docs.sync()
    assert (run.status, run.message) == ("success", "2 new")
    [best, *_] = docs.search("when does kopia run")
    assert best.citation == "docs/guide.md#backups"
    whole = docs.world.sources.get_document(LOCAL, best.document_id).text
    assert whole[best.start : best.end] == best.text
    assert "Kopia" in best.text


def test_rows_of_a_long_table_are_found_with_the_head_of_it(docs):
    head = "| Article | Part | Pieces on hand |\n|---|---|---|"
    rows = [f"| ZQ-{n} | {'impeller' if n == 250 else 'rod'} | {n + 167} |" for n in range(400)]
    docs.write("stock.md", "\n".join(["# Stock list", "", head, *rows]) + "\n")
    docs.sync()
    [best, *_] = docs.search("ZQ-250")
    assert "| ZQ-250 | impeller | 417 |" in best.text
    assert best.table_head == head
    text = docs.world.sources.get_document(LOCAL, best.document_id).text
    assert text[best.start : best.end] == best.text
    [first, *_] = docs.search("ZQ-1")
    assert (first.text[:12], first.table_head) == ("# Stock list", "")


@pytest.mark.parametrize(
    ("name", "cell"),
    [("stock.txt", "{:<10}{:<12}{:>8}  {}\n"), ("stock.tsv.txt", "{}\t{}\t{}\t{}\n")],
)
def test_rows_aligned_without_lines_are_found_with_their_head(docs, name, cell):
    rows = [cell.format(f"ZQ-{at}", f"impeller {at}", at * 7, f"F{at}") for at in range(200, 320)]
    head = cell.format("Article", "Part", "Pieces", "Bin")
    docs.write(name, f"Stock list\n\n{head}{''.join(rows)}")
    docs.sync()
    best = next(one for one in docs.search("ZQ-310") if "ZQ-310" in one.text)
    assert best.table_head == head.rstrip()


def test_a_second_sync_reads_and_embeds_nothing(docs):
    docs.write("guide.md", GUIDE)
    docs.sync()
    before = docs.world.embedder.embedded
    assert docs.sync().message == "1 unchanged"
    assert docs.world.embedder.embedded == before


def test_a_file_that_was_only_touched_is_unchanged(docs):
    file = docs.write("guide.md", GUIDE)
    docs.sync()
    before = docs.world.embedder.embedded
    os.utime(file, ns=(1, 1))
    assert docs.sync().message == "1 unchanged"
    assert docs.world.embedder.embedded == before


def test_an_edit_of_the_same_size_and_time_is_seen(docs):
    file = docs.write("n.md", "The port is 8080.")
    docs.sync()
    before = file.stat()
    docs.write("n.md", "The port is 9090.")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert docs.sync().message == "1 changed"
    assert [one.text for one in docs.search("9090")] == ["The port is 9090."]


def test_a_file_in_the_place_of_another_with_its_size_and_time_is_seen(docs):
    file = docs.write("n.md", "The port is 8080.")
    docs.sync()
    before = file.stat()
    other = docs.write("n.md.new", "The port is 9090.")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.rename(file)
    assert docs.sync().message == "1 changed"


def test_all_files_are_read_again_where_that_is_asked(docs, monkeypatch):
    monkeypatch.setattr(folder, "_describe_version", lambda _: "always the same")
    docs.write("n.md", "The port is 8080.")
    docs.write("same.md", GUIDE)
    docs.sync()
    docs.write("n.md", "The port is 9090.")
    assert docs.sync().message == "2 unchanged"
    assert docs.sync(confirmed=True).message == "2 unchanged"
    assert docs.sync(rereads=True).message == "1 changed, 1 unchanged"
    assert docs.sync().message == "2 unchanged"


POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    "size 12345\n"
)


def test_a_pointer_to_a_file_is_not_taken_for_it(docs):
    docs.write("good.md", GUIDE)
    docs.write("lfs.md", POINTER)
    docs.write("lfs.pdf", POINTER.replace("oid", "ext-0-x sha256:1\noid"))
    docs.write("plain", POINTER)
    docs.write("annex.pdf", "/annex/objects/SHA256E-s31390--f50d7ac4.pdf\n")
    docs.write("locked.md", "../.git/annex/objects/3G/4k/SHA256E-s12--abc.md/SHA256E-s12--abc.md")
    docs.write("about.md", f"# Pointers\n\nA pointer begins so:\n\n{POINTER}")
    run = docs.sync()
    assert docs.paths() == {"good.md", "about.md"}
    reasons = {problem.path: problem.reason.partition(";")[0] for problem in run.problems}
    lfs = "a pointer of Git LFS, not the file itself"
    annex = "a pointer of git-annex, not the file itself"
    assert reasons == {
        "lfs.md": lfs,
        "lfs.pdf": lfs,
        "plain": lfs,
        "annex.pdf": annex,
        "locked.md": annex,
    }


def test_a_document_that_became_a_pointer_stays_as_it_was(docs):
    docs.write("guide.md", GUIDE)
    docs.sync()
    docs.write("guide.md", POINTER)
    docs.sync()
    [best, *_] = docs.search("when does kopia run")
    assert "Kopia" in best.text
    assert best.is_stale


def test_of_a_changed_document_only_new_chunks_are_embedded_and_the_others_keep_their_points(docs):
    docs.write("guide.md", GUIDE)
    docs.sync()
    docs.embed()
    points, before = set(docs.world.index.ids().tolist()), docs.world.embedder.embedded
    docs.write("guide.md", GUIDE.replace("03:00.", "03:00, and on Sundays twice."))
    assert docs.sync().message == "1 changed"
    docs.embed()
    assert docs.world.embedder.embedded == before + 1
    kept = points & set(docs.world.index.ids().tolist())
    assert len(kept) == 1
    [best, *_] = docs.search("cube")
    text = docs.world.sources.get_document(LOCAL, best.document_id).text
    assert text[best.start : best.end] == best.text == "## Servers\n\ncube is 10.0.0.7."


def test_what_was_said_before_a_change_is_found_no_more(docs):
    docs.write("guide.md", GUIDE)
    docs.sync()
    docs.write("guide.md", GUIDE.replace("10.0.0.7", "10.0.0.9"))
    docs.sync()
    assert not [one for one in docs.search("10.0.0.7") if one.is_exact]
    assert [one.text for one in docs.search("10.0.0.9") if one.is_exact]


def test_a_renamed_file_stays_the_document_it_was(docs):
    file = docs.write("old.md", GUIDE)
    docs.write("other.md", "# Other\n\nSomething else.\n")
    docs.sync()
    number, before = docs.documents()["old.md"].id, docs.world.embedder.embedded
    file.rename(docs.folder / "new.md")
    assert docs.sync().message == "1 moved, 1 unchanged"
    assert docs.documents()["new.md"].id == number
    assert docs.paths() == {"new.md", "other.md"}
    assert docs.world.embedder.embedded == before


def test_of_two_equal_files_one_can_go(docs):
    docs.write("one.md", GUIDE)
    docs.write("two.md", GUIDE)
    docs.sync()
    (docs.folder / "one.md").unlink()
    assert docs.sync().message == "1 gone, 1 unchanged"
    assert docs.paths() == {"two.md"}
    assert {one.path for one in docs.search("kopia")} == {"two.md"}


def test_a_file_that_comes_back_is_the_document_it_was(docs):
    for name in "abcde":
        docs.write(f"{name}.md", f"# {name}\n\nLantern {name}.\n")
    docs.sync()
    number = docs.documents()["a.md"].id
    said = (docs.folder / "a.md").read_text()
    (docs.folder / "a.md").unlink()
    docs.sync()
    assert "a.md" not in docs.paths()
    docs.write("a.md", said)
    docs.sync()
    assert docs.documents()["a.md"].id == number
    assert "a.md" in {one.path for one in docs.search("lantern a")}


def test_when_much_vanishes_somebody_is_asked_and_nothing_is_removed(docs):
    for name in "abcdefghij":
        docs.write(f"{name}.md", f"# {name}\n\nLantern {name}.\n")
    docs.sync()
    for name in "abcd":
        (docs.folder / f"{name}.md").unlink()
    run = docs.sync()
    assert run.status == "needs_confirmation"
    assert run.message.startswith("4 of 10 documents vanished")
    assert len(docs.paths()) == 10
    assert docs.sync(confirmed=True).message == "4 gone, 6 unchanged"
    assert len(docs.paths()) == 6


def test_a_folder_that_is_suddenly_empty_is_not_believed(docs):
    docs.write("a.md", GUIDE)
    docs.sync()
    (docs.folder / "a.md").unlink()
    assert docs.sync().status == "needs_confirmation"
    assert docs.search("kopia")


def test_a_folder_that_is_gone_leaves_what_was_there_and_says_what_to_do(docs):
    docs.write("a.md", GUIDE)
    docs.sync()
    docs.folder.rename(docs.folder.with_name("elsewhere"))
    run = docs.sync()
    assert run.status == "failed"
    assert "mount it again" in run.message
    assert docs.search("kopia")
    source = docs.status()
    assert source.sync_status == "failed"
    assert source.failures == 1
    assert source.next_attempt_at > docs.world.clock.now()
    docs.folder.with_name("elsewhere").rename(docs.folder)
    docs.sync()
    assert (docs.status().sync_status, docs.status().sync_error) == ("success", None)


def test_a_file_that_cannot_be_read_is_listed_with_the_reason_and_stops_nothing(docs):
    docs.write("good.md", GUIDE)
    docs.write("bad.pdf", b"%PDF-1.7\nnothing")
    docs.write("exe.pdf", b"\x7fELF" + bytes(4000))
    run = docs.sync()
    assert run.status == "partial"
    assert "2 could not be read" in run.message
    assert {one.path for one in run.problems} == {"bad.pdf", "exe.pdf"}
    assert docs.documents()["bad.pdf"].reason
    assert docs.paths() == {"good.md"}
    assert docs.search("kopia")
    docs.write("bad.pdf", GUIDE)
    docs.sync()
    assert "bad.pdf" in docs.paths()


def test_a_document_of_very_many_headings_says_that_the_first_divide_it(docs):
    docs.write("good.md", GUIDE)
    docs.write("crumbs.md", "# a\n" * 20_005 + "\nKopia runs nightly.\n")
    assert docs.sync().status == "success"
    flags = {path: one.metadata.get("flags") for path, one in docs.documents().items()}
    assert flags == {
        "good.md": None,
        "crumbs.md": ["only the first of its many headings divide it; split it"],
    }
    assert {hit.citation.partition("#")[0] for hit in docs.search("kopia")} == {
        "docs/good.md",
        "docs/crumbs.md",
    }


def test_a_document_that_became_unreadable_is_served_as_it_was_and_called_stale(docs):
    docs.write("guide.md", GUIDE)
    docs.write("other.md", "# Other\n\nSomething.\n")
    docs.sync()
    docs.write("guide.md", b"\x7fELF" + bytes(4000))
    assert docs.sync().status == "partial"
    assert docs.documents()["guide.md"].state == "stale"
    [best, *_] = docs.search("kopia nightly")
    assert best.is_stale


def test_links_out_of_the_folder_are_not_followed(docs, tmp_path):
    secret = tmp_path / "secret.md"
    secret.write_text("# Passwords\n\nThe lantern is under the mat.\n")
    docs.write("good.md", GUIDE)
    (docs.folder / "link.md").symlink_to(secret)
    (docs.folder / "out").symlink_to(tmp_path, target_is_directory=True)
    run = docs.sync()
    assert docs.paths() == {"good.md"}
    assert [one.path for one in run.problems] == ["link.md"]


def test_hidden_files_and_other_kinds_are_passed_over(docs):
    docs.write("good.md", GUIDE)
    docs.write(".git/config.md", "# no\n")
    docs.write(".gitignore", "*.pyc\n")
    docs.write("picture.png", b"\x89PNG")
    assert docs.sync().message == "1 new; 1 file was passed over: 1 .png"
    assert set(docs.documents()) == {"good.md"}


def test_hidden_folders_are_named_with_the_option_that_includes_them(docs):
    docs.write("good.md", GUIDE)
    for name in (".notes/a.md", "deep/.more/b.md", ".draft.md", ".x/c.md", ".git/d.md"):
        docs.write(name, f"# {name}\n")
    assert docs.sync().message == (
        "1 new; hidden, and passed over: .draft.md, .notes/, .x/, 1 more "
        "(the option hidden includes them)"
    )


def test_linked_folders_are_named_and_what_editors_set_aside_is_no_document(docs, tmp_path):
    docs.write("good.md", GUIDE)
    for name in ("README~", "#notes#", "config.yaml~", "~$plan.docx"):
        docs.write(name, "# Old words\n")
    (tmp_path / "other").mkdir()
    for name in ("linked", "l\udce9", "l3", "l4"):
        (docs.folder / name).symlink_to(tmp_path / "other", target_is_directory=True)
    assert docs.sync().message == (
        "1 new; 4 files were passed over: 3 of other kinds, 1 .docx; links to folders, and not "
        "followed: l3/, l4/, linked/, 1 more (add such a folder by itself)"
    )
    assert docs.paths() == {"good.md"}


def test_hidden_folders_are_read_where_that_is_asked(world, tmp_path):
    docs = Docs(world, tmp_path / "docs", hidden=True)
    for name in ("good.md", ".notes/a.md", ".draft.md", ".git/d.md", ".git/HEAD"):
        docs.write(name, f"# {name}\n")
    assert docs.sync().message == "3 new"
    assert docs.paths() == {"good.md", ".notes/a.md", ".draft.md"}


def test_names_that_differ_in_case_or_form_are_two_documents(docs):
    docs.write("README.md", "# One\n\nFirst lantern.\n")
    docs.write("readme.md", "# Two\n\nSecond lantern.\n")
    docs.write("caf\u00e9.md", "# Three\n\nThird.\n")
    docs.write("cafe\u0301.md", "# Four\n\nFourth.\n")
    docs.sync()
    assert len(docs.paths()) == 4


def test_a_failing_encoder_keeps_nothing_from_being_found_by_its_words(docs):
    docs.write("guide.md", GUIDE)
    docs.sync()
    docs.write("guide.md", "# Guide\n\nAll new words of quartz.\n")
    docs.write("more.md", "# More\n\nViolin.\n")

    def broken(_texts):
        raise EmbeddingFailed("the embedding model could not be run")

    asked = docs.world.embedder.encode_query("quartz")
    docs.world.embedder.encode = broken
    assert docs.sync().message == "1 new, 1 changed"
    with pytest.raises(EmbeddingFailed, match="could not be run"):
        docs.embed()
    found = docs.world.sources.search_encoded(LOCAL, "quartz", asked, limit=5)
    assert [one.path for one in found] == ["guide.md"]
    del docs.world.embedder.encode
    docs.embed()
    assert {one.path for one in docs.search("quartz")} == {"guide.md", "more.md"}


def test_a_killed_sync_goes_on_from_what_it_had_made_ready(empty, tmp_path, monkeypatch):
    index, embedder = ListVectorIndex(), CountingEmbedder()
    path = tmp_path / "memory.db"
    with opened(empty, path, index=index, embedder=embedder) as world:
        docs = Docs(world, tmp_path / "docs")
        docs.write("first.md", "# First\n\nA violin.\n")
        docs.sync()
        docs.embed()
        for number in range(150):
            docs.write(f"{number:03}.md", f"# Part {number}\n\nLantern number{number}.\n")
        syncer = world.sources._syncer
        monkeypatch.setattr(syncer, "_publish", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            docs.sync()
        assert len(index.ids()) == 151
        # Nothing of it is visible before all of it is.
        assert docs.paths() == {"first.md"}
        assert {one.path for one in docs.search("lantern")} == {"first.md"}
        monkeypatch.undo()
    with opened(empty, path, index=index, embedder=embedder) as world:
        world.sources.mark_interrupted()
        run, _ = world.sources.sync(LOCAL, docs.source.id)
        assert run.message == "150 new, 1 unchanged"
        # What had been indexed before is not indexed again.
        assert "indexed" not in run.counts
        embed_pending(world)
        # Each once, and the query.
        assert embedder.embedded == 152
        assert len(world.sources.search(LOCAL, "lantern", limit=200)) >= 50


def test_the_documents_of_a_first_sync_are_found_by_their_words_while_others_are_read(docs):
    for number in range(700):
        docs.write(f"{number:03}.md", f"# Part {number}\n\nLantern number{number}.\n")
    seen = []
    docs.sync(check=lambda: seen.append([one.path for one in docs.search("number3", limit=1)]))
    assert seen[0] == []
    assert seen[-1] == ["003.md"]
    assert docs.sync().message == "700 unchanged"


def test_a_first_sync_that_is_killed_goes_on_with_what_it_had_not_read(empty, tmp_path):
    path, index, embedder = tmp_path / "memory.db", ListVectorIndex(), CountingEmbedder()
    with opened(empty, path, index=index, embedder=embedder) as world:
        docs = Docs(world, tmp_path / "docs")
        for number in range(600):
            docs.write(f"{number:03}.md", f"# Part {number}\n\nLantern number{number}.\n")

        def die():
            if len(docs.paths()) >= 256:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            docs.sync(check=die)
        here = docs.paths()
        assert 256 <= len(here) < 600
    with opened(empty, path, index=index, embedder=embedder) as world:
        world.sources.mark_interrupted()
        run, changed = world.sources.sync(LOCAL, docs.source.id)
        assert run.message == f"{600 - len(here)} new, {len(here)} unchanged"
        assert len(changed) == 600
        embed_pending(world)
        assert embedder.embedded == 600


def test_what_waited_and_is_out_of_date_goes(docs, monkeypatch):
    file = docs.write("guide.md", GUIDE)
    with monkeypatch.context() as patch:
        patch.setattr(docs.world.sources._syncer, "_publish", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            docs.sync()
    file.write_text("# Guide\n\nAll new.\n")
    docs.sync()
    assert len(docs.world.index.ids()) == 1
    assert not [one for one in docs.search("10.0.0.7") if one.is_exact]


def test_secrets_are_taken_out_before_anything_is_kept(docs):
    token = "ghp_" + "a1B2" * 9
    docs.write("env.md", f"# Setup\n\nUse HDRPOP_ANALYTICS_TOKEN. The token is {token}.\n")
    docs.sync()
    text = docs.world.sources.get_document(LOCAL, docs.documents()["env.md"].id).text
    assert token not in text
    assert "HDRPOP_ANALYTICS_TOKEN" in text
    [note] = docs.world.sources.list_secret_notes(LOCAL, docs.source.id)
    assert (note.path, note.line) == ("env.md", 3)
    assert docs.search("HDRPOP_ANALYTICS_TOKEN")[0].is_exact


def test_a_source_is_removed_with_all_that_came_from_it(docs):
    docs.write("guide.md", GUIDE)
    docs.sync()
    number = docs.documents()["guide.md"].id
    assert docs.world.sources.remove(LOCAL, docs.source.id) == [number]
    assert docs.world.index.ids().size == 0
    assert docs.search("kopia") == []
    with pytest.raises(SourceNotFound):
        docs.status()


def test_the_words_of_a_source_that_is_removed_stay_in_no_file_of_the_database(docs, tmp_path):
    docs.write("guide.md", GUIDE)
    docs.sync()
    docs.world.database.scrub_if_due()
    docs.world.sources.remove(LOCAL, docs.source.id)
    assert docs.world.database.scrub_if_due()
    for file in tmp_path.glob("memory.db*"):
        assert b"Kopia runs nightly" not in file.read_bytes()


def test_quotas_hold(empty, tmp_path):
    settings = SourceSettings(most_documents=2, most_sources=1)
    with opened(empty, tmp_path / "memory.db", settings=settings) as world:
        docs = Docs(world, tmp_path / "docs")
        for name in "abc":
            docs.write(f"{name}.md", f"# {name}\n\nLantern.\n")
        run = docs.sync()
        assert run.status == "partial"
        assert "as many documents as it may" in run.problems[0].reason
        assert len(docs.paths()) == 2
        with pytest.raises(InvalidInput, match="maximum number of sources"):
            Docs(world, tmp_path / "more")


def test_a_note_changes_with_what_it_says(world):
    note = world.sources.create(
        LOCAL, NewSource("manual_note", "On call", {"title": "On call", "text": "Ring the bell."})
    )
    world.sources.sync(LOCAL, note.id)
    assert world.sources.search(LOCAL, "bell")[0].text.endswith("Ring the bell.")
    changes = SourceChanges(config={"title": "On call", "text": "Blow the horn."})
    world.sources.change(LOCAL, note.id, changes)
    world.sources.sync(LOCAL, note.id)
    [found] = world.sources.search(LOCAL, "horn")
    assert found.text.endswith("Blow the horn.")


def test_an_upload_is_replaced_by_one_of_its_name(world):
    files = world.sources.create(LOCAL, NewSource("upload", "files", {}))
    run, _ = world.sources.upload(LOCAL, files.id, "a/b.md", GUIDE.encode(), media_type=None)
    assert run.message == "1 new"
    world.sources.upload(LOCAL, files.id, "a/b.md", b"# Guide\n\nNew.\n", media_type=None)
    world.sources.upload(LOCAL, files.id, "c.md", b"# C\n\nOther.\n", media_type=None)
    assert {one.path for one in world.sources.list_documents(LOCAL)} == {"a/b.md", "c.md"}
    assert world.sources.search(LOCAL, "guide new")[0].text == "# Guide\n\nNew."
    assert not [one for one in world.sources.search(LOCAL, "10.0.0.7") if one.is_exact]
    with pytest.raises(InvalidInput):
        world.sources.upload(LOCAL, files.id, "../x.md", b"# C", media_type=None)


def test_an_empty_upload_replaces_nothing(world):
    source = world.sources.create(LOCAL, NewSource("upload", "files", {}))
    world.sources.upload(LOCAL, source.id, "guide.md", GUIDE.encode(), media_type=None)
    run, _ = world.sources.upload(LOCAL, source.id, "guide.md", b" \n", media_type=None)
    assert (run.status, run.problems[0].path) == ("failed", "guide.md")
    assert run.problems[0].reason.startswith("the file is empty")
    [best, *_] = world.sources.search(LOCAL, "when does kopia run")
    assert "Kopia" in best.text


def test_secrets_of_a_source_are_kept_encrypted_and_never_shown(world):
    new = NewSource("git_repo", "code", {"repo_url": "https://example.org/x.git"}, secret="ghp_zzz")
    made = world.sources.create(LOCAL, new)
    assert made.has_secret
    assert made.secret is None
    with world.database.read() as transaction:
        rows = transaction.exec_driver_sql("SELECT config, secret FROM knowledge_sources").all()
    assert "ghp_zzz" not in str(rows)


@pytest.mark.parametrize(
    ("kind", "config", "said"),
    [
        ("url", {"url": "ftp://example.org/x"}, "https"),
        ("url", {"url": "https://user:pw@example.org/"}, "config.url"),
        ("url", {}, "config.url is required"),
        ("url", {"url": "https://example.org/", "depth": 3}, "unknown field"),
        ("folder", {"path": "relative/x"}, "absolute"),
        ("folder", {"path": 7}, "one line"),
        ("manual_note", {"text": " "}, "non-empty"),
        ("git_repo", {"repo_url": "ext::sh -c true"}, "config.repo_url"),
        ("gopher", {}, "source_type must be one of"),
    ],
)
def test_what_cannot_be_a_source_is_refused_with_what_to_change(world, kind, config, said):
    with pytest.raises(InvalidInput, match=said):
        world.sources.create(LOCAL, NewSource(kind, "x", config))


@pytest.mark.parametrize("schedule", ["* * * * *", "0 0 30 2 *", "61 * * * *", "0 * * * * *", "x"])
def test_schedules_that_cannot_be_or_come_too_often_are_refused(world, schedule):
    config = {"title": "t", "text": "words"}
    with pytest.raises(InvalidInput, match="sync_schedule"):
        world.sources.create(LOCAL, NewSource("manual_note", "x", config, sync_schedule=schedule))
