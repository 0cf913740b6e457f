"""The virtual files of the discovery layer, made when they are read and something changed.

What a source keeps from a caller is in nothing that the caller reads: where some see more than
others, files are made for whoever asks, and only what everybody may see is kept.

Source: knowledge sync v1.0, section 5.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from wellworn.domain.knowledge import artifacts
from wellworn.domain.knowledge.aliases import Alias
from wellworn.domain.knowledge.answers import Artifact, ArtifactName
from wellworn.domain.knowledge.compiling import Compiler
from wellworn.domain.knowledge.digests import COMPILER_VERSION, DocumentDigest, from_dict
from wellworn.domain.knowledge.entities import key
from wellworn.domain.knowledge.resolving import HOT
from wellworn.domain.knowledge.store import compiled, learning
from wellworn.domain.knowledge.terms import hot_terms
from wellworn.domain.knowledge.unknowns import Unknown, unknowns
from wellworn.domain.sources import Sources, Visible
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.kit.clock import Clock
from wellworn.kit.text import fingerprint

_OFTEN = 4
"""Times that a term is resolved before it counts: what is asked once changes no file."""
_COUNTS_WAIT_S = 3600.0
"""For so long a file may be behind what is asked for: ranking 1,000 documents' terms takes 1.2 s,
and somebody waits for it."""
_HALF = 31
"""Characters of each of two fingerprints that are kept as one."""


class Files:
    """The virtual files of one room."""

    def __init__(
        self, database: Database, sources: Sources, compiler: Compiler, clock: Clock
    ) -> None:
        self._database = database
        self._sources = sources
        self._compiler = compiler
        self._clock = clock

    def artifact(self, access: Access, name: ArtifactName) -> Artifact:
        """Return a virtual file as the caller may see it, made anew when something changed."""
        made = self._file(access, name)
        return Artifact(name, made.content, made.compiled_at, made.compiler_version)

    def preamble(self, access: Access, *, budget_tokens: int) -> str:
        """Return what an agent is told about knowledge, with the catalog when it fits."""
        catalog = self._file(access, ArtifactName.CATALOG).content
        return artifacts.preamble(catalog, budget_tokens=budget_tokens)

    def hot(self, access: Access) -> tuple[dict[str, Any], Visible]:
        """Return the hot terms and stated aliases for the resolver, and what the caller may see."""
        made, view = self._made(access, HOT)
        return json.loads(made.content), view

    def _file(self, access: Access, name: str) -> compiled.File:
        return self._made(access, name)[0]

    def _made(self, access: Access, name: str) -> tuple[compiled.File, Visible]:
        self._compiler.catch_up(access)
        with self._database.read() as transaction:
            view = self._sources.served_to(transaction, access)
            mark = self._fingerprint(transaction, access, name, view)
            kept = compiled.file(transaction, access, name)
            if kept is not None and self._is_as_new(kept, mark):
                return kept, view
            content = self._content(transaction, access, name, view)
        made = compiled.File(content, mark, self._clock.now(), COMPILER_VERSION)
        # What is kept must be what everybody may see.
        if view.is_all:
            with self._database.write() as transaction:
                compiled.keep_file(transaction, access, name, made)
        return made, view

    def _is_as_new(self, kept: compiled.File, mark: str) -> bool:
        """Tell whether a file is as it would be made now, or was until lately but for counts."""
        if kept.fingerprint == mark:
            return True
        is_same = kept.fingerprint.partition(" ")[0] == mark.partition(" ")[0]
        return is_same and self._clock.now() - kept.compiled_at < _COUNTS_WAIT_S

    def _fingerprint(
        self, transaction: Transaction, access: Access, name: str, view: Visible
    ) -> str:
        """Return what is equal as long as a file is; it is read far oftener than it changes.

        Behind a blank stands that of the counts, which may wait.
        """
        if name == ArtifactName.ALIASES:
            used: list[object] = [
                (one.term, one.path, one.confidence, one.usage_count)
                for one in learning.aliases(transaction, access)
            ]
            return fingerprint(name, repr(used), repr(sorted(view.documents)))
        documents = [
            (one.id, one.source, one.path, one.content_hash) for one in view.documents.values()
        ]
        made = sorted(compiled.made_of(transaction, access).items())
        parts = [name, repr(documents), repr(made)]
        if name in {ArtifactName.HOT_TERMS, HOT}:
            counts = fingerprint(repr(self._asked(transaction, access)))
            parts.append(repr(learning.pins(transaction, access)))
            return f"{fingerprint(*parts)[:_HALF]} {counts[:_HALF]}"
        if name == ArtifactName.UNKNOWNS:
            parts.append(repr(sorted(learning.missed(transaction, access).items())))
        return fingerprint(*parts)

    def _asked(self, transaction: Transaction, access: Access) -> dict[str, int]:
        """Return how often terms were resolved, so coarsely that it seldom changes."""
        times = learning.resolved_times(transaction, access)
        often = {one: count for one, count in sorted(times.items()) if count >= _OFTEN}
        return {one: 1 << count.bit_length() for one, count in often.items()}

    def _content(self, transaction: Transaction, access: Access, name: str, view: Visible) -> str:
        if name == ArtifactName.ALIASES:
            return artifacts.learned_aliases(self._learned(transaction, access, view))
        digests = self.digests(transaction, access, view)
        if name == ArtifactName.CATALOG:
            return artifacts.catalog(digests)
        if name == ArtifactName.TREE_SUMMARIES:
            return artifacts.tree_summaries(digests)
        if name == ArtifactName.UNKNOWNS:
            return artifacts.unknowns_list(self.unknown(transaction, access, digests))
        hot = hot_terms(
            [one.offer for one in digests],
            resolutions=self._asked(transaction, access),
            pins=learning.pins(transaction, access),
        )
        if name == ArtifactName.HOT_TERMS:
            return artifacts.hot_terms_table(hot, digests)
        stated = {
            key(one.alias): {
                "term": one.term,
                "document": of.document,
                "start": one.start,
                "end": one.end,
            }
            for of in digests
            for one in of.aliases
        }
        terms = {key(one.term): asdict(one) for one in reversed(hot)}
        return json.dumps({"terms": terms, "aliases": stated}, ensure_ascii=False)

    def digests(
        self, transaction: Transaction, access: Access, view: Visible
    ) -> list[DocumentDigest]:
        kept = compiled.digests(transaction, access)
        return [from_dict(one) for number, one in kept.items() if number in view.documents]

    def _learned(self, transaction: Transaction, access: Access, view: Visible) -> list[Alias]:
        return [
            Alias(one.term, one.path, one.confidence, one.usage_count, one.last_used_at)
            for one in learning.aliases(transaction, access)
            if one.document_id in view.documents
        ]

    def unknown(
        self, transaction: Transaction, access: Access, digests: Sequence[DocumentDigest]
    ) -> list[Unknown]:
        known = {key(one.term) for of in digests for one in of.candidates if one.weight > 1}
        asked = learning.missed(transaction, access)
        return unknowns(
            [one.phrases for one in digests],
            [fact for one in digests for fact in one.facts],
            known=known,
            asked=asked,
            said={
                one: sum(of.words.count(key(one).split()) for of in digests)
                for one in asked
                if key(one)
            },
        )
