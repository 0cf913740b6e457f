"""Maintenance of a data folder from outside: check, copy, fill, and make derived data again.

Canonical is the database; the indexes follow from it. So a backup is the database, and whatever
happens to an index is mended by a rebuild.
"""

from wellworn.application.maintenance.checks import CheckResult, HealthReport, doctor
from wellworn.application.maintenance.copies import backup, restore, salvage
from wellworn.application.maintenance.moving import (
    MovePlan,
    MoveReport,
    move,
    plan_move,
    plan_undo,
    undo_move,
)
from wellworn.application.maintenance.rebuilding import rebuild
from wellworn.application.maintenance.reembedding import ReembeddingSummary, reembed
