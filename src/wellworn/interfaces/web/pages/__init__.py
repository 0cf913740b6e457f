"""The pages, one file a subject."""

from wellworn.interfaces.web.pages import now

PAGES = (*now.table.pages,)
"""Method, path below a space's address, and function; of two that match the first answers."""
