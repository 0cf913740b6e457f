"""Transfer: everything a memory holds, out and in again."""

from wellworn.application.transfer.service import PreparedImport, Taken, Transfer

__all__ = ["PreparedImport", "Taken", "Transfer"]
