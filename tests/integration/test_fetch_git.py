"""Branches of real repositories over git's own HTTP server: what changed, and nothing that runs."""

from __future__ import annotations

import base64
import os
from collections import Counter
from contextlib import closing

import pytest

from integration.fetch_servers import LOOPBACK, names
from integration.git_servers import SUBMODULE, SYMLINK, GitServer, Repository
from wellworn.engines.fetch import Failed, FailureKind, FetchSettings, GitMirror
from wellworn.engines.fetch.models import GitTree
from wellworn.kit.clock import format_day

TOKEN = "ghp_do_not_tell_anybody_0123456789"
RESOLVER = names(docs="127.0.0.1")


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "served" / "docs.git")


@pytest.fixture
def server(repository):
    with closing(GitServer(repository.folder.parent)) as server:
        yield server


@pytest.fixture
def scratch(tmp_path):
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.fixture
def mirror(scratch):
    with _mirror(scratch) as mirror:
        yield mirror


def _mirror(scratch, resolver=RESOLVER, **settings):
    chosen = FetchSettings(**({"private_networks": LOOPBACK, "git_timeout_s": 30.0} | settings))
    return GitMirror(chosen, folder=scratch, resolver=resolver)


def _everything(path: str) -> bool:
    return True


def _tree(branch) -> GitTree:
    tree = branch.tree(_everything)
    assert isinstance(tree, GitTree)
    return tree


def _texts(branch) -> dict[str, bytes]:
    tree = _tree(branch)
    contents = dict(branch.blobs(file.oid for file in tree.files))
    return {file.path: contents[file.oid] for file in tree.files}


def _failed(outcome, kind: FailureKind) -> str:
    assert isinstance(outcome, Failed)
    assert outcome.kind is kind
    return outcome.message


def _posts(server) -> int:
    return sum(path.endswith("/git-upload-pack") for path, _ in server.asked)


def test_the_files_of_the_main_branch_come_with_their_bytes(repository, server, mirror):
    files = {"a.md": b"one\r\n", "deep/er/b.md": b"\x00two", "empty.md": b""}
    commit = repository.commit(files)
    branch = mirror.open(server.url(host="docs.example"))
    assert branch.head() == commit
    assert _tree(branch).commit == commit
    assert _texts(branch) == files


def test_another_branch_is_read_by_its_name(repository, server, mirror):
    repository.commit({"a.md": b"main"})
    commit = repository.commit({"a.md": b"other"}, branch="release/1.0")
    branch = mirror.open(server.url(), "release/1.0")
    assert branch.head() == commit
    assert _texts(branch) == {"a.md": b"other"}


def test_only_wanted_files_are_listed_and_only_asked_ones_fetched(repository, server, mirror):
    repository.commit({"a.md": b"one", "b.md": b"two", "c.png": b"three"})
    branch = mirror.open(server.url())
    tree = branch.tree(lambda path: path.endswith(".md"))
    assert [file.path for file in tree.files] == ["a.md", "b.md"]
    first = tree.files[0].oid
    assert list(branch.blobs([first])) == [(first, b"one")]
    assert set(branch._sizes()) == {first}


def test_all_files_come_in_one_question_and_known_ones_in_none(repository, server, mirror):
    repository.commit({f"{number}.md": str(number).encode() for number in range(300)})
    branch = mirror.open(server.url())
    oids = [file.oid for file in _tree(branch).files]
    before = _posts(server)
    assert len(dict(branch.blobs(oids))) == 300
    assert _posts(server) - before == 1
    asked = len(server.asked)
    assert len(dict(branch.blobs(oids))) == 300
    assert len(server.asked) == asked


def test_equal_files_are_one_object_that_comes_once(repository, server, mirror):
    repository.commit({"a.md": b"same", "b.md": b"same"})
    branch = mirror.open(server.url())
    oids = Counter(file.oid for file in _tree(branch).files)
    assert list(oids.values()) == [2]
    assert list(branch.blobs(list(oids.elements()))) == [(next(iter(oids)), b"same")]


def test_a_renamed_file_keeps_its_object(repository, server, mirror):
    repository.commit({"a.md": b"text", "b.md": b"more"})
    before = {file.path: file.oid for file in _tree(mirror.open(server.url())).files}
    repository.commit({"moved/a.md": b"text", "b.md": b"more"})
    after = {file.path: file.oid for file in _tree(mirror.open(server.url())).files}
    assert after == {"moved/a.md": before["a.md"], "b.md": before["b.md"]}


