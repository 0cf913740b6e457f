"""Knowledge: sources kept and synced, documents searched and read, terms resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Unpack

from wellworn.client import models
from wellworn.client.errors import TIMED_OUT, UNEXPECTED_ANSWER, WellwornClientError
from wellworn.client.paths import below_knowledge
from wellworn.client.twins import wrap_call

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wellworn.client.wire import Connection

Value = TypeVar("Value")

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
    agent_id: str

    @wrap_call
    async def add_source(
        self,
        source_type: str,
        name: str,
        config: Mapping[str, Any],
        **options: Unpack[SourceOptions],
    ) -> models.KnowledgeSource:
        """Add a source; nothing is fetched before its first sync."""
        body = {"source_type": source_type, "name": name, "config": dict(config)}
        body |= options
        return await self._change_knowledge(models.KnowledgeSource, "POST", "sources", body=body)

    @wrap_call
    async def sources(self) -> tuple[models.KnowledgeSource, ...]:
        """List the sources that the caller may see."""
        return (await self._get_knowledge(models.KnowledgeSources, "sources")).sources

    @wrap_call
    async def source(self, source_id: int) -> models.ShownSource:
        """Read what a source is, and how far a sync of it has come."""
        return await self._get_knowledge(models.ShownSource, "sources", source_id)

    @wrap_call
    async def change_source(
        self,
        source_id: int,
        *,
        name: str | None = None,
        config: Mapping[str, Any] | None = None,
        everybody: bool = False,
        is_paused: bool | None = None,
        **options: Unpack[SourceOptions],
    ) -> models.KnowledgeSource:
        """Change a source; an empty secret or schedule removes it."""
        body = {"name": name, "config": config, "is_paused": is_paused, "everybody": everybody}
        return await self._change_knowledge(
            models.KnowledgeSource, "PUT", "sources", source_id, body={**body, **options}
        )

    @wrap_call
    async def remove_source(self, source_id: int) -> int:
        """Remove a source with its documents; return how many these were."""
        return (
            await self._change_knowledge(models.Removed, "DELETE", "sources", source_id)
        ).documents

    @wrap_call
    async def renew_webhook(self, source_id: int) -> models.NewWebhook:
        """Give a source a webhook, or another secret to the one it has; it is told this once."""
        return await self._change_knowledge(
            models.NewWebhook, "PUT", "sources", source_id, "webhook"
        )

    @wrap_call
    async def remove_webhook(self, source_id: int) -> bool:
        """Take the webhook from a source; return whether there was one."""
        gone = await self._change_knowledge(
            models.WebhookRemoved, "DELETE", "sources", source_id, "webhook"
        )
        return gone.removed

    @wrap_call
    async def sync_source(
        self,
        source_id: int,
        *,
        confirm: bool = False,
        reread: bool = False,
        wait: Literal["words", "embedded"] = "words",
    ) -> models.SyncRun:
        """Bring a source up to date; returns when that is done, however long it takes.

        With `confirm` documents that vanished go, however many they are, and what a page became is
        taken; with `reread` every file is read, even one that seems unchanged. Its documents are
        found by their words then, and by meaning a while later: `wait="embedded"` waits for that.

        Raises:
            WellwornClientError: refused, or the server can no longer be reached; a sync that has
                begun goes on in the server.
        """
        options = {"confirm": confirm} | ({"reread": True} if reread else {})
        run = await self._request_sync(source_id, options)
        while run.finished_at is None:
            if run.id:
                await self._wire.pause(_POLL_EVERY_S)
                run = await self._reload_run(run)
            else:
                # It waits for others to end.
                await self._wire.pause(_POLL_EVERY_S)
                run = await self._request_sync(source_id, options)
        while wait == "embedded" and not await self._is_embedded(source_id):
            await self._wire.pause(_POLL_EVERY_S)
        return run

    async def _is_embedded(self, source_id: int) -> bool:
        shown = await self._get_knowledge(models.ShownSource, "sources", source_id)
        return shown.findable.is_embedded

    async def _request_sync(self, source_id: int, options: dict[str, bool]) -> models.SyncRun:
        """Ask for a sync and return its run, which may go on; one that waits has the id 0."""
        path = below_knowledge("sources", source_id, "sync")
        try:
            # Sent twice it does no more than once: the second finds everything in place.
            run = await self._wire.send(
                models.SyncRun, "POST", path, body=options, timeout_s=_LONG_S
            )
        except WellwornClientError as failure:
            running = (
                await self._find_running_sync(source_id) if failure.code == TIMED_OUT else None
            )
            if running is None:
                raise
            return running
        # The server answers with no run when a sync had begun before this one was asked for.
        return run if run.id else await self._find_running_sync(source_id) or run

    async def _find_running_sync(self, source_id: int) -> models.SyncRun | None:
        last = await self._list_runs(source_id, limit=1)
        return last[0] if last and last[0].finished_at is None else None

    async def _reload_run(self, run: models.SyncRun) -> models.SyncRun:
        for latest in await self._list_runs_with_retries(run.source_id):
            if latest.id == run.id:
                return latest
        raise WellwornClientError(
            UNEXPECTED_ANSWER, "the server knows nothing of the sync any more"
        )

    async def _list_runs_with_retries(self, source_id: int) -> tuple[models.SyncRun, ...]:
        """List the last syncs of a source; a busy server is asked again for a while."""
        for _ in range(_MOST_RETRIES):
            try:
                return await self._list_runs(source_id)
            except WellwornClientError as failure:
                if failure.code not in _TRANSIENT:
                    raise
                await self._wire.pause(failure.retry_after_s or _POLL_EVERY_S)
        return await self._list_runs(source_id)

    @wrap_call
    async def upload(
        self, source_id: int, path: str, raw: bytes, *, media_type: str | None = None
    ) -> models.SyncRun:
        """Send a file into a source of uploads, in place of the one of the same path."""
        where = below_knowledge("sources", source_id, "files", *path.split("/"))
        kind = {"content-type": media_type or "application/octet-stream"}
        return await self._wire.send(
            models.SyncRun, "PUT", where, body=raw, headers=kind, timeout_s=_LONG_S
        )

    @wrap_call
    async def source_runs(self, source_id: int, *, limit: int = 20) -> tuple[models.SyncRun, ...]:
        """List the last syncs of a source, newest first."""
        return await self._list_runs(source_id, limit=limit)

    async def _list_runs(self, source_id: int, *, limit: int = 20) -> tuple[models.SyncRun, ...]:
        return (
            await self._get_knowledge(models.SyncRuns, "sources", source_id, "runs", limit=limit)
        ).runs

    @wrap_call
    async def secrets_taken(self, source_id: int) -> tuple[models.SecretTaken, ...]:
        """List where secrets were taken out of a source's documents, for admins."""
        return (
            await self._get_knowledge(models.SecretsTaken, "sources", source_id, "secrets")
        ).secrets

    @wrap_call
    async def documents(
        self, *, source_id: int | None = None, offset: int = 0, limit: int = 100
    ) -> models.Documents:
        """List documents, those that could not be read with the reason."""
        asked = {"source_id": source_id, "offset": offset, "limit": limit}
        return await self._get_knowledge(models.Documents, "documents", **asked)

    @wrap_call
    async def document(
        self, document_id: int, *, offset: int = 0, limit: int = 20_000
    ) -> models.DocumentPage:
        """Read a page of a document's text, character for character as it is stored."""
        return await self._get_knowledge(
            models.DocumentPage, "documents", document_id, offset=offset, limit=limit
        )

    @wrap_call
    async def search_knowledge(
        self, query: str, *, limit: int = 5, source_ids: Sequence[int] = ()
    ) -> tuple[models.FoundDocument, ...]:
        """Find documents, the best first, each with at most three of its passages."""
        asked = {"q": query, "limit": limit, "source_id": list(source_ids)}
        return (await self._get_knowledge(models.FoundDocuments, "search", **asked)).results

    @wrap_call
    async def resolve(
        self, term: str, *, context: str = "", agent_id: str | None = None, learn: bool = True
    ) -> models.Answer:
        """Ask what a term stands for; it is never guessed.

        `agent_id` is who asks, the client's own when absent. Without `learn` the question is not
        counted and teaches nothing.
        """
        who = self.agent_id if agent_id is None else agent_id
        body = {"term": term, "context": context, "agent_id": who}
        body |= {} if learn else {"learn": False}
        return await self._wire.send(models.Answer, "POST", below_knowledge("resolve"), body=body)

    @wrap_call
    async def teach(self, term: str, citation: str) -> models.Answer:
        """Set what a term stands for; return what it resolves to now."""
        body = {"term": term, "citation": citation}
        return await self._change_knowledge(models.Answer, "POST", "aliases", body=body)

    @wrap_call
    async def facts(self, term: str, *, fact_type: str | None = None) -> tuple[models.Fact, ...]:
        """List every value known of a term, each with where it stands."""
        asked = {"term": term, "fact_type": fact_type}
        return (await self._get_knowledge(models.Facts, "provenance", **asked)).values

    @wrap_call
    async def artifacts(self) -> tuple[models.Artifact, ...]:
        """List the virtual files that agents read first."""
        return (await self._get_knowledge(models.Artifacts, "artifacts")).artifacts

    @wrap_call
    async def artifact(self, name: str) -> str:
        """Read one of them, such as `catalog.md`."""
        return await self._wire.text(below_knowledge("artifacts", name))

    @wrap_call
    async def preamble(self, *, budget_tokens: int = 2_000) -> str:
        """Read what an agent should know about the knowledge before its task."""
        return await self._wire.text(below_knowledge("preamble"), budget_tokens=budget_tokens)

    @wrap_call
    async def compile_knowledge(self, *, all_anew: bool = False) -> models.Compiled:
        """Bring what is compiled up to date now; every sync does so, too."""
        path, body = below_knowledge("compile"), {"all_anew": all_anew}
        return await self._wire.send(models.Compiled, "POST", path, body=body, timeout_s=_LONG_S)

    @wrap_call
    async def conflicts(self, *, closed: bool = False) -> tuple[models.Conflict, ...]:
        """List where documents disagree, the open ones first."""
        return (await self._get_knowledge(models.Conflicts, "conflicts", closed=closed)).conflicts

    @wrap_call
    async def decide(
        self, conflict_id: int, resolution: str, *, reason: str = ""
    ) -> models.Conflict:
        """Settle a conflict: one of its values, "both", or "reopen" to take a decision back."""
        body = {"resolution": resolution, "reason": reason}
        return await self._change_knowledge(
            models.Conflict, "POST", "conflicts", conflict_id, "decision", body=body
        )

    @wrap_call
    async def rule_names(
        self,
        term: str,
        other: str | None = None,
        *,
        verdict: Literal["one", "several"],
        reason: str = "",
    ) -> models.NameRuling:
        """Say that two names are of one thing or of several; without `other`, of namesakes."""
        body = {"term": term, "other": other, "verdict": verdict, "reason": reason}
        return await self._change_knowledge(models.NameRuling, "POST", "names", body=body)

    @wrap_call
    async def name_rulings(self) -> tuple[models.NameRuling, ...]:
        """List what was said of names, oldest first."""
        return (await self._get_knowledge(models.NameRulings, "names")).rulings

    @wrap_call
    async def undo_ruling(self, ruling_id: int) -> int:
        """Take back what was said of names; return the number of the ruling."""
        return (
            await self._change_knowledge(models.RulingUndone, "DELETE", "names", ruling_id)
        ).undone

    @wrap_call
    async def pins(self) -> tuple[str, ...]:
        """List the terms that are always hot."""
        return (await self._get_knowledge(models.Pins, "pins")).pins

    @wrap_call
    async def pin(self, term: str) -> tuple[str, ...]:
        """Make a term always hot; return all that are."""
        return (await self._change_knowledge(models.Pins, "PUT", "pins", term)).pins

    @wrap_call
    async def unpin(self, term: str) -> tuple[str, ...]:
        """Let a term be hot or not by its own merit; return those still pinned."""
        return (await self._change_knowledge(models.Pins, "DELETE", "pins", term)).pins

    @wrap_call
    async def unknowns(self) -> tuple[models.Unknown, ...]:
        """List terms that nothing explains, the most wanted first."""
        return (await self._get_knowledge(models.Unknowns, "unknowns")).unknowns

    @wrap_call
    async def quality(self) -> models.Quality:
        """Read how well knowledge serves the space."""
        return await self._get_knowledge(models.Quality, "quality")

    async def _get_knowledge(self, kind: type[Value], *parts: str | int, **params: object) -> Value:
        return await self._wire.get(kind, below_knowledge(*parts), **params)

    async def _change_knowledge(
        self,
        kind: type[Value],
        method: str,
        *parts: str | int,
        body: Mapping[str, Any] | None = None,
    ) -> Value:
        path = below_knowledge(*parts)
        return await self._wire.send(kind, method, path, body=body, timeout_s=_LONG_S, once=True)
