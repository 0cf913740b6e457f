"""The composition root: the only place where parts are chosen and put together."""

from wellworn.bootstrap.app import App, Health
from wellworn.bootstrap.opening import DATABASE, INDEXES, open_app

__all__ = ["DATABASE", "INDEXES", "App", "Health", "open_app"]