def test_a_forced_push_is_read_as_it_is_now(repository, server, mirror):
    repository.commit({"a.md": b"one", "b.md": b"two"})
    branch = mirror.open(server.url())
    assert set(_texts(branch)) == {"a.md", "b.md"}
    commit = repository.commit({"c.md": b"three"})
    assert branch.head() == commit
    assert _texts(branch) == {"c.md": b"three"}


def test_a_deleted_branch_is_gone_and_says_so(repository, server, mirror):
    repository.commit({"a.md": b"one"})
    repository.commit({"a.md": b"two"}, branch="draft")
    repository.remove("draft")
    branch = mirror.open(server.url(), "draft")
    for outcome in (branch.head(), branch.tree(_everything)):
        assert "branch draft is gone" in _failed(outcome, FailureKind.NOT_FOUND)


def test_an_empty_repository_says_so(server, mirror):
    branch = mirror.open(server.url())
    for outcome in (branch.head(), branch.tree(_everything)):
        assert "is empty" in _failed(outcome, FailureKind.NOT_FOUND)


def test_a_repository_that_is_not_there_says_so(server, mirror):
    branch = mirror.open(server.url("nothing.git"))
    assert "no repository" in _failed(branch.head(), FailureKind.NOT_FOUND)


def test_links_and_submodules_are_skipped_with_a_reason(repository, server, mirror):
    link = repository.blob(b"/etc/passwd")
    repository.commit({"a.md": b"one", "link.md": (SYMLINK, link), "sub": (SUBMODULE, "1" * 40)})
    tree = _tree(mirror.open(server.url()))
    assert [file.path for file in tree.files] == ["a.md"]
    assert [(each.path, each.reason.split(";")[0]) for each in tree.skipped] == [
        ("link.md", "a symbolic link is not followed"),
        ("sub", "a submodule is not fetched"),
    ]


def test_nothing_that_a_repository_brings_along_runs(repository, server, mirror, tmp_path):
    canary = tmp_path / "canary"
    files = {
        ".gitattributes": b"* filter=evil diff=evil\n",
        ".gitmodules": f'[submodule "x"]\npath = x\nurl = ext::touch% {canary}\n'.encode(),
        ".gitconfig": f"[core]\nfsmonitor = touch {canary}\n".encode(),
        "hooks/post-checkout": f"#!/bin/sh\ntouch {canary}\n".encode(),
        "a.md": b"one",
        "x": (SUBMODULE, "1" * 40),
    }
    repository.commit(files)
    texts = _texts(mirror.open(server.url()))
    assert texts == {name: data for name, data in files.items() if isinstance(data, bytes)}
    assert not canary.exists()


def test_names_that_differ_only_a_little_are_files_of_their_own(repository, server, mirror):
    long = "/".join(["n" * 200] * 20) + ".md"
    files = {
        "README.md": b"1",
        "readme.md": b"2",
        b"caf\xe9.md": b"3",
        "café.md": b"4",
        "new\nline.md": b"5",
        "abc\u202egpj.md": b"6",
        "-rf.md": b"7",
        long: b"8",
    }
    repository.commit(files)
    texts = _texts(mirror.open(server.url()))
    assert texts == {
        "README.md": b"1",
        "readme.md": b"2",
        r'"caf\351.md"': b"3",
        "café.md": b"4",
        r'"new\nline.md"': b"5",
        r'"abc\342\200\256gpj.md"': b"6",
        "-rf.md": b"7",
        long: b"8",
    }


def test_a_huge_file_is_over_the_limit_and_the_others_come(repository, server, scratch):
    huge = os.urandom(3_000_000)
    repository.commit({"a.md": b"one", "huge.md": huge, "b.md": b"two"})
    with _mirror(scratch, git_most_bytes=1_000_000, most_bytes=500_000) as mirror:
        texts = _texts(mirror.open(server.url()))
        assert (texts["a.md"], texts["b.md"]) == (b"one", b"two")
        assert "500,000 bytes" in _failed(texts["huge.md"], FailureKind.TOO_LARGE)


def test_a_file_just_at_the_limit_comes(repository, server, scratch):
    repository.commit({"fits.md": bytes(1_000), "over.md": bytes(1_001)})
    with _mirror(scratch, most_bytes=1_000) as mirror:
        texts = _texts(mirror.open(server.url()))
        assert texts["fits.md"] == bytes(1_000)
        _failed(texts["over.md"], FailureKind.TOO_LARGE)


