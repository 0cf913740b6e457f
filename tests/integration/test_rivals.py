"""Where passages of several things answer equally well, the answer asks which one is meant."""

from __future__ import annotations

import pytest

from integration.knowledge_world import resolving
from wellworn.domain.knowledge import ResolutionOutcome

AMBIGUOUS = ResolutionOutcome.AMBIGUOUS


def write_handbook(team: str, day: str) -> str:
    return (
        f"# {team} handbook\n\nHow the {team.lower()} work.\n\n## Leaving\n\nWho leaves tells the"
        f" others. The last survey is sent in {day}.\n\n## Meetings\n\nThey meet in the hall.\n"
    )


DOCUMENTS = {
    "painters.md": write_handbook("Painters", "May"),
    "printers.md": write_handbook("Printers", "June"),
    "bakers.md": write_handbook("Bakers", "July"),
    "rules.md": "# Rules\n\n## Parking\n\nParking is free after six. Nobody pays a fee.\n",
}


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    with resolving(tmp_path_factory.mktemp("rivals"), DOCUMENTS) as resolve:
        yield resolve


def test_sections_of_one_name_are_asked_about_by_their_documents(resolve):
    answer = resolve("leaving", "when is the survey sent?")
    assert answer.outcome is AMBIGUOUS
    assert {one.label for one in answer.candidates} == {
        f"{team} handbook: Leaving" for team in ("Painters", "Printers", "Bakers")
    }
    assert {quote.path for quote in answer.evidence} == {"painters.md", "printers.md", "bakers.md"}


@pytest.mark.parametrize(
    ("term", "context"),
    [
        ("leaving", "when is the survey of the painters sent?"),
        ("parking", "what fee does one pay?"),
    ],
)
def test_what_the_context_or_the_documents_choose_is_not_asked_about(resolve, term, context):
    assert resolve(term, context).outcome is not AMBIGUOUS
