"""Sources over a real database and real files, with a double of the encoder only."""

from __future__ import annotations

import shutil
from contextlib import closing, contextmanager
from types import SimpleNamespace

from wellworn.domain.sources import (
    ChunkIndexer,
    NewSource,
    SourceDependencies,
    Sources,
    SourceSettings,
    SyncOptions,
)
from wellworn.domain.sources.connectors import ConnectorContext, load_connectors
from wellworn.domain.spaces import local_access
from wellworn.engines.crypto import LocalKey
from wellworn.engines.extraction import ExtractionSettings, Extractor
from wellworn.engines.fetch import FetchSettings, WebClient
from wellworn.engines.storage.sql import Database
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder
from wellworn.testing.vectors import ListVectorIndex

LOCAL = local_access()


class CountingEmbedder(HashEmbedder):
    """Counts the texts that it embeds."""

    def __init__(self):
        self.embedded = 0

    def encode(self, texts):
        self.embedded += len(texts)
        return super().encode(texts)


@contextmanager
def opened(empty, path, *, settings=None, fetch=None, embedder=None, index=None):
    """Open the sources of a database; the same path may be opened again later."""
    if not path.exists():
        shutil.copyfile(empty, path)
    fetch = fetch or FetchSettings(private_networks=("127.0.0.0/8",), retry_waits_s=())
    settings = settings or SourceSettings()
    clock, embedder = ManualClock(), embedder or CountingEmbedder()
    index = ListVectorIndex() if index is None else index
    with closing(Database(path)) as database, closing(Extractor(ExtractionSettings())) as extractor:
        context = ConnectorContext(WebClient(fetch), fetch, settings.most_document_bytes)
        kinds = load_connectors(context)
        parts = SourceDependencies(embedder, extractor, LocalKey(b"k" * 32), kinds, clock, settings)
        sources = Sources(database, index, parts)
        yield SimpleNamespace(
            database=database,
            clock=clock,
            embedder=embedder,
            index=index,
            kinds=kinds,
            sources=sources,
            indexer=ChunkIndexer(database, index, embedder),
        )


def sources_of(database, index, embedder, clock):
    """Return sources that nothing is read for by a child process."""
    settings, fetch = SourceSettings(), FetchSettings()
    extractor = Extractor(ExtractionSettings())
    context = ConnectorContext(WebClient(fetch), fetch, settings.most_document_bytes)
    parts = SourceDependencies(
        embedder, extractor, LocalKey(b"k" * 32), load_connectors(context), clock, settings
    )
    return Sources(database, index, parts)


def embed_pending(world):
    """Embed all chunks that wait for it."""
    while seqs := world.indexer.list_pending(50):
        world.indexer.embed(seqs)


class Docs:
    """A folder of documents, as a source, and what one asks of it."""

    def __init__(self, world, folder, **settings):
        self.world = world
        self.folder = folder
        folder.mkdir(exist_ok=True)
        config = {"path": str(folder), **settings}
        self.source = world.sources.create(LOCAL, NewSource("folder", folder.name, config))

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def sync(self, *, check=lambda: None, **options):
        asked = SyncOptions(**options)
        run, _ = self.world.sources.sync(LOCAL, self.source.id, options=asked, check=check)
        return run

    def embed(self):
        """Embed what waits for it, as a server does in the background."""
        embed_pending(self.world)

    def documents(self):
        found = self.world.sources.list_documents(LOCAL, source_id=self.source.id, limit=1000)
        return {one.path: one for one in found}

    def paths(self):
        """Return the paths of documents that are served."""
        return {path for path, one in self.documents().items() if one.state != "refused"}

    def search(self, text, **options):
        return self.world.sources.search(LOCAL, text, **options)

    def status(self):
        return self.world.sources.get_source(LOCAL, self.source.id)
