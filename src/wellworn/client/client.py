"""The client: one method for each call of the API."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack, cast
from uuid import uuid4

from wellworn.client.batches import split_into_batches
from wellworn.client.decode import decode, decode_all
from wellworn.client.environment import build_headers, find_url
from wellworn.client.errors import WellwornClientError
from wellworn.client.knowledge_client import KnowledgeClient
from wellworn.client.membership_client import MembershipClient
from wellworn.client.models import (
    AuditEntries,
    AuditEntry,
    Contributor,
    Credential,
    Credentials,
    Erased,
    Feedback,
    Findings,
    Found,
    Health,
    HeldThought,
    HeldThoughts,
    Highway,
    Imported,
    Issued,
    NewSpace,
    Provenance,
    Reply,
    Revoked,
    RolledBack,
    Settled,
    Signal,
    Space,
    Spaces,
    Thought,
    Verdict,
    Withdrawn,
)
from wellworn.client.outline_client import OutlineClient
from wellworn.client.paths import path_of
from wellworn.client.wire import Connection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import httpx2

_LONG_S = 300.0
"""How long work on many records may take: a batch to embed, a space to seal anew."""


class Ask(TypedDict, total=False):
    """What may go along with a prompt; the names and limits are those of the HTTP API.

    `explain` is on unless it is turned off: sources come with their whole content and their time.
    """

    context: str | None
    session_id: str | None
    tags: Sequence[str]
    filter_tags: Sequence[str]
    match_all_tags: bool
    exclude_self: bool
    min_score: float | None
    limit: int
    retrieval_method: Literal["hybrid", "vector"] | None
    explain: bool
    include_unverified: bool
    include_knowledge: bool
    replaces: Sequence[str]
    source_ids: Sequence[str]
    as_of: str | None
    since: str | None
    until: str | None
    by: str | None
    history: bool
    min_relevance: float | None
    idempotency_key: str | None


class Wellworn(MembershipClient, OutlineClient, KnowledgeClient):
    """A memory at an address, spoken to as one agent.

    Args:
        url: where it is; else the variable WELLWORN_URL, else the server of the data folder
            (WELLWORN_HOME, ~/.wellworn), which is started when it does not run.
        agent_id: who is talking; contributions and trails are counted for this name.
        agent_name: the same for human eyes; `agent_id` when absent.
        key: who may talk; else the variable WELLWORN_KEY, else the call is made without a key.
        space: id of the space; else the variable WELLWORN_SPACE, else the default space.
        project: without a space and a key, talk to the project of the working directory.
        timeout_s: how long one answer may take.
        attempts: how often a call is tried when the connection is lost, at least once.
        transport: stands in for the network, for tests.
        pause: waits the given seconds between attempts.

    Raises:
        WellwornClientError: the key, the id of the space or the `.wellworn` file is malformed, or
            no server starts.
    """

    def __init__(  # noqa: PLR0913 - the last three are for tests and odd networks
        self,
        url: str | None = None,
        *,
        agent_id: str = "python",
        agent_name: str | None = None,
        key: str | None = None,
        space: str | None = None,
        project: bool = False,
        timeout_s: float = 30.0,
        attempts: int = 3,
        transport: httpx2.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.agent_id = agent_id
        self.agent_name = agent_name or agent_id
        self._attempts = max(attempts, 1)
        self._wire = Connection(
            find_url(url),
            timeout_s=timeout_s,
            attempts=attempts,
            headers=build_headers(key, space, is_project=project),
            transport=transport,
            pause=pause,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The address of the memory, without a slash at its end."""
        return self._wire.url

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()

    def converse(self, prompt: str, **options: Unpack[Ask]) -> Reply:
        """Say anything: the memory answers, and keeps the prompt if it is an insight."""
        return self._send_prompt(prompt, "auto", options)

    def remember(self, content: str, **options: Unpack[Ask]) -> Reply:
        """Store a thought, however short, even a question; return what is related to it."""
        return self._send_prompt(content, "always", options)

    def recall(self, question: str, **options: Unpack[Ask]) -> Reply:
        """Ask without storing the question; thoughts that are returned are reinforced."""
        return self._send_prompt(question, "never", options)

    def feedback(self, session_id: str, thought_id: str, signal: Signal) -> Feedback:
        """Judge a thought that was returned in a session; a second signal replaces the first.

        `outdated` and `wrong` end its being shown as true; `none` takes a signal back.
        """
        body = {"session_id": session_id, "thought_id": thought_id, "signal": signal}
        body["agent_id"] = self.agent_id
        return decode(Feedback, self._wire.send("POST", "/api/v1/memory/feedback", body=body))

    def thought(self, thought_id: str) -> Thought:
        """Read the whole record of a thought; leaves no trail."""
        return decode(Thought, self._wire.send("GET", path_of("thoughts", thought_id)))

    def withdraw_replacement(self, thought_id: str, replaced_id: str) -> Withdrawn:
        """Take back that one thought replaces another; both are true again."""
        path = path_of("thoughts", thought_id, "replaces", replaced_id)
        answer = self._wire.send("DELETE", path, params={"agent_id": self.agent_id})
        return decode(Withdrawn, answer)

    def provenance(self, thought_id: str, *, depth: int = 20) -> Provenance:
        """Walk from a thought to its sources and to what was built on it, 1 to 20 steps."""
        path = path_of("thoughts", thought_id, "provenance")
        return decode(Provenance, self._wire.send("GET", path, params={"depth": depth}))

    def highways(
        self,
        *,
        min_access: int = 3,
        min_users: int = 2,
        limit: int = 20,
        sort_by: Literal["traffic", "pheromone", "recent", "use"] = "traffic",
    ) -> tuple[Highway, ...]:
        """List the thoughts that several agents keep coming back to."""
        params = {"min_access": min_access, "min_users": min_users}
        params |= {"limit": limit, "sort_by": sort_by}
        return decode_all(Highway, self._wire.send("GET", "/api/v1/highways", params=params))

    def contributor(self, contributor_id: str) -> Contributor:
        """Read what an agent contributed and how often that was asked for."""
        path = path_of("contributors", contributor_id)
        return decode(Contributor, self._wire.send("GET", path))

    def erase(self, thought_id: str, *, reason: str | None = None) -> Erased:
        """Remove a thought's content and vector for good; a trace that it existed stays."""
        body = _drop_absent({"agent_id": self.agent_id, "reason": reason})
        return decode(Erased, self._wire.send("DELETE", path_of("thoughts", thought_id), body=body))

    def held(self) -> tuple[HeldThought, ...]:
        """List what reads like an order and is held back until an admin releases it."""
        return decode(HeldThoughts, self._wire.send("GET", path_of("held"))).held

    def release(self, thought_id: str) -> None:
        """Release a held thought, so that it is found like any other."""
        self._wire.send("POST", path_of("thoughts", thought_id, "release"))

    def search(
        self, query: str, *, limit: int = 10, filter_tags: Sequence[str] = ()
    ) -> tuple[Found, ...]:
        """Look something up and leave no trail, for tools and tests."""
        params = {"q": query, "limit": limit, "filter_tags": list(filter_tags)}
        answer = self._wire.send("GET", "/api/v1/search", params=params)
        return decode(Findings, answer).results

    def health(self) -> Health:
        """Read the state of the server's parts."""
        return decode(Health, self._wire.send("GET", "/api/v1/health"))

    def export(self) -> Iterator[dict[str, Any]]:
        """Stream every record in canonical order."""
        return self._wire.records("/api/v1/export")

    def import_records(
        self,
        records: Iterable[Mapping[str, Any]],
        *,
        on_batch: Callable[[int], None] | None = None,
    ) -> Imported:
        """Send records in batches; records that are there already are passed over.

        An interrupted import is resumed by running it again. `on_batch` gets the number of
        records of each batch that was sent.
        """
        imported = known = 0
        for count, batch in split_into_batches(records):
            answer = decode(Imported, self._bring(batch))
            imported, known = imported + answer.imported, known + answer.known
            if on_batch is not None:
                on_batch(count)
        return Imported(imported=imported, known=known)

    def _bring(self, batch: bytes) -> bytes:
        for _ in range(self._attempts - 1):
            try:
                return self._import(batch)
            except WellwornClientError as refusal:
                # Batches that are known already are sent faster than a member may call.
                if refusal.retry_after_s is None:
                    raise
                self._wire.pause(refusal.retry_after_s)
        return self._import(batch)

    def _import(self, batch: bytes) -> bytes:
        return self._wire.send("POST", "/api/v1/import", body=batch, timeout_s=_LONG_S)

    def decay(self) -> Settled:
        """Bring every stored weight up to the present; reading never needs it."""
        return decode(Settled, self._wire.send("POST", "/api/v1/maintenance/decay"))

    def create_credential(
        self,
        name: str,
        *,
        role: str | None = None,
        spaces: Sequence[str] | None = None,
        lifetime_s: int | None = None,
    ) -> Issued:
        """Make a credential: without a key a new member's, else one within the caller's own.

        `role` is "reader", "contributor" or "admin", `spaces` are ids.
        """
        body = _drop_absent({"name": name, "role": role, "lifetime_s": lifetime_s})
        if spaces is not None:
            body["spaces"] = list(spaces)
        return decode(Issued, self._change("POST", "credentials", body=body))

    def credentials(self) -> tuple[Credential, ...]:
        """List the caller's credential and those made from it; at the open door, all."""
        return decode(Credentials, self._wire.send("GET", path_of("credentials"))).credentials

    def rotate_credential(self, kid: str) -> Issued:
        """Give a credential a new key under a new number; the old key ends."""
        return decode(Issued, self._change("POST", "credentials", kid, "rotate"))

    def revoke_credential(self, kid: str) -> int:
        """End a credential and every one made from it; return how many ended."""
        return decode(Revoked, self._change("DELETE", "credentials", kid)).revoked

    def create_space(
        self, name: str, *, sealed: bool = False, member_name: str = "owner"
    ) -> NewSpace:
        """Make a space with the caller as its admin.

        Without a key that is a new member, called `member_name`, whose key is in the answer.
        """
        body = {"name": name, "sealed": sealed, "member_name": member_name}
        return decode(NewSpace, self._change("POST", "spaces", body=body))

    def spaces(self) -> tuple[Space, ...]:
        """List the spaces that the caller may enter."""
        return decode(Spaces, self._wire.send("GET", path_of("spaces"))).spaces

    def space(self, space_id: str) -> Space:
        """Read what one space is."""
        return decode(Space, self._wire.send("GET", path_of("spaces", space_id)))

    def delete_space(self, space_id: str) -> None:
        """Delete a space with all it holds, for good; of a sealed one the keys go too."""
        self._change("DELETE", "spaces", space_id)

    def seal(self, space_id: str) -> Space:
        """Turn an open space into a sealed one; its other members must be invited again."""
        return decode(Space, self._change("POST", "spaces", space_id, "seal"))

    def rotate(self, space_id: str) -> Space:
        """Give a sealed space a new key; open invitations end."""
        return decode(Space, self._change("POST", "spaces", space_id, "rotate"))

    def reseal(self, space_id: str) -> Space:
        """Write all that a sealed space holds anew under its present key."""
        return decode(Space, self._change("POST", "spaces", space_id, "reseal"))

    def roll_back(
        self, space_id: str, owner: str, *, since: str, dry_run: bool = False
    ) -> RolledBack:
        """Take back everything that one member wrote and wore since a moment (ISO 8601).

        `owner` is a member's id; where there are no credentials, an agent's.
        """
        body = {"owner": owner, "since": since, "dry_run": dry_run}
        return decode(RolledBack, self._change("POST", "spaces", space_id, "rollback", body=body))

    def audit(
        self, *, after: int = 0, limit: int = 100, of: str | None = None
    ) -> tuple[AuditEntry, ...]:
        """List who did what in the client's space: at most 1,000 entries, from `after` on."""
        params = _drop_absent({"after": after, "limit": limit, "of": of})
        answer = self._wire.send("GET", path_of("audit"), params=params)
        return decode(AuditEntries, answer).entries

    def verify_audit(self, *, of: str | None = None) -> Verdict:
        """Check the audit trail of the client's space against its chain and its checkpoints."""
        path, params = path_of("audit", "verify"), _drop_absent({"of": of})
        answer = self._wire.send("GET", path, params=params, timeout_s=_LONG_S)
        return decode(Verdict, answer)

    def export_audit(self, *, of: str | None = None) -> Iterator[str]:
        """Stream the lines of the audit trail, as they were written; an export only ever grows."""
        lines = self._wire.lines(path_of("audit", "export"), params=_drop_absent({"of": of}))
        return (line.decode() for line in lines)

    def _change(self, method: str, *parts: str, body: Mapping[str, Any] | None = None) -> bytes:
        path = path_of(*parts)
        return self._wire.send(method, path, body=body, timeout_s=_LONG_S, once=True)

    def _send_prompt(self, prompt: str, contribute: str, options: Ask) -> Reply:
        fields = {"explain": True, **_drop_absent(cast("dict[str, Any]", options))}
        key = str(fields.pop("idempotency_key", None) or uuid4())
        body = {**fields, "prompt": prompt, "contribute": contribute}
        body |= {"agent_id": self.agent_id, "agent_name": self.agent_name}
        headers = {"idempotency-key": key}
        return decode(Reply, self._wire.send("POST", "/api/v1/memory", body=body, headers=headers))


def _drop_absent(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value is not None
    }
