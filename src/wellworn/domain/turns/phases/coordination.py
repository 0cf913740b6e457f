"""Phase 4: tools are called until the engine is done or a limit is reached.

Every call is in the journal before the next one is made; after a crash, none is made again. One
that may change something is there before it is made: where nobody knows how it ended, it is not
repeated. A tool that fails, raises or hangs has a failure as its result. Where memory itself is
gone, as when the server ends, the turn is interrupted, and the call is made when it goes on.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from math import inf
from typing import Final

from wellworn.domain.turns.citing import number_evidence
from wellworn.domain.turns.compression import fit_section
from wellworn.domain.turns.context_document import FILE as CONTEXT
from wellworn.domain.turns.context_document import MOST_WORDS, format_heading
from wellworn.domain.turns.journal import CallEntry
from wellworn.domain.turns.limits import hold_evidence
from wellworn.domain.turns.links import format_dual_link
from wellworn.domain.turns.models import (
    Claim,
    CoordinatorAction,
    Evidence,
    Execution,
    Phase,
    ToolCall,
    ToolRequest,
    ToolResult,
    TurnStatus,
)
from wellworn.domain.turns.quoting import pick_sentence, rate_by
from wellworn.domain.turns.research import FILE as RESEARCH
from wellworn.domain.turns.research import compose_research, write_research
from wellworn.domain.turns.sections import (
    format_field,
    format_quote,
    format_share,
    format_words,
    join_blocks,
)
from wellworn.domain.turns.tool_results import (
    FILE,
    format_arguments,
    format_results,
    name_outcome,
)
from wellworn.domain.turns.tools import ToolContext, TurnTool
from wellworn.domain.turns.turn_run import TurnRun, wait_for
from wellworn.errors import IndexUnavailable, StorageUnavailable, WellwornError

DONE, LIMIT = "DONE", "LIMIT"
NOTE: Final = "note"  # stands for a tool where an agent says something in its own words
_UNKNOWN: Final = (
    "the server's process ended before it answered; what it was to do may be done, so it is not"
    " called again"
)
_MADE_BEFORE: Final = "this turn has called it with the same arguments, and it may change something"
_log = logging.getLogger(__name__)


def run(run: TurnRun) -> Execution:
    with run.tools.open(run.access) as tools:
        descriptions = [each for tool in tools.values() if (each := tool.description)]
        while _may_go_on(run):
            action = run.engine.choose_action(run.brief(), descriptions)
            if not action.requests:
                return conclude(run, DONE, action.reasoning)
            if not _act(run, tools, action):
                break
        return conclude(run, LIMIT, "The limits allow no further call")


def _may_go_on(run: TurnRun) -> bool:
    """Tell whether another iteration is allowed, also to a turn that is resumed."""
    calls = run.list_calls()
    return not calls or calls[-1].iteration < run.settings.most_iterations


def conclude(run: TurnRun, termination: str, reasoning: str = "") -> Execution:
    """Return what the calls gave; all of all attempts are written beside `context.md`."""
    calls = run.list_calls()
    results = format_results(run.describe(), _list_all_calls(run))
    run.vault.write(f"{run.turn.folder}/{FILE}", results)
    _write_research(run)
    # The one that decides to be done, and calls nothing, is one of them.
    iterations = (calls[-1].iteration if calls else 0) + (termination == DONE)
    made = sum(call.request.tool != NOTE for call in calls)
    return Execution(iterations, made, termination, _list_claims(run, calls), reasoning)


def _act(run: TurnRun, tools: Mapping[str, TurnTool], action: CoordinatorAction) -> bool:
    """Make the calls of one iteration; tell whether the limits allowed them all."""
    calls = run.list_calls()
    iteration = calls[-1].iteration + 1 if calls else 1
    for request in action.requests:
        if len(run.list_calls()) >= run.settings.most_tool_calls:
            return False
        _make_call(run, tools.get(request.tool), request, iteration, action.reasoning)
    return True


def _make_call(
    run: TurnRun, tool: TurnTool | None, request: ToolRequest, iteration: int, reasoning: str
) -> None:
    """Make a call, and keep it with what it gave.

    One that may change something is made once in a turn. It is stored before it is made, as one of
    which nobody knows how it ended; what it gave takes the place of that.
    """
    description = tool.description if tool else None
    may_change = description is not None and not description.is_read_only
    call = ToolCall(
        iteration, request, ToolResult.fail(_UNKNOWN), run.clock.now(), 0.0, reasoning=reasoning
    )
    key, begun = "", time.perf_counter()
    if tool is None:
        result = ToolResult.fail(f"there is no tool called {request.tool}")
    elif description is None:
        result = ToolResult.fail(f"{request.tool} cannot be called now")
    elif may_change and _was_made(run, request):
        result = ToolResult.fail(_MADE_BEFORE)
    else:
        if may_change:
            key = f"changing/{len(run.journal.entries)}"
            run.journal.add(CallEntry(run.attempt, call, key))
        result = _run_limited(run, tool, request, may_change=may_change)
    held = hold_evidence(result.evidence, run.limits, run.clock.now())
    numbered = number_evidence(held, run.evidence)
    duration_ms = round((time.perf_counter() - begun) * 1000, 1)
    made = replace(call, result=replace(result, evidence=numbered), duration_ms=duration_ms)
    run.journal.add(CallEntry(run.attempt, made, key))


def _was_made(run: TurnRun, request: ToolRequest) -> bool:
    """Tell whether a call was begun before, in whichever attempt."""
    wanted = request.tool, dict(request.arguments)
    return any(
        (call.request.tool, dict(call.request.arguments)) == wanted for call in _list_all_calls(run)
    )


def _run_limited(
    run: TurnRun, tool: TurnTool, request: ToolRequest, *, may_change: bool
) -> ToolResult:
    """Call a tool in a thread of its own, which is left to itself when it takes too long.

    Raises:
        IndexUnavailable, StorageUnavailable: memory is gone.
        WellwornError: the turn has to end; see `TurnRun.obey`.
    """
    context = ToolContext(
        access=run.access,
        agent_id=run.turn.user_id,
        query=run.turn.query,
        vault=run.vault,
        folder=run.turn.folder,
        turn_number=run.turn.number,
        may_change=may_change,
        limits=run.limits,
        resolutions=run.resolutions,
    )

    def work() -> ToolResult:
        try:
            return tool.call(context, request.arguments)
        except (IndexUnavailable, StorageUnavailable):
            raise
        except WellwornError as error:
            return ToolResult.fail(error.message)
        except Exception:  # noqa: BLE001 - whatever a tool raises is its result
            _log.warning("the tool %s failed", request.tool, exc_info=True)
            return ToolResult.fail("the tool failed; the server's log says why")

    timeout_s = run.settings.tool_timeout_s
    try:
        return wait_for(work, run.check, timeout_s)
    except TimeoutError:
        return ToolResult.fail(f"it took longer than {timeout_s:.0f} s")
    finally:
        context.abandoned.set()


def _list_claims(run: TurnRun, calls: Sequence[ToolCall]) -> tuple[Claim, ...]:
    """Return what evidence states of the goals that the calls were made for, each once.

    A heading states nothing. What an agent found for itself it has judged itself.
    """
    plan = run.brief().plan
    goals = {goal.id: goal.description for goal in plan.goals} if plan else {}
    claims: dict[tuple[str, str], Claim] = {}
    for call in calls:
        result, goal = call.result, call.request.goal
        wanted = goals.get(goal, run.turn.query)
        for item in sorted(result.evidence, key=lambda each: each.number):
            sentence = pick_sentence(item.text, wanted)
            if item.number and item.answers and sentence:
                claim = Claim(sentence, item.number, item.relevance, result.expires_h, goal)
                claims.setdefault((item.source, sentence), claim)
    return tuple(claims.values())


def _write_research(run: TurnRun) -> None:
    """Keep what pages of the web said, for later turns."""
    evidence = [item for call in _list_all_calls(run) for item in call.result.evidence]
    research = compose_research(
        run.vault,
        run.turn,
        run.brief().analysis.resolved_query,
        evidence,
        partial(run.gatherer.rate_sites, run),
        fresh_hours=run.settings.fresh_hours,
    )
    if research is not None:
        write_research(run.vault, research)


def _list_all_calls(run: TurnRun) -> list[ToolCall]:
    return [*run.list_earlier_calls(), *run.list_calls()]


def format_section(run: TurnRun, output: Execution, attempt: int) -> str:
    own = f"{run.turn.folder}/{CONTEXT}"
    calls = run.journal.list_calls(attempt)
    iterations = [
        _format_iteration(number, list(group))
        for number, group in groupby(calls, key=lambda call: call.iteration)
    ]
    evidence = {item.number: item for call in calls for item in call.result.evidence}
    block = f"claim-{attempt}-" if attempt > 1 else "claim-"
    claims = join_blocks(
        "---",
        "### Claims Extracted" if output.claims else "",
        "\n".join(
            _format_claim(f"{block}{number:03d}", claim, evidence)
            for number, claim in enumerate(output.claims, 1)
        ),
    )
    tail = join_blocks(
        "### Details",
        _format_details(run, own),
        "### Termination",
        _format_termination(run, output),
    )
    results = [*iterations, *_format_goal_results(run, calls), _format_end(output, calls)]
    rate = rate_by(run.turn.query)
    return fit_section(
        format_heading(Phase.COORDINATION, attempt),
        [*results, claims],
        tail,
        most_words=MOST_WORDS[Phase.COORDINATION],
        compress=run.engine.compress,
        # What the results came to tells most.
        rate=lambda item: inf if item in {claims, results[-1]} else rate(item),
    )


def _format_details(run: TurnRun, own: str) -> str:
    names = [FILE]
    if run.vault.read(f"{run.turn.folder}/{RESEARCH}") is not None:
        names.append(RESEARCH)
    return "\n".join(
        f"- {format_dual_link(own, f'{run.turn.folder}/{name}', name.removesuffix('.md'))}"
        for name in names
    )


def _format_iteration(number: int, calls: Sequence[ToolCall]) -> str:
    if all(call.request.tool == NOTE for call in calls):
        words = [_format_note(call.result.message) for call in calls]
        return join_blocks(f"### Iteration {number}\n**Action:** NOTE", *words)
    tools = [
        f"- `{format_words(request.tool)}({format_arguments(request)})` for {request.goal}"
        for request in [call.request for call in calls]
    ]
    results = [
        f"- {name_outcome(call.result)}: {format_words(call.result.message)}" for call in calls
    ]
    return "\n".join(
        [
            f"### Iteration {number}",
            format_field("Action", "TOOL_CALL"),
            *([format_field("Reasoning", calls[0].reasoning)] if calls[0].reasoning else []),
            "**Tools Called:**",
            *tools,
            "",
            "**Results:**",
            *results,
        ]
    )


def _format_note(text: str) -> str:
    """Return an agent's own words, quoted where they would begin a section."""
    line = format_words(text)
    return format_quote(line) if line.startswith("#") else line


