"""The pages, one file a subject."""

from wellworn.interfaces.web.pages import (
    answers,
    care,
    landscape,
    now,
    quality,
    sources,
    spaces,
    thought,
    thoughts,
    topics,
    trail,
    turns,
)

_SUBJECTS = (
    *(now, thoughts, thought, topics, landscape, sources, answers),
    *(turns, quality, spaces, trail, care),
)
PAGES = tuple(page for subject in _SUBJECTS for page in subject.table.pages)
"""Method, path below a space's address, and function; of two that match the first answers."""
