"""Commands that ask knowledge: search, resolve, provenance, artifacts, documents; and decide."""

from __future__ import annotations

from typing import Annotated

import typer

from wellworn.interfaces.cli import findings
from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.naming import source_of
from wellworn.interfaces.cli.options import (
    DEFAULT_AGENT,
    DEFAULT_HOME,
    Agent,
    Home,
    InSpace,
    Json,
    Key,
    Url,
)
from wellworn.interfaces.cli.output import emit, progress, say

Term = Annotated[str, typer.Argument(metavar="TERM", help="A name, such as cube.")]
Offset = Annotated[int, typer.Option(min=0, help="How much to pass over.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module, as `wellworn knowledge …`."""
    group = typer.Typer(
        help="Search documents, ask what terms stand for, decide where documents disagree.",
        epilog="Example: wellworn knowledge resolve cube",
        rich_markup_mode=None,
        no_args_is_help=False,
    )
    group.command(epilog="Example: wellworn knowledge search 'cube ssh' --source mytech")(search)
    group.command(epilog="Example: wellworn knowledge resolve cube --json")(resolve)
    group.command(epilog="Example: wellworn knowledge teach cube mytech/AGENTS.md#servers")(teach)
    group.command(epilog="Example: wellworn knowledge provenance cube --type ip")(provenance)
    group.command(epilog="Example: wellworn knowledge artifact hot_terms.md")(artifact)
    group.command(epilog="Example: wellworn knowledge preamble > preamble.md")(preamble)
    group.command(epilog="Example: wellworn knowledge documents --source mytech")(documents)
    group.command(epilog="Example: wellworn knowledge read 12 --offset 4000")(read)
    group.command(epilog="Example: wellworn knowledge conflicts")(conflicts)
    group.command(epilog="Example: wellworn knowledge decide 3 both")(decide)
    group.command(epilog="Example: wellworn knowledge pin cube")(pin)
    group.command(epilog="Example: wellworn knowledge unpin cube")(unpin)
    group.command(epilog="Example: wellworn knowledge unknowns")(unknowns)
    group.command(epilog="Example: wellworn knowledge quality --json")(quality)
    group.command("compile", epilog="Example: wellworn knowledge compile --all")(compile_now)
    app.add_typer(group, name="knowledge")


def search(
    query: Annotated[str, typer.Argument(help="Words, a question, or an identifier.")],
    *,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Most documents.")] = 5,
    among: Annotated[
        list[str] | None,
        typer.Option("--source", metavar="SOURCE", help="Only in this one, may be repeated."),
    ] = None,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print the documents that say most about something, with their passages."""
    with connect(home, url, key=key, space=space) as memory:
        ids = [source_of(memory, one).id for one in among or ()]
        found = memory.search_knowledge(query, limit=limit, source_ids=ids)
    emit(found) if as_json else findings.searched(found)


def resolve(
    term: Term,
    *,
    context: Annotated[str, typer.Option(help="What it is asked for; parts namesakes.")] = "",
    agent: Agent = DEFAULT_AGENT,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print what a term stands for, or the one question to ask; it is never guessed."""
    with connect(home, url, agent, key=key, space=space) as memory:
        found = memory.resolve(term, context=context)
    emit(found) if as_json else findings.answer(found)


def teach(
    term: Term,
    citation: Annotated[str, typer.Argument(help="Where it is told: mytech/AGENTS.md#servers.")],
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Say what a term stands for; print what it resolves to now."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.teach(term, citation)
    emit(found) if as_json else findings.answer(found)


def provenance(
    term: Term,
    *,
    fact_type: Annotated[
        str | None, typer.Option("--type", help="Only such facts: ip, hostname, endpoint, …")
    ] = None,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print every value known of a term, each with the sentence it stands in."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.facts(term, fact_type=fact_type)
    emit(found) if as_json else findings.facts(term, found, fact_type=fact_type)


def artifact(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Such as catalog.md; without it, all.")
    ] = None,
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print one of the files that agents read first, or list them."""
    with connect(home, url, key=key, space=space) as memory:
        if name is None:
            found = memory.artifacts()
            emit(found) if as_json else findings.artifacts(found)
            return
        if not name or "/" in name:
            raise typer.BadParameter("there is no such file; without a name, they are listed")
        content = memory.artifact(name)
    emit({"name": name, "content": content}) if as_json else say(content.rstrip("\n"))


def preamble(
    *,
    budget: Annotated[
        int, typer.Option(min=100, max=100_000, help="Tokens; the catalog is left out beyond.")
    ] = 2_000,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print what an agent is to be told about knowledge, before its task."""
    with connect(home, url, key=key, space=space) as memory:
        content = memory.preamble(budget_tokens=budget)
    emit({"preamble": content}) if as_json else say(content.rstrip("\n"))


def documents(
    *,
    source: Annotated[
        str | None, typer.Option(metavar="SOURCE", help="Only of this source.")
    ] = None,
    offset: Offset = 0,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Most documents.")] = 100,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """List documents, those that could not be read with the reason."""
    with connect(home, url, key=key, space=space) as memory:
        source_id = None if source is None else source_of(memory, source).id
        found = memory.documents(source_id=source_id, offset=offset, limit=limit)
    emit(found) if as_json else findings.documents(found)


def read(
    document: Annotated[
        int, typer.Argument(metavar="DOCUMENT", min=1, help="Its number, as printed by search.")
    ],
    *,
    offset: Offset = 0,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Most characters.")] = 20_000,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print the text of a document, as it was read from its file."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.document(document, offset=offset, limit=limit)
    emit(found) if as_json else findings.page(found)


def conflicts(
    *,
    closed: Annotated[
        bool, typer.Option("--closed", help="Also those that have gone from the documents.")
    ] = False,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print where documents disagree, both sides with their quotes."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.conflicts(closed=closed)
    emit(found) if as_json else findings.conflicts(found)


def decide(
    conflict: Annotated[
        int, typer.Argument(metavar="CONFLICT", min=1, help="Its number, as printed by conflicts.")
    ],
    resolution: Annotated[
        str, typer.Argument(help="One of its values, both, or reopen to take a decision back.")
    ],
    *,
    reason: Annotated[str, typer.Option(help="Kept with the decision.")] = "",
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Settle a conflict; the decision holds after every later sync."""
    with connect(home, url, key=key, space=space) as memory:
        decided = memory.decide(conflict, resolution, reason=reason)
    emit(decided) if as_json else say(findings.about_conflict(decided))


def pin(
    term: Annotated[
        str | None, typer.Argument(metavar="[TERM]", help="A name; without it, those pinned.")
    ] = None,
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Make a term always hot, or list those that are."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.pins() if term is None else memory.pin(term)
    emit({"pins": found}) if as_json else findings.terms(found)


def unpin(
    term: Term,
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Let a term be hot or not by its own merit; print those still pinned."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.unpin(term)
    emit({"pins": found}) if as_json else findings.terms(found)


def unknowns(
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print terms that nothing explains, the most wanted first."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.unknowns()
    emit(found) if as_json else findings.unknowns(found)


def quality(
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print how well knowledge serves the space."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.quality()
    emit(found) if as_json else findings.quality(found)


def compile_now(
    *,
    all_anew: Annotated[bool, typer.Option("--all", help="Also what has not changed.")] = False,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Bring what is compiled up to date now; every sync does so, too."""
    with (
        connect(home, url, key=key, space=space) as memory,
        progress("compiling", quiet=as_json),
    ):
        done = memory.compile_knowledge(all_anew=all_anew)
    emit(done) if as_json else findings.compiled(done)
