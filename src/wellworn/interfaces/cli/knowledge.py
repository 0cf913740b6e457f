"""Commands that ask knowledge: search, resolve, provenance, artifacts, documents; and decide."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

import typer

from wellworn.interfaces.cli import knowledge_output
from wellworn.interfaces.cli.context import AGENT, CommandContext, command, new_group
from wellworn.interfaces.cli.lookup import find_conflict_id, find_source
from wellworn.interfaces.cli.output import fold_spaces

Term = Annotated[str, typer.Argument(metavar="TERM", help="A name, such as cube.")]
NameOrQuestion = Annotated[
    str, typer.Argument(metavar="TERM", help="A name, or a question: cube, 'cube ip address'.")
]
Offset = Annotated[int, typer.Option(min=0, help="How much to skip.")]

commands = new_group(
    "Search documents, resolve terms, settle conflicts.",
    example="knowledge resolve cube",
)


@command(commands, "knowledge search 'cube ssh' --source mytech")
def search(
    context: CommandContext,
    query: Annotated[str, typer.Argument(help="Words, a question, or an identifier.")],
    *,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Most documents.")] = 5,
    sources: Annotated[
        list[str] | None,
        typer.Option(
            "--source", metavar="SOURCE", help="Search only this source; can be repeated."
        ),
    ] = None,
) -> None:
    """Print the documents that say most about something.

    Each has its best passages, with their places.
    """
    memory = context.memory
    ids = [find_source(memory, source).id for source in sources or ()]
    hits = memory.search_knowledge(query, limit=limit, source_ids=ids)
    context.show(hits, knowledge_output.print_hits)


@command(commands, "knowledge resolve cube --json", options=AGENT)
def resolve(
    context: CommandContext,
    term: NameOrQuestion,
    *,
    question: Annotated[
        str,
        typer.Option(
            "--context", help="What the term is needed for; it may name the value that is wanted."
        ),
    ] = "",
) -> None:
    """Print what a term stands for, or one question to ask.

    The answer is never a guess.
    """
    answer = context.memory.resolve(term, context=question)
    context.show(answer, knowledge_output.print_answer)


@command(commands, "knowledge teach cube mytech/AGENTS.md#servers")
def teach(
    context: CommandContext,
    term: Term,
    citation: Annotated[
        str, typer.Argument(help="Where it is explained: mytech/AGENTS.md#servers.")
    ],
) -> None:
    """Teach what a term stands for; print what it resolves to now."""
    context.show(context.memory.teach(term, citation), knowledge_output.print_answer)


@command(commands, "knowledge provenance cube --type ip")
def provenance(
    context: CommandContext,
    term: Term,
    *,
    fact_type: Annotated[
        str | None,
        typer.Option("--type", help="Only facts of this type: ip, hostname, endpoint, …"),
    ] = None,
) -> None:
    """Print every known value of a term, each with its sentence."""
    facts = context.memory.facts(term, fact_type=fact_type)
    context.show(facts, partial(knowledge_output.print_facts, term=term, fact_type=fact_type))


@command(commands, "knowledge artifact hot_terms.md")
def artifact(
    context: CommandContext,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Such as catalog.md; by default, lists all."),
    ] = None,
) -> None:
    """Print one of the files that agents read first, or list them."""
    if name is None:
        context.show(context.memory.artifacts(), knowledge_output.print_artifacts)
        return
    memory = context.memory
    if not name or "/" in name:
        raise typer.BadParameter("there is no such file; leave out the name to list them")
    content = memory.artifact(name)
    context.show({"name": name, "content": content}, content.rstrip("\n"))


@command(commands, "knowledge preamble > preamble.md")
def preamble(
    context: CommandContext,
    *,
    budget: Annotated[
        int,
        typer.Option(
            min=100, max=100_000, help="Most tokens; the catalog is left out if it does not fit."
        ),
    ] = 2_000,
) -> None:
    """Print instructions that tell an agent to use knowledge."""
    content = context.memory.preamble(budget_tokens=budget)
    context.show({"preamble": content}, content.rstrip("\n"))


@command(commands, "knowledge documents --source mytech")
def documents(
    context: CommandContext,
    *,
    source: Annotated[
        str | None, typer.Option(metavar="SOURCE", help="Only documents of this source.")
    ] = None,
    offset: Offset = 0,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Most documents.")] = 100,
) -> None:
    """List documents, including unreadable ones with the reason."""
    memory = context.memory
    source_id = None if source is None else find_source(memory, source).id
    documents = memory.documents(source_id=source_id, offset=offset, limit=limit)
    context.show(documents, knowledge_output.print_documents)


@command(commands, "knowledge read 12 --offset 4000")
def read(
    context: CommandContext,
    document: Annotated[
        int, typer.Argument(metavar="DOCUMENT", min=1, help="Its number, as search prints it.")
    ],
    *,
    offset: Offset = 0,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Most characters.")] = 20_000,
) -> None:
    """Print the text of a document, as read from its file."""
    page = context.memory.document(document, offset=offset, limit=limit)
    context.show(page, knowledge_output.print_page)


@command(commands, "knowledge conflicts")
def conflicts(
    context: CommandContext,
    *,
    closed: Annotated[
        bool, typer.Option("--closed", help="Also conflicts that the documents no longer contain.")
    ] = False,
) -> None:
    """Print where documents disagree, with quotes of both sides."""
    context.show(context.memory.conflicts(closed=closed), knowledge_output.print_conflicts)


@command(commands, "knowledge decide cube both")
def decide(
    context: CommandContext,
    conflict: Annotated[
        str,
        typer.Argument(
            metavar="CONFLICT", help="The term it is about, or its number, as conflicts prints it."
        ),
    ],
    resolution: Annotated[
        str, typer.Argument(help="One of its values, both, or reopen to withdraw a decision.")
    ],
    *,
    reason: Annotated[str, typer.Option(help="Kept with the decision.")] = "",
) -> None:
    """Settle a conflict; later syncs keep the decision."""
    memory = context.memory
    decided = memory.decide(find_conflict_id(memory, conflict), resolution, reason=reason)
    context.show(decided, knowledge_output.format_conflict(decided))


Reason = Annotated[str, typer.Option(help="Kept with it.")]
Other = Annotated[
    str | None,
    typer.Argument(metavar="[OTHER]", help="Another name; by default, the same in other places."),
]


@command(commands, "knowledge merge 'gpu box' cube")
def merge(context: CommandContext, term: Term, other: Other = None, *, reason: Reason = "") -> None:
    """Say that two names are one thing, or all namesakes of one; later syncs keep it."""
    _rule(context, term, other, "one", reason)


@command(commands, "knowledge split atlas")
def split(context: CommandContext, term: Term, other: Other = None, *, reason: Reason = "") -> None:
    """Say that two names are two things, or that each document's namesake is its own."""
    _rule(context, term, other, "several", reason)


