"""Every failure that the code names has a sentence, and gets the facts that the sentence holds."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

from wellworn.engines import fetch
from wellworn.engines.fetch import FailureKind
from wellworn.engines.fetch.failures import describe_failure, describe_status, read_complaint
from wellworn.kit.words import load_table

FAILURES = load_table(fetch.__name__, "failures.toml")
FACTS = {"host": "x.org", "most_bytes": 1_000}


def _calls():
    for module in Path(fetch.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "describe_failure":
                yield node


CALLS = [
    (call.args[0].value, {keyword.arg for keyword in call.keywords})
    for call in _calls()
    if isinstance(call.args[0], ast.Constant)
]


def _facts_of(name):
    return {field for _, field, _, _ in Formatter().parse(FAILURES[name]["message"]) if field}


@pytest.mark.parametrize(("name", "facts"), CALLS)
def test_a_call_brings_the_facts_of_its_sentence(name, facts):
    assert _facts_of(name) == facts


def test_every_sentence_is_used():
    by_complaint = {name for name, failure in FAILURES.items() if "complaint" in failure}
    named = "\n".join(
        ast.unparse(ast.parse(module.read_text("utf-8")))
        for module in Path(fetch.__file__).parent.glob("*.py")
    )
    unused = [name for name in FAILURES if not re.search(rf"'{name}'", named)]
    assert set(unused) <= by_complaint


@pytest.mark.parametrize("name", [name for name in FAILURES if "complaint" in FAILURES[name]])
def test_what_git_complains_of_has_the_facts_that_are_known_then(name):
    assert _facts_of(name) <= set(FACTS)
    assert describe_failure(name, **FACTS).kind in FailureKind


@pytest.mark.parametrize(
    ("complaint", "name"),
    [
        ("fatal: unable to write: File too large", "repository_too_large"),
        ("fatal: could not read Username for 'https://x.org'", "repository_login"),
        ("fatal: repository 'https://x.org/a.git/' not found", "no_repository"),
        ("error: No space left on device", "full_disk"),
        ("SSL certificate problem: self-signed certificate", "bad_certificate"),
        ("error: object 1: fsck error in packed object", "dangerous_content"),
        ("Could not resolve host: x.org", "no_answer"),
        ("The requested URL returned error: 301", "repository_moved"),
        ("fatal: who knows", "no_git_server"),
    ],
)
def test_gits_words_are_put_into_ours(complaint, name):
    failed = read_complaint(f"{complaint} SECRET", "x.org", "main", 1_000)
    assert failed == describe_failure(name, **FACTS)


def test_a_status_says_how_long_to_wait():
    assert describe_status("x.org", 429, 7).retry_after_s == 7
    assert describe_status("x.org", 503).kind is FailureKind.SERVER_ERROR
    assert "status 418" in describe_status("x.org", 418).message
