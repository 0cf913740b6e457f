"""Nothing is read or written without an Access, and one place makes it; read off the sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

ROOT = "src/wellworn/"
MADE_IN = ROOT + "domain/spaces/"
"""The one package that decides access."""

SERVICES = {
    "Memory": "domain/memory/service.py",
    "Outline": "domain/outline/service.py",
    "Sources": "domain/sources/service.py",
    "Discovery": "domain/knowledge/discovery.py",
    "Thoughts": "domain/thoughts/service.py",
    "Knowledge": "domain/knowledge/service.py",
    "Transfer": "application/transfer/service.py",
}
SERVICES_WITHOUT = {
    "Sources.drop_expired": "the upkeep calls it, for all spaces",
    "Sources.flag": "by number, for the compiler",
    "Sources.is_busy": "says whether anything is synced, not what",
    "Sources.mark_interrupted": "the start of a server calls it, for all spaces",
}
"""Methods that need no Access -> why."""

DOMAIN = ROOT + "domain/"
STORES = ("thoughts/store/", "memory/store", "knowledge/store/", "sources/store/")
PROOFS = ("Access", "Source")
"""What a function of a store may take; a source is a value that only an Access finds."""
STORES_WITHOUT = {
    # What looks after the index and the whole database answers no caller.
    "knowledge/store/conflicts.change_conflict": "by number; whose it is was looked up",
    "knowledge/store/compiled.drop_digests": "by number",
    "thoughts/store/judging.find_unjudged": "a model judges the notes of all spaces",
    "thoughts/store/judging.count_judged": "the same, for its share of a day",
    "thoughts/store/judging.filter_readable": "the same, of what is near in one space",
    "thoughts/store/judging.mark_judged": "the same",
    "thoughts/store/consolidations.add": "the sleeper keeps them, for each space apart",
    "thoughts/store/consolidations.count_later": "the sleeper asks, for each space apart",
    "thoughts/store/consolidations.filter_settled": "of one space; sleep goes through all",
    "thoughts/store/consolidations.find_readable": "of one space; sleep goes through all",
    "thoughts/store/consolidations.find_sleep": "the sleeper asks, for each space apart",
    "thoughts/store/consolidations.forget_told": "by numbers; whose they are was looked up",
    "thoughts/store/consolidations.list_untold": "the sleeper asks, for each space apart",
    "thoughts/store/consolidations.load_consolidations": "of one space; sleep goes through all",
    "thoughts/store/consolidations.load_one": "of one space; by number",
    "thoughts/store/consolidations.load_quotes": "of one space; sleep goes through all",
    "thoughts/store/consolidations.remove": "by numbers; whose they are was looked up",
    "thoughts/store/consolidations.renew": "by number; whose it is was looked up",
    "thoughts/store/consolidations.save_sleep": "the sleeper keeps it, for each space apart",
    "thoughts/store/consolidations.save_told": "by number; whose it is was looked up",
    "thoughts/store/consistency.count_inconsistencies": "the check of the whole database",
    "thoughts/store/consistency.recount": "after a salvage of the whole database",
    "thoughts/store/co_use.find_newest_use": "the gate asks, for all spaces",
    "thoughts/store/co_use.load_sessions": "the gate asks, for each space apart",
    "thoughts/store/co_use.list_spaces": "the gate asks, for all spaces",
    "thoughts/store/features.load_next_units": "units kept in memory, for all spaces",
    "thoughts/store/features.find_newest": "units kept in memory, for all spaces",
    "thoughts/store/features.find_unindexed": "the repair asks, for all spaces",
    "thoughts/store/features.list_newest": "what embeds asks, for all spaces",
    "thoughts/store/features.load_units_of_all_spaces": "units kept in memory, for all spaces",
    "thoughts/store/decisions.drop_old": "of one space; maintenance goes through all",
    "thoughts/store/decisions.export_decisions": "by numbers; whose they are was looked up",
    "thoughts/store/decisions.find_cut": "of one space; maintenance goes through all",
    "thoughts/store/decisions.list_linked": "by number; whose it is was looked up",
    "thoughts/store/decisions.list_spaces": "maintenance asks, for all spaces",
    "thoughts/store/sightings.filter_unseen": "by numbers, of what the caller was just shown",
    "thoughts/store/sightings.list_repeats_of": "by numbers; whose they are was looked up",
    "thoughts/store/sightings.load_showings": "by numbers; whose they are was looked up",
    "thoughts/store/sightings.load_sightings": "by numbers; whose they are was looked up",
    "thoughts/store/sightings.save": "by numbers, of what the caller was just shown",
    "thoughts/store/bridges.drop_old": "of one space; sleep goes through all",
    "thoughts/store/bridges.list_bridges": "of one space; sleep goes through all",
    "thoughts/store/bridges.save_found": "of one space; sleep goes through all",
    "thoughts/store/policies.add_policy": "the learner keeps them, for each space apart",
    "thoughts/store/policies.list_policies": "the learner asks, for each space apart",
    "thoughts/store/policies.list_spaces": "the learner asks, for all spaces",
    "thoughts/store/co_use.add_verdict": "the gate keeps them, for each space apart",
    "thoughts/store/co_use.count_uses": "the gate asks, for each space apart",
    "thoughts/store/co_use.list_verdicts": "the gate asks, for each space apart",
    "thoughts/store/topics.find_newest": "maintenance asks, for all spaces",
    "thoughts/store/topics.filter_existing": "maintenance asks, for all spaces",
    "thoughts/store/topics.list_past": "of one space; maintenance goes through all",
    "thoughts/store/topics.list_visible": "of one space; maintenance goes through all",
    "thoughts/store/topics.list_spaces": "maintenance asks, for all spaces",
    "thoughts/store/topics.count_gists": "of one space; maintenance goes through all",
    "thoughts/store/topics.find_tree": "of one space; maintenance goes through all",
    "thoughts/store/topics.load_topics": "of one space; maintenance goes through all",
    "thoughts/store/topics.save_tree": "of one space; maintenance goes through all",
    "thoughts/store/topics.add_changes": "of one space; maintenance goes through all",
    "thoughts/store/rows.list_living": "the repair asks, for all spaces",
    "thoughts/store/rows.load_indexable": "the index is made of them",
    "sources/store/chunks.list_newest": "what embeds asks, for all spaces",
    "sources/store/chunks.list_outdated": "the repair asks, for all spaces",
    "sources/store/chunks.filter_existing": "the repair asks, for all spaces",
    "sources/store/chunks.update_features": "the repair writes, for all spaces",
    "sources/store/chunks.update_keys": "the repair writes, for all spaces",
    "sources/store/chunks.recover": "after a salvage of the whole database",
    "sources/store/chunks.load_indexable": "the index is made of them",
    "sources/store/handbook.list_outdated": "the repair asks, for all spaces",
    "sources/store/handbook.list_spaces": "the repair asks, for all spaces",
    "sources/store/documents.list_expired": "the upkeep asks, for all spaces",
    "sources/store/runs.list_unfinished_uploads": "the start of a server asks, for all spaces",
    "sources/store/runs.mark_interrupted": "the start of a server writes, for all spaces",
    "sources/store/sources.mark_interrupted": "the start of a server writes, for all spaces",
    "sources/store/sources.list_scheduled": "the schedule asks, for all spaces",
    "sources/store/sources.list_folders": "what watches asks, for all spaces",
    "sources/store/sources.list_unseen": "the doctor of a data folder asks, for all spaces",
    "sources/store/sources.find_webhook": "a signature decides, of whatever space",
    "sources/store/sources.set_webhook": "by number; an Access or a signature found it",
    "sources/store/sources.update_webhook": "by number; a signature found it",
    "sources/store/sources.add_mark": "by number; a signature found it",
    "sources/store/sources.want_sync": "by number; a schedule, a signature or a change asks",
    # By numbers of rows, which no caller has: a function with an Access found them.
    "sources/store/chunks.publish_staged": "by number",
    "sources/store/chunks.list_neighbors": "by number; neighbours are of the same document",
    "sources/store/chunks.list_hashes": "by number",
    "sources/store/chunks.list_by_documents": "by number",
    "sources/store/chunks.update_position": "by number",
    "sources/store/chunks.remove": "by number",
    "sources/store/chunks.list_staged": "by number",
    "sources/store/documents.find_version": "by number; of a source that was found",
    "sources/store/documents.flag": "by number",
    "sources/store/documents.mark_gone": "by number",
    "sources/store/documents.mark_stale": "by number",
    "sources/store/documents.mark_missing": "by number",
    "sources/store/documents.move": "by number",
    "sources/store/documents.mark_refused": "by number",
    "sources/store/documents.remove": "by number",
    "sources/store/documents.replace_secret_notes": "by number",
    "sources/store/documents.update_version": "by number",
    "sources/store/documents.mark_current": "by number; of a source that was found",
    "sources/store/runs.finish": "by number",
    "sources/store/staging.drop": "by number",
    "sources/store/staging.list_ids": "by number",
    "thoughts/store/features.find_neighbours": "by number; a session's neighbours are of its space",
    "thoughts/store/features.save_features": "by number",
    "thoughts/store/ledger.add_accesses": "by number",
    "thoughts/store/ledger.add_use": "by number",
    "thoughts/store/ledger.find_last_use": "by number",
    "thoughts/store/events.replay_trails": "by number",
    "thoughts/store/ledger.find_newest_query": "a number that no caller is told",
    "thoughts/store/ledger.add_deposits": "by number",
    "thoughts/store/ledger.remove_use": "by number",
    "thoughts/store/ledger.replace_feedback": "by number",
    "thoughts/store/ledger.save_trails": "by number",
    "thoughts/store/ledger.find_feedback": "by number",
    "thoughts/store/ledger.load_trails": "by number",
    "thoughts/store/ledger.count_uses": "by number",
    "thoughts/store/ledger.load_prior_accesses": "by number",
    "thoughts/store/purge.delete_traces": "by number",
    "thoughts/store/records.load_origins": "by number; sources are of the same space",
    "thoughts/store/highways.list_companions": "by number; pairs are of one space",
    "thoughts/store/highways.find_highways": "by number; a search found them in the space",
    "thoughts/store/topics.load_gists": "by number; `list_visible` found them in the space",
    "thoughts/store/replacements.add_missing": "by number; `ThoughtWriter` found them in the space",
    "thoughts/store/sessions.ask_query_seq": "a number alone",
    "thoughts/store/sessions.log_query": "a row that was built with an Access",
    "thoughts/store/sayings.affirm": "by number; a function with an Access found it",
    "thoughts/store/sayings.list_other_sayers": "by number; a function with an Access found it",
    "thoughts/store/allies.load_allies": "of the space of a thought that was found in it",
    "thoughts/store/replacements.insert_replacements": "by number",
    "thoughts/store/confirming.load_unconfirmed": "by number; links are of one space",
    "thoughts/store/confirming.judge_unconfirmed": "of rows that were asked for by number",
    "thoughts/store/paths.list_shown": "by numbers; whose they are was looked up",
    "thoughts/store/paths.list_texts": "the same",
    "thoughts/store/replacements.load_standings": "by number; links are of one space",
    "thoughts/store/replacements.find_links": "by number",
    "thoughts/store/replacements.find_last_words": "by number; `ThoughtWriter` found them there",
    "thoughts/store/replacements.withdraw": "of links that were found in the space",
    "thoughts/store/records.load_record": "by number",
    "thoughts/store/rows.ask_thought_seq": "a number alone",
    "thoughts/store/rows.release": "by number",
    "thoughts/store/rows.load_authorships": "by number",
    "thoughts/store/rows.load_contents": "by number",
    "thoughts/store/rows.find_erasure_time": "by number",
    "thoughts/store/rows.link_sources": "by number",
    "thoughts/store/rows.filter_living": "by number",
}
"""Functions over what spaces hold that need no Access -> why."""

CALLERS = ("application/calls/app.py", "application/calls/sync.py", "interfaces/")
"""Where calls into spaces are made."""


def _functions(tree: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef]:
    return (node for node in tree.body if isinstance(node, ast.FunctionDef))


def _class(tree: ast.Module, name: str) -> ast.ClassDef:
    [found] = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name]
    return found


def _takes(function: ast.FunctionDef, kind: str) -> bool:
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return any(one.annotation and ast.unparse(one.annotation) == kind for one in arguments)


def _called(node: ast.AST) -> str:
    name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return name.rpartition(".")[2]


def _constructions(trees: dict[str, ast.Module]) -> list[str]:
    return [
        f"{place}:{node.lineno} {_called(node)}"
        for place, tree in trees.items()
        if not place.startswith(MADE_IN)
        for node in ast.walk(tree)
        if _called(node) in {"Access", "Principal"}
    ]


def _without_access(tree: ast.ClassDef | ast.Module) -> list[str]:
    """Return the public functions that take no Access."""
    return [
        function.name
        for function in _functions(tree)
        if not function.name.startswith("_") and not _takes(function, "Access")
    ]


def _contexts(function: ast.FunctionDef) -> set[str]:
    """Return the names that stand for a guarded call within a function."""
    opened = {
        item.optional_vars.id
        for node in ast.walk(function)
        if isinstance(node, ast.With)
        for item in node.items
        if isinstance(item.context_expr, ast.Call)
        and isinstance(item.context_expr.func, ast.Attribute)
        and item.context_expr.func.attr == "call"
        and isinstance(item.optional_vars, ast.Name)
    }
    given = {
        argument.arg
        for argument in (*function.args.args, *function.args.kwonlyargs)
        if argument.annotation and ast.unparse(argument.annotation) == "CallContext"
    }
    return opened | given


def _every_function(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _unguarded(trees: dict[str, ast.Module]) -> list[str]:
    """Return where services of a space are used outside of a guarded call."""
    return [
        f"{place}:{node.lineno}"
        for place, tree in _callers(trees).items()
        for function in tree.body + [part for kind in _classes(tree) for part in kind.body]
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and node.attr == "services"
        if ast.unparse(node.value) not in _contexts_within(function)
    ]


def _contexts_within(function: ast.FunctionDef) -> set[str]:
    return set().union(*map(_contexts, _every_function(function)))


def _with_another_access(trees: dict[str, ast.Module]) -> list[str]:
    """Return where services get the Access of before the caller's role was proven."""
    return [
        f"{place}:{node.lineno}"
        for place, tree in _callers(trees).items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ".services." in ast.unparse(node.func)
        if any(ast.unparse(argument) == "access" for argument in node.args)
    ]


