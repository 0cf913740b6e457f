"""A value that holds in one case alone is quoted with its case, and never stated."""

from __future__ import annotations

import pytest

from integration.knowledge_world import resolving
from wellworn.domain.knowledge import ResolutionOutcome

RESOLVED, NOT_STATED = ResolutionOutcome.RESOLVED, ResolutionOutcome.NOT_STATED
DOCUMENTS = {
    "ports.md": """\
# Ports

ink-exporter listens on port 9508 in production.

ink-pump listens on port 9508 in production and 9509 in staging.

ink-valve is reachable at 10.0.0.7 when clustered.

ink-vat listens on port 6000 on all interfaces.

ink-tub runs on 10.0.0.30 on port 80.

- **ink-cap** listens on port 3000 (3001 if TLS is on)

## ink-drum

- Port: 7001 on Windows, 7002 on Linux
- Address: 10.0.0.9 (production)

## ink-mill

- Port: 8080 for members

## ink-keg

- Port: 6100 without TLS
- Port: 6101 with TLS

## All

| Name | Port |
|---|---|
| ink-cup | 5000 (staging only) |
| ink-jar | 5001 |
"""
}
IN_NO_CASE = [("ink-vat port", "6000"), ("ink-tub address", "10.0.0.30"), ("ink-jar port", "5001")]
IN_ITS_CASE = [
    ("ink-exporter port", "in production", "9508"),
    ("which port does ink-exporter listen on in production?", "", "9508"),
    ("ink-pump staging port", "", "9509"),
    ("ink-valve address", "the clustered setup", "10.0.0.7"),
    ("ink-drum port", "on Linux", "7002"),
    ("ink-drum address", "production", "10.0.0.9"),
    ("ink-mill port", "for members", "8080"),
    ("ink-keg port", "with TLS", "6101"),
    ("ink-keg port", "without TLS", "6100"),
    ("ink-cup port", "staging", "5000"),
]


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    with resolving(tmp_path_factory.mktemp("cases"), DOCUMENTS) as resolve:
        yield resolve


@pytest.mark.parametrize(("term", "value"), IN_NO_CASE)
def test_what_only_says_more_of_a_value_is_no_case(resolve, term, value):
    answer = resolve(term)
    assert (answer.outcome, answer.values[0].value) == (RESOLVED, value)


@pytest.mark.parametrize(("term", "context", "value"), IN_ITS_CASE)
def test_a_value_of_a_case_is_quoted_to_who_names_the_case(resolve, term, context, value):
    answer = resolve(term, context)
    assert (answer.outcome, answer.values) == (NOT_STATED, ())
    assert any(value in quote.text for quote in answer.evidence)


@pytest.mark.parametrize(
    ("term", "context"),
    [
        *[
            (f"ink-{name} port", "")
            for name in ("exporter", "pump", "drum", "keg", "mill", "cup", "cap")
        ],
        *[("ink-exporter port", "on Windows"), ("ink-exporter port", "not in production")],
        *[("ink-valve address", ""), ("ink-drum address", ""), ("ink-cap port", "with TLS")],
    ],
)
def test_a_value_of_a_case_that_nobody_names_is_quoted_alone(resolve, term, context):
    answer = resolve(term, context)
    assert (answer.outcome, answer.values) == (NOT_STATED, ())
    assert term.partition(" ")[0] in answer.evidence[0].text or answer.evidence[0].anchor
