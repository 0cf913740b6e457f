"""Turns without a database: evidence is there, tools are scripted, and so is the model."""

from __future__ import annotations

from dataclasses import replace

from wellworn.domain.memory import NO_LIMITS
from wellworn.domain.spaces import local_access
from wellworn.domain.turns.briefs import Brief, Recollection, ToolDescription
from wellworn.domain.turns.context_document import ContextDocument
from wellworn.domain.turns.extractive import ExtractiveEngine
from wellworn.domain.turns.folder_vault import FolderVault
from wellworn.domain.turns.journal import TurnJournal
from wellworn.domain.turns.models import (
    Evidence,
    EvidenceKind,
    Goal,
    Intent,
    QueryAnalysis,
    Route,
    TaskPlan,
    ToolResult,
    Turn,
    TurnStatus,
)
from wellworn.domain.turns.prompted import PromptedEngine
from wellworn.domain.turns.prompted.responses import QUOTED
from wellworn.domain.turns.settings import TurnSettings
from wellworn.domain.turns.tools import Toolbox
from wellworn.domain.turns.turn_run import TurnRun, ignore_progress
from wellworn.engines.llm import ModelRefusal, RefusalReason
from wellworn.testing.chat_model import ScriptedModel
from wellworn.testing.clock import ManualClock

QUERY = "Who looks after Kopia?"
OWNER = "Kopia 0.21.1 makes the copies, and Ben Ode looks after it."
TWO = "Who looks after Kopia and where does cube stand?"
REFUSED = ModelRefusal(RefusalReason.UNAVAILABLE, "the model gave no answer: it took too long")


def cite(number=1, text=OWNER, title="Kopia", **fields):
    fields.setdefault("relevance", 0.9)
    return Evidence(
        number, EvidenceKind.KNOWLEDGE, title, text, f"notes/{title.lower()}.md", **fields
    )


def brief(query=QUERY, evidence=None, **fields):
    evidence = (cite(),) if evidence is None else tuple(evidence)
    plan = TaskPlan((Goal("GOAL_1", query),), Intent.INFORMATIONAL, (), Route.SYNTHESIS)
    return replace(
        Brief(query, "", QueryAnalysis.of(query), plan=plan, evidence=evidence), **fields
    )


def ask_engine(answers):
    """Return an engine, and its model, which fills in these fields for each type of output.

    The fields of a type may be a list, given in turn; a type that is not named is refused.
    """
    rest = {name: list(each) for name, each in answers.items() if isinstance(each, list)}

    def answer(request):
        name = request.output_type.__name__.removesuffix("Output").lower()
        if rest.get(name):
            return rest[name].pop(0)
        fixed = answers.get(name)
        return REFUSED if fixed is None or isinstance(fixed, list) else fixed

    model = ScriptedModel(answer)
    return PromptedEngine(model, ExtractiveEngine()), model


def requests_for(model, name):
    return [
        request
        for request in model.requests
        if request.output_type.__name__.removesuffix("Output").lower() == name
    ]


def write_answer(text, *claims):
    """Return the fields of an answer; a claim is its text, evidence and goal."""
    return {
        "text": text,
        "claims": [
            {"text": said, "evidence": number, "goal": goal} for said, number, goal in claims
        ],
    }


GOOD = write_answer("Ben Ode looks after Kopia [1].", ("Ben Ode looks after Kopia", 1, 1))


def judge(decision="APPROVE", *issues, unserved=()):
    return {
        "decision": decision,
        "confidence": 90,
        "issues": list(issues),
        "hints": [],
        "unserved_goals": list(unserved),
    }


class ScriptedTool:
    """A tool that gives this evidence and counts its calls."""

    def __init__(self, name="knowledge.search", evidence=(), argument="query"):
        self.description = ToolDescription(name, "Search.", {argument: "what to look for"})
        self.evidence = tuple(evidence)
        self.calls = []

    def call(self, context, arguments):
        self.calls.append(dict(arguments))
        return ToolResult(f"Found {len(self.evidence)} passages", self.evidence)


class GivenEvidence:
    """A gatherer that finds the same, whatever is asked."""

    def __init__(self, candidates=(), known=None):
        self.candidates = list(candidates)
        self.known = known or Recollection()

    def recall(self, run):
        return self.known

    def find_candidates(self, run, query):
        return self.candidates

    def correct_name(self, run, query):
        return query

    def read_limits(self, run, query):
        return NO_LIMITS

    def rate_sites(self, run, sites):
        return dict.fromkeys(sites, 0.5)


def begin_run(folder, engine, query=QUERY, candidates=(), tools=()):
    turn = Turn(
        id="turn-1",
        user_id="ada",
        number=1,
        status=TurnStatus.RUNNING,
        query=query,
        resolved_query=query,
        topic="general",
        intent=Intent.INFORMATIONAL,
        engine=engine.name,
        summary="",
        quality=None,
        created_at=1_700_000_000.0,
    )
    vault = FolderVault(folder)
    return TurnRun(
        access=local_access("default"),
        turn=turn,
        vault=vault,
        journal=TurnJournal(vault, turn.folder),
        document=ContextDocument(vault, turn),
        engine=engine,
        gatherer=GivenEvidence(candidates),
        tools=Toolbox({tool.description.name: tool for tool in tools}),
        settings=TurnSettings(),
        clock=ManualClock(),
        notify=ignore_progress,
    )


def relabel(response):
    return replace(response, text=response.text[: response.text.rindex("_Made of")] + QUOTED)


def written(text, *claims, evidence=None, **fields):
    """Return a brief whose answer the engine wrote by these words of a model."""
    engine, _ = ask_engine({"synthesis": write_answer(text, *claims)})
    asked = brief(evidence=evidence, **fields)
    return replace(asked, response=engine.synthesize(asked))


def write_plan(*goals, route="coordinator", question="", depends=()):
    numbered = [
        {"description": goal, "depends_on": list(depends) if place else []}
        for place, goal in enumerate(goals)
    ]
    return {
        "goals": numbered,
        "subtasks": ["Look it up"],
        "route": route,
        "intent": "informational",
        "question": question,
        "reasoning": "because",
    }
