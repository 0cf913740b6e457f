"""The policy version that every query is logged with names one set of numbers.

When this fails, a number in `weights.py` changed. If what is in `weights.py` was never released,
put the fingerprint that the test says into the line of its version; if it was, raise
`POLICY_VERSION` there, say what changed beside it, and add a line here.
"""

from __future__ import annotations

from wellworn.engines.retrieval import weights
from wellworn.kit.text import fingerprint

#: Policy version -> fingerprint of the numbers. A line that was released is never changed.
KNOWN = {
    2: "6fac6d62bfa6",
    3: "128b2a3c7b91",
}


def told(value: object) -> str:
    """Write a value the same way in every process: the order of a set is left to chance."""
    return repr(sorted(value)) if isinstance(value, frozenset) else repr(value)


def current() -> str:
    names = sorted(name for name in dir(weights) if name.isupper() and name != "POLICY_VERSION")
    return fingerprint("\n".join(f"{name}={told(getattr(weights, name))}" for name in names))[:12]


def test_the_numbers_change_only_together_with_the_policy_version():
    version, found = weights.POLICY_VERSION, current()
    assert KNOWN.get(version) == found, (
        f"the numbers of weights.py have the fingerprint {found!r}, which is not that of policy "
        f"version {version}. Released already? Raise POLICY_VERSION and add the line "
        f"`{version + 1}: {found!r}` to KNOWN. Not yet? Set `{version}: {found!r}` there."
    )


def test_no_two_versions_have_the_same_numbers():
    assert len({*KNOWN.values()}) == len(KNOWN)
    assert max(KNOWN) == weights.POLICY_VERSION
