"""Repositories that mean harm, or that change under a sync; served by git's own HTTP server."""

from __future__ import annotations

import logging
import os
import subprocess
from contextlib import closing

import pytest

from integration.fetch_servers import LOOPBACK
from integration.git_servers import SUBMODULE, SYMLINK, GitServer, Repository
from integration.hostile_world import (
    BETTER,
    GOOD,
    Kept,
    files_below,
    holders,
    recovered,
    survived,
    told_well,
)
from integration.sources_world import LOCAL, opened
from wellworn.domain.sources import NewSource
from wellworn.engines.fetch import FetchSettings
from wellworn.errors import InvalidInput

TOKEN = "ghp_" + "x7Kq2" * 8
LIMITS = FetchSettings(private_networks=LOOPBACK, retry_waits_s=(), most_bytes=50_000)


def note(words, title="Backups"):
    return f"# {title}\n\n{words}\n".encode()


@pytest.fixture
def repository(tmp_path):
    made = Repository(tmp_path / "served" / "docs.git")
    made.commit({"guide.md": note(GOOD)})
    return made


@pytest.fixture
def server(repository):
    with closing(GitServer(repository.folder.parent)) as server:
        yield server


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """Where the system keeps temporary files, for this test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def world(empty, home, scratch):
    with opened(empty, home / "memory.db", fetch=LIMITS) as world:
        yield world
    assert files_below(scratch) == []


def of(world, server, **more):
    return Kept(world, "git_repo", {"repo_url": server.url(), **more}, name="repo")


@pytest.fixture
def repo(world, server):
    """A repository that was synced once and well."""
    repo = of(world, server)
    assert repo.sync().message == "1 new"
    return repo


def problems(run):
    return {one.path: one.reason for one in run.problems}


# 12
@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ext::sh -c touch% {mark}", "https"),
        ("file:///etc", "https"),
        ("/etc", "no web address"),
        ("../docs.git", "no web address"),
        ("ssh://-oProxyCommand=touch%20{mark}/x", "https"),
        ("git@docs.example:docs.git", "https|no web address"),
        ("git://docs.example/docs.git", "https"),
        ("--upload-pack=touch {mark}", "no web address"),
        ("-u./evil", "no web address"),
        ("https://me:pw@docs.example/docs.git", "user name or password"),
    ],
)
def test_an_address_that_git_would_run_a_program_for_is_refused_when_it_is_given(
    world, home, url, said
):
    mark = home / "ran"
    with pytest.raises(InvalidInput, match=said):
        Kept(world, "git_repo", {"repo_url": url.format(mark=mark)})
    assert not mark.exists()
    assert world.sources.list_sources(LOCAL) == []


# 12
@pytest.mark.parametrize("branch", ["--upload-pack=touch ran", "a..b", "x:refs/heads/y", "@{-1}"])
def test_a_branch_that_git_would_take_for_something_else_never_reaches_it(
    world, server, branch, monkeypatch
):
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("git was started"))
    run = of(world, server, branch=branch).sync()
    assert run.status == "blocked_by_policy"
    told_well(run, "No branch can have this name; give the source the name of a branch")


# 12
def test_a_repository_inside_is_blocked_and_git_connects_to_nothing(
    empty, home, scratch, server, monkeypatch
):
    with opened(empty, home / "memory.db", fetch=FetchSettings()) as world:
        run = of(world, server).sync()
    assert run.status == "blocked_by_policy"
    told_well(run, "resolves to a private address")
    assert server.asked == []


# 5
def test_a_repository_that_moved_elsewhere_is_not_followed(repo, repository, server):
    with closing(GitServer(repository.folder.parent)) as other:
        server.status, server.location = 301, f"{other.url()}/info/refs?service=git-upload-pack"
        survived(repo, repo.sync(), "blocked_by_policy", "is at another address; give that one")
        assert other.asked == []
    server.status = None
    repository.commit({"guide.md": note(BETTER)})
    recovered(repo)


# 11
def test_a_token_for_a_repository_is_in_nothing_that_is_kept_or_seen(
    world, server, home, scratch, monkeypatch, caplog
):
    caplog.set_level(logging.DEBUG)
    seen, real = [], subprocess.Popen

    def watched(command, *rest, **more):
        seen.append(" ".join(map(str, command)))
        return real(command, *rest, **more)

    monkeypatch.setattr("subprocess.Popen", watched)
    repo = Kept(world, "git_repo", {"repo_url": server.url()}, secret=TOKEN)
    assert repo.sync().status == "success"
    server.status = 401
    run = repo.sync()
    survived(repo, run, "needs_login", "give the source a token that may|wants a login")
    assert any("fetch" in one for one in seen)
    assert TOKEN not in "".join(seen) + str(run) + str(repo.status()) + caplog.text
    assert holders(home, TOKEN) == []
    assert holders(scratch, TOKEN) == []
    assert "Authorization" in server.asked[0][1]


# 13
@pytest.mark.parametrize("target", ["/etc/passwd", "../../../../etc/passwd", "guide.md"])
def test_a_link_in_a_repository_is_listed_and_never_followed(repo, repository, target):
    repository.commit(
        {"guide.md": note(BETTER), "link.md": (SYMLINK, repository.blob(target.encode()))}
    )
    run = repo.sync()
    assert (run.status, run.message) == ("partial", "1 changed; 1 could not be read")
    assert problems(run) == {"link.md": "a symbolic link is not followed"}
    assert "root:" not in str(repo.search("root passwd"))
    repository.commit({"guide.md": note(BETTER)})
    recovered(repo)


# 14
def test_hooks_filters_and_submodules_of_a_repository_run_nothing(repo, repository, home):
    mark = home / "ran"
    script = f"#!/bin/sh\ntouch {mark}\n".encode()
    modules = f'[submodule "x"]\n\tpath = x.md\n\turl = ext::sh -c touch% {mark}\n'
    commit = repository.commit({"x": b"x"}, branch="other")
    repository.commit(
        {
            "guide.md": note(BETTER),
            ".gitattributes": b"*.md filter=evil diff=evil\n",
            ".gitconfig": f'[filter "evil"]\n\tsmudge = touch {mark}\n'.encode(),
            ".gitmodules": modules.encode(),
            ".githooks/post-checkout": script,
            "hooks/post-checkout": ("100755", repository.blob(script)),
            "x.md": (SUBMODULE, commit),
        }
    )
    run = repo.sync()
    assert not mark.exists()
    # git's own check may refuse the whole repository; if not, what is good of it is there.
    if run.status == "failed":
        told_well(run, "holds what git takes for an attack")
        assert repo.says(GOOD)
    else:
        assert problems(run) == {}
        assert "submodules, and not fetched: x.md (add them as sources)" in run.message
        assert repo.says(BETTER)
    repository.commit({"guide.md": note(BETTER)})
    recovered(repo)


# 15
def test_a_file_over_the_limit_is_named_and_the_others_are_there(repo, repository):
    repository.commit(
        {"guide.md": note(BETTER), "huge.md": b"x" * 60_000, "more.md": note("Ring the bell.")}
    )
    run = repo.sync()
    assert (run.status, run.message) == ("partial", "1 new, 1 changed; 1 could not be read")
    assert problems(run) == {
        "huge.md": "The file is larger than 50,000 bytes; leave it out, or raise most_bytes in the"
        " fetch settings."
    }
    assert repo.says(BETTER)
    assert repo.says("Ring the bell.")
    repository.commit({"guide.md": note(BETTER)})
    repo.sync()
    recovered(repo)


# 15
def test_a_pack_over_the_limit_is_stopped_and_the_last_good_state_stays(
    empty, home, scratch, server, repository
):
    fetch = LIMITS.model_copy(update={"git_most_bytes": 20_000})
    with opened(empty, home / "memory.db", fetch=fetch) as world:
        repo = of(world, server)
        repo.sync()
        files = {f"{number}.md": os.urandom(15_000).hex().encode() for number in range(10)}
        repository.commit({"guide.md": note(BETTER), **files})
        run = repo.sync()
        told = {one.reason for one in run.problems} or {run.message}
        assert all("sends more than 20,000 bytes; choose fewer paths" in one for one in told)
        assert run.status in {"failed", "partial"}
        assert repo.says(GOOD)
        repository.commit({"guide.md": note(BETTER)})
        repo.sync(confirmed=True)
        recovered(repo)
    assert files_below(scratch) == []


# 16
def test_a_branch_that_was_forced_elsewhere_is_followed_exactly(repo, repository):
    repository.commit({f"{name}.md": note(f"Lantern {name}.", name) for name in "abcdefgh"})
    repo.sync(confirmed=True)
    before = {path: one.id for path, one in repo.documents().items()}
    files = {f"{name}.md": note(f"Lantern {name}.", name) for name in "bcdefg"}
    files |= {"b.md": note(BETTER), "deep/h.md": note("Lantern h.", "h")}
    repository.commit(files)
    run = repo.sync()
    assert (run.status, run.message) == ("success", "1 changed, 1 moved, 1 gone, 5 unchanged")
    after = {path: one.id for path, one in repo.documents().items()}
    assert after["deep/h.md"] == before["h.md"]
    assert set(after) == set(files)
    recovered(repo)


# 16
def test_a_branch_that_is_forced_back_after_a_partial_sync_is_what_it_was(repo, repository):
    link = (SYMLINK, repository.blob(b"/etc/passwd"))
    repository.commit({"guide.md": note(BETTER), "link.md": link})
    assert repo.sync().status == "partial"
    repository.remove("main")
    assert repo.sync().status == "failed"
    repository.commit({"guide.md": note(GOOD)})
    recovered(repo, GOOD)
    assert not repo.says(BETTER)


# 17
def test_a_deleted_branch_is_said_and_its_content_is_called_old(repo, repository, world, server):
    kept = of_branch(world, server, repository)
    repository.remove("release")
    survived(
        kept,
        kept.sync(),
        "failed",
        "The branch release is gone from the repository at 127.0.0.1; give the source a branch",
    )
    repository.commit({"guide.md": note(BETTER)}, branch="release")
    recovered(kept)


def of_branch(world, server, repository):
    repository.commit({"guide.md": note(GOOD)}, branch="release")
    config = {"repo_url": server.url(), "branch": "release"}
    kept = Kept(world, "git_repo", config, name="of a branch")
    assert kept.sync().status == "success"
    return kept


# 17
def test_a_repository_that_became_empty_removes_nothing(repo, repository):
    repository.remove("main")
    survived(repo, repo.sync(), "failed", "is empty, or none is there; check the address")
    repository.commit({"guide.md": note(BETTER)})
    recovered(repo)


# 17
def test_an_empty_repository_says_that_it_is_empty(world, tmp_path):
    empty = Repository(tmp_path / "others" / "docs.git")
    with closing(GitServer(empty.folder.parent)) as server:
        repo = of(world, server)
        run = repo.sync()
        assert run.status == "failed"
        told_well(run, "is empty, or none is there")
        empty.commit({"guide.md": note(BETTER)})
        recovered(repo)


# 18
def test_names_of_every_kind_are_documents_of_their_own_and_safe_to_show(repo, repository):
    odd = {
        b"README.md": "big",
        b"readme.md": "small",
        "caf\u00e9.md".encode(): "composed",
        "cafe\u0301.md".encode(): "decomposed",
        b"new\nline.md": "broken",
        b"bell\x07.md": "rung",
        "\u202egpj.md".encode(): "reversed",
        b"latin-\xe9.md": "foreign",
        b"'; DROP TABLE knowledge_documents; --.md": "quoted",
        b"<script>alert(1)</script>.md": "scripted",
        b"deep/" * 50 + b"x.md": "deep",
    }
    repository.commit({name: note(f"Lantern {said}.", said) for name, said in odd.items()})
    run = repo.sync(confirmed=True)
    assert run.status == "success"
    documents = repo.documents()
    assert len(documents) == len(odd)
    for said in odd.values():
        assert repo.says(f"Lantern {said}.")
    assert all(path.isprintable() and path.encode() for path in documents)
    assert repo.sync().message == f"{len(odd)} unchanged"


# 18
def test_a_name_of_four_thousand_letters_costs_that_file_only(repo, repository):
    long = "/".join(["x" * 200] * 20) + "/y.md"
    repository.commit({"guide.md": note(BETTER), long: note("Lantern far away.")})
    run = repo.sync()
    assert repo.says(BETTER)
    assert set(repo.documents()) == {"guide.md"}
    assert run.status == "partial"
    [problem] = run.problems
    assert problem.reason == "its path is too long to be stored; shorten it"
    assert len(problem.path) < 250
    repository.commit({"guide.md": note(BETTER)})
    recovered(repo)


# 19
def test_a_renamed_file_keeps_its_number_and_costs_no_embedding(repo, repository):
    number, before = repo.documents()["guide.md"].id, repo.world.embedder.embedded
    repository.commit({"handbook/guide.md": note(GOOD)})
    assert repo.sync().message == "1 moved"
    assert repo.documents()["handbook/guide.md"].id == number
    assert repo.world.embedder.embedded == before
    assert [one.path for one in repo.search(GOOD)] == ["handbook/guide.md"]


# 19
def test_of_two_equal_files_one_goes_and_one_stays(repo, repository):
    repository.commit({"guide.md": note(GOOD), "copy.md": note(GOOD)})
    repo.sync()
    repository.commit({"copy.md": note(GOOD)})
    assert repo.sync().message == "1 gone, 1 unchanged"
    assert [one.path for one in repo.search(GOOD)] == ["copy.md"]


class Dying(list):
    """Requests of a server that fails after so many of them."""

    def __init__(self, server, requests):
        self.server, self.left = server, requests

    def append(self, asked):
        self.left -= 1
        self.server.status = None if self.left >= 0 else 500


# 20
@pytest.mark.parametrize("requests", [1, 2, 3, 4, 5])
def test_a_server_that_dies_at_any_step_of_a_sync_removes_nothing(
    repo, repository, server, requests
):
    files = {f"{name}.md": note(f"Lantern {name}.", name) for name in "abcdef"}
    repository.commit({"guide.md": note(GOOD), **files})
    repo.sync()
    served = set(repo.documents())
    repository.commit({"guide.md": note(BETTER), **files, "new.md": note("Ring the bell.")})
    server.asked = Dying(server, requests)
    run = repo.sync()
    server.asked, server.status = [], None
    assert run.status in {"failed", "partial"}
    assert repo.says(GOOD)
    assert served <= set(repo.documents())
    run = repo.sync()
    assert run.status == "success", run.message
    assert set(repo.documents()) == served | {"new.md"}
    recovered(repo)


# 21
def test_when_all_files_of_a_repository_vanish_somebody_is_asked(repo, repository):
    repository.commit({"picture.png": b"\x89PNG"})
    survived(repo, repo.sync(), "needs_confirmation", "^1 of 1 documents vanished.*with confirm")
    survived(repo, repo.sync(), "needs_confirmation", "^1 of 1 documents vanished")
    repository.commit({"guide.md": note(BETTER), "picture.png": b"\x89PNG"})
    recovered(repo)
    repository.commit({"picture.png": b"\x89PNG"})
    assert repo.sync(confirmed=True).message == "1 gone; 1 file was passed over: 1 .png"
    assert not repo.says(BETTER)


def test_what_was_no_document_may_vanish_without_a_word(repo, repository):
    repository.commit({"guide.md": note(BETTER), "bad.pdf": b"%PDF-1.7\nnothing"})
    assert repo.sync().status == "partial"
    repository.commit({"guide.md": note(BETTER)})
    run = repo.sync()
    assert run.status == "success", run.message
    recovered(repo)


# 27
def test_what_was_fetched_is_gone_from_the_temporary_folder_after_a_sync(
    repo, repository, scratch, home
):
    repository.commit({"guide.md": note(f"{GOOD} The token is {TOKEN}.")})
    assert repo.sync().status == "success"
    assert files_below(scratch) == []
    assert holders(home, TOKEN) == []


def test_sources_of_a_kind_that_nobody_can_reach_do_not_stop_others(world, server):
    bad = Kept(world, "git_repo", {"repo_url": server.url("none.git")}, name="bad")
    run = bad.sync()
    assert run.status == "failed"
    told_well(run, "nothing at this address|no repository")
    good = world.sources.create(LOCAL, NewSource("git_repo", "good", {"repo_url": server.url()}))
    run, _ = world.sources.sync(LOCAL, good.id)
    assert run.status == "success"
