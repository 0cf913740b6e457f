"""Alembic revisions, shipped in the wheel; opening a data folder brings it up to date."""

from wellworn.application.migrations.recovery import mend, recover_image
from wellworn.application.migrations.revisions import (
    is_current,
    is_new,
    make_empty_image,
    metadata,
    require_known_revision,
    upgrade,
)
from wellworn.application.migrations.staging import StagedRows, apply_staged, list_ended_turns
