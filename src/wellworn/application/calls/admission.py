"""The entrance: who calls, how often, and a line in the audit trail for those turned away.

A caller turned away could fill the trail by coming again. So one line a minute tells of each
member and reason, and one of all who show nothing that is known here.

Source: `docs/security.md`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256

from wellworn.application.calls.audit_names import SERVER_TRAIL, audit_actor, new_request
from wellworn.application.calls.rate_limits import Allowance, CallClass, RateLimits
from wellworn.domain.audit import Action, Actor, Audit
from wellworn.domain.spaces import (
    Access,
    Authenticator,
    KnownCredential,
    Principal,
)
from wellworn.errors import RateLimited, SpaceLocked, SpaceNotFound, Unauthenticated
from wellworn.kit.clock import Clock

UNKNOWN = "unknown"
"""The principal of all who show no valid credential."""

_MINUTE_S = 60
_MOST_KNOWN = 10_000


class AdmissionControl:
    """Lets callers in, counts them, and tells of those it turns away."""

    def __init__(
        self, authenticator: Authenticator, limits: RateLimits, audit: Audit, clock: Clock
    ) -> None:
        self.authenticator = authenticator
        self.limits = limits
        self._audit = audit
        self._once = _OnceAMinute(clock)
        self._members: OrderedDict[bytes, tuple[str, ...]] = OrderedDict()

    def enter(
        self, shown: str | None, space: str | None, *, kind: CallClass, address: str
    ) -> tuple[Access, Allowance | None]:
        """Return what the caller may do in a space, and what is left of their rate.

        `shown` and `space` are as in `Authenticator.enter`. The one at the open door is not
        counted; who fails is counted by address, so that nobody tries credentials without end.

        Raises:
            Unauthenticated, SpaceNotFound, SpaceLocked, RateLimited: not now, or not at all.
        """
        with self._turning_away(shown, address):
            access = self.authenticator.enter(shown, space)
        if access.owner is None:
            return access, None
        self._keep_member(shown, access.owner)
        with self._limiting(access.space, audit_actor(access), kind):
            return access, self.limits.hit(access.owner, kind)

    def recognise(
        self, shown: str | None, *, kind: CallClass, address: str
    ) -> tuple[Principal | None, Allowance | None]:
        """Return who calls, in no space, and what is left of their rate; None at the open door.

        Raises:
            Unauthenticated, RateLimited: not now, or not at all.
        """
        with self._turning_away(shown, address):
            principal = self.authenticator.recognise(shown)
        if principal is None:
            return None, None
        self._keep_member(shown, principal.member_id)
        with self._limiting(SERVER_TRAIL, _make_actor(principal), kind):
            return principal, self.limits.hit(principal.member_id, kind)

    def recall_member(self, shown: str) -> tuple[str, ...] | None:
        """Return whose credential it was when it was last let in, after those who let them in.

        It may have ended since.
        """
        return self._members.get(_digest(shown))

    def name_caller(self, shown: str | None, address: str) -> tuple[str, ...]:
        """Return whose share a call takes, after those who let them in.

        One who shows nothing that was let in before is counted by address.
        """
        member = self.recall_member(shown) if shown else None
        if member is None:
            return (f"address/{address}",)
        return tuple(f"member/{each}" for each in member)

    def find_member(self, shown: str) -> tuple[str, ...] | None:
        """Return the same of one that may not have been let in yet; waits for the database."""
        try:
            principal = self.authenticator.recognise(shown)
        except Unauthenticated:
            return None
        if principal is not None:
            self._keep_member(shown, principal.member_id)
        return self.recall_member(shown)

    def _keep_member(self, shown: str | None, member_id: str) -> None:
        if shown is None:
            return
        digest = _digest(shown)
        if digest not in self._members:
            self._members[digest] = self.authenticator.trace_inviters(member_id)
        # A caller is remembered, however many credentials others make meanwhile.
        self._members.move_to_end(digest)
        if len(self._members) > _MOST_KNOWN:
            self._members.popitem(last=False)

    def admit_newcomer(self, address: str) -> None:
        """Count somebody who comes without a credential where none is needed.

        Raises:
            RateLimited: they came too often.
        """
        self._hit_address(address, CallClass.ADMINISTRATION)

    def count_refused(self, address: str) -> None:
        """Count a delivery that was not signed, so that nobody tries secrets without end.

        Raises:
            RateLimited: there were too many.
        """
        self._hit_address(address, CallClass.READ)

    def count_delivery(self, source_id: int) -> None:
        """Count a signed delivery of a source, as anyone with its secret can send any number.

        Raises:
            RateLimited: there were too many.
        """
        self._hit(f"webhook/{source_id}", CallClass.TRANSFER)

    @contextmanager
    def _turning_away(self, shown: str | None, address: str) -> Generator[None]:
        try:
            yield
        except (SpaceLocked, SpaceNotFound, Unauthenticated) as error:
            if shown is not None:
                self._tell_refused(shown, error.code)
                if not isinstance(error, SpaceLocked):
                    self._hit_address(address, CallClass.READ)
            raise

    def _tell_refused(self, shown: str, code: str) -> None:
        by = self._identify_actor(shown)
        if self._once.tells(by.principal, code):
            self._audit.note(SERVER_TRAIL, Action.ACCESS_REFUSED, by=by, outcome=code)

    def _identify_actor(self, shown: str) -> Actor:
        try:
            principal = self.authenticator.recognise(shown)
        except Unauthenticated:
            principal = None
        if principal is None:
            return Actor(UNKNOWN, request_id=new_request())
        return _make_actor(principal)

    def _hit_address(self, address: str, kind: CallClass) -> None:
        self._hit(f"address/{address}", kind)

    def _hit(self, caller: str, kind: CallClass) -> None:
        """Count a call of somebody who is no member."""
        by = Actor(UNKNOWN, request_id=new_request())
        with self._limiting(SERVER_TRAIL, by, kind):
            self.limits.hit(caller, kind)

    @contextmanager
    def _limiting(self, trail: str, by: Actor, kind: CallClass) -> Generator[None]:
        try:
            yield
        except RateLimited as error:
            if self._once.tells(trail, by.principal, kind):
                self._audit.note(
                    trail,
                    Action.LIMIT_REACHED,
                    by=by,
                    outcome=error.code,
                    details={kind.value: error.limit},
                )
            raise


def _digest(shown: str) -> bytes:
    """Return what a credential is remembered by; its bare number, in a request, is another."""
    is_known = isinstance(shown, KnownCredential)
    return sha256(shown.encode(errors="replace")).digest() + bytes([is_known])


class _OnceAMinute:
    """Tells the first of equal events in each minute."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._minute = 0
        self._events: set[tuple[str, ...]] = set()

    def tells(self, *event: str) -> bool:
        """Tell whether the event is the first of its kind in this minute."""
        minute = int(self._clock.now() // _MINUTE_S)
        with self._guard:
            if minute != self._minute:
                self._minute, self._events = minute, set()
            is_first = event not in self._events
            self._events.add(event)
        return is_first


def _make_actor(principal: Principal) -> Actor:
    member = principal.member_id
    return Actor(member, credential=principal.kid, owner=member, request_id=new_request())
