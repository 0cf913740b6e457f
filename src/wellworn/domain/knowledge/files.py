"""The virtual files of the discovery layer, made when they are read and something changed.

What a source keeps from a caller is in nothing that the caller reads: where some see more than
others, files are made for the caller, and only what everybody may see is stored.
"""

from __future__ import annotations

from collections.abc import Sequence

from wellworn.domain.knowledge import artifacts
from wellworn.domain.knowledge.answers import (
    Artifact,
    ArtifactName,
    ResolutionOutcome,
    UnknownTerm,
)
from wellworn.domain.knowledge.compiling import Compiler
from wellworn.domain.knowledge.digests import COMPILER_VERSION, DocumentDigest, from_dict
from wellworn.domain.knowledge.hot_places import tell_places
from wellworn.domain.knowledge.periods import find_records
from wellworn.domain.knowledge.store import compiled, conflicts, learning, rulings
from wellworn.domain.knowledge.terms import rank_hot_terms
from wellworn.domain.sources import Sources
from wellworn.domain.sources.store import VisibleDocuments
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
"""Characters of each of two fingerprints that are stored as one."""


class ArtifactFiles:
    """The virtual files of one room."""

    def __init__(
        self, database: Database, sources: Sources, compiler: Compiler, clock: Clock
    ) -> None:
        self._database = database
        self._sources = sources
        self._compiler = compiler
        self._clock = clock

    def get_artifact(self, access: Access, name: ArtifactName) -> Artifact:
        """Return a virtual file as the caller may see it, made again when something changed."""
        self._compiler.catch_up(access)
        with self._database.read() as transaction:
            view = self._sources.find_visible(transaction, access)
            mark = self._compute_fingerprint(transaction, access, name, view)
            stored = compiled.find_file(transaction, access, name)
            if stored is not None and self._is_fresh(stored, mark):
                return stored
            content = self._render(transaction, access, name, view)
        built = Artifact(name, content, mark, self._clock.now(), COMPILER_VERSION)
        # What is stored must be what everybody may see.
        if view.is_all:
            with self._database.write() as transaction:
                compiled.store_file(transaction, access, built)
        return built

    def build_preamble(self, access: Access, *, budget_tokens: int) -> str:
        """Return what an agent is told about knowledge, with the catalog when it fits."""
        catalog = self.get_artifact(access, ArtifactName.CATALOG).content
        return artifacts.render_preamble(catalog, budget_tokens=budget_tokens)

    def _is_fresh(self, stored: Artifact, mark: str) -> bool:
        """Tell whether a file is as it would be made now, or was until lately but for counts."""
        if stored.fingerprint == mark:
            return True
        is_same = stored.fingerprint.partition(" ")[0] == mark.partition(" ")[0]
        return is_same and self._clock.now() - stored.compiled_at < _COUNTS_WAIT_S

    def _compute_fingerprint(
        self, transaction: Transaction, access: Access, name: ArtifactName, view: VisibleDocuments
    ) -> str:
        """Return what is equal as long as a file is; it is read far oftener than it changes.

        Behind a blank stands that of the counts, which may wait.
        """
        if name == ArtifactName.ALIASES:
            used: list[object] = [
                (alias.term, alias.citation, alias.confidence, alias.usage_count)
                for alias in learning.list_aliases(transaction, access)
            ]
            return fingerprint(name, repr(used), repr(sorted(view.documents)))
        documents = [
            (document.id, document.source, document.path, document.content_hash)
            for document in view.documents.values()
        ]
        made = sorted(compiled.load_versions(transaction, access).items())
        parts = [name, repr(documents), repr(made)]
        if name == ArtifactName.HOT_TERMS:
            counts = fingerprint(repr(self._count_resolved(transaction, access)))
            parts.append(repr(learning.list_pins(transaction, access)))
            parts.append(repr(rulings.list_rulings(transaction, access)))
            disputed = conflicts.list_conflicts(transaction, access)
            parts.append(repr([(each.id, each.state, each.resolution) for each in disputed]))
            return f"{fingerprint(*parts)[:_HALF]} {counts[:_HALF]}"
        if name == ArtifactName.UNKNOWNS:
            for outcome in (ResolutionOutcome.UNKNOWN, ResolutionOutcome.NOT_STATED):
                missed = learning.count_missed(transaction, access, outcome)
                parts.append(repr(sorted(missed.items())))
        return fingerprint(*parts)

    def _count_resolved(self, transaction: Transaction, access: Access) -> dict[str, int]:
        """Return how often terms were resolved, so coarsely that it seldom changes."""
        times = learning.count_resolved(transaction, access)
        often = {term: count for term, count in sorted(times.items()) if count >= _OFTEN}
        return {term: 1 << count.bit_length() for term, count in often.items()}

    def _render(
        self, transaction: Transaction, access: Access, name: ArtifactName, view: VisibleDocuments
    ) -> str:
        if name == ArtifactName.ALIASES:
            aliases = learning.list_aliases(transaction, access)
            return artifacts.render_aliases(
                alias for alias in aliases if alias.document_id in view.documents
            )
        digests = self.load_digests(transaction, access, view)
        if name == ArtifactName.CATALOG:
            return artifacts.render_catalog(digests)
        if name == ArtifactName.TREE_SUMMARIES:
            return artifacts.render_tree_summaries(digests)
        if name == ArtifactName.UNKNOWNS:
            return artifacts.render_unknowns(self.list_unknown(transaction, access, digests))
        located = [(digest.document, digest.source, digest.path) for digest in digests]
        names = rulings.load_rulings(transaction, access)
        hot = rank_hot_terms(
            [digest.offer for digest in digests],
            records=find_records(located).union(
                digest.document for digest in digests if digest.is_withdrawn
            ),
            resolutions=self._count_resolved(transaction, access),
            pins=learning.list_pins(transaction, access),
            call=names.call,
        )
        disputed = conflicts.list_visible(transaction, access, view.documents)
        terms = tell_places(hot, digests, view.documents, names, disputed)
        return artifacts.render_hot_terms(terms, digests)

    def list_unknown(
        self, transaction: Transaction, access: Access, digests: Sequence[DocumentDigest]
    ) -> list[UnknownTerm]:
        """Return the terms that nothing explains, the most wanted first."""
        missed = learning.count_missed(transaction, access)
        unstated = learning.count_missed(transaction, access, ResolutionOutcome.NOT_STATED)
        return artifacts.list_unknown(missed, digests, unstated)

    def load_digests(
        self, transaction: Transaction, access: Access, view: VisibleDocuments
    ) -> list[DocumentDigest]:
        digests = compiled.load_digests(transaction, access)
        return [from_dict(digest) for number, digest in digests.items() if number in view.documents]
