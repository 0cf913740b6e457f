"""A value that holds in one case alone is stated with its case, or quoted with its sentence."""

from __future__ import annotations

import pytest

from integration.knowledge_world import resolving
from wellworn.domain.knowledge import ResolutionOutcome

DOCUMENTS = {
    "ports.md": """\
# Ports

ink-exporter listens on port 9508 in production.

ink-pump listens on port 9508 in production and 9509 in staging.

ink-valve is reachable at 10.0.0.7 when clustered.

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


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    with resolving(tmp_path_factory.mktemp("cases"), DOCUMENTS) as resolve:
        yield resolve


@pytest.mark.parametrize("context", ["", "on Linux", "production", "for members"])
@pytest.mark.parametrize(
    ("term", "value"),
    [
        ("ink-drum port", "7001 on Windows, 7002 on Linux"),
        ("ink-drum address", "10.0.0.9 (production)"),
        ("ink-mill port", "8080 for members"),
        ("ink-cup port", "5000 (staging only)"),
        ("ink-jar port", "5001"),
    ],
)
def test_what_a_field_states_is_stated_with_its_case(resolve, term, context, value):
    answer = resolve(term, context)
    assert answer.outcome == ResolutionOutcome.RESOLVED
    assert [each.value for each in answer.values] == [value]


def test_of_values_of_several_cases_each_is_told_with_its_own(resolve):
    answer = resolve("ink-keg port")
    assert [each.value for each in answer.values] == ["6100 without TLS", "6101 with TLS"]
    assert "disagree" not in (answer.question or "")


@pytest.mark.parametrize(
    ("term", "context", "value"),
    [
        ("ink-exporter port", "in production", "9508"),
        ("ink-exporter port", "on Windows", "9508"),
        ("which port does ink-exporter listen on in production?", "", "9508"),
        ("ink-pump staging port", "", "9509"),
        ("ink-valve address", "the clustered setup", "10.0.0.7"),
    ],
)
def test_a_value_of_a_sentence_is_quoted_where_nothing_reads_it(resolve, term, context, value):
    answer = resolve(term, context)
    assert (answer.outcome, answer.values) == (ResolutionOutcome.NOT_STATED, ())
    assert any(value in quote.text for quote in answer.evidence)
