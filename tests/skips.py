"""In CI a skip is a failure, unless its reason stands here: what is not run proves nothing."""

from __future__ import annotations

import os

import pytest

ALLOWED = {
    # Parametrised over every id of every route; of a sealed space a number names its own rows.
    "rows of a sealed space are counted in it alone: the number is ours",
    # Mounting wants rights that a container may not have; a full disk is tested by doubles, too.
    "mounting a small file system is not permitted here",
    # CI installs one where it may; scripts that stand for one are run everywhere.
    "no Chromium is installed here",
    # They are large, and want a Node; what they send to hooks was recorded, and is answered in CI.
    "no client that agents live in is installed here",
    # `make frameworks` installs and runs them, in an environment of their own: 60 packages more.
    "this agent framework is not installed here",
    # A newer Node comes with the type checker, and runs the same tests everywhere.
    "no Node is installed here",
    # With OVER_POSTGRESQL=1 alone, as `make postgresql` has it.
    "of the file of a database",
    # The wheel has no build for every system, and the server does not run as root.
    "no PostgreSQL can be run here",
    # The server keeps all others out of its memory; what is left there only root can see.
    "only root on Linux reads the memory of another process",
}


def _refuse_in_ci(report: pytest.CollectReport | pytest.TestReport) -> None:
    if "CI" not in os.environ or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
    if reason.removeprefix("Skipped: ") not in ALLOWED:
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, and tests/skips.py does not allow it: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    report = yield
    _refuse_in_ci(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    report = yield
    _refuse_in_ci(report)
    return report
