"""Knowledge: sources kept and synced, documents searched and read, terms resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

from wellworn.client.decode import decode
from wellworn.client.errors import TIMED_OUT, UNEXPECTED_ANSWER, WellwornClientError
from wellworn.client.models import (
    Answer,
    Artifact,
    Artifacts,
    Compiled,
    Conflict,
    Conflicts,
    DocumentPage,
    Documents,
    Fact,
    Facts,
    FoundDocument,
    FoundDocuments,
    KnowledgeSource,
    KnowledgeSources,
    Pins,
    Quality,
    Removed,
    SecretsTaken,
    SecretTaken,
    ShownSource,
    SyncRun,
    SyncRuns,
    Unknown,
    Unknowns,
)
from wellworn.client.paths import below_knowledge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wellworn.client.wire import Connection

_LONG_S = 3_600.0
"""How long one answer about documents may take; a sync may take longer."""
_POLL_EVERY_S = 2.0
_MOST_RETRIES = 10
_TRANSIENT = frozenset({TIMED_OUT, "RATE_LIMITED"})


class SourceOptions(TypedDict, total=False):
    """Options of a source, new or changed; the names are those of the HTTP API."""

    secret: str | None
    sync_schedule: str | None
    time_zone: str | None
    agents: Sequence[str] | None


class KnowledgeClient:
    """The calls about sources, documents and terms."""

    _wire: Connection

    def add_source(
        self,
        source_type: str,
        name: str,
        config: Mapping[str, Any],
        **options: Unpack[SourceOptions],
    ) -> KnowledgeSource:
        """Add a source; nothing is fetched before its first sync."""
        body = {"source_type": source_type, "name": name, "config": dict(config)}
        return decode(
            KnowledgeSource,
            self._change_knowledge("POST", "sources", body=body | _to_fields(options)),
        )

    def sources(self) -> tuple[KnowledgeSource, ...]:
        """List the sources that the caller may see."""
        return decode(KnowledgeSources, self._get_knowledge("sources")).sources

    def source(self, source_id: int) -> ShownSource:
        """Read what a source is, and how far a sync of it has come."""
        return decode(ShownSource, self._get_knowledge("sources", source_id))

    def change_source(
        self,
        source_id: int,
        *,
        name: str | None = None,
        config: Mapping[str, Any] | None = None,
        everybody: bool = False,
        is_paused: bool | None = None,
        **options: Unpack[SourceOptions],
    ) -> KnowledgeSource:
        """Change a source; an empty secret or schedule removes it."""
        body: dict[str, Any] = {"name": name, "config": config, "is_paused": is_paused}
        body |= {"everybody": everybody, **_to_fields(options)}
        changes = {key: value for key, value in body.items() if value is not None}
        return decode(
            KnowledgeSource, self._change_knowledge("PUT", "sources", source_id, body=changes)
        )

    def remove_source(self, source_id: int) -> int:
        """Remove a source with its documents; return how many these were."""
        return decode(Removed, self._change_knowledge("DELETE", "sources", source_id)).documents

    def sync_source(self, source_id: int, *, confirm: bool = False) -> SyncRun:
        """Bring a source up to date; returns when that is done, however long it takes.

        With `confirm` documents that vanished go, however many they are.

        Raises:
            WellwornClientError: refused, or the server can no longer be reached; a sync that has
                begun goes on in the server.
        """
        run = self._request_sync(source_id, confirm=confirm)
        while run.finished_at is None:
            if run.id:
                self._wire.pause(_POLL_EVERY_S)
                run = self._reload_run(run)
            else:
                # It waits for others to end; the server lets an answer to that wait, too.
                run = self._request_sync(source_id, confirm=confirm)
        return run

    def _request_sync(self, source_id: int, *, confirm: bool) -> SyncRun:
        """Ask for a sync and return its run, which may go on; one that waits has the id 0."""
        path, body = below_knowledge("sources", source_id, "sync"), {"confirm": confirm}
        try:
            # Sent twice it does no more than once: the second finds everything in place.
            run = decode(SyncRun, self._wire.send("POST", path, body=body, timeout_s=_LONG_S))
        except WellwornClientError as failure:
            running = self._find_running_sync(source_id) if failure.code == TIMED_OUT else None
            if running is None:
                raise
            return running
        # The server answers with no run when a sync had begun before this one was asked for.
        return run if run.id else self._find_running_sync(source_id) or run

    def _find_running_sync(self, source_id: int) -> SyncRun | None:
        last = self.source_runs(source_id, limit=1)
        return last[0] if last and last[0].finished_at is None else None

    def _reload_run(self, run: SyncRun) -> SyncRun:
        for latest in self._list_runs_with_retries(run.source_id):
            if latest.id == run.id:
                return latest
        raise WellwornClientError(
            UNEXPECTED_ANSWER, "the server knows nothing of the sync any more"
        )

    def _list_runs_with_retries(self, source_id: int) -> tuple[SyncRun, ...]:
        """List the last syncs of a source; a busy server is asked again for a while."""
        for _ in range(_MOST_RETRIES):
            try:
                return self.source_runs(source_id)
            except WellwornClientError as failure:
                if failure.code not in _TRANSIENT:
                    raise
                self._wire.pause(failure.retry_after_s or _POLL_EVERY_S)
        return self.source_runs(source_id)

    def upload(
        self, source_id: int, path: str, raw: bytes, *, media_type: str | None = None
    ) -> SyncRun:
        """Send a file into a source of uploads, in place of the one of the same path."""
        where = below_knowledge("sources", source_id, "files", *path.split("/"))
        kind = {"content-type": media_type or "application/octet-stream"}
        answer = self._wire.send("PUT", where, body=raw, headers=kind, timeout_s=_LONG_S)
        return decode(SyncRun, answer)

    def source_runs(self, source_id: int, *, limit: int = 20) -> tuple[SyncRun, ...]:
        """List the last syncs of a source, newest first."""
        return decode(SyncRuns, self._get_knowledge("sources", source_id, "runs", limit=limit)).runs

    def secrets_taken(self, source_id: int) -> tuple[SecretTaken, ...]:
        """List where secrets were taken out of a source's documents, for admins."""
        return decode(SecretsTaken, self._get_knowledge("sources", source_id, "secrets")).secrets

    def documents(
        self, *, source_id: int | None = None, offset: int = 0, limit: int = 100
    ) -> Documents:
        """List documents, those that could not be read with the reason."""
        asked = {"source_id": source_id, "offset": offset, "limit": limit}
        return decode(Documents, self._get_knowledge("documents", **asked))

    def document(self, document_id: int, *, offset: int = 0, limit: int = 20_000) -> DocumentPage:
        """Read a page of a document's text, character for character as it is stored."""
        return decode(
            DocumentPage, self._get_knowledge("documents", document_id, offset=offset, limit=limit)
        )

    def search_knowledge(
        self, query: str, *, limit: int = 5, source_ids: Sequence[int] = ()
    ) -> tuple[FoundDocument, ...]:
        """Find documents, the best first, each with at most three of its passages."""
        answer = self._get_knowledge("search", q=query, limit=limit, source_id=list(source_ids))
        return decode(FoundDocuments, answer).results

    def resolve(
        self, term: str, *, context: str = "", agent_id: str | None = None, learn: bool = True
    ) -> Answer:
        """Ask what a term stands for; it is never guessed.

        `agent_id` is who asks, the client's own when absent. Without `learn` the question is not
        counted and teaches nothing.
        """
        who = cast("str", getattr(self, "agent_id", "")) if agent_id is None else agent_id
        body: dict[str, object] = {"term": term, "context": context, "agent_id": who}
        if not learn:
            body["learn"] = False
        return decode(Answer, self._wire.send("POST", below_knowledge("resolve"), body=body))

    def teach(self, term: str, citation: str) -> Answer:
        """Set what a term stands for; return what it resolves to now."""
        body = {"term": term, "citation": citation}
        return decode(Answer, self._change_knowledge("POST", "aliases", body=body))

    def facts(self, term: str, *, fact_type: str | None = None) -> tuple[Fact, ...]:
        """List every value known of a term, each with where it stands."""
        return decode(
            Facts, self._get_knowledge("provenance", term=term, fact_type=fact_type)
        ).values

    def artifacts(self) -> tuple[Artifact, ...]:
        """List the virtual files that agents read first."""
        return decode(Artifacts, self._get_knowledge("artifacts")).artifacts

    def artifact(self, name: str) -> str:
        """Read one of them, such as `catalog.md`."""
        return self._wire.text(below_knowledge("artifacts", name))

    def preamble(self, *, budget_tokens: int = 2_000) -> str:
        """Read what an agent should know about the knowledge before its task."""
        path = below_knowledge("preamble")
        return self._wire.text(path, params={"budget_tokens": budget_tokens})

    def compile_knowledge(self, *, all_anew: bool = False) -> Compiled:
        """Bring what is compiled up to date now; every sync does so, too."""
        path, body = below_knowledge("compile"), {"all_anew": all_anew}
        return decode(Compiled, self._wire.send("POST", path, body=body, timeout_s=_LONG_S))

    def conflicts(self, *, closed: bool = False) -> tuple[Conflict, ...]:
        """List where documents disagree, the open ones first."""
        asked = self._get_knowledge("conflicts", closed="true" if closed else "false")
        return decode(Conflicts, asked).conflicts

    def decide(self, conflict_id: int, resolution: str, *, reason: str = "") -> Conflict:
        """Settle a conflict: one of its values, "both", or "reopen" to take a decision back."""
        body = {"resolution": resolution, "reason": reason}
        return decode(
            Conflict,
            self._change_knowledge("POST", "conflicts", conflict_id, "decision", body=body),
        )

    def pins(self) -> tuple[str, ...]:
        """List the terms that are always hot."""
        return decode(Pins, self._get_knowledge("pins")).pins

    def pin(self, term: str) -> tuple[str, ...]:
        """Make a term always hot; return all that are."""
        return decode(Pins, self._change_knowledge("PUT", "pins", term)).pins

    def unpin(self, term: str) -> tuple[str, ...]:
        """Let a term be hot or not by its own merit; return those still pinned."""
        return decode(Pins, self._change_knowledge("DELETE", "pins", term)).pins

    def unknowns(self) -> tuple[Unknown, ...]:
        """List terms that nothing explains, the most wanted first."""
        return decode(Unknowns, self._get_knowledge("unknowns")).unknowns

    def quality(self) -> Quality:
        """Read how well knowledge serves the space."""
        return decode(Quality, self._get_knowledge("quality"))

    def _get_knowledge(self, *parts: str | int, **asked: Any) -> bytes:
        params = {name: value for name, value in asked.items() if value is not None}
        return self._wire.send("GET", below_knowledge(*parts), params=params)

    def _change_knowledge(
        self, method: str, *parts: str | int, body: Mapping[str, Any] | None = None
    ) -> bytes:
        return self._wire.send(
            method, below_knowledge(*parts), body=body, timeout_s=_LONG_S, once=True
        )


def _to_fields(options: SourceOptions) -> dict[str, Any]:
    fields = {name: value for name, value in options.items() if value is not None}
    if "agents" in fields:
        fields["agents"] = list(cast("Sequence[str]", fields["agents"]))
    return fields
