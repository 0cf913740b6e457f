"""Tools of servers in the coordinator: what they may be told, and what is made of their words."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from unit.turns.prompted_world import QUERY, ask_engine, brief, cite
from wellworn.domain.spaces import Access, Mode, Role
from wellworn.domain.turns.briefs import ToolDescription
from wellworn.domain.turns.extractive import ExtractiveEngine
from wellworn.domain.turns.folder_vault import FolderVault
from wellworn.domain.turns.journal import CallEntry, TurnJournal
from wellworn.domain.turns.models import EvidenceKind, ToolCall, ToolRequest, ToolResult
from wellworn.domain.turns.tools.server_tools import open_tools
from wellworn.engines.tool_servers import McpSettings, ToolServers

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


def list_names(access, *, sealed_spaces=False, **fields):
    """Return the tools that a caller may have called, of a server with these settings."""
    server = {"name": "team", "command": ["team"], "tools": ["find_owner"], **fields}
    settings = McpSettings.model_validate({"servers": [server], "sealed_spaces": sealed_spaces})
    services = SimpleNamespace(tool_servers=ToolServers(settings, 1.0))
    with open_tools(services, access) as tools:
        return [*tools]


OPEN = Access("henry", "ks-0a1b2c3d", Role.CONTRIBUTOR)
SEALED = replace(OPEN, mode=Mode.SEALED)


@pytest.mark.parametrize(
    ("access", "fields", "is_allowed"),
    [
        (OPEN, {}, True),
        (OPEN, {"spaces": ["ks-0a1b2c3d", "ks-default"]}, True),
        (OPEN, {"spaces": ["ks-default"]}, False),
        (OPEN, {"least_role": "contributor"}, True),
        (OPEN, {"least_role": "admin"}, False),
        (OPEN, {"least_role": "admin", "spaces": ["ks-0a1b2c3d"]}, False),
        (SEALED, {}, False),
        (SEALED, {"sealed_spaces": True}, True),
        (SEALED, {"spaces": ["ks-0a1b2c3d"]}, True),
        (SEALED, {"spaces": ["ks-default"], "sealed_spaces": True}, False),
    ],
)
def test_tools_are_for_the_spaces_and_roles_of_the_settings(access, fields, is_allowed):
    assert list_names(access, **fields) == (["team/find_owner"] if is_allowed else [])


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
