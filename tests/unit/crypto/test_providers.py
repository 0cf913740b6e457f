"""The server's own key: where it may lie, and what is said when it cannot be used."""

from __future__ import annotations

import base64
import os
import stat
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import keyring
import keyring.backend
import pytest

from wellworn.engines.crypto import KeyProvider, LocalKey, open_provider
from wellworn.engines.crypto.settings import KeySettings
from wellworn.errors import KeyUnavailable, Tampered
from wellworn.testing.keys import FakeKms
from wellworn.testing.keys_contract import KEY_PROVIDER_CONTRACT

MATERIAL = bytes(range(32))
PASSPHRASE = "correct horse battery"
QUICK = {"source": "passphrase", "memory_mib": 19, "passes": 2}


class MemoryKeyring(keyring.backend.KeyringBackend):
    """A keyring that lives as long as a test."""

    priority = 1

    def __init__(self):
        super().__init__()
        self.kept = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password


@pytest.fixture
def set_keyring(monkeypatch):
    return lambda backend: monkeypatch.setattr("keyring.core._keyring_backend", backend)


def refusal(settings: KeySettings, home: Path, **more) -> str:
    with pytest.raises(KeyUnavailable) as caught:
        open_provider(settings, home, **more)
    assert str(home) not in str(caught.value)
    return str(caught.value)


def is_same(first: KeyProvider, second: KeyProvider) -> bool:
    return first.derive("x") == second.derive("x")


@pytest.fixture(params=["double", "local", "file", "environment", "keyring", "passphrase"])
def provider(request, tmp_path, set_keyring) -> KeyProvider:
    set_keyring(MemoryKeyring())
    text = base64.b64encode(MATERIAL).decode()
    return {
        "double": FakeKms,
        "local": lambda: LocalKey(MATERIAL),
        "file": lambda: open_provider(KeySettings(), tmp_path),
        "environment": lambda: open_provider(
            KeySettings(source="environment"), tmp_path, environment={"WELLWORN_SERVER_KEY": text}
        ),
        "keyring": lambda: open_provider(KeySettings(source="keyring"), tmp_path),
        "passphrase": lambda: open_provider(KeySettings(**QUICK, passphrase=PASSPHRASE), tmp_path),
    }[request.param]()


@pytest.mark.parametrize("check", KEY_PROVIDER_CONTRACT, ids=lambda check: check.__name__)
def test_the_contract_is_kept(check: Callable[[KeyProvider], None], provider: KeyProvider):
    check(provider)


def test_a_key_service_out_of_reach_says_so():
    service = FakeKms()
    blob = service.wrap(b"x", context="a")
    service.available = False
    for use in (
        lambda: service.wrap(b"x", context="a"),
        lambda: service.unwrap(blob, context="a"),
        lambda: service.derive("x"),
    ):
        with pytest.raises(KeyUnavailable):
            use()
    service.available = True
    assert service.unwrap(blob, context="a") == b"x"


def test_another_key_opens_nothing():
    blob = LocalKey(MATERIAL).wrap(b"x", context="a")
    with pytest.raises(Tampered):
        LocalKey(bytes(32)).unwrap(blob, context="a")


# ---------------------------------------------------------------- file


def test_the_default_is_a_file_made_once_for_its_owner_only(tmp_path):
    home = tmp_path / "new" / "home"
    first = open_provider(KeySettings(), home)
    assert stat.S_IMODE((home / "server.key").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert is_same(first, open_provider(KeySettings(create=False), home))
    assert [path.name for path in home.iterdir()] == ["server.key"]


def test_processes_that_start_at_once_agree_on_one_key(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: open_provider(KeySettings(), tmp_path), range(16)))
    assert len({key.derive("x") for key in keys}) == 1


def test_a_lost_file_is_not_replaced_unasked(tmp_path):
    assert "restore" in refusal(KeySettings(create=False), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o660, 0o601, 0o777])
def test_a_file_that_others_reach_is_refused(tmp_path, mode):
    open_provider(KeySettings(), tmp_path)
    (tmp_path / "server.key").chmod(mode)
    assert "chmod 600" in refusal(KeySettings(), tmp_path)


def test_a_link_is_refused(tmp_path):
    open_provider(KeySettings(), tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "server.key")
    assert "no link" in refusal(KeySettings(file=tmp_path / "link"), tmp_path)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert "no link" in refusal(KeySettings(file=tmp_path / "dangling"), tmp_path)
    assert not (tmp_path / "nowhere").exists()


def test_another_users_file_is_refused(tmp_path, monkeypatch):
    open_provider(KeySettings(), tmp_path)
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert "another user" in refusal(KeySettings(), tmp_path)


def test_what_is_no_file_is_refused(tmp_path):
    (tmp_path / "folder").mkdir(mode=0o700)
    assert "regular file" in refusal(KeySettings(file=tmp_path / "folder"), tmp_path)
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert "regular file" in refusal(KeySettings(file=tmp_path / "pipe"), tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    assert "key file" in refusal(KeySettings(file=tmp_path / "file" / "server.key"), tmp_path)


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 44, b"A" * 5000, b"=" * 44])
def test_a_file_without_a_key_is_refused(tmp_path, content):
    path = tmp_path / "server.key"
    path.write_bytes(content)
    path.chmod(0o600)
    assert "key file" in refusal(KeySettings(), tmp_path)


