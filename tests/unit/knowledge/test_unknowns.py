"""Unknown terms: asked for in vain, or spoken of without a name."""

from __future__ import annotations

from wellworn.domain.knowledge.artifacts import render_unknowns
from wellworn.domain.knowledge.digests import DocumentDigest, digest
from wellworn.domain.knowledge.entities import key
from wellworn.domain.knowledge.unknowns import UnexplainedTerm, find_phrases, find_unexplained
from wellworn.domain.knowledge.views import DocumentView, Reading


def made(*texts: str) -> list[DocumentDigest]:
    views = (
        DocumentView(number, "s", f"{number}.md", None, text) for number, text in enumerate(texts)
    )
    return [digest(view) for view in views]


def found(digests: list[DocumentDigest], **wishes) -> dict[str, UnexplainedTerm]:
    facts = [fact for one in digests for fact in one.facts]
    return {
        one.term: one for one in find_unexplained([one.phrases for one in digests], facts, **wishes)
    }


ENDPOINTS = (
    "# HDRPop\n\n- Endpoint: https://hdrpop.com/api\n",
    "# Umami\n\n- Endpoint: https://umami.example/api\n",
)


def test_a_phrase_that_nothing_explains_is_unknown():
    assert found(made("The old server is gone.\n"))["the old server"].candidates == ()


def test_a_phrase_that_may_mean_several_things_lists_them():
    unknown = found(made("Ask before you touch the prod endpoint.\n", *ENDPOINTS))["prod endpoint"]
    assert unknown.candidates == ("hdrpop", "umami")
    assert unknown.mentions == 1


def test_a_phrase_that_the_facts_explain_is_known(digests):
    production = made("Log in to the production server.\n")
    assert "production server" in found(production)
    assert "production server" not in found([*production, *digests])
    named = "# Servers\n\n- prod endpoint: https://hdrpop.com/api\n"
    assert "prod endpoint" not in found(made("Touch the prod endpoint.\n", named))


def test_a_thing_that_is_marked_as_another_is_no_candidate():
    staging = "# Umami\n\n- Staging endpoint: https://staging.umami.example/api\n"
    unknown = found(made("Touch the prod endpoint.\n", staging, *ENDPOINTS))["prod endpoint"]
    assert unknown.candidates == ("hdrpop", "umami")
    assert "the staging endpoint" not in found(made("Touch the staging endpoint.\n", staging))


def test_what_is_documented_is_no_candidate_for_what_is_called_old():
    cube = "**cube** (10.0.0.5) - GPU server\n"
    assert found(made("The old server is gone.\n", cube))["the old server"].candidates == ()


def test_any_server_is_not_a_certain_one():
    text = "Buy a new server. Every old server goes. Use your new server, not another old box.\n"
    assert found(made(text)) == {}


def test_what_is_never_spoken_of_as_known_is_not_listed():
    assert found(made("Use prod endpoint names in tests.\n")) == {}


def test_a_large_base_lists_only_what_several_documents_speak_of():
    others = ["Nothing is said here.\n"] * 25
    assert found(made("The old server is gone.\n", *others)) == {}
    assert "the old server" in found(made("The old server.\n", "The old server.\n", *others))


def test_what_was_asked_in_vain_comes_first():
    unknown = list(found(made("The old server is gone.\n"), asked={"Atlas": 3}).values())
    assert [(one.term, one.asked) for one in unknown] == [("atlas", 3), ("the old server", 0)]
    together = found(made("The old server is gone.\n"), asked={"old server": 2})
    assert together == {"the old server": UnexplainedTerm("the old server", 1, (), 2)}


def test_what_is_explained_by_now_is_not_unknown_though_it_was_asked(digests):
    assert "cube" not in found(digests, asked={"cube": 4})
    assert "frigate" not in found(digests, asked={"Frigate": 4}, known={key("frigate")})
    assert "frigate" in found(digests, asked={"Frigate": 4})


def test_a_phrase_is_counted_and_its_first_place_kept():
    text = "See the old server. An old server. It is the OLD SERVER.\n"
    [phrase] = find_phrases(Reading(DocumentView(1, "s", "a.md", None, text)))
    assert (phrase.term, phrase.count, phrase.definite) == ("the old server", 2, 2)
    assert text[phrase.start : phrase.end] == "old server"


def test_a_term_that_was_asked_for_tells_how_often_documents_say_it():
    [gap] = find_unexplained([], [], asked={"vault": 2}, mentioned={"vault": 5})
    assert (gap.term, gap.asked, gap.mentions) == ("vault", 2, 5)
    assert "Asked 2 times, mentioned 5 times, explained nowhere" in render_unknowns([gap])
    [gap] = find_unexplained([], [], asked={"zebra": 1}, mentioned={"zebra": 0})
    assert "Asked once, no matching documentation" in render_unknowns([gap])
