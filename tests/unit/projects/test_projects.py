"""Which project a directory is, read off real repositories and files that a stranger wrote."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from wellworn.engines.projects import find_project
from wellworn.errors import InvalidInput
from wellworn.kit.project_ids import is_project_id, is_space_id

REMOTE = "https://git.example/team/shop.git"


def git(*words, folder):
    identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@a.example"}
    identity |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@a.example"}
    subprocess.run(
        ["git", *words], check=True, capture_output=True, cwd=folder, env={**os.environ, **identity}
    )


@pytest.fixture
def repository(tmp_path):
    """Make a repository with a commit, and with a remote when one is named."""

    def make(name, remote=None):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        git("init", folder=folder)
        git("commit", "--allow-empty", "-m", "begun", folder=folder)
        if remote is not None:
            git("remote", "add", "origin", remote, folder=folder)
        return folder

    return make


def space_of(folder):
    project = find_project(folder)
    assert project is not None
    return project.space


def test_outside_a_repository_there_is_no_project(tmp_path):
    assert find_project(tmp_path) is None


def test_a_folder_of_a_repository_belongs_to_its_project(repository):
    shop = repository("shop")
    (shop / "src" / "deep").mkdir(parents=True)
    project = find_project(shop / "src" / "deep")
    assert project == find_project(shop)
    assert (project.name, project.directory) == ("shop", shop)
    assert is_project_id(project.space)
    assert space_of(repository("billing")) != project.space


@pytest.mark.parametrize(
    "spelling",
    [
        "git@git.example:team/shop.git",
        "ssh://git@GIT.example:22/team/shop",
        "https://ana:s3cret@git.example/team/shop.git/",
        "https://git.example/team/shop?token=s3cret",
    ],
)
def test_clones_are_one_project_however_they_write_its_address(repository, spelling):
    first, second = repository("a/shop", REMOTE), repository("b/other-name", spelling)
    project = find_project(second)
    assert project.space == space_of(first)
    assert project.name == "shop"
    assert "s3cret" not in repr(project)


def test_clones_and_work_trees_of_a_local_repository_are_one_project(repository, tmp_path):
    shop = repository("shop")
    git("clone", str(shop), "copy", folder=tmp_path)
    git("worktree", "add", "../tree", folder=shop)
    assert space_of(tmp_path / "copy") == space_of(shop) == space_of(tmp_path / "tree")


def test_the_remote_called_origin_decides_among_several(repository):
    shop = repository("shop")
    git("remote", "add", "aaa-fork", "https://git.example/ana/shop.git", folder=shop)
    git("remote", "add", "origin", REMOTE, folder=shop)
    assert space_of(shop) == space_of(repository("clone", REMOTE))


def test_a_relative_or_broken_address_leaves_the_place_to_decide(repository):
    folders = [repository("a", "../up"), repository("b", "../up"), repository("c", "https://[")]
    assert len({space_of(folder) for folder in folders}) == 3
    config = folders[0] / ".git" / "config"
    for broken in (b"\xff\xfe\x00", b"url = no section", b"[remote"):
        config.write_bytes(broken)
        assert find_project(folders[0]) is not None


def test_no_path_and_no_address_stands_in_the_id(repository):
    shop = repository("home-of-ana/shop", "https://very-internal.example/secret-team/shop.git")
    for word in ("ana", "internal", "secret"):
        assert word not in space_of(shop)


def test_no_program_runs_to_find_a_project(repository, monkeypatch):
    shop = repository("shop", REMOTE)
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("a program was started"))
    assert find_project(shop) is not None


def test_a_file_names_the_project_of_all_below_it(repository, tmp_path):
    shop = repository("team/shop")
    (tmp_path / "team" / ".wellworn").write_text('name = "Our Team"\n')
    project = find_project(shop)
    assert (project.name, project.directory) == ("Our Team", tmp_path / "team")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".wellworn").write_text('name="Our Team" # the same')
    assert space_of(elsewhere) == project.space
    assert project.space.startswith("ksp-our-team-")


def test_an_empty_file_makes_its_folder_a_project_in_every_clone(repository, tmp_path):
    spaces = []
    for name in ("a", "b"):
        shop = repository(name, REMOTE)
        (shop / "api" / "src").mkdir(parents=True)
        (shop / "api" / ".wellworn").touch()
        spaces.append(space_of(shop / "api" / "src"))
        assert spaces[-1] != space_of(shop)
    assert spaces[0] == spaces[1]
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / ".wellworn").touch()
    assert find_project(tmp_path / "plain").name == "plain"


def test_the_data_folder_of_that_name_is_no_project(tmp_path):
    (tmp_path / ".wellworn").mkdir()
    (tmp_path / "work").mkdir()
    assert find_project(tmp_path / "work") is None


def test_a_name_cannot_stand_for_a_project_that_a_repository_is(repository, tmp_path):
    shop = repository("shop", REMOTE)
    (tmp_path / "bad").mkdir()
    for name in (
        "shop",
        REMOTE,
        "git.example/team/shop",
        "git\\u0000git.example/team/shop\\u0000.",
    ):
        (tmp_path / "bad" / ".wellworn").write_text(f'name = "{name}"')
        try:
            assert space_of(tmp_path / "bad") != space_of(shop)
        except InvalidInput:
            assert "u0000" in name


@pytest.mark.parametrize(
    "content",
    [
        'name = "ks-default"',
        'name = "kss-team-1a2b3c4d"',
        'name = " ks-team-1a2b3c4d "',
        f'name = "ksp-shop-{"0" * 24}"',
        'space = "kss-team-1a2b3c4d"',
        'name = "shop"\nspace = "kss-team-1a2b3c4d"',
        'name = "shop"\nurl = "https://elsewhere.example"',
        'name = "shop"\nkey = "ww_1_2"',
        "name = 3",
        'name = ""',
        'name = "two\\nlines"',
        'name = "' + "n" * 200 + '"',
        "root:x:0:0:canary",
        "name = " + "[" * 4000,
        'name = "shop"' + " " * 5000,
    ],
)
def test_a_file_that_says_more_than_a_projects_name_is_refused(tmp_path, content):
    (tmp_path / ".wellworn").write_text(content)
    with pytest.raises(InvalidInput) as refusal:
        find_project(tmp_path)
    assert "canary" not in refusal.value.message


def test_any_name_makes_an_id_that_only_a_project_has(tmp_path):
    for name in ("s--ks-default", "日本", "kss", "../../etc", "x" * 100, "KS DEFAULT", "kss-"):
        (tmp_path / ".wellworn").write_text(f'name = "{name}"')
        space = space_of(tmp_path)
        assert is_project_id(space)
        assert is_space_id(space)
        assert not space.startswith(("ks-", "kss-"))


def test_a_place_that_is_gone_is_no_project(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    shutil.rmtree(gone)
    assert find_project() is None
