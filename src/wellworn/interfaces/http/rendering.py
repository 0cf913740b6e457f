"""From values to JSON, in the specified shapes. Weights are rounded so that 1.25 reads as 1.25.

Agents wrote the texts in these values and other agents' models read them, so every text is
neutralised on its way out: nothing hidden, no control tokens. Plain text stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

from wellworn.domain.knowledge import PracticeFound
from wellworn.domain.memory import Reply
from wellworn.domain.thoughts import Contributor, Found, Held, Highway, Origin, Provenance, Record
from wellworn.engines.safety import neutralised
from wellworn.kit.clock import iso
from wellworn.kit.text import preview

_EXPLAINED = ("content", "tags", "created_at", "rank_score", "why")


def weight(value: float) -> float:
    return round(value, 9)


def _tamed(value: Any) -> Any:
    """Return a part of JSON with all its texts neutralised."""
    if isinstance(value, str):
        return neutralised(value)
    if isinstance(value, dict):
        return {name: _tamed(one) for name, one in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_tamed(one) for one in cast("Sequence[Any]", value)]
    return value


def reply(value: Reply) -> dict[str, Any]:
    rendered = _tamed(asdict(value))
    for source in rendered["result"]["sources"]:
        if source["why"] is None:
            for name in _EXPLAINED:
                del source[name]
        if source["kind"] is None:
            del source["kind"], source["citation"]
    if not value.result.often_needed_next:
        # The specified shape, wherever there is nothing beyond it to say.
        del rendered["result"]["often_needed_next"]
    return rendered


def found(values: Sequence[Found], *, explain: bool) -> list[dict[str, Any]]:
    rendered = [
        {
            "thought_id": one.thought_id,
            "content": one.content,
            "contributor_name": one.contributor_name,
            "score": one.score,
            "pheromone_weight": weight(one.pheromone_weight),
            "tags": list(one.tags),
            **(_why(one) if explain else {}),
        }
        for one in values
    ]
    return _tamed(rendered)


def looked_up(values: Sequence[Found]) -> dict[str, Any]:
    rendered = {
        "results": [
            {
                "thought_id": one.thought_id,
                "title": preview(" ".join(one.content.split())),
                "content_preview": preview(one.content),
                "contributor": one.contributor_name,
                "created_at": iso(one.created_at),
                "score": one.score,
                **_why(one),
            }
            for one in values
        ]
    }
    return _tamed(rendered)


def _why(one: Found) -> dict[str, Any]:
    return {"rank_score": one.rank_score, "why": dict(one.parts)}


def record(value: Record) -> dict[str, Any]:
    rendered = asdict(value)
    for name in ("created_at", "last_accessed", "erased_at"):
        rendered[name] = _time(rendered[name])
    for entry in (*rendered["access_log"], *rendered["affirmed_by"]):
        entry["timestamp"] = iso(entry["timestamp"])
    for companion in rendered["co_retrieved_with"]:
        del companion["content_preview"]
    rendered["pheromone_weight"] = weight(value.pheromone_weight)
    return _tamed(rendered)


def provenance(value: Provenance) -> dict[str, Any]:
    return {
        "thought_id": value.thought_id,
        "came_from": [_origin(one, "came_from") for one in value.came_from],
        "built_into": [_origin(one, "built_into") for one in value.built_into],
    }


def _origin(value: Origin, direction: str) -> dict[str, Any]:
    return {
        "thought_id": value.thought_id,
        "contributor": neutralised(value.contributor),
        "thought_type": value.thought_type,
        "content_preview": neutralised(value.content_preview),
        "created_at": iso(value.created_at),
        direction: [_origin(one, direction) for one in value.beyond],
    }


def highway(value: Highway) -> dict[str, Any]:
    rendered = asdict(value)
    rendered["last_accessed"] = _time(value.last_accessed)
    rendered["pheromone_weight"] = weight(value.pheromone_weight)
    return _tamed(rendered)


def contributor(value: Contributor) -> dict[str, Any]:
    return _tamed(asdict(value))


def held(value: Held) -> dict[str, Any]:
    rendered = asdict(value)
    rendered["held_since"] = iso(rendered.pop("quarantined_at"))
    return _tamed(rendered)


def practices(query: str, values: Sequence[PracticeFound]) -> dict[str, Any]:
    results = [
        {
            "id": one.id,
            "score": one.score,
            **asdict(one.practice),
            "timestamp": iso(one.timestamp),
        }
        for one in values
    ]
    return _tamed({"query": query, "count": len(results), "results": results})


def _time(moment: float | None) -> str | None:
    return None if moment is None else iso(moment)
