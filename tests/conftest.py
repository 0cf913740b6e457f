"""What holds for every test: no network but loopback, no settings of the machine, no deadlines.

In CI no test is skipped but for a reason that `skips` lists.
"""

from __future__ import annotations

import gc
import ipaddress
import os
import socket

import pytest
import sqlalchemy
from hypothesis import HealthCheck, settings
from sqlalchemy.util import LRUCache

from skips import pytest_make_collect_report, pytest_runtest_makereport  # noqa: F401 - hooks
from wellworn.engines.jobs import store as job_store
from wellworn.engines.storage.sql import postgresql, ram, sqlite

# Rules are judged by what they return; how long the machine took says nothing about them.
settings.register_profile(
    "wellworn",
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("quick", settings.get_profile("wellworn"), max_examples=10)
settings.load_profile("wellworn")


class NetworkBlockedError(RuntimeError):
    """A test tried to leave the machine."""


def _is_loopback(host: object) -> bool:
    if host in (None, "", "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return False


def _refuse_unless_loopback(host: object) -> None:
    if not _is_loopback(host):
        message = f"tests reach nothing but loopback, and this one tried {host!r}"
        raise NetworkBlockedError(message)


def _guarded(method):
    def call(self, address, *rest):
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _refuse_unless_loopback(address[0])
        return method(self, address, *rest)

    return call


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without looking for garbage, and never look through what was collected.

    Cycles of garbage are looked for when there is much beside what lasts. Seventeen thousand tests
    last, and models of hundreds of megabytes would wait for it.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.collect()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Begin with the journeys: they wait for processes, and the rest fills the time beside them."""
    items.sort(key=lambda item: "journeys" not in item.path.parts)


@pytest.fixture(scope="session", autouse=True)
def loopback_only():
    """Refuse connections and name look-ups that would leave the machine."""
    look_up = socket.getaddrinfo

    def guarded_look_up(host, *rest, **options):
        _refuse_unless_loopback(host)
        return look_up(host, *rest, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", guarded_look_up)
        patch.setattr(socket.socket, "connect", _guarded(socket.socket.connect))
        patch.setattr(socket.socket, "connect_ex", _guarded(socket.socket.connect_ex))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_settings_of_the_machine(tmp_path_factory):
    """Hide the developer's own WELLWORN_* settings, proxies and data folder from every test."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [*os.environ]:
            if name.startswith("WELLWORN_") or name.lower().endswith("_proxy"):
                patch.delenv(name)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        # The sources are a git repository, and whoever stands in one talks to its project.
        patch.chdir(tmp_path_factory.mktemp("nowhere"))
        yield


class StatementsOfAll(LRUCache):
    """Statements as compiled for any engine of one kind; each would compile its own again."""

    def get(self, key, default=None):
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key, value):
        super().__setitem__((type(key[0]), *key[1:]), value)


@pytest.fixture(scope="session", autouse=True)
def compiles_once():
    """Let thousands of databases share what they compile: a third of what a small story takes."""
    statements = StatementsOfAll(2_000)

    def create_engine(*words, **options):
        engine = sqlalchemy.create_engine(*words, **options)
        engine.update_execution_options(compiled_cache=statements)
        return engine

    with pytest.MonkeyPatch.context() as patch:
        for module in (sqlite, ram, postgresql, job_store):
            patch.setattr(module, "create_engine", create_engine)
        yield


@pytest.fixture(scope="module", autouse=True)
def reads_nothing(request):
    """Let words, meaning and rules alone decide, as they do without reading models.

    What the models add is told by modules with `READS = True`, and by all stories of real servers.
    """
    is_story = {"journeys", "docs"} & {*request.path.parts}
    if is_story or getattr(request.module, "READS", False):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WELLWORN_READING__ENABLED", "false")
        patch.setenv("WELLWORN_THOUGHTS__ORDER_MODEL", "false")
        yield
