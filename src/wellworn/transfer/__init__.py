"""Transfer: everything a memory holds, out and in again."""

from wellworn.transfer.service import Taken, Transfer

__all__ = ["Taken", "Transfer"]