def test_a_repository_with_more_than_the_limit_is_refused(tmp_path, scratch):
    repository = Repository(tmp_path / "served" / "docs.git", filters=False)
    repository.commit({"a.md": b"one", "huge.bin": os.urandom(3_000_000)})
    with (
        closing(GitServer(repository.folder.parent)) as server,
        _mirror(scratch, git_most_bytes=1_000_000) as mirror,
    ):
        outcome = mirror.open(server.url()).tree(_everything)
        assert "1,000,000 bytes" in _failed(outcome, FailureKind.TOO_LARGE)
        assert not list(scratch.rglob("tmp_pack*"))


def test_a_repository_with_too_many_files_is_refused(repository, server, scratch):
    repository.commit({f"{number}.md": b"x" for number in range(11)})
    with _mirror(scratch, git_most_files=10) as mirror:
        outcome = mirror.open(server.url()).tree(_everything)
    assert "10 files" in _failed(outcome, FailureKind.TOO_LARGE)


def test_a_tree_that_repeats_itself_without_end_is_refused(repository, server, scratch):
    oid = repository.blob(b"x")
    tree = repository._tree({f"f{number}.md".encode(): ("100644", oid) for number in range(10)})
    for _ in range(9):
        tree = repository._tree({b"d%d" % number: ("40000", tree) for number in range(10)})
    commit = repository._call("commit-tree", tree, "-m", "bomb")
    repository._call("update-ref", "refs/heads/main", commit)
    with _mirror(scratch, git_most_files=1_000) as mirror:
        outcome = mirror.open(server.url()).tree(_everything)
    assert "1,000 files" in _failed(outcome, FailureKind.TOO_LARGE)


def test_a_server_without_filters_is_read_all_the_same(tmp_path, mirror):
    repository = Repository(tmp_path / "served" / "docs.git", filters=False)
    repository.commit({"a.md": b"one", "b.md": b"two"})
    with closing(GitServer(repository.folder.parent)) as server:
        branch = mirror.open(server.url())
        assert _texts(branch) == {"a.md": b"one", "b.md": b"two"}
        # The history would come with every file that ever was.
        assert branch.load_dates() == {}


@pytest.mark.parametrize(
    ("token", "sent"),
    [(TOKEN, f"x-access-token:{TOKEN}"), (f"ada:{TOKEN}", f"ada:{TOKEN}")],
)
def test_a_token_goes_to_the_server_as_a_password(repository, server, mirror, token, sent):
    repository.commit({"a.md": b"one"})
    _texts(mirror.open(server.url(), token=token))
    expected = "Basic " + base64.b64encode(sent.encode()).decode()
    assert {headers.get("Authorization") for _, headers in server.asked} == {expected}


def test_everything_is_deleted_afterwards(repository, server, scratch):
    repository.commit({"a.md": b"secret"})
    with _mirror(scratch) as mirror:
        _texts(mirror.open(server.url()))
        assert list(scratch.iterdir())
    assert list(scratch.iterdir()) == []


def test_two_branches_can_be_open_at_once(repository, server, mirror):
    repository.commit({"a.md": b"one"})
    repository.commit({"a.md": b"two"}, branch="draft")
    main, draft = mirror.open(server.url()), mirror.open(server.url(), "draft")
    assert (_texts(draft), _texts(main)) == ({"a.md": b"two"}, {"a.md": b"one"})


def _dates(branch) -> dict[str, str]:
    _tree(branch)
    return {path: format_day(moment) for path, moment in branch.load_dates().items()}


def test_each_path_has_the_day_of_the_last_commit_that_changed_it(repository, server, mirror):
    first = repository.commit({"a.md": b"one", "deep/b c.md": b"two"}, day="2021-03-04")
    files = {"a.md": b"other", "deep/b c.md": b"two", b"\xff.md": b"new"}
    repository.commit(files, parent=first, day="2025-06-07")
    assert _dates(mirror.open(server.url())) == {
        "a.md": "2025-06-07",
        "deep/b c.md": "2021-03-04",
        '"\\377.md"': "2025-06-07",
    }


def test_what_the_history_that_is_read_did_not_touch_has_no_date(
    repository, server, mirror, monkeypatch
):
    monkeypatch.setattr("wellworn.engines.fetch.gitbranch._HISTORY", 2)
    files = {"old.md": b"one"}
    commit = repository.commit(files, day="2021-01-01")
    for day, name in (("2022-01-01", "mid.md"), ("2023-01-01", "new.md")):
        files = {**files, name: b"two"}
        commit = repository.commit(files, parent=commit, day=day)
    assert _dates(mirror.open(server.url())) == {"new.md": "2023-01-01"}


def test_without_a_history_there_are_no_dates(repository, server, mirror):
    repository.commit({"a.md": b"one"})
    branch = mirror.open(server.url())
    _tree(branch)
    server.status = 500
    assert branch.load_dates() == {}
