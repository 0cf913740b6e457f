"""A store of LangGraph that is a shared memory: each item is a thought, found by all its agents."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final, cast

from anyio import to_thread
from langgraph.store.base import (
    BaseStore,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from wellworn.adapters.items import Items, Place, StoredValue
from wellworn.client import Wellworn

_COMPARISONS: Final = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class SharedStore(BaseStore):
    """Items of LangGraph as thoughts: replaced when they change, history when they are deleted.

    Example:
        store = SharedStore(Wellworn(agent_id="ana"))
        graph = builder.compile(store=store)
    """

    __slots__ = ("_items",)

    def __init__(self, memory: Wellworn, *, erases: bool = False) -> None:
        """Make a store of a memory.

        Args:
            memory: whose `agent_id` says who stored an item.
            erases: remove what is deleted for good, rather than end its being true.
        """
        self._items = Items(memory, erases=erases)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return [self._do(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await to_thread.run_sync(self.batch, list(ops))

    def _do(self, op: Op) -> Result:
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list_namespaces(op)
        place = Place(tuple(op.namespace), op.key)
        if not isinstance(op, PutOp):
            stored = self._items.get(place)
            return stored and _to_item(stored)
        if op.value is None:
            return self._items.delete(place)
        return self._items.put(place, op.value)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        prefix = tuple(op.namespace_prefix)
        found = self._items.recall(op.query, prefix) if op.query else self._items.list_all(prefix)
        fitting = (_to_item(each) for each in found if _matches(each.value, op.filter or {}))
        return list(islice(fitting, op.offset, op.offset + op.limit))

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        namespaces = {
            stored.place.namespace[: op.max_depth]
            for stored in self._items.list_all(())
            if all(_lies(stored.place.namespace, each) for each in op.match_conditions or ())
        }
        return sorted(namespaces)[op.offset : op.offset + op.limit]


def _to_item(stored: StoredValue) -> SearchItem:
    place, said_at = stored.place, stored.said_at
    return SearchItem(place.namespace, place.key, stored.value, said_at, said_at, stored.score)


def _matches(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_fits(value.get(name), test) for name, test in wanted.items())


def _fits(actual: Any, test: Any) -> bool:
    bounds = cast("dict[str, Any]", test) if isinstance(test, dict) else {}
    if not bounds.keys() & _COMPARISONS.keys():
        return actual == test
    try:
        return all(_COMPARISONS[name](actual, bound) for name, bound in bounds.items())
    except TypeError:
        return False


def _lies(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(
        wanted in {"*", label} for label, wanted in zip(part, path, strict=True)
    )
