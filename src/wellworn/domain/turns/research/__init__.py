"""Research: what turns read on the web, stored as documents with a life of their own."""

from wellworn.domain.turns.research.documents import FILE, ResearchScope
from wellworn.domain.turns.research.library import ResearchLibrary
from wellworn.domain.turns.research.lifecycle import cite_research
from wellworn.domain.turns.research.store import IndexedResearch, SiteRecord
from wellworn.domain.turns.research.writing import (
    ReadPage,
    compose_research,
    find_listings,
    write_research,
)
