"""A rival for the tests: it finds texts by a word, as often as they say it, and it prints.

With the strategy `forget` it keeps nothing on the disk.
"""

from __future__ import annotations

import json
import os

from benchmarks.rivals.workers.protocol import serve


class Toy:
    version = "toy"

    def __init__(self, folder, encoder_url):
        assert folder.is_dir()
        assert not encoder_url
        self._texts = []
        self._kept = folder / "texts.jsonl"

    def index(self, texts):
        self._texts = [text.split() for text in texts]
        if os.environ["RIVAL_STRATEGY"] == "forget":
            return
        with self._kept.open("a") as file:
            file.writelines(json.dumps(text) + "\n" for text in texts)
            file.flush()
            os.fsync(file.fileno())

    def count(self):
        return len(self._kept.read_text().splitlines()) if self._kept.exists() else 0

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
