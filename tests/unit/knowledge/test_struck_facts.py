"""What a document strikes out is no fact, of it or of anybody."""

from __future__ import annotations

from wellworn.domain.knowledge.facts import Fact, extract_facts, is_supported
from wellworn.domain.knowledge.views import DocumentView, Reading

STRUCK = """# Plant

## Gate

Gate port: ~~8081~~ 9091.

| Host | IP | Port |
| --- | --- | --- |
| cube | ~~10.0.0.4~~ 10.0.0.5 | ~~8082~~ |

- **boreas** (~~10.0.0.6~~) - the spare
"""


def test_what_is_struck_out_is_not_said():
    facts = extract_facts(Reading(DocumentView(7, "mytech", "notes.md", None, STRUCK)))
    values = {fact.value for fact in facts}
    assert {"9091", "10.0.0.5"} <= values
    assert not any(old in value for value in values for old in ("8081", "8082", "10.0.0.4", "0.6"))
    assert all(is_supported(fact, STRUCK) for fact in facts)


def test_no_fact_made_elsewhere_has_a_struck_value():
    start = STRUCK.index("8081")
    line = (STRUCK.index("Gate port"), STRUCK.index("\n\n|"))
    snippet = STRUCK[slice(*line)]
    fact = Fact(7, "gate", "port", "port", "8081", start, start + 4, snippet, *line, 0.9)
    assert not is_supported(fact, STRUCK)
