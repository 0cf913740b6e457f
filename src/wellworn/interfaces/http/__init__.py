"""The HTTP interface: wire models, one error table, one file a noun."""

from wellworn.interfaces.http.app import create_api
from wellworn.interfaces.http.connections import BoundedConnection, count_waiting_allowed
