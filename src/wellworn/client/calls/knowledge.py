"""Knowledge: documents searched and read, terms resolved, and what people decide."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field

from wellworn.client import models
from wellworn.client.fields import (
    Citation,
    Listed,
    Name,
    Note,
    Number,
    Offset,
    PromptText,
    UpToFifty,
)
from wellworn.client.operations import Calls, Operation
from wellworn.client.paths import below_knowledge
from wellworn.client.twins import wrap_call

_LONG_S = 3_600.0
"""The longest wait for one answer about documents."""
_MOST_SOURCES_NAMED: Final = 20
_ROOT: Final = "/api/knowledge"
_GET, _POST, _PUT, _DELETE = (f"{method} {_ROOT}" for method in ("GET", "POST", "PUT", "DELETE"))
_CHANGE: Final[dict[str, Any]] = {"timeout_s": _LONG_S, "once": True}

Pinned: TypeAlias = Annotated[Name, Field(description="The term; slashes are part of it.")]


class KnowledgeCalls(Calls):
    """The calls about documents and terms."""

    @Operation(f"{_GET}/documents")
    def documents(
        self,
        *,
        source_id: Number | None = None,
        offset: Offset = 0,
        limit: Annotated[int, Field(ge=1, le=1_000)] = 100,
    ) -> models.Documents:
        """List documents, with the reason for each that could not be read.

        Args:
            source_id: Only of this source.
        """
        ...

    @Operation(f"{_GET}/documents/{{document_id}}")
    def document(
        self,
        document_id: Number,
        *,
        offset: Offset = 0,
        limit: Annotated[int, Field(ge=1, le=100_000)] = 20_000,
    ) -> models.DocumentPage:
        """Return a page of a document's text, exactly as it is stored.

        Args:
            document_id: Number of a document.
            limit: Most characters.
        """
        ...

    @Operation(f"{_GET}/search", models.FoundDocuments, returns="results")
    def search_knowledge(
        self,
        query: Annotated[PromptText, Field(alias="q")],
        *,
        limit: UpToFifty = 5,
        source_ids: Annotated[
            Listed[Number], Field(alias="source_id", max_length=_MOST_SOURCES_NAMED)
        ] = (),
    ) -> tuple[models.FoundDocument, ...]:
        """Find documents, best first, each with up to three passages.

        Args:
            query: What to look for.
            limit: Most documents.
            source_ids: Search only these sources.

        Example:
            memory.search_knowledge("backup host")[0].snippets[0].text
        """
        ...

    @wrap_call
    async def resolve(
        self, term: str, *, context: str = "", agent_id: str | None = None, learn: bool = True
    ) -> models.Answer:
        """Ask what a term stands for; it is never guessed.

        `agent_id` is who asks, the client's own when absent. Without `learn` the question is not
        counted and teaches nothing. Where there were several, `chosen_by` says what chose.
        """
        who = self.agent_id if agent_id is None else agent_id
        body = {"term": term, "context": context, "agent_id": who}
        body |= {} if learn else {"learn": False}
        return await self._wire.send(models.Answer, "POST", below_knowledge("resolve"), body=body)

    @Operation(f"{_POST}/aliases", body="AliasRequest", **_CHANGE)
    def teach(self, term: Name, citation: Citation) -> models.Answer:
        """Store what the caller says a term stands for; return what it resolves to now.

        Args:
            citation: As in an answer: `mytech/AGENTS.md#servers`.
        """
        ...

    @Operation(f"{_GET}/provenance", models.Facts, returns="values")
    def facts(self, term: Name, *, fact_type: Name | None = None) -> tuple[models.Fact, ...]:
        """Return every fact about a term, each with its place in a document.

        Args:
            term: A name, such as `cube`.
            fact_type: Only facts of this type, such as `ip`.
        """
        ...

    @Operation(f"{_GET}/artifacts", models.Artifacts)
    def artifacts(self) -> tuple[models.Artifact, ...]:
        """List the virtual files that agents read first."""
        ...

    @wrap_call
    async def artifact(self, name: str) -> str:
        """Read a virtual file, such as `catalog.md`."""
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

    @Operation(f"{_GET}/conflicts", models.Conflicts)
    def conflicts(self, *, closed: bool = False) -> tuple[models.Conflict, ...]:
        """List the values on which documents disagree, each with its quote, the open first.

        Args:
            closed: Also those that the documents no longer contain.
        """
        ...

    @Operation(f"{_POST}/conflicts/{{conflict_id}}/decision", body="DecisionRequest", **_CHANGE)
    def decide(
        self, conflict_id: Number, resolution: PromptText, *, reason: Note = ""
    ) -> models.Conflict:
        """Settle a conflict. The decision outlives later syncs.

        Args:
            conflict_id: Number of a conflict.
            resolution: One of the conflict's values, `both`, or `reopen` to take a decision back.
            reason: Kept with the decision.

        Example:
            memory.decide(conflict.id, "100.70.237.79", reason="moved in May")
        """
        ...

    @Operation(f"{_POST}/names", body="NameRulingRequest", **_CHANGE)
    def rule_names(
        self,
        term: Name,
        other: Name | None = None,
        *,
        verdict: Literal["one", "several"],
        reason: Note = "",
    ) -> models.NameRuling:
        """Say that two names are of one thing, or of several; it holds after every later sync.

        Args:
            other: Another name; without it, the namesakes of the first.
            verdict: `one` thing, or `several`.
            reason: Kept with it.

        Example:
            memory.rule_names("box", "cube", verdict="one")
        """
        ...

    @Operation(f"{_GET}/names", models.NameRulings)
    def name_rulings(self) -> tuple[models.NameRuling, ...]:
        """List what was said of names, by whom, oldest first."""
        ...

    @Operation(f"{_DELETE}/names/{{ruling_id}}", models.RulingUndone, **_CHANGE)
    def undo_ruling(self, ruling_id: Number) -> int:
        """Take back what was said of names.

        Args:
            ruling_id: Number of a ruling on names.
        """
        ...

    @Operation(f"{_GET}/pins", models.Pins)
    def pins(self) -> tuple[str, ...]:
        """List the pinned terms, which are always hot."""
        ...

    @Operation(f"{_PUT}/pins/{{term:path}}", models.Pins, **_CHANGE)
    def pin(self, term: Pinned) -> tuple[str, ...]:
        """Pin a term, so that it is always hot."""
        ...

    @Operation(f"{_DELETE}/pins/{{term:path}}", models.Pins, **_CHANGE)
    def unpin(self, term: Pinned) -> tuple[str, ...]:
        """Unpin a term, so that it is hot only on its own merit."""
        ...

    @Operation(f"{_GET}/unknowns", models.Unknowns)
    def unknowns(self) -> tuple[models.Unknown, ...]:
        """List the terms that were asked for and that nothing explains, most wanted first."""
        ...

    @Operation(f"{_GET}/quality")
    def quality(self) -> models.Quality:
        """Measure how well the knowledge serves the space."""
        ...
