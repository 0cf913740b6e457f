"""Can the shipped reader tell whether two notes say the same in other words?

Twenty facts, each in other words, and each with one name, number or letter exchanged. What would be
needed is a judge that calls none of the exchanged ones the same: a rediscovery that is none would
confirm what nobody confirmed. Read is one note as a question beside the other, both ways, by the
reader that says what answers; the nearness of their vectors stands beside it.

    python -m benchmarks.sameness

prints, for each measure, of how many facts the paraphrase rates above every exchanged one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wellworn.application.bootstrap.reading import open_reading
from wellworn.application.settings import read_settings
from wellworn.engines.embedding import MiniLM

FACTS = (
    (
        "Ana is on call in week 14.",
        "In week 14 the person on call is Ana.",
        "Ana is on call in week 15.",
    ),
    (
        "The backup of hall B starts at 02:30.",
        "Hall B is backed up from 02:30 on.",
        "The backup of hall C starts at 02:30.",
    ),
    (
        "Port 8443 of the gateway is open.",
        "The gateway listens on port 8443.",
        "Port 8433 of the gateway is open.",
    ),
    (
        "Ben owns the billing service.",
        "The billing service belongs to Ben.",
        "Ken owns the billing service.",
    ),
    (
        "The north lamp burns whale oil.",
        "Whale oil is what the lamp in the north burns.",
        "The south lamp burns whale oil.",
    ),
    (
        "Release 2.4 dropped Python 3.9.",
        "Python 3.9 is no longer supported since release 2.4.",
        "Release 2.5 dropped Python 3.9.",
    ),
    (
        "The key of crane 7 hangs in the blue cupboard.",
        "You find crane 7's key in the blue cupboard.",
        "The key of crane 1 hangs in the blue cupboard.",
    ),
    (
        "Invoices are due after 30 days.",
        "An invoice has to be paid within 30 days.",
        "Invoices are due after 20 days.",
    ),
    (
        "db-prod-1 runs in Frankfurt.",
        "Frankfurt is where db-prod-1 is hosted.",
        "db-prod-2 runs in Frankfurt.",
    ),
    (
        "The ferry to Harwich leaves at noon.",
        "At noon the Harwich ferry departs.",
        "The ferry to Norwich leaves at noon.",
    ),
    (
        "Mira approved the budget of May.",
        "The May budget was approved by Mira.",
        "Mira approved the budget of March.",
    ),
    (
        "Retries stop after five attempts.",
        "After five attempts nothing is retried any more.",
        "Retries stop after nine attempts.",
    ),
    (
        "The valve opens at 3.5 bar.",
        "At a pressure of 3.5 bar the valve opens.",
        "The valve opens at 8.5 bar.",
    ),
    (
        "Tokens of tenant A expire hourly.",
        "Each hour the tokens of tenant A run out.",
        "Tokens of tenant B expire hourly.",
    ),
    (
        "Oslo has 12 sensors.",
        "There are 12 sensors in Oslo.",
        "Oslo has 21 sensors.",
    ),
    (
        "Lea moved to team Heron.",
        "Team Heron is where Lea works now.",
        "Lea moved to team Huron.",
    ),
    (
        "The index is rebuilt on Sundays.",
        "Every Sunday the index is built anew.",
        "The index is rebuilt on Mondays.",
    ),
    (
        "Room 204 has the projector.",
        "The projector is in room 204.",
        "Room 240 has the projector.",
    ),
    (
        "Kiln 3 is fired with beech.",
        "Beech wood fires kiln 3.",
        "Kiln 3 is fired with birch.",
    ),
    (
        "Cache misses cost 40 ms.",
        "A miss of the cache takes 40 ms.",
        "Cache misses cost 14 ms.",
    ),
)
"""A fact, the same in other words, and another of one name, number or letter exchanged."""


def main() -> None:
    """Print the table."""
    settings = read_settings()
    reader, _ = open_reading(settings.reading, lambda: None)
    embedder = MiniLM(settings.embedding)

    def read(one: str, other: str) -> float:
        answers = [reader.read(a, [b]) for a, b in ((one, other), (other, one))]
        return min(found[0].answers for found in answers if found)

    def measure(one: str, other: str) -> float:
        first, second = embedder.embed([one, other])
        return float(np.dot(first, second))

    measures: dict[str, Callable[[str, str], float]] = {"reader": read, "nearness": measure}
    for name, rate in measures.items():
        same = np.array([rate(fact, again) for fact, again, _ in FACTS])
        other = np.array([rate(fact, exchanged) for fact, _, exchanged in FACTS])
        above = int((same > other.max()).sum())
        print(f"{name:10}{above:3} of {len(FACTS)} paraphrases rate above all exchanged")
        print(f"{'':10}{int((same > other).sum()):3} above their own exchanged one")
        print(f"{'':10}same {np.median(same):.3f}, exchanged {np.median(other):.3f} at the median")


if __name__ == "__main__":
    main()
