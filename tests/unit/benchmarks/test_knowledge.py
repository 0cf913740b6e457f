"""What benchmarks of knowledge are made of: reworded documents, questions, judged answers."""

from __future__ import annotations

import re
import subprocess

import pytest
from benchmarks.knowledge_answers import Question, Spot, hidden, judged, shown
from benchmarks.knowledge_git import Repository, served
from benchmarks.knowledge_texts import Docs, changed, questions

from wellworn.client.models import FoundDocument, Snippet

BODY = "The pump runs at nine bars, and whoever hears it whistle calls the plant at once. " * 4
PAGE = f"# Pumps\n\n{BODY}\n\n## Valve torque\n\n{BODY.replace('pump', 'valve')}\n"


def docs():
    words = [f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(200)]
    return Docs({f"{n}.md": f"# Part {n}\n\n" + " ".join(words[n:]) for n in range(20)})


def test_a_reworded_copy_is_as_long_and_as_repetitive_and_says_something_else():
    first, second = docs(), docs().reworded(1)
    assert second.texts != first.texts
    assert second.texts == docs().reworded(1).texts
    assert docs().reworded(2).texts != second.texts
    for path, text in first.texts.items():
        told, other = re.findall(r"\w+", text), re.findall(r"\w+", second.texts[path])
        assert len(told) == len(other)
        # Each word always becomes the same one, and no two become one.
        assert len(set(told)) == len(set(other)) == len(set(zip(told, other, strict=True)))


def test_one_file_in_a_hundred_is_changed(tmp_path):
    Docs({f"{n:03}.md": "a\nb\n" for n in range(201)}).write(tmp_path)
    assert changed(tmp_path, 100) == 3
    longer = [file.name for file in tmp_path.glob("*.md") if len(file.read_text()) > 4]
    assert sorted(longer) == ["000.md", "100.md", "200.md"]


def test_questions_are_of_all_kinds_and_always_the_same():
    texts = {f"{n}.md": f"# Pump {n}\n\nset PUMP_{n}_BAR\n\n{BODY}" for n in range(9)}
    asked = questions(Docs(texts), 30)
    assert len(asked) == 30
    assert asked == questions(Docs(texts), 30)
    assert any(one.startswith("what is Pump") for one in asked)
    assert any(one.startswith("where is PUMP_") for one in asked)


def written(data):
    for name in ("a", "b"):
        file = data / "docs" / name / "index.md"
        file.parent.mkdir(parents=True)
        file.write_text(PAGE if name == "a" else "# Other\n\nNothing of it.\n", "utf-8")


@pytest.mark.parametrize("make", [shown, hidden])
def test_the_answer_of_a_documentation_question_is_where_it_stands(make, tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.retrieval.tasks.headings._ONE_IN", 1)
    written(tmp_path)
    found = make(tmp_path)
    [question] = [one for one in found.questions if one.text == "what is Valve torque?"]
    [spot] = question.spots
    assert found.texts["a/index.md"][spot.start : spot.end].startswith("The valve runs at nine")
    assert ("Valve torque" in found.texts["a/index.md"]) == (make is shown)


def snippet(text, start=0):
    place = {"anchor": "", "headings": (), "page": None, "citation": "", "exact": False}
    return Snippet(text=text, start=start, end=start + len(text), score=0.5, **place)


def document(path, *snippets):
    about = {"source": "docs", "source_id": 1, "title": None, "document_id": 1}
    about |= {"stale": False, "weak": False, "fetched_at": "", "score": 0.5}
    return FoundDocument(path=path, snippets=snippets, **about)


def test_an_answer_is_judged_by_its_pages_and_by_what_is_shown_of_its_span():
    text = "x" * 100 + "y" * 100
    question = Question("?", "all", (Spot("a.md", 100, 200), Spot("b.md", 0, 50)))

    def judge(*found):
        return judged(question, found, {"a.md": text, "b.md": text})

    assert judge(document("a.md", snippet("y" * 60))) == (0.5, 1.0)
    assert judge(document("a.md", snippet("x" * 60)), document("b.md")) == (1.0, 0.0)
    assert judge(document("a.md", snippet("x" * 60 + "y" * 5))) == (0.5, 0.0)
    assert judge(document("c.md", snippet("y" * 60))) == (0.0, 0.0)
    # A secret was taken out before it, so that it is no longer found by its letters.
    assert judge(document("a.md", snippet("z" * 60, start=120))) == (0.5, 1.0)


def test_git_serves_what_was_committed(tmp_path):
    Repository(tmp_path / "docs.git").commit({"a/ä.md": "# A\n", "b.md": "b"})
    Repository(tmp_path / "docs.git").commit({"b.md": "ü\n"})
    with served(tmp_path) as address:
        command = ["git", "clone", "--quiet", f"{address}/docs.git", str(tmp_path / "clone")]
        subprocess.run(command, check=True, capture_output=True)
    files = {file.name: file.read_text("utf-8") for file in (tmp_path / "clone").glob("*.md")}
    assert files == {"b.md": "ü\n"}
