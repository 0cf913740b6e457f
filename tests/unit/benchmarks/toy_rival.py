"""A rival for the tests: it finds texts by a word, as often as they say it, and it prints."""

from __future__ import annotations

import os

from benchmarks.rivals.workers.protocol import serve


class Toy:
    version = "toy"

    def __init__(self, folder, encoder_url):
        assert folder.is_dir()
        assert not encoder_url
        self._texts = []

    def index(self, texts):
        self._texts = [text.split() for text in texts]

    def search(self, query, k):
        print('{"found": [7]}', flush=True)  # noqa: T201 - what rivals do
        if query == "break":
            raise RuntimeError("the toy breaks on purpose")
        wanted = set(os.environ) if query == "environment" else {query}
        return [
            position
            for position, words in enumerate(self._texts)
            for word in words
            if word in wanted
        ]


if __name__ == "__main__":
    serve(Toy)
