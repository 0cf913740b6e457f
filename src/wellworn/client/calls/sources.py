"""Sources: created, changed, synced, given files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias, TypedDict, Unpack

from pydantic import Field

from wellworn.client import models
from wellworn.client.errors import TIMED_OUT, UNEXPECTED_ANSWER, WellwornClientError
from wellworn.client.fields import (
    Agents,
    Label,
    Number,
    Schedule,
    Secret,
    SourceConfig,
    UpToHundred,
)
from wellworn.client.operations import Calls, Operation
from wellworn.client.paths import below_knowledge
from wellworn.client.twins import wrap_call

_LONG_S = 3_600.0
"""The longest wait for one answer about documents; a sync may take longer."""
_POLL_EVERY_S = 2.0
_MOST_RETRIES = 10
_TRANSIENT = frozenset({TIMED_OUT, "RATE_LIMITED"})
_GET, _PUT, _DELETE = (f"{method} /api/knowledge/sources" for method in ("GET", "PUT", "DELETE"))
_CHANGE: Final[dict[str, Any]] = {"timeout_s": _LONG_S, "once": True}

SourceId: TypeAlias = Annotated[Number, Field(description="Number of a source.")]


class SourceOptions(TypedDict, total=False):
    """Options of a source, new or changed; the names are those of the HTTP API."""

    secret: str | None
    sync_schedule: str | None
    time_zone: str | None
    agents: Sequence[str] | None


class SourceCalls(Calls):
    """The calls about sources and what is stored of them."""

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
        return await self._wire.send(
            models.KnowledgeSource, "POST", below_knowledge("sources"), body=body, **_CHANGE
        )

    @Operation(_GET, models.KnowledgeSources)
    def sources(self) -> tuple[models.KnowledgeSource, ...]:
        """List the sources that the caller may see."""
        ...

    @Operation(f"{_GET}/{{source_id}}")
    def source(self, source_id: SourceId) -> models.ShownSource:
        """Return a source with its last or running sync, and how much of it can be found."""
        ...

    @Operation(f"{_PUT}/{{source_id}}", body="SourceChangesRequest", **_CHANGE)
    def change_source(  # noqa: PLR0913 - each may change
        self,
        source_id: SourceId,
        *,
        name: Label | None = None,
        config: SourceConfig | None = None,
        secret: Secret | None = None,
        sync_schedule: Schedule | None = None,
        time_zone: Label | None = None,
        agents: Agents | None = None,
        everybody: bool = False,
        is_paused: bool | None = None,
    ) -> models.KnowledgeSource:
        """Change the settings of a source. Its documents stay until the next sync.

        Args:
            config: Replaces the whole `config`.
            secret: A new one; empty removes it.
            sync_schedule: Empty: by hand only.
            agents: Only these members see it.
            everybody: Everybody in the space sees it again.
            is_paused: Whether its schedule is paused.

        Example:
            memory.change_source(7, sync_schedule="0 6 * * *", time_zone="Europe/Berlin")
        """
        ...

    @Operation(f"{_DELETE}/{{source_id}}", models.Removed, returns="documents", **_CHANGE)
    def remove_source(self, source_id: SourceId) -> int:
        """Remove a source with its documents and everything learned from them.

        Returns:
            How many documents these were.
        """
        ...

    @Operation(f"{_PUT}/{{source_id}}/webhook", **_CHANGE)
    def renew_webhook(self, source_id: SourceId) -> models.NewWebhook:
        """Give a source a webhook, or its webhook another secret; the one before ends at once.

        The secret is told this once.
        """
        ...

    @Operation(f"{_DELETE}/{{source_id}}/webhook", models.WebhookRemoved, **_CHANGE)
    def remove_webhook(self, source_id: SourceId) -> bool:
        """Take the webhook from a source; deliveries are refused from now on.

        Returns:
            Whether there was one.
        """
        ...

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
        shown = await SourceCalls.source(self, source_id)
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
        last = await SourceCalls.source_runs(self, source_id, limit=1)
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
                return await SourceCalls.source_runs(self, source_id)
            except WellwornClientError as failure:
                if failure.code not in _TRANSIENT:
                    raise
                await self._wire.pause(failure.retry_after_s or _POLL_EVERY_S)
        return await SourceCalls.source_runs(self, source_id)

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

    @Operation(f"{_GET}/{{source_id}}/runs", models.SyncRuns)
    def source_runs(
        self, source_id: SourceId, *, limit: UpToHundred = 20
    ) -> tuple[models.SyncRun, ...]:
        """List the latest syncs of a source, newest first."""
        ...

    @Operation(f"{_GET}/{{source_id}}/secrets", models.SecretsTaken)
    def secrets_taken(self, source_id: SourceId) -> tuple[models.SecretTaken, ...]:
        """List where secrets were removed from documents, so that an admin can revoke them."""
        ...
