"""Turns that quote what is gone, found in their journals and erased in their files."""

from __future__ import annotations

import pytest

from wellworn.domain.turns.folder_vault import FolderVault
from wellworn.domain.turns.journal import PhaseEntry, TurnJournal
from wellworn.domain.turns.models import (
    Claim,
    Evidence,
    EvidenceKind,
    GatheredContext,
    Phase,
    Response,
)
from wellworn.domain.turns.quoting_turns import find_quoting

FOLDER = "turns/turn_000001"
OLD, NEW = "The lamp burns paraffin.", "The lamp burns colza."


def find(vault, gone, *folders):
    return list(find_quoting(vault, folders or [FOLDER], lambda thought: thought == gone))


def write_turn(vault, *evidence, folder=FOLDER):
    section = "\n".join(["## 2. Gathered Context", *(f"> {item.text}" for item in evidence)])
    output = GatheredContext(evidence)
    TurnJournal(vault, folder).add(PhaseEntry(Phase.GATHERING, 1, output, section, 0.0))
    vault.write(f"{folder}/context.md", f"---\nid: lamp burns colza\n---\n\n{section}\n")


def test_what_is_said_of_what_replaced_a_thought_goes_with_that(tmp_path):
    vault = FolderVault(tmp_path)
    note = f"replaced by ann on 2026-01-01: {NEW}"
    item = Evidence(1, EvidenceKind.THOUGHT, "ann said", OLD, "thought:old", thought_id="old")
    write_turn(vault, Evidence(**_read(item) | {"note": note, "note_of": "new"}))
    [quoting] = find(vault, "new")
    quoting.erase_documents()
    quoting.erase_journal()
    [left] = TurnJournal(vault, FOLDER).list_evidence()
    assert (left.text, left.note) == (OLD, "replaced by ann on 2026-01-01")
    assert OLD in (vault.read(f"{FOLDER}/context.md") or "")


def test_an_erasure_that_was_interrupted_finds_its_turns_again(tmp_path):
    vault = FolderVault(tmp_path)
    write_turn(vault, Evidence(1, EvidenceKind.THOUGHT, "a", NEW, "thought:x", thought_id="x"))
    [quoting] = find(vault, "x")
    quoting.erase_documents()
    [again] = find(vault, "x")
    again.erase_documents()
    again.erase_journal()
    journal = vault.read(f"{FOLDER}/journal.jsonl") or ""
    assert "colza" not in journal
    assert TurnJournal(vault, FOLDER).phases[0].section == "## 2. Gathered Context\n> [erased]."


def test_turns_that_quote_each_other_are_found_however_they_are_ordered(tmp_path):
    vault, folders = FolderVault(tmp_path), [f"turns/turn_00000{number}" for number in (1, 2, 3)]
    first, second, third = folders
    write_turn(
        vault,
        Evidence(1, EvidenceKind.THOUGHT, "a", NEW, "thought:x", thought_id="x"),
        folder=third,
    )
    for folder, quoted in ((second, third), (first, second)):
        link = f"{quoted}/context.md"
        item = Evidence(1, EvidenceKind.TURN, "Turn", f"It said: {NEW} Really.", link, link=link)
        write_turn(vault, item, folder=folder)
    for quoting in find(vault, "x", *folders):
        quoting.erase_documents()
        quoting.erase_journal()
    for folder in folders:
        assert "burns colza" not in (vault.read(f"{folder}/journal.jsonl") or "")
    [item] = TurnJournal(vault, first).list_evidence()
    assert item.text == "It said: [erased]. Really."
    assert find(vault, "y", *folders) == []


@pytest.mark.parametrize("value", ["colza oil", "6 V"])
@pytest.mark.parametrize("form", ["{value} — “{text}” [1]", "{value} [1]:\n\n> {text}"])
def test_the_words_that_answer_go_with_the_quote_that_they_stand_in(tmp_path, value, form):
    vault = FolderVault(tmp_path)
    said = f"The lamp of the second pier takes {value} since May."
    write_turn(vault, Evidence(1, EvidenceKind.THOUGHT, "a", said, "thought:x", thought_id="x"))
    text = form.format(value=value, text=said)
    answer = Response(text, (Claim(said, 1, value=value),))
    TurnJournal(vault, FOLDER).add(PhaseEntry(Phase.SYNTHESIS, 1, answer, text, 0.0))
    vault.write(f"{FOLDER}/context.md", f"## 5. Synthesis\n\n{text}\n")
    [quoting] = find(vault, "x")
    quoting.erase_documents()
    quoting.erase_journal()
    for name in ("journal.jsonl", "context.md"):
        assert value not in (vault.read(f"{FOLDER}/{name}") or "")
    assert "[1]" in (vault.read(f"{FOLDER}/context.md") or "")


def _read(item):
    return {name: getattr(item, name) for name in item.__slots__}
