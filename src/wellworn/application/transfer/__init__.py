"""Transfer: everything a memory holds, out and in again."""

from wellworn.application.transfer.losses import Losses
from wellworn.application.transfer.service import PreparedImport, Taken, Transfer, check_kinds
