"""Explains a failed fetch: its kind, and one sentence with the host that says what to do about it.

The sentences are in `failures.toml`. Git's own words are never passed on: they hold the address,
and what the server chose to say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wellworn.engines.fetch.models import Failed, FailureKind
from wellworn.kit.words import load_table

_STATUS = re.compile(r"requested URL returned error: (\d{3})")
_FIRST_FAULT = 500
_STATUSES = {
    **dict.fromkeys((401, 403, 407), "login_wanted"),
    404: "not_there",
    410: "gone",
    429: "too_often",
}


def describe_failure(name: str, **facts: object) -> Failed:
    """Return a failure by its name, with the facts that its sentence holds."""
    failure = _load_failures()[name]
    return Failed(FailureKind(failure["kind"]), failure["message"].format(**facts))


def describe_status(host: str, code: int, retry_after_s: int | None = None) -> Failed:
    """Return the failure of a status other than success, "unchanged" or a redirect."""
    name = _STATUSES.get(code, "server_fault" if code >= _FIRST_FAULT else "odd_status")
    failed = describe_failure(name, host=host, code=code)
    return Failed(failed.kind, failed.message, retry_after_s)


def describe_missing_branch(host: str, branch: str | None) -> Failed:
    """Return the failure of a branch that is not there; None is the server's main one."""
    name = "repository_empty" if branch is None else "branch_gone"
    return describe_failure(name, host=host, branch=branch)


def read_complaint(complaint: str, host: str, branch: str | None, most_bytes: int) -> Failed:
    """Return the failure that git complains of when it fetches a branch."""
    status = _STATUS.search(complaint)
    if status:
        code = int(status[1])
        is_redirect = code in range(300, 400)
        moved = describe_failure("repository_moved", host=host)
        return moved if is_redirect else describe_status(host, code)
    if "find remote ref" in complaint:
        return describe_missing_branch(host, branch)
    patterns = {name: failure.get("complaint") for name, failure in _load_failures().items()}
    matches = (name for name, text in patterns.items() if text and re.search(text, complaint))
    name = next(matches, "no_git_server")
    return describe_failure(name, host=host, most_bytes=most_bytes)


def _load_failures() -> Mapping[str, Mapping[str, Any]]:
    return load_table(__name__.rpartition(".")[0], "failures.toml")
