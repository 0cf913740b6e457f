"""Stores what was compiled: digests, facts, artifacts, conflicts."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    and_,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    true,
    tuple_,
)

from wellworn.domain.knowledge.answers import Artifact, ArtifactName
from wellworn.domain.knowledge.candidates import (
    NAMED_HEADING,
    PLAIN_HEADING,
    TermCandidate,
)
from wellworn.domain.knowledge.claims import HEADED, SUMMARY
from wellworn.domain.knowledge.digests import DocumentDigest, to_dict
from wellworn.domain.knowledge.entities import name_key
from wellworn.domain.knowledge.facts import Fact, find_labels
from wellworn.domain.knowledge.glossary import GlossaryEntry
from wellworn.domain.knowledge.options import OPTION_ATTRIBUTES
from wellworn.domain.knowledge.tables import (
    compiled_artifacts,
    derived_facts,
    document_digests,
    fact_conflicts,
    glossary_entries,
)
from wellworn.domain.sources.store import select_hashes
from wellworn.domain.spaces import Access

_AT_ONCE = 500
_MOST_EXPLAINED = 50
LONGEST = 255
#: Fields of facts with another name in their columns.
_COLUMNS = {
    "document": "source_doc_id",
    "start": "source_span_start",
    "end": "source_span_end",
    "snippet": "source_snippet",
}
_FACT_FIELDS = [field.name for field in fields(Fact)]


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A fact as it was stored.

    Attributes:
        derived_by: which compiler or model found it.
        content_hash: of the words that it was found in.
        is_past: whether its document is past.
    """

    fact: Fact
    derived_by: str
    derived_at: float
    content_hash: str
    is_past: bool = False

    @property
    def term(self) -> str:
        return self.fact.term

    @property
    def document(self) -> int:
        return self.fact.document


def term_key(term: str) -> str:
    """Return by what a term is looked up."""
    return name_key(term)[:LONGEST]


# ------------------------------------------------------------ digests and facts


def load_versions(connection: Connection, access: Access) -> dict[int, tuple[str, str]]:
    """Return of each digest of the space its document's hash then, and the compiler's version."""
    statement = select(
        document_digests.c.document_id,
        document_digests.c.content_hash,
        document_digests.c.compiler_version,
    ).where(document_digests.c.knowledge_space_id == access.space)
    return {
        row.document_id: (row.content_hash, row.compiler_version)
        for row in connection.execute(statement)
    }


def is_behind(connection: Connection, access: Access, version: str) -> bool:
    """Tell whether a served document has no digest of its words by a compiler, or one is too many.

    Args:
        connection: of the transaction.
        access: whose space.
        version: the compiler's; what a model made better bears it too, and the model's after `+`.
    """
    served, made = select_hashes(access).subquery(), document_digests.c
    of_compiler = or_(
        made.compiler_version == version, made.compiler_version.startswith(f"{version}+")
    )
    is_current = and_(
        made.document_id == served.c.id, made.content_hash == served.c.content_hash, of_compiler
    )
    behind = select(literal(1)).where(~exists().where(is_current)).select_from(served).limit(1)
    gone = (
        select(literal(1))
        .where(made.knowledge_space_id == access.space, ~made.document_id.in_(select(served.c.id)))
        .limit(1)
    )
    return any(connection.execute(query).first() is not None for query in (behind, gone))


def load_digests(connection: Connection, access: Access) -> dict[int, dict[str, Any]]:
    """Return the digests of the space as plain data, by document."""
    statement = select(document_digests.c.document_id, document_digests.c.digest).where(
        document_digests.c.knowledge_space_id == access.space
    )
    rows = connection.execute(statement.order_by(document_digests.c.document_id))
    return {row.document_id: json.loads(row.digest) for row in rows}


def drop_digests(connection: Connection, document_ids: Collection[int]) -> None:
    """Forget what was compiled of documents."""
    ids = sorted(document_ids)
    for start in range(0, len(ids), _AT_ONCE):
        part = ids[start : start + _AT_ONCE]
        connection.execute(delete(derived_facts).where(derived_facts.c.source_doc_id.in_(part)))
        connection.execute(delete(glossary_entries).where(glossary_entries.c.document_id.in_(part)))
        connection.execute(delete(document_digests).where(document_digests.c.document_id.in_(part)))


