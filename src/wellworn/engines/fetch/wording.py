"""What a person reads when a fetch fails: one sentence with the host, and what to do about it.

Never the path, the query or a header of the request: they can carry secrets.
"""

from __future__ import annotations

from collections.abc import Sequence

from wellworn.engines.fetch.models import Failed, FailureKind


def _policy_failure(message: str) -> Failed:
    return Failed(FailureKind.BLOCKED_BY_POLICY, message)


def report_no_address() -> Failed:
    return _policy_failure("This is no web address; write it as https://host/path.")


def report_other_scheme() -> Failed:
    return _policy_failure(
        "Only http and https addresses are fetched; give one that starts with https://."
    )


def report_userinfo(host: str) -> Failed:
    return _policy_failure(
        f"The address of {host} holds a user name or password; take it out of the address and"
        " give it as the source's credential."
    )


def report_private_address(host: str) -> Failed:
    return _policy_failure(
        f"{host} resolves to a private address; use a public one, or have an admin name its network"
        " in the fetch settings (private_networks)."
    )


def report_odd_port(host: str, port: int) -> Failed:
    return _policy_failure(
        f"Port {port} of {host} is not one that may be fetched from; use the usual one, or have an"
        " admin allow it in the fetch settings (ports)."
    )


def report_bad_header(host: str) -> Failed:
    return _policy_failure(
        f"A header for {host} holds characters that HTTP does not allow; check the source's"
        " credential for line breaks."
    )


def report_unknown_host(host: str) -> Failed:
    return Failed(
        FailureKind.UNREACHABLE, f"No address was found for {host}; check how it is spelled."
    )


def report_no_answer(host: str) -> Failed:
    return Failed(
        FailureKind.UNREACHABLE, f"{host} did not answer; check that it is up, then sync again."
    )


def report_broken_connection(host: str) -> Failed:
    return Failed(FailureKind.UNREACHABLE, f"The connection to {host} broke off; sync again later.")


def report_bad_certificate(host: str) -> Failed:
    return Failed(
        FailureKind.BAD_ANSWER,
        f"{host} could not prove who it is; its owner must renew or correct its certificate.",
    )


def report_timeout(host: str, seconds: float) -> Failed:
    return Failed(
        FailureKind.TIMED_OUT,
        f"{host} took longer than {seconds:g} seconds; sync again later, or raise the time allowed"
        " in the fetch settings.",
    )


def report_too_large(host: str, most_bytes: int) -> Failed:
    return Failed(
        FailureKind.TOO_LARGE,
        f"The answer of {host} is larger than {most_bytes:,} bytes; point the source at a smaller"
        " part, or raise most_bytes in the fetch settings.",
    )


def report_bad_answer(host: str) -> Failed:
    return Failed(
        FailureKind.BAD_ANSWER,
        f"{host} answered with something that is not HTTP; check the address.",
    )


def report_bad_encoding(host: str) -> Failed:
    return Failed(
        FailureKind.BAD_ANSWER,
        f"{host} sent its answer in a compression that was not asked for; ask its owner to send"
        " gzip or plain.",
    )


def report_corrupt_body(host: str) -> Failed:
    return Failed(
        FailureKind.BAD_ANSWER, f"The answer of {host} is damaged or cut short; sync again later."
    )


def report_bad_redirect(hosts: Sequence[str], why: str) -> Failed:
    """Say which redirect was not followed; `why` completes "it leads …"."""
    way = " → ".join(hosts)
    return Failed(
        FailureKind.REFUSED_REDIRECT,
        f"A redirect was not followed ({way}): it leads {why}; give the address it should end at.",
    )


def report_status(host: str, code: int, retry_after_s: int | None) -> Failed:
    """Put a status other than success, "unchanged" or a redirect into words."""
    kind, words = _STATUSES.get(code, _DOWN if code >= _FIRST_FAULT else _ODD)
    return Failed(kind, words.format(host=host, code=code), retry_after_s)


_LOGIN = (
    FailureKind.NEEDS_LOGIN,
    "{host} wants a login for this; give the source a credential that may read it.",
)
_FIRST_FAULT = 500
_ODD = (
    FailureKind.BAD_ANSWER,
    "{host} answered with status {code}; check the address in a browser.",
)
_DOWN = (FailureKind.SERVER_ERROR, "{host} has a fault of its own; sync again later.")
_STATUSES: dict[int, tuple[FailureKind, str]] = {
    401: _LOGIN,
    403: _LOGIN,
    404: (
        FailureKind.NOT_FOUND,
        "{host} has nothing at this address; check it, or remove the source.",
    ),
    407: _LOGIN,
    410: (
        FailureKind.GONE,
        "{host} says that this is gone for good; remove the source or change its address.",
    ),
    429: (FailureKind.SERVER_ERROR, "{host} asks to be asked less often; sync again later."),
}
