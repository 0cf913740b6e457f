"""Compression takes any text, keeps to its limit, and keeps what tells most."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from unit.turns.prompted_world import ask_engine, begin_run
from wellworn.domain.turns.compression import (
    fit_lines,
    fit_section,
    fit_start,
    keep_words,
)
from wellworn.domain.turns.context_document import MOST_WORDS, read_sections
from wellworn.domain.turns.flow import PhaseStep
from wellworn.domain.turns.models import (
    Claim,
    Execution,
    Goal,
    GoalValidation,
    Intent,
    Phase,
    QueryAnalysis,
    Reflection,
    ReflectionDecision,
    Response,
    Route,
    TaskPlan,
    Validation,
    ValidationDecision,
)
from wellworn.domain.turns.pipeline import complete_document, record_phase
from wellworn.domain.turns.sections import count_words

LIMIT = 100
_MARKS = st.sampled_from(
    ["> ", "- ", "1. ", "**Decision:** ", "## 2. Gathered Context", "### x", "| a | b |", " ^word"]
)
_PIECES = st.one_of(
    _MARKS, st.text(max_size=12), st.sampled_from(["\n", " ", "7.5 ", "pump ", "https://a.b/c "])
)
TEXTS = st.lists(st.tuples(_PIECES, st.integers(1, 150)), max_size=8).map(
    lambda pieces: "".join(piece * times for piece, times in pieces)
)


@given(TEXTS)
@example("pump " * 200 + " ^word")
@example("**" + "a " * 200 + ":** b")
@example("> " * 400 + "a")
@example("- ^a" * 400)
@example("\n".join(["**A:** " + "b " * 30] * 60))
def test_any_text_is_cut_to_its_limit(text):
    section = f"## 4. Tool Execution\n\n{text}"
    cut = fit_lines(section, most_words=LIMIT, compress=keep_words)
    assert count_words(cut) <= LIMIT
    assert cut.startswith("## 4. Tool Execution")
    assert cut == section or count_words(section) > LIMIT
    assert fit_start(text, most_words=LIMIT, compress=keep_words) or not text


@given(st.lists(TEXTS, max_size=5), TEXTS)
def test_any_items_are_cut_to_the_limit_and_the_most_telling_stays(items, first):
    items = [first, *items]
    section = fit_section(
        "## 2. Gathered Context",
        items,
        "### End",
        most_words=LIMIT,
        compress=keep_words,
        rate=lambda item: float(item == first),
    )
    assert count_words(section) <= LIMIT
    assert section.startswith("## 2. Gathered Context")
    assert section.endswith("### End")
    if first.strip() and count_words(first) <= LIMIT // 2:
        assert first.strip("\n") in section


def test_the_most_telling_items_stay_whole_and_the_next_is_cut_to_what_is_left():
    items = [
        f"### Iteration {number}\n**Action:** TOOL_CALL\n\n- SUCCESS: {name} {'pump ' * 60}at 50 Hz"
        for number, name in enumerate(["alpha", "beta", "gamma", "delta"], 1)
    ]
    section = fit_section(
        "## 4. Tool Execution",
        items,
        "",
        most_words=220,
        compress=lambda _text, _words: "without any number",
        rate=lambda item: "beta" in item,
    )
    assert items[1] in section
    assert all(f"### Iteration {number}" in section for number in (1, 2, 3, 4))
    assert "3 of 4 items were shortened here, and 0 were left out" in section
    assert section.count("words more: 50)") == 3
    assert 120 < count_words(section) <= 220


PROSE = TEXTS.map(lambda text: text or "x")


@given(PROSE, PROSE, st.data())
def test_every_section_of_any_text_is_one_that_a_turn_goes_on_from(tmp_path_factory, a, b, data):
    outputs = [
        (Phase.ANALYSIS, QueryAnalysis.of(a)),
        (
            Phase.REFLECTION,
            Reflection(
                ReflectionDecision.CLARIFY,
                0.4,
                Intent.INFORMATIONAL,
                False,
                a,
                b,
            ),
        ),
        (
            Phase.PLANNING,
            TaskPlan((Goal("GOAL_1", a),), Intent.INFORMATIONAL, (a, b), Route.COORDINATOR, b),
        ),
        (Phase.COORDINATION, Execution(1, 1, "DONE", (Claim(a, None), Claim(b, 1)) * 100, b)),
        (Phase.SYNTHESIS, Response(a, (Claim(b, None),))),
        (
            Phase.VALIDATION,
            Validation(
                ValidationDecision.REVISE,
                0.4,
                {"x": False},
                (a,),
                (b,),
                (GoalValidation("GOAL_1", is_addressed=False, quality=0.0, notes=a),),
            ),
        ),
    ]
    phase, output = data.draw(st.sampled_from(outputs))
    run = begin_run(tmp_path_factory.mktemp("turn"), ask_engine({})[0])
    section = record_phase(run, PhaseStep(phase), output)
    [read] = read_sections(run.document.text)
    assert read.text == section.rstrip()
    assert count_words(section) <= MOST_WORDS[phase]
    complete_document(run)
    assert len(read_sections(run.document.text)) == 1