# ---------------------------------------------------------------- environment


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(b"\xff" * 32).decode(),
        base64.urlsafe_b64encode(b"\xff" * 32).decode().rstrip("="),
        "ff" * 32,
        "FF" * 32 + "\n",
    ],
)
def test_the_usual_spellings_of_a_key_are_read(tmp_path, text):
    settings = KeySettings(source="environment", variable="MY_KEY")
    found = open_provider(settings, tmp_path, environment={"MY_KEY": text})
    assert is_same(found, LocalKey(b"\xff" * 32))


@pytest.mark.parametrize("text", ["", "QUJD", "ff" * 31, "zz" * 32, "é" * 44, "A" * 44 + "=" * 9])
def test_a_variable_without_a_key_is_refused_by_name(tmp_path, text):
    settings = KeySettings(source="environment", variable="MY_KEY")
    message = refusal(settings, tmp_path, environment={"MY_KEY": text})
    assert "MY_KEY" in message
    assert text == "" or text not in message


def test_a_variable_that_is_not_set_is_refused_with_advice(tmp_path):
    settings = KeySettings(source="environment")
    assert "openssl rand" in refusal(settings, tmp_path, environment={})


# ---------------------------------------------------------------- keyring


def test_the_keyring_keeps_the_key(tmp_path, set_keyring):
    set_keyring(MemoryKeyring())
    first = open_provider(KeySettings(source="keyring"), tmp_path)
    assert is_same(first, open_provider(KeySettings(source="keyring", create=False), tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_no_keyring_is_said_plainly(tmp_path, set_keyring):
    from keyring.backends.fail import Keyring

    set_keyring(Keyring())
    assert "no keyring" in refusal(KeySettings(source="keyring"), tmp_path)


def test_a_keyring_that_drops_what_it_is_given_is_refused(tmp_path, set_keyring):
    from keyring.backends.null import Keyring

    set_keyring(Keyring())
    assert "no key of this name" in refusal(KeySettings(source="keyring"), tmp_path)


def test_a_missing_extra_is_said_plainly(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert "wellworn[keyring]" in refusal(KeySettings(source="keyring"), tmp_path)


# ---------------------------------------------------------------- passphrase


def test_a_passphrase_gives_the_same_key_again(tmp_path):
    first = open_provider(KeySettings(**QUICK, passphrase="café " + PASSPHRASE), tmp_path)
    # The same word as another keyboard composes it, and settings that meanwhile ask for more.
    later = KeySettings(source="passphrase", memory_mib=32, passphrase="cafe\u0301 " + PASSPHRASE)
    assert is_same(first, open_provider(later, tmp_path))
    path = tmp_path / "server.salt"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert PASSPHRASE not in path.read_text()


def test_two_folders_have_two_keys(tmp_path):
    settings = KeySettings(**QUICK, passphrase=PASSPHRASE)
    first, second = (open_provider(settings, tmp_path / name) for name in "ab")
    assert not is_same(first, second)


def test_a_wrong_passphrase_is_recognised(tmp_path):
    open_provider(KeySettings(**QUICK, passphrase=PASSPHRASE), tmp_path)
    message = refusal(KeySettings(**QUICK, passphrase=PASSPHRASE + "!"), tmp_path)
    assert "not the passphrase" in message
    assert PASSPHRASE not in message


def test_a_passphrase_must_be_there_and_long_enough(tmp_path):
    assert "none is set" in refusal(KeySettings(**QUICK), tmp_path)
    assert "12 characters" in refusal(KeySettings(**QUICK, passphrase="eleven char"), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("spoilt", ["", "{}", "[", '"memory_mib":4'])
def test_a_damaged_or_weakened_recipe_is_refused(tmp_path, spoilt):
    settings = KeySettings(**QUICK, passphrase=PASSPHRASE)
    open_provider(settings, tmp_path)
    path = tmp_path / "server.salt"
    written = path.read_text()
    path.write_text(written.replace('"memory_mib":19', spoilt) if ":4" in spoilt else spoilt)
    assert "damaged" in refusal(settings, tmp_path)


def test_a_missing_recipe_is_not_replaced_unasked(tmp_path):
    settings = KeySettings(**QUICK, passphrase=PASSPHRASE, create=False)
    assert "restore" in refusal(settings, tmp_path)


def test_printed_settings_and_keys_show_nothing():
    settings = KeySettings(**QUICK, passphrase=PASSPHRASE)
    shown = repr(settings) + str(settings) + repr(LocalKey(MATERIAL)) + repr(FakeKms(MATERIAL))
    assert PASSPHRASE not in shown
    assert MATERIAL.hex() not in shown
    assert repr(MATERIAL)[2:-1] not in shown
