"""Places: what documents explain as rows, which documents are past, and where a conflict is."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

from wellworn.domain.sources.store import find_place

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("is_withdrawn", "is_past"):
        op.add_column(
            "document_digests",
            sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()),
        )
    op.add_column(
        "derived_facts", sa.Column("anchor", sa.String, nullable=False, server_default="")
    )
    # Entries are made when documents are compiled again, which the compiler's version sees to.
    op.create_table(
        "glossary_entries",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("knowledge_space_id", sa.String, nullable=False),
        sa.Column("term", sa.String(255), nullable=False),
        sa.Column("term_key", sa.String(255), nullable=False),
        sa.Column("alias_of", sa.String(255)),
        sa.Column(
            "document_id",
            sa.Integer,
            sa.ForeignKey(
                "knowledge_documents.id",
                name="fk_glossary_entries_document_id",
                ondelete="CASCADE",
            ),
            nullable=False,
        ),
        sa.Column("anchor", sa.String, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("span_start", sa.Integer, nullable=False),
        sa.Column("span_end", sa.Integer, nullable=False),
        sa.Column("weight", sa.Float, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_glossary_entries_knowledge_space_id_term_key",
        "glossary_entries",
        ["knowledge_space_id", "term_key"],
    )
    op.create_index("ix_glossary_entries_document_id", "glossary_entries", ["document_id"])
    columns = ["knowledge_space_id", "term_key", "attribute", "fact_type"]
    placed = ["knowledge_space_id", "place", *columns[1:]]
    unique = "uq_fact_conflicts_"
    with op.batch_alter_table(
        "fact_conflicts", table_kwargs={"sqlite_autoincrement": True}
    ) as batch:
        place = sa.Column("place", sa.String(255), nullable=False, server_default="")
        batch.add_column(place)
        batch.drop_constraint(unique + "_".join(columns), type_="unique")
        batch.create_unique_constraint(unique + "_".join(placed), placed)
    _place_conflicts()


def _place_conflicts() -> None:
    """Say of each conflict where it is; one between several places is closed by the next compile."""
    connection = op.get_bind()
    documents = connection.execute(
        sa.text(
            "SELECT d.id, s.name, s.source_type, d.path FROM knowledge_documents d"
            " JOIN knowledge_sources s ON s.id = d.source_id"
        )
    )
    places = {row.id: find_place(row.source_type, row.name, row.path) for row in documents}
    rows = connection.execute(sa.text("SELECT id, candidates FROM fact_conflicts")).all()
    for number, candidates in rows:
        places_claimed = {
            places.get(claim["document_id"], "") for claim in json.loads(candidates)
        } - {""}
        if len(places_claimed) == 1:
            connection.execute(
                sa.text("UPDATE fact_conflicts SET place = :place WHERE id = :id"),
                {"place": places_claimed.pop(), "id": number},
            )