@command(commands, "knowledge names")
def names(
    context: CommandContext,
    *,
    undo: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Take back the merge or split.")
    ] = None,
) -> None:
    """Print which names were merged and split, by whom, or undo one."""
    memory = context.memory
    if undo is not None:
        memory.undo_ruling(undo)
        context.show({"undone": undo}, f"undone: {undo}")
        return
    context.show(memory.name_rulings(), knowledge_output.print_rulings)


def _rule(
    context: CommandContext,
    term: str,
    other: str | None,
    verdict: Literal["one", "several"],
    reason: str,
) -> None:
    ruling = context.memory.rule_names(term, other, verdict=verdict, reason=reason)
    context.show(ruling, knowledge_output.format_ruling(ruling))


@command(commands, "knowledge pin cube")
def pin(
    context: CommandContext,
    term: Annotated[
        str | None, typer.Argument(metavar="[TERM]", help="A name; by default, lists pinned terms.")
    ] = None,
) -> None:
    """Make a term always hot, or list the pinned terms."""
    memory = context.memory
    _show_pins(context, memory.pins() if term is None else memory.pin(term))


@command(commands, "knowledge unpin cube")
def unpin(context: CommandContext, term: Term) -> None:
    """Unpin a term; print the terms that are still pinned."""
    _show_pins(context, context.memory.unpin(term))


@command(commands, "knowledge unknowns")
def unknowns(context: CommandContext) -> None:
    """Print terms that nothing explains, most wanted first."""
    context.show(context.memory.unknowns(), knowledge_output.print_unknowns)


@command(commands, "knowledge quality --json")
def quality(context: CommandContext) -> None:
    """Print how well knowledge answers the space's agents."""
    context.show(context.memory.quality(), knowledge_output.print_quality)


@command(commands, "knowledge compile --all", name="compile")
def compile_knowledge(
    context: CommandContext,
    *,
    all_anew: Annotated[
        bool, typer.Option("--all", help="Also compile what has not changed.")
    ] = False,
) -> None:
    """Compile documents now; every sync does so, too."""
    memory = context.memory
    with context.progress("compiling"):
        compiled = memory.compile_knowledge(all_anew=all_anew)
    context.show(compiled, knowledge_output.print_compiled)


def _show_pins(context: CommandContext, terms: tuple[str, ...]) -> None:
    text = "\n".join(map(fold_spaces, terms)) or "no term is pinned"
    context.show({"pins": terms}, text)