def store_digest(
    connection: Connection,
    access: Access,
    digest: DocumentDigest,
    *,
    content_hash: str,
    version: str,
    facts: Mapping[Fact, str],
    now: float,
) -> None:
    """Write what was compiled of a document in place of what was; facts say who found them."""
    drop_digests(connection, [digest.document])
    connection.execute(
        insert(document_digests),
        {
            "document_id": digest.document,
            "knowledge_space_id": access.space,
            "content_hash": content_hash,
            "compiler_version": version,
            "digest": json.dumps(to_dict(digest), ensure_ascii=False),
            "is_withdrawn": digest.is_withdrawn,
            "is_past": digest.is_withdrawn,
        },
    )
    rows = [_row(access, fact, derived_by, now) for fact, derived_by in facts.items()]
    if rows:
        connection.execute(insert(derived_facts), rows)
    listed = [_to_entry_row(access, digest.document, entry) for entry in digest.entries]
    if listed:
        connection.execute(insert(glossary_entries), listed)


def _row(access: Access, fact: Fact, derived_by: str, now: float) -> dict[str, Any]:
    columns = {_COLUMNS.get(name, name): getattr(fact, name) for name in _FACT_FIELDS}
    del columns["snippet_end"]
    return columns | {
        "knowledge_space_id": access.space,
        "term": fact.term[:LONGEST],
        "term_key": term_key(fact.term),
        "attribute": fact.attribute[:LONGEST],
        "derived_at": now,
        "derived_by": derived_by,
    }


def _to_entry_row(access: Access, document: int, entry: TermCandidate) -> dict[str, Any]:
    return {
        "knowledge_space_id": access.space,
        "term": entry.term[:LONGEST],
        "term_key": term_key(entry.term),
        "document_id": document,
        "anchor": entry.anchor,
        "summary": entry.summary,
        "span_start": entry.start,
        "span_end": entry.end,
        "weight": entry.weight,
    }


def load_facts(
    connection: Connection,
    access: Access,
    terms: Iterable[str] | None,
    *,
    with_headed: bool = False,
) -> list[StoredFact]:
    """Return the facts about some terms, or with None about all, the surest first.

    What describes something by a label is of no term. What stands below heads of any words is
    returned to who wants it.
    """
    statement = (
        select(derived_facts, document_digests.c.content_hash, document_digests.c.is_past)
        .join(document_digests, document_digests.c.document_id == derived_facts.c.source_doc_id)
        .where(derived_facts.c.knowledge_space_id == access.space)
    )
    if terms is not None:
        keys = {term_key(term) for term in terms}
        statement = statement.where(derived_facts.c.term_key.in_(keys))
    if not with_headed:
        statement = statement.where(derived_facts.c.confidence > HEADED)
    ordered = statement.order_by(derived_facts.c.confidence.desc(), derived_facts.c.id)
    stored = [_to_stored_fact(row) for row in connection.execute(ordered)]
    labels = find_labels(each.fact for each in stored)
    return [
        each
        for each in stored
        if each.fact.fact_type != SUMMARY or term_key(each.term) not in labels
    ]


def _to_stored_fact(row: Any) -> StoredFact:
    values = {
        each.name: getattr(row, _COLUMNS.get(each.name, each.name))
        for each in fields(Fact)
        if each.name != "snippet_end"
    }
    fact = Fact(**values, snippet_end=row.snippet_start + len(row.source_snippet))
    return StoredFact(fact, row.derived_by, row.derived_at, row.content_hash, row.is_past)


def load_entries(
    connection: Connection, access: Access, names: Iterable[str]
) -> list[GlossaryEntry]:
    """Return what the glossary has of some names, the best explained first."""
    statement = (
        select(glossary_entries, document_digests.c.is_past)
        .join(document_digests, document_digests.c.document_id == glossary_entries.c.document_id)
        .where(
            glossary_entries.c.knowledge_space_id == access.space,
            glossary_entries.c.term_key.in_({term_key(name) for name in names}),
        )
        .order_by(glossary_entries.c.weight.desc(), glossary_entries.c.id)
    )
    columns = {"document": "document_id", "start": "span_start", "end": "span_end"}
    names_of = [(each.name, columns.get(each.name, each.name)) for each in fields(GlossaryEntry)]
    return [
        GlossaryEntry(**{name: getattr(row, column) for name, column in names_of})
        for row in connection.execute(statement)
    ]


