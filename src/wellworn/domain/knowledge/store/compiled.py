"""What was compiled: digests, facts, artifacts, conflicts."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from wellworn.domain.knowledge.answers import ConflictClaim, QuotedSpan, StoredConflict
from wellworn.domain.knowledge.entities import name_key
from wellworn.domain.knowledge.facts import Fact
from wellworn.domain.knowledge.tables import (
    compiled_artifacts,
    derived_facts,
    document_digests,
    fact_conflicts,
)
from wellworn.domain.spaces import Access

_AT_ONCE = 500
_LONGEST = 255


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A fact as it was kept: by which compiler, and when."""

    fact: Fact
    derived_by: str
    derived_at: float


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A virtual file as it was kept."""

    content: str
    fingerprint: str
    compiled_at: float
    compiler_version: str


def term_key(term: str) -> str:
    """Return by what a term is looked up."""
    return name_key(term)[:_LONGEST]


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
        connection.execute(delete(document_digests).where(document_digests.c.document_id.in_(part)))


def store_digest(
    connection: Connection,
    access: Access,
    document_id: int,
    *,
    content_hash: str,
    version: str,
    digest: Mapping[str, Any],
    facts: Mapping[Fact, str],
    now: float,
) -> None:
    """Write what was compiled of a document in place of what was; facts say who found them."""
    drop_digests(connection, [document_id])
    connection.execute(
        insert(document_digests),
        {
            "document_id": document_id,
            "knowledge_space_id": access.space,
            "content_hash": content_hash,
            "compiler_version": version,
            "digest": json.dumps(digest, ensure_ascii=False),
        },
    )
    rows = [_row(access, fact, derived_by, now) for fact, derived_by in facts.items()]
    if rows:
        connection.execute(insert(derived_facts), rows)


def _row(access: Access, fact: Fact, derived_by: str, now: float) -> dict[str, Any]:
    return {
        "knowledge_space_id": access.space,
        "term": fact.term[:_LONGEST],
        "term_key": term_key(fact.term),
        "fact_type": fact.fact_type,
        "attribute": fact.attribute[:_LONGEST],
        "value": fact.value,
        "source_doc_id": fact.document,
        "source_span_start": fact.start,
        "source_span_end": fact.end,
        "snippet_start": fact.snippet_start,
        "source_snippet": fact.snippet,
        "confidence": fact.confidence,
        "derived_at": now,
        "derived_by": derived_by,
    }


def load_facts(
    connection: Connection, access: Access, terms: Iterable[str] | None
) -> list[StoredFact]:
    """Return the facts about some terms, or with None about all, the surest first."""
    statement = select(derived_facts).where(derived_facts.c.knowledge_space_id == access.space)
    if terms is not None:
        keys = {term_key(term) for term in terms}
        statement = statement.where(derived_facts.c.term_key.in_(keys))
    ordered = statement.order_by(derived_facts.c.confidence.desc(), derived_facts.c.id)
    return [_to_stored_fact(row) for row in connection.execute(ordered)]


def _to_stored_fact(row: Any) -> StoredFact:
    fact = Fact(
        document=row.source_doc_id,
        term=row.term,
        attribute=row.attribute,
        fact_type=row.fact_type,
        value=row.value,
        start=row.source_span_start,
        end=row.source_span_end,
        snippet=row.source_snippet,
        snippet_start=row.snippet_start,
        snippet_end=row.snippet_start + len(row.source_snippet),
        confidence=row.confidence,
    )
    return StoredFact(fact, row.derived_by, row.derived_at)


def find_known_names(connection: Connection, access: Access, names: Iterable[str]) -> set[str]:
    """Return the keys of those names that facts are known of."""
    keys = {term_key(name) for name in names}
    statement = select(derived_facts.c.term_key).where(
        derived_facts.c.knowledge_space_id == access.space, derived_facts.c.term_key.in_(keys)
    )
    return set(connection.execute(statement.distinct()).scalars())


def list_terms(connection: Connection, access: Access, *, like: str) -> list[str]:
    """Return the terms that facts are known of and that begin with the same letter as another."""
    first = term_key(like)[:1]
    statement = select(derived_facts.c.term).where(
        derived_facts.c.knowledge_space_id == access.space,
        derived_facts.c.term_key.startswith(first, autoescape=True),
    )
    return list(connection.execute(statement.distinct().order_by("term")).scalars())


def count_facts(connection: Connection, access: Access) -> int:
    statement = select(func.count()).where(derived_facts.c.knowledge_space_id == access.space)
    return connection.execute(statement).scalar_one()


# ------------------------------------------------------------ artifacts


def find_file(connection: Connection, access: Access, name: str) -> StoredFile | None:
    """Return a virtual file as it was kept last."""
    row = connection.execute(
        select(compiled_artifacts).where(
            compiled_artifacts.c.knowledge_space_id == access.space,
            compiled_artifacts.c.artifact_type == name,
        )
    ).one_or_none()
    if row is None:
        return None
    return StoredFile(row.content, row.fingerprint, row.compiled_at, row.compiler_version)


def store_file(connection: Connection, access: Access, name: str, file: StoredFile) -> None:
    """Write a virtual file in place of the one that was there."""
    connection.execute(
        delete(compiled_artifacts).where(
            compiled_artifacts.c.knowledge_space_id == access.space,
            compiled_artifacts.c.artifact_type == name,
        )
    )
    connection.execute(
        insert(compiled_artifacts),
        {"knowledge_space_id": access.space, "artifact_type": name, **asdict(file)},
    )


# ------------------------------------------------------------ conflicts


def list_conflicts(connection: Connection, access: Access) -> list[StoredConflict]:
    """Return every conflict of the space, oldest first."""
    statement = select(fact_conflicts).where(fact_conflicts.c.knowledge_space_id == access.space)
    return [
        _to_conflict(row) for row in connection.execute(statement.order_by(fact_conflicts.c.id))
    ]


def add_conflict(
    connection: Connection,
    access: Access,
    name: tuple[str, str, str],
    claims: Sequence[ConflictClaim],
    *,
    now: float,
) -> None:
    """Write an open conflict; its name is term, attribute and type."""
    term, attribute, fact_type = name
    connection.execute(
        insert(fact_conflicts),
        {
            "knowledge_space_id": access.space,
            "term": term[:_LONGEST],
            "term_key": term_key(term),
            "attribute": attribute[:_LONGEST],
            "fact_type": fact_type,
            "candidates": _dump_claims(claims),
            "state": "open",
            "found_at": now,
        },
    )


def import_decision(connection: Connection, access: Access, record: Mapping[str, Any]) -> bool:
    """Write how a conflict that is here too was settled elsewhere, unless it was settled here."""
    name = (term_key(record["term"]), record["attribute"], record["fact_type"])
    for conflict in list_conflicts(connection, access):
        if (
            term_key(conflict.term),
            conflict.attribute,
            conflict.fact_type,
        ) == name and conflict.resolution is None:
            change_conflict(
                connection,
                conflict.id,
                state="resolved",
                resolution=record["resolution"],
                reason=record["reason"],
                resolved_by=record["resolved_by"],
                resolved_at=record["resolved_at"],
                decided_on=record["decided_on"],
            )
            return True
    return False


def change_conflict(connection: Connection, conflict_id: int, **values: Any) -> None:
    """Write columns of a conflict; `claims` and `decided_on` are made JSON here."""
    if "claims" in values:
        values["candidates"] = _dump_claims(values.pop("claims"))
    if values.get("decided_on") is not None:
        values["decided_on"] = json.dumps(sorted(values["decided_on"]), ensure_ascii=False)
    connection.execute(
        update(fact_conflicts).where(fact_conflicts.c.id == conflict_id).values(**values)
    )


def _dump_claims(claims: Sequence[ConflictClaim]) -> str:
    rows = [{"value": claim.value, **asdict(claim.evidence)} for claim in claims]
    return json.dumps(rows, ensure_ascii=False)


def _to_conflict(row: Any) -> StoredConflict:
    claims = [
        ConflictClaim(claim.pop("value"), QuotedSpan(**claim))
        for claim in json.loads(row.candidates)
    ]
    return StoredConflict(
        id=row.id,
        term=row.term,
        attribute=row.attribute,
        fact_type=row.fact_type,
        claims=tuple(claims),
        state=row.state,
        resolution=row.resolution,
        reason=row.reason,
        resolved_by=row.resolved_by,
        resolved_at=row.resolved_at,
        found_at=row.found_at,
        decided_on=frozenset(json.loads(row.decided_on or "[]")),
    )


def purge(connection: Connection, access: Access) -> None:
    """Delete all that was compiled in the space."""
    for table in (derived_facts, document_digests, compiled_artifacts, fact_conflicts):
        connection.execute(delete(table).where(table.c.knowledge_space_id == access.space))
