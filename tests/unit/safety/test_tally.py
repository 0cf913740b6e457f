"""What is taken out of texts during a call is counted for that call alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

from wellworn.engines.safety import redact, redact_document, tally_secrets

KEY = "AKIAQ4XJTM7W" + "2LKD9PFE"
SAID = f"The key is {KEY}."


def test_every_secret_within_the_block_is_counted_by_kind_and_none_outside():
    redact(SAID)
    with tally_secrets() as tally:
        redact(SAID)
        redact_document(f"{SAID}\n{SAID}")
        redact("The lamp burns whale oil.")
    redact(SAID)
    assert tally == {"aws-access-key": 3}


def test_what_is_clean_already_counts_nothing():
    clean = redact(SAID).text
    with tally_secrets() as tally:
        redact(clean)
    assert not tally


def test_a_block_within_a_block_counts_for_itself():
    with tally_secrets() as outer:
        with tally_secrets() as inner:
            redact(SAID)
        redact(f"{SAID} {SAID}")
    assert (inner.total(), outer.total()) == (1, 2)


def test_calls_at_once_count_each_for_itself():
    def call(count):
        with tally_secrets() as tally:
            for _ in range(count):
                redact(SAID)
        return tally.total()

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(call, range(8))) == list(range(8))


def test_a_stream_that_is_read_in_one_context_after_another_ends_well():
    def stream():
        with tally_secrets() as tally:
            yield 1
            yield 2
        yield tally.total()

    lines = stream()
    assert [copy_context().run(next, lines) for _ in range(3)] == [1, 2, 0]