def _format_end(output: Execution, calls: Sequence[ToolCall]) -> str:
    """Return the last iteration, which calls nothing."""
    failed = sum(not call.result.is_ok for call in calls)
    evidence = [item for call in calls for item in call.result.evidence]
    sources = {item.source for item in evidence}
    numbers = {claim.evidence for claim in output.claims}
    claimed = {item.source for item in evidence if item.number in numbers}
    summary = (
        f"claims: {len(output.claims)}, from {len(claimed)} of {len(sources)} sources; "
        f"tool calls: {output.calls}, failed: {failed}"
    )
    return "\n".join(
        [
            f"### Iteration {output.iterations}" if output.termination == DONE else "### End",
            format_field("Action", output.termination),
            *([format_field("Reasoning", output.reasoning)] if output.reasoning else []),
            format_field("Progress Summary", summary),
        ]
    )


def _format_goal_results(run: TurnRun, calls: Sequence[ToolCall]) -> list[str]:
    """Return what each call gave for its goal, where there are several goals."""
    goals = {goal.id: goal.description for goal in run.brief().goals}
    if len(goals) == 1:
        return []
    return [
        "\n".join(
            [
                f"### 4.{number} Research Results ({call.request.goal})",
                format_field("Tool", call.request.tool),
                format_field(
                    "Goal", f"{call.request.goal} - {goals.get(call.request.goal, 'not planned')}"
                ),
                format_field("Confidence", format_share(_measure_confidence(call))),
                format_field("Result", call.result.message),
            ]
        )
        for number, call in enumerate(calls, 1)
    ]


