"""Run by Alembic: migrates on the connection it is given, inside that connection's transaction."""

from __future__ import annotations

from alembic import context

from wellworn.application.migrations.revisions import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