def _callers(trees: dict[str, ast.Module]) -> dict[str, ast.Module]:
    within = tuple(ROOT + caller for caller in CALLERS)
    return {place: tree for place, tree in trees.items() if place.startswith(within)}


def _classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def _silent_stores(trees: dict[str, ast.Module]) -> set[str]:
    """Return the functions of stores that use a connection without an Access."""
    return {
        f"{place.removeprefix(DOMAIN).removesuffix('.py')}.{function.name}"
        for place, tree in trees.items()
        if place.startswith(tuple(DOMAIN + store for store in STORES))
        for function in _functions(tree)
        if not function.name.startswith("_")
        if _takes(function, "Connection") and not any(_takes(function, one) for one in PROOFS)
    }


def test_only_spaces_makes_an_access(source_trees):
    assert _constructions(source_trees) == []


def test_every_use_case_needs_an_access(source_trees):
    without = {
        f"{name}.{method}"
        for name, place in SERVICES.items()
        for method in _without_access(_class(source_trees[ROOT + place], name))
    }
    assert without == set(SERVICES_WITHOUT)


def test_services_of_a_space_are_used_in_guarded_calls_only(source_trees):
    uses = [
        node
        for tree in _callers(source_trees).values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "services"
    ]
    assert uses, "no call was found; the test looks in the wrong place"
    assert _unguarded(source_trees) == []


