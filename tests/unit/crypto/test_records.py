"""Sealed records and data keys: what comes back, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.engines.crypto import DataKey, RecordBox
from wellworn.engines.crypto.framing import encode_parts
from wellworn.engines.crypto.records import compute_padded_length
from wellworn.errors import SpaceLocked, Tampered

KEY = bytes(range(32))
KINDS = st.text(max_size=12)
NUMBERS = st.integers(-(2**63), 2**63 - 1)
PARTS = st.lists(
    st.one_of(
        st.none(), st.text(max_size=4), st.binary(max_size=4), NUMBERS, st.floats(allow_nan=False)
    ),
    max_size=4,
)


def box(material: bytes = KEY, space: str = "space", epoch: int = 3) -> RecordBox:
    return RecordBox(DataKey(material), space, epoch)


@given(PARTS, PARTS)
def test_only_equal_parts_are_framed_alike(first, second):
    alike = [(type(part), repr(part)) for part in first] == [
        (type(part), repr(part)) for part in second
    ]
    assert (encode_parts(*first) == encode_parts(*second)) == alike


@pytest.mark.parametrize(
    ("first", "second"),
    [(("a", "b"), ("asb",)), ((b"a", b"b"), (b"abb",)), (("ab", "c"), ("a", "bc")), ((), ("",))],
)
def test_where_a_part_ends_is_part_of_the_frame(first, second):
    assert encode_parts(*first) != encode_parts(*second)


@given(KINDS, NUMBERS, NUMBERS, st.binary(max_size=2000))
def test_a_record_comes_back_as_it_was(kind, number, revision, payload):
    blob = box().seal(kind, number, revision, payload)
    assert box().open(kind, number, revision, blob) == payload
    assert len(blob) == 29 + compute_padded_length(len(payload))


@pytest.mark.parametrize("length", [0, 251, 252, 253, 65_531, 65_532, 65_533, 70_000, 1_000_000])
def test_every_size_comes_back(length):
    payload = b"\xff" * length
    blob = box().seal("k", 1, 1, payload)
    assert box().open("k", 1, 1, blob) == payload


def test_sizes_are_told_in_steps_only():
    sizes = {len(box().seal("k", 1, 1, bytes(length))) for length in range(252)}
    assert sizes == {29 + 256}
    assert compute_padded_length(252) == 256
    assert compute_padded_length(253) == 512
    assert compute_padded_length(65_532) == 65_536
    assert compute_padded_length(65_533) == 69_632


@given(st.data())
@settings(max_examples=200)
def test_any_changed_bit_is_refused(data):
    blob = bytearray(box().seal("thought", 7, 2, b"north side of the wall"))
    blob[data.draw(st.integers(0, len(blob) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(Tampered):
        box().open("thought", 7, 2, bytes(blob))


@given(st.binary(max_size=400))
def test_any_other_bytes_are_refused(blob):
    with pytest.raises(Tampered):
        box().open("thought", 7, 2, blob)
    with pytest.raises(Tampered):
        box().open("thought", 7, 2, b"\x01" + blob)


@pytest.mark.parametrize(
    ("reader", "place"),
    [
        (box(), ("vector", 7, 2)),
        (box(), ("thought", 8, 2)),
        (box(), ("thought", 7, 1)),
        (box(), ("thought", 2, 7)),
        (box(space="spac"), ("thought", 7, 2)),
        (box(epoch=4), ("thought", 7, 2)),
        (box(material=bytes(32)), ("thought", 7, 2)),
    ],
)
def test_a_record_opens_in_its_own_place_only(reader, place):
    blob = box().seal("thought", 7, 2, b"x")
    with pytest.raises(Tampered):
        reader.open(*place, blob)


def test_two_seals_of_one_record_differ():
    assert box().seal("k", 1, 1, b"x") != box().seal("k", 1, 1, b"x")


def test_a_tag_tells_equal_contents_within_one_kind_and_key():
    tag = box().tag("text", b"hello")
    assert tag == box().tag("text", b"hello")
    assert len(tag) == 16
    others = [
        box().tag("text", b"hellp"),
        box().tag("tags", b"hello"),
        box(material=bytes(32)).tag("text", b"hello"),
    ]
    assert len({tag, *others}) == 4


def test_a_key_check_recognises_the_key_and_is_not_it():
    key, other = DataKey.new(), DataKey.new()
    assert key.matches(key.key_check)
    assert not key.matches(other.key_check)
    assert key.key_check != key.material()


def test_a_wiped_key_is_gone():
    key = DataKey.new()
    key.wipe()
    assert key.is_wiped
    assert key != DataKey(bytes(32))
    for use in (key.material, lambda: key.key_check, lambda: key.derive_key("x")):
        with pytest.raises(SpaceLocked):
            use()


def test_a_closed_box_seals_and_opens_nothing():
    key = DataKey.new()
    closed = RecordBox(key, "s", 1)
    blob = closed.seal("k", 1, 1, b"x")
    closed.tag("k", b"x")
    closed.close()
    assert key.is_wiped
    for use in (
        lambda: closed.seal("k", 1, 1, b"x"),
        lambda: closed.open("k", 1, 1, blob),
        lambda: closed.tag("k", b"x"),
    ):
        with pytest.raises(SpaceLocked):
            use()


def test_wiping_overwrites_the_bytes_in_place():
    key = DataKey(KEY)
    view = memoryview(key._material)
    key.wipe()
    assert bytes(view) == bytes(32)


def test_a_key_wiped_while_it_is_copied_is_never_a_key_of_zeros():
    key = DataKey(KEY)

    class WipedOnCopy(bytearray):
        def __bytes__(self) -> bytes:
            key.is_wiped = True
            return bytes(32)

    key._material = WipedOnCopy(KEY)
    with pytest.raises(SpaceLocked):
        key.material()


def test_a_printed_key_or_box_shows_nothing():
    key = DataKey(KEY)
    shown = repr(key) + str(key) + repr(RecordBox(key, "s", 1)) + repr(vars(RecordBox))
    assert KEY.hex() not in shown
    assert repr(KEY)[2:-1] not in shown
    assert repr(bytearray(KEY)) not in shown


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_data_key_has_32_bytes(length):
    with pytest.raises(ValueError, match="32 bytes"):
        DataKey(bytes(length))


def test_a_data_key_cannot_be_hashed():
    with pytest.raises(TypeError):
        hash(DataKey.new())
