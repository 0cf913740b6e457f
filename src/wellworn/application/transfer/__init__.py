"""Transfer: everything a memory holds, out and in again."""

from wellworn.application.transfer.service import Taken, Transfer

__all__ = ["Taken", "Transfer"]