def test_services_get_the_access_whose_role_was_proven(source_trees):
    assert _with_another_access(source_trees) == []


def test_every_store_function_needs_an_access_or_has_a_reason(source_trees):
    assert _silent_stores(source_trees) == set(STORES_WITHOUT)


def test_every_class_of_a_store_is_made_with_an_access(source_trees):
    made = {
        f"{place.removeprefix(ROOT)}: {node.name}": _takes(function, "Access")
        for place, tree in source_trees.items()
        if place.startswith(tuple(DOMAIN + store for store in STORES))
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for function in _functions(node)
        if function.name == "__init__"
    }
    assert made
    assert [name for name, takes in made.items() if not takes] == []


# ------------------------------------------------------------------------- each caught once

SEEN = {
    "a door that makes its own": (
        _constructions,
        {"src/wellworn/domain/x.py": "access = spaces.Access('me', 'ks', Role.ADMIN)"},
    ),
    "a principal made elsewhere": (
        _constructions,
        {"src/wellworn/domain/x.py": "def f():\n    return Principal('me', None, role, None)"},
    ),
    "services without a call": (
        _unguarded,
        {"src/wellworn/interfaces/x.py": "def f(app):\n    app.guard.pool.shared.services.x()"},
    ),
    "an access of before the call": (
        _with_another_access,
        {
            "src/wellworn/interfaces/x.py": "with app.call(access) as call:\n"
            "    call.services.memory.find(access)"
        },
    ),
    "a store that forgot": (
        _silent_stores,
        {"src/wellworn/domain/memory/store.py": "def all_answers(connection: Connection): ..."},
    ),
}


@pytest.mark.parametrize("fault", SEEN)
def test_a_seeded_fault_is_seen(fault):
    judge, sources = SEEN[fault]
    assert judge({place: ast.parse(text) for place, text in sources.items()})


def test_a_use_case_without_an_access_is_seen():
    tree = ast.parse("class App:\n  def find(self, text: str): ...")
    assert _without_access(_class(tree, "App"))
