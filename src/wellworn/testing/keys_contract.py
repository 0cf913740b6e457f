"""Checks what every key provider must do, the double and each real one; each takes one.

    @pytest.mark.parametrize("check", KEY_PROVIDER_CONTRACT)
    def test_it_keeps_the_contract(check, my_provider):
        check(my_provider)

Source: the port in wellworn.engines.crypto.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from wellworn.engines.crypto import KeyProvider
from wellworn.errors import Tampered

SECRET = b"a connector's own password, 32 bytes or not"


def what_is_wrapped_comes_back(provider: KeyProvider) -> None:
    for plain in (b"", b"\0", SECRET, SECRET * 200):
        assert provider.unwrap(provider.wrap(plain, context="a"), context="a") == plain


def a_wrapped_secret_cannot_be_seen(provider: KeyProvider) -> None:
    assert SECRET[:6] not in provider.wrap(SECRET, context="a")


def wrapping_twice_gives_two_blobs(provider: KeyProvider) -> None:
    assert provider.wrap(SECRET, context="a") != provider.wrap(SECRET, context="a")


def another_context_does_not_open_it(provider: KeyProvider) -> None:
    blob = provider.wrap(SECRET, context="source/1")
    for context in ("source/2", "", "source/1 "):
        assert _is_refused(provider, blob, context)


def a_changed_blob_does_not_open(provider: KeyProvider) -> None:
    blob = provider.wrap(SECRET, context="a")
    for at in range(len(blob)):
        assert _is_refused(provider, blob[:at] + bytes([blob[at] ^ 1]) + blob[at + 1 :], "a")
    for cut in (b"", blob[:-1], blob + b"\0"):
        assert _is_refused(provider, cut, "a")


def a_purpose_always_has_the_same_key(provider: KeyProvider) -> None:
    assert provider.derive("audit") == provider.derive("audit")
    assert len(provider.derive("audit")) == 32


def purposes_have_different_keys(provider: KeyProvider) -> None:
    assert len({provider.derive(purpose) for purpose in ("", "audit", "audit/2", "wrap")}) == 4


def it_does_not_show_its_keys(provider: KeyProvider) -> None:
    shown = repr(provider) + str(provider)
    key = provider.derive("audit")
    assert key.hex() not in shown
    assert repr(key)[2:-1] not in shown


def threads_may_share_it(provider: KeyProvider) -> None:
    def round_trip(number: int) -> bytes:
        return provider.unwrap(provider.wrap(bytes([number]), context="a"), context="a")

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(round_trip, range(64))) == [bytes([number]) for number in range(64)]


def _is_refused(provider: KeyProvider, blob: bytes, context: str) -> bool:
    try:
        provider.unwrap(blob, context=context)
    except Tampered:
        return True
    return False


KEY_PROVIDER_CONTRACT: tuple[Callable[[KeyProvider], None], ...] = (
    what_is_wrapped_comes_back,
    a_wrapped_secret_cannot_be_seen,
    wrapping_twice_gives_two_blobs,
    another_context_does_not_open_it,
    a_changed_blob_does_not_open,
    a_purpose_always_has_the_same_key,
    purposes_have_different_keys,
    it_does_not_show_its_keys,
    threads_may_share_it,
)