def _measure_confidence(call: ToolCall) -> float:
    """Return how well the best of what answers fits, 0 to 1."""
    return max((item.relevance for item in call.result.evidence if item.answers), default=0.0)


def _format_claim(block: str, claim: Claim, evidence: dict[int, Evidence]) -> str:
    source = evidence[claim.evidence].source if claim.evidence in evidence else "no source"
    if claim.evidence in evidence and not claim.confidence:
        source = f"not said by {source}"
    expires = f" · TTL {claim.expires_h:g}h" if claim.expires_h else ""
    return (
        f"- {_format_words(claim)[:160]} ({format_words(source)}) · "
        f"confidence {format_share(claim.confidence)}{expires} ^{block}"
    )


def _format_words(claim: Claim) -> str:
    """Return a claim without the mark of the heading or the list item that it is."""
    return re.sub(r"^(?:[-*+>]|#{1,6}|\d+[.)])\s+", "", format_words(claim.text))


def _format_termination(run: TurnRun, output: Execution) -> str:
    limits = run.settings
    of_iterations, of_calls = f"/{limits.most_iterations}", f"/{limits.most_tool_calls}"
    if run.turn.status is TurnStatus.OPEN:  # Its agent works within limits of its own.
        of_iterations = of_calls = ""
    return "\n".join(
        [
            format_field("Reason", output.termination),
            format_field("Iterations", f"{output.iterations}{of_iterations}"),
            format_field("Tool Calls", f"{output.calls}{of_calls}"),
        ]
    )
