"""What git complains of, put into a kind of failure and a sentence that says what to do.

Git's own words are never passed on: they hold the address, and what the server chose to say.
"""

from __future__ import annotations

import re

from wellworn.engines.fetch import wording
from wellworn.engines.fetch.models import Failed, FailureKind

_STATUS = re.compile(r"requested URL returned error: (\d{3})")


def read_complaint(complaint: str, host: str, branch: str | None, most_bytes: int) -> Failed:
    """Read git's words about `branch` (None: the one the server calls its main one) of a host."""
    status = _STATUS.search(complaint)
    if status:
        return _report_status(host, int(status[1]))
    if "find remote ref" in complaint:
        return report_missing_branch(host, branch)
    if _TOO_LARGE.search(complaint):
        return report_too_large(host, most_bytes)
    known = (explain for words, explain in _WORDS if words.search(complaint))
    return next(known, report_bad_answer)(host)


def _report_status(host: str, code: int) -> Failed:
    if code in range(300, 400):
        return Failed(
            FailureKind.REFUSED_REDIRECT,
            f"{host} says that the repository is at another address; give that one to the source.",
        )
    return wording.report_status(host, code, None)


def report_missing_branch(host: str, branch: str | None) -> Failed:
    if branch is None:
        return Failed(
            FailureKind.NOT_FOUND,
            f"The repository at {host} is empty, or none is there; check the address, or push a"
            " first commit.",
        )
    return Failed(
        FailureKind.NOT_FOUND,
        f"The branch {branch} is gone from the repository at {host}; give the source a branch that"
        " exists.",
    )


def report_no_repository(host: str) -> Failed:
    return Failed(
        FailureKind.NOT_FOUND,
        f"{host} has no repository at this address, or hides it without a credential; check both.",
    )


def report_missing_login(host: str) -> Failed:
    return Failed(
        FailureKind.NEEDS_LOGIN,
        f"{host} does not let this repository be read; give the source a token that may.",
    )


def report_bad_answer(host: str) -> Failed:
    return Failed(
        FailureKind.BAD_ANSWER,
        f"{host} did not answer as a git server does; check that the address is a repository's.",
    )


def report_too_large(host: str, most_bytes: int) -> Failed:
    return Failed(
        FailureKind.TOO_LARGE,
        f"The repository at {host} sends more than {most_bytes:,} bytes; choose fewer paths, or"
        " raise git_most_bytes in the fetch settings.",
    )


def report_too_many_files(host: str, most_files: int) -> Failed:
    return Failed(
        FailureKind.TOO_LARGE,
        f"The repository at {host} has more than {most_files:,} files; use a smaller one, or raise"
        " git_most_files in the fetch settings.",
    )


def report_large_file(most_bytes: int) -> Failed:
    return Failed(
        FailureKind.TOO_LARGE,
        f"The file is larger than {most_bytes:,} bytes; leave it out, or raise most_bytes in the"
        " fetch settings.",
    )


def report_timeout(host: str, seconds: float) -> Failed:
    return Failed(
        FailureKind.TIMED_OUT,
        f"The repository at {host} took longer than {seconds:g} seconds; sync again later, or raise"
        " git_timeout_s in the fetch settings.",
    )


def report_no_query() -> Failed:
    return Failed(
        FailureKind.BLOCKED_BY_POLICY,
        "The address of a repository has no question mark; write it as https://host/path.",
    )


def report_plain_http(host: str) -> Failed:
    return Failed(
        FailureKind.BLOCKED_BY_POLICY,
        f"The repository at {host} is fetched over https only; write its address with https://.",
    )


def report_bad_branch() -> Failed:
    return Failed(
        FailureKind.BLOCKED_BY_POLICY,
        "No branch can have this name; give the source the name of a branch, such as main.",
    )


def report_no_git() -> Failed:
    return Failed(
        FailureKind.UNREACHABLE,
        "Repositories are fetched with git, which is not on this machine in version 2.39 or later;"
        " install it, then sync again.",
    )


def report_corrupt_file(host: str) -> Failed:
    return Failed(
        FailureKind.BAD_ANSWER,
        f"The repository at {host} holds a damaged file; ask its owner to check it with git fsck.",
    )


def report_dangerous_content(host: str) -> Failed:
    return Failed(
        FailureKind.BAD_ANSWER,
        f"The repository at {host} holds what git takes for an attack or damage; ask its owner to"
        " check it with git fsck.",
    )


def report_full_disk(host: str) -> Failed:
    return Failed(
        FailureKind.TOO_LARGE,
        f"The disk has no room for the repository at {host}; free some space, then sync again.",
    )


_TOO_LARGE = re.compile(r"File too large|attempting to allocate")
_WORDS = (
    (
        re.compile(r"could not read (?:Username|Password)|Authentication failed"),
        report_missing_login,
    ),
    (re.compile(r"repository '.*' not found"), report_no_repository),
    (re.compile(r"No space left|Disk quota"), report_full_disk),
    (re.compile(r"[Cc]ertificate"), wording.report_bad_certificate),
    (
        re.compile(r"fsck error|inflate|is corrupt|bad object|did not match"),
        report_dangerous_content,
    ),
    (
        re.compile(
            r"[Cc]ould(?: not|n't) (?:connect|resolve)|Failed to connect|timed out|reset by peer"
            r"|Recv failure|Empty reply|early EOF|unexpected disconnect|RPC failed"
        ),
        wording.report_no_answer,
    ),
)
