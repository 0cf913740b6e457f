"""The two Python clients behind one face, so that one test is run with either."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from typing import Any, Self

from wellworn.client import AsyncWellworn, Wellworn


class BlockingFace:
    """An `AsyncWellworn` that looks like a `Wellworn`: each call has the event loop to itself."""

    def __init__(
        self, *args: Any, pause: Callable[[float], None] | None = None, **options: Any
    ) -> None:
        async def wait(seconds: float) -> None:
            assert pause is not None
            pause(seconds)

        self.twin = AsyncWellworn(*args, pause=pause and wait, **options)
        self._runner = asyncio.Runner()
        try:
            self._run(self.twin.__aenter__())
        except BaseException:
            self._runner.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self.twin.__aexit__())
        self._runner.close()

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.twin, name)
        return self._block(value) if callable(value) else value

    def _block(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            result = method(*args, **options)
            return self._run(result) if asyncio.iscoroutine(result) else self._iterate(result)

        return call

    def _iterate(self, values: AsyncGenerator[Any]) -> Iterator[Any]:
        try:
            while True:
                yield self._run(_to_next(values))
        except StopAsyncIteration:
            pass
        finally:
            self._run(values.aclose())

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._runner.run(work)


async def _to_next(values: AsyncGenerator[Any]) -> Any:
    return await anext(values)


CLIENTS = {"blocking": Wellworn, "async": BlockingFace}
