"""The HTTP interface: wire models, one error table, one file a noun."""

from wellworn.interfaces.http.app import LOOPBACK, create_api

__all__ = ["LOOPBACK", "create_api"]
