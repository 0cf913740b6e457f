"""What a memory is made of, over the database, the indexes and the clock of a test."""

from __future__ import annotations

from types import SimpleNamespace

from integration.sources_world import sources_of
from wellworn.application.transfer import Transfer
from wellworn.domain.knowledge import Discovery, Knowledge
from wellworn.domain.memory import Memory
from wellworn.domain.thoughts import ThoughtIndexer, Thoughts, ThoughtSettings
from wellworn.domain.turns import (
    ExtractiveEngine,
    ResearchLibrary,
    SpaceGatherer,
    TurnDependencies,
    Turns,
    TurnSettings,
)
from wellworn.domain.turns.tools import Toolbox


def assemble(database, index, chunks, embedder, clock, files, *, inspector=None):
    """Return the services over these parts; turns have no tools, and their files in a folder."""
    thoughts = Thoughts(database, index, embedder, clock, ThoughtSettings(), inspector=inspector)
    sources = sources_of(database, chunks, embedder, clock)
    discovery = Discovery(database, sources, clock)
    knowledge = Knowledge(database, sources, clock, inspector)
    memory = Memory(database, thoughts, embedder, clock)
    library = ResearchLibrary(database, files, TurnSettings(), clock)
    turns = Turns(
        database,
        SpaceGatherer(database, embedder, memory, sources, discovery, library=library),
        thoughts,
        TurnDependencies(embedder, ExtractiveEngine(), Toolbox({}), TurnSettings(), clock),
    )
    return SimpleNamespace(
        database=database,
        clock=clock,
        index=index,
        chunks=chunks,
        embedder=embedder,
        thoughts=thoughts,
        thought_indexer=ThoughtIndexer(
            database, index, embedder, refresh=thoughts.searcher.warmer.refresh
        ),
        knowledge=knowledge,
        memory=memory,
        transfer=Transfer(
            database,
            thoughts,
            knowledge,
            clock,
            sources=sources,
            discovery=discovery,
            turns=turns,
        ),
    )


def embed_all(app):
    """Embed what is found by its words, as a server does in the background."""
    while seqs := app.thought_indexer.list_pending(16):
        app.thought_indexer.embed(seqs)
