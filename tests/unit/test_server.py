from __future__ import annotations

import socket
import sys
import threading
from contextlib import closing

import pytest

from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.errors import InvalidInput, Unauthenticated
from wellworn.interfaces import server
from wellworn.interfaces.server import (
    close_open_door,
    is_loopback,
    listening,
    require_credentials,
    run,
)


def test_small_answers_are_sent_at_once():
    # asyncio switches Nagle's algorithm off only where the protocol is named; each answer of a
    # kept connection waited 40 ms before.
    with listening("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_an_address_others_can_reach_is_not_served_before_somebody_has_a_credential(tmp_path, host):
    with pytest.raises(InvalidInput, match="wellworn credential create"):
        run(tmp_path / "home", host, 0, None)


def test_what_computes_in_the_background_gives_way_to_calls_within_a_moment(tmp_path):
    # A call waits that long whenever it comes back from the disk or the encoder, many times each.
    before = sys.getswitchinterval()
    try:
        with pytest.raises(InvalidInput):
            run(tmp_path / "home", "0.0.0.0", 0, None)
        assert sys.getswitchinterval() <= 0.0005
    finally:
        sys.setswitchinterval(before)


def test_such_an_address_has_no_open_door():
    assert close_open_door(Settings()).spaces.require_credentials


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_only_this_machine_reaches_loopback(host):
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org"])
def test_others_may_reach_every_other_address(host):
    assert not is_loopback(host)


def test_the_first_credential_opens_the_way_to_other_addresses(tmp_path):
    app = open_app(tmp_path / "home", close_open_door(Settings()))
    with closing(app):
        with pytest.raises(InvalidInput):
            require_credentials(app, close_open_door(Settings()))
        app.administration.issue(None, "ana")
        require_credentials(app, close_open_door(Settings()))
        with pytest.raises(Unauthenticated):
            app.authenticator.enter(None)


def test_work_in_the_background_outlives_a_failure_that_nobody_foresaw(monkeypatch):
    monkeypatch.setattr(server, "_MAINTAINED_EVERY_S", 0.0)
    begun = []

    def work() -> None:
        begun.append(1)
        if len(begun) == 1:
            raise ValueError("a vector of another length")

    server.outlive(work, threading.Event())
    assert len(begun) == 2
