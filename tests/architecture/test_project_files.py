"""What is committed: nothing about the machine it was written on, nothing left unexplained."""

from __future__ import annotations

import re
import tomllib

from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.version import Version

# Whoever installs decides where from; and a hosts list in a test would be a hosts list committed.
HOSTS = re.compile(
    "|".join(("py" + r"pi\.org", "python" + "hosted", "npm" + r"js\.", "crates" + r"\.io"))
)
# `/home/me/` is nobody's: tests use it for paths that must not leak.
MACHINE_PATHS = re.compile(r"(?<![\w.~$}*/-])/(?:work|root|tmp|home/(?!me/)\w+|Users/\w+)/")
QUESTIONS = "benchmarks/notes/resolver.jsonl"
PINNED = re.compile(r"[\w.\[\]-]+==[^ ]+( ; .+)? \\")
HASH = re.compile(r" {4}--hash=sha256:[0-9a-f]{64}( \\)?")


def _lines_with(texts: dict[str, str], pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{place}:{number}: {line.strip()[:100]}"
        for place, text in texts.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]


def _named(requirement: str) -> str:
    return re.split(r"[<>=!~; \[]", requirement, maxsplit=1)[0].lower()


def test_no_file_names_the_host_of_a_registry(project_texts):
    assert _lines_with(project_texts, HOSTS) == []


def test_no_file_names_a_path_of_somebodys_machine(project_texts):
    # Questions about other people's machines name their paths.
    own = {name: text for name, text in project_texts.items() if name != QUESTIONS}
    assert _lines_with(own, MACHINE_PATHS) == []


def test_every_locked_line_is_a_pin_with_hashes(project_texts):
    locks = {place: text for place, text in project_texts.items() if "requirements/" in place}
    assert len(locks) >= 4
    for place, text in locks.items():
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        strange = [line for line in lines if not (PINNED.fullmatch(line) or HASH.fullmatch(line))]
        assert (place, strange) == (place, [])


def test_the_lock_answers_every_declared_dependency(project):
    settings = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    lock = (project / "requirements" / "runtime.txt").read_text(encoding="utf-8")
    locked = {line.partition("==")[0] for line in lock.splitlines() if "==" in line}
    assert {_named(line) for line in settings["project"]["dependencies"]} <= locked


def test_a_dependency_is_allowed_up_to_the_next_major_version_of_what_is_locked(project):
    settings = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    lock = (project / "requirements" / "runtime.txt").read_text(encoding="utf-8")
    for requirement in map(Requirement, settings["project"]["dependencies"]):
        name = re.escape(requirement.name)
        pins = re.findall(rf"^{name}==([\w.]+)", lock, re.MULTILINE | re.IGNORECASE)
        versions = [Version(pin) for pin in pins]
        assert versions
        assert all(version in requirement.specifier for version in versions), requirement
        assert str(max(versions).major + 1) not in requirement.specifier, requirement


def test_every_runtime_dependency_has_its_reason_in_the_adr(project):
    settings = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    adr = (project / "docs" / "adr" / "0002-dependencies.md").read_text(encoding="utf-8")
    reasons = {name.lower() for name in re.findall(r"^\| `([\w-]+)` \| \S", adr, re.MULTILINE)}
    assert {_named(line) for line in settings["project"]["dependencies"]} == reasons


def test_the_wheel_holds_every_file_of_the_package(project):
    builder = WheelBuilder(str(project))
    packed = {file.distribution_path for file in builder.recurse_included_files()}
    source = project / "src"
    files = {
        file.relative_to(source).as_posix()
        for file in source.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert {name for name in files if not name.endswith((".py", ".typed"))}
    assert files - packed == set()