def list_explained(
    connection: Connection, access: Access, sections: Iterable[tuple[int, str]]
) -> list[str]:
    """Return the first names that the glossary explains in some sections, as their texts do."""
    entries = glossary_entries.c
    statement = (
        select(entries.term)
        .where(
            entries.knowledge_space_id == access.space,
            tuple_(entries.document_id, entries.anchor).in_(sorted(sections)),
        )
        .order_by(entries.document_id, entries.span_start, entries.id)
        .limit(_MOST_EXPLAINED)
    )
    return [*dict.fromkeys(connection.execute(statement).scalars())]


def find_known_names(
    connection: Connection,
    access: Access,
    names: Collection[str],
    *,
    most_headed: int,
    among: Select[tuple[int]] | None,
) -> set[str]:
    """Return the keys of those names that facts are known of, or that documents explain.

    `among` are the documents that count, all where it is None.
    A heading of one plain word is no name, nor is one that so many documents have. Nor is an option
    by its words alone: "portainer port" asks for portainer's port, and not for `PORTAINER_PORT`.
    """
    keys, facts = {term_key(name) for name in names}, derived_facts.c
    asks_option = not set(OPTION_ATTRIBUTES).isdisjoint(names)
    apart = {term_key(name) for name in names if " " in name and not asks_option}
    stated = select(facts.term_key).where(
        facts.knowledge_space_id == access.space,
        facts.term_key.in_(keys),
        facts.confidence > HEADED,
        facts.term_key.not_in(apart) | facts.attribute.not_in(OPTION_ATTRIBUTES),
        true() if among is None else facts.source_doc_id.in_(among),
    )
    entries, best = glossary_entries.c, func.max(glossary_entries.c.weight)
    explained = (
        select(entries.term_key)
        .where(
            entries.knowledge_space_id == access.space,
            entries.term_key.in_(keys),
            true() if among is None else entries.document_id.in_(among),
        )
        .group_by(entries.term_key)
        .having((best > NAMED_HEADING) | ((best > PLAIN_HEADING) & (func.count() < most_headed)))
    )
    return set(connection.execute(stated.union(explained)).scalars())


def count_facts(connection: Connection, access: Access, documents: Collection[int]) -> int:
    """Count what some documents of the space state."""
    statement = (
        select(derived_facts.c.source_doc_id, func.count())
        .where(
            derived_facts.c.knowledge_space_id == access.space,
            derived_facts.c.confidence > HEADED,
        )
        .group_by(derived_facts.c.source_doc_id)
    )
    return sum(times for number, times in connection.execute(statement) if number in documents)


# ------------------------------------------------------------ artifacts


def find_file(connection: Connection, access: Access, name: ArtifactName) -> Artifact | None:
    """Return a virtual file as it was stored last."""
    row = connection.execute(
        select(compiled_artifacts).where(
            compiled_artifacts.c.knowledge_space_id == access.space,
            compiled_artifacts.c.artifact_type == name,
        )
    ).one_or_none()
    if row is None:
        return None
    return Artifact(name, row.content, row.fingerprint, row.compiled_at, row.compiler_version)


def store_file(connection: Connection, access: Access, file: Artifact) -> None:
    """Write a virtual file in place of the one that was there."""
    connection.execute(
        delete(compiled_artifacts).where(
            compiled_artifacts.c.knowledge_space_id == access.space,
            compiled_artifacts.c.artifact_type == file.name,
        )
    )
    columns = asdict(file)
    columns |= {"knowledge_space_id": access.space, "artifact_type": columns.pop("name")}
    connection.execute(insert(compiled_artifacts), columns)


def purge(connection: Connection, access: Access) -> None:
    """Delete all that was compiled in the space."""
    made = (derived_facts, glossary_entries, document_digests, compiled_artifacts, fact_conflicts)
    for table in made:
        connection.execute(delete(table).where(table.c.knowledge_space_id == access.space))
