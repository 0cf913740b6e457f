"""Whether what sleep brings together is of one thing, loses nothing, and quotes what is true.

With `--data FOLDER` and `clinc/data_full.json` in it, as for `topics`, real questions are brought
together whose intents are known. Made thoughts as those of `topics` tell what is lost, whether
anything replaced is quoted, and what it costs.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable

from benchmarks.figures import Figure, median
from benchmarks.run import Run
from benchmarks.topics import LARGE, Numbers, make, open_intents, open_memory, store_made
from wellworn.application.calls import App
from wellworn.domain.spaces import DEFAULT_SPACE, local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.thoughts.store import consolidations as store
from wellworn.domain.thoughts.store.consolidations import Consolidation

PLANTED = 100
_EVERYTHING = 10_000


def measured(run: Run) -> list[Figure]:
    """Return how pure, how complete and how true what sleep brings together is, and its cost."""
    return [*_bring_intents_together(run), *_plant_replacements(run), *_time_large(run)]


def _bring_intents_together(run: Run) -> list[Figure]:
    with open_intents(run) as known:
        if known is None:
            return []
        app, intents = known
        app.thoughts.sleeper.sleep(local_access())
        kept = _load(app)
    found = [intents[[seq - 1 for seq in each.core.members]] for each in kept]
    return _judge(found, len(intents), "CLINC150", goal=0.9)


def _judge(found: list[Numbers], size: int, name: str, goal: float) -> list[Figure]:
    of_one = sum(max(Counter(each.tolist()).values()) for each in found)
    inside = sum(len(each) for each in found)
    note = f"{len(found)} consolidations of {inside:,} of {size:,} thoughts"
    return [
        Figure.at_least(f"purity, {name}", of_one / inside, goal, "", note),
        Figure(f"share brought together, {name}", inside / size),
    ]


def _plant_replacements(run: Run) -> list[Figure]:
    """Replace quoted thoughts, one of each consolidation, and look who quotes them."""
    app, made = open_memory(run.folder / "planted"), make(3_000, seed=4)
    access, planted = local_access(), run.samples(PLANTED)
    try:
        store_made(app, made, 0, len(made.texts))
        promised = app.thoughts.sleeper.sleep(access, dry_run=True, limit=_EVERYTHING)
        rest = app.thoughts.sleeper.sleep(access, limit=_EVERYTHING)
        kept = _load(app)
        stored = sum(len(each.core.members) for each in kept)
        lost = sum(each.size for each in promised.overviews) - stored
        found = [made.things[[seq - 1 for seq in each.core.members]] for each in kept]
        figures = _judge(found, len(made.texts), "made thoughts", goal=0.9)
        gone = [each.quotes[0].thought_id for each in rest.overviews[:planted]]
        for number, thought_id in enumerate(gone):
            text = f"What was said as number {number} is no longer so."
            app.think(
                access,
                ThoughtDraft(
                    text, contributor_id="made", contributor_name="made", replaces=(thought_id,)
                ),
            )
        at_once = app.thoughts.overviews.list_largest(access, limit=_EVERYTHING)
        later = app.thoughts.sleeper.sleep(access, limit=_EVERYTHING).overviews
    finally:
        app.close()
    quoted_at_once = _count(gone, (quote for each in at_once for quote in each.list_shown()))
    still_sources = _count(gone, (source for each in later for source in each.source_ids))
    note = f"{len(gone)} planted"
    return [
        *figures,
        Figure.at_most("sources lost", abs(lost), 0, "", f"{len(kept)} consolidations"),
        Figure.at_most("replaced thoughts quoted, at once", quoted_at_once, 0, "", note),
        Figure.at_most(
            "replaced thoughts among sources, a sleep later", still_sources, 0, "", note
        ),
    ]


def _time_large(run: Run) -> list[Figure]:
    size = 4_000 if run.quick else LARGE
    app, made = open_memory(run.folder / "large"), make(size, seed=5)
    access = local_access()
    try:
        store_made(app, made, 0, size)
        app.thoughts.topics.sort(DEFAULT_SPACE)
        took = [_time(lambda: app.thoughts.sleeper.sleep(access)) for _ in range(2)]
        members = [each.core.members[:3] for each in _load(app)]
        with app.database.read() as transaction:
            looked = [
                _time(lambda seqs=seqs: app.thoughts.overviews.find(transaction, access, seqs))
                for seqs in members[: run.samples(300)]
            ]
            none = [
                _time(lambda seqs=seqs: app.thoughts.overviews.find(transaction, access, seqs))
                for seqs in [[seq] * 3 for seq in range(size, size + run.samples(300))]
            ]
    finally:
        app.close()
    return [
        Figure(f"processor time for {size:,} thoughts", took[0], "s", note="the first sleep"),
        Figure(f"the next sleep of {size:,} thoughts", took[1], "s", note="nothing changed"),
        Figure("an answer's overview", median(looked) * 1000, "ms", note="median"),
        Figure("an answer without one", median(none) * 1000, "ms", note="median"),
    ]


def _time(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _load(app: App) -> list[Consolidation]:
    with app.database.read() as transaction:
        return store.load_consolidations(transaction, DEFAULT_SPACE)


def _count(wanted: Iterable[str], told: Iterable[str]) -> int:
    return len({*wanted} & {*told})
