"""Tools of servers in the coordinator: what they may be told, and what is made of their words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from unit.turns.prompted_world import QUERY, ask_engine, brief, cite
from wellworn.domain.turns.briefs import ToolDescription
from wellworn.domain.turns.extractive import ExtractiveEngine
from wellworn.domain.turns.folder_vault import FolderVault
from wellworn.domain.turns.journal import CallEntry, TurnJournal
from wellworn.domain.turns.models import EvidenceKind, ToolCall, ToolRequest, ToolResult

RULES = ExtractiveEngine()
TICKETS = ToolDescription(
    "team/read_ticket",
    "Read a ticket.",
    {"ticket": "", "state": "", "limit": ""},
    server="mcp://team/",
    values=frozenset(("open", "5")),
)


def choose(arguments, evidence=(), query=QUERY):
    listed = [{"name": name, "value": text} for name, text in arguments.items()]
    call = {"tool": "team/read_ticket", "arguments": listed, "goal": 1}
    engine, _ = ask_engine({"action": {"reasoning": "so", "calls": [call]}})
    return engine.choose_action(brief(query, evidence), [TICKETS]).requests


def say(text, source="mcp://team/find_owner", kind=EvidenceKind.TOOL):
    return replace(cite(text=text), source=source, kind=kind)


@pytest.mark.parametrize(
    ("arguments", "evidence"),
    [
        ({"ticket": "Kopia"}, ()),
        ({"ticket": "Kopia", "state": "open", "limit": "5"}, ()),
        ({"ticket": "OPS-77"}, (say("Its ticket is OPS-77."),)),
        ({"ticket": "https://t.example/77"}, (say("See https://t.example/77."),)),
        ({}, ()),
    ],
    ids=["words of the query", "own values", "own words", "own address", "nothing"],
)
def test_a_server_is_told_what_the_user_and_itself_said(arguments, evidence):
    assert choose(arguments, evidence) == (ToolRequest("team/read_ticket", arguments, "GOAL_1"),)


@pytest.mark.parametrize(
    ("arguments", "evidence"),
    [
        ({"ticket": "OPS-77"}, ()),
        ({"ticket": "OPS-77"}, (cite(text="Its ticket is OPS-77."),)),
        ({"ticket": "OPS-77"}, (say("OPS-77", "mcp://other/find_owner"),)),
        ({"ticket": "OPS-77"}, (say("OPS-77", kind=EvidenceKind.KNOWLEDGE),)),
        ({"ticket": "https://t.example/77"}, (cite(text="See https://t.example/77."),)),
        ({"ticket": "https://t.example/77?q=ben"}, (say("See https://t.example/77."),)),
        ({"ticket": "closed"}, ()),
        ({"limit": "4711"}, ()),
        ({"nonsense": "Kopia"}, ()),
        ({"ticket": " "}, ()),
    ],
    ids=[
        "invented",
        "of a document",
        "of another server",
        "of one that looks like it",
        "address of a document",
        "longer address",
        "another word",
        "a number",
        "no argument",
        "blank",
    ],
)
def test_a_server_is_told_nothing_else(arguments, evidence):
    assert (
        choose(arguments, evidence)
        == RULES.choose_action(brief(evidence=evidence), [TICKETS]).requests
    )


def make_entry(message, key=""):
    call = ToolCall(1, ToolRequest("team/add", {}), ToolResult(message), 0.0, 1.0)
    return CallEntry(1, call, key)


def list_messages(journal):
    return [call.result.message for call in journal.list_calls(1)]


def test_what_a_call_gave_takes_the_place_of_its_beginning_also_when_read_again(tmp_path):
    vault = FolderVault(tmp_path)
    journal = TurnJournal(vault, "turns/turn_000001")
    for entry in (
        make_entry("first"),
        make_entry("begun", "changing/1"),
        make_entry("done", "changing/1"),
        make_entry("begun", "changing/2"),
        make_entry("last"),
        make_entry("last"),
    ):
        journal.add(entry)
    expected = ["first", "done", "begun", "last", "last"]
    assert list_messages(journal) == expected
    assert list_messages(TurnJournal(vault, "turns/turn_000001")) == expected
