"""Methods that are written once, as coroutines, for the client that blocks and the async one.

The blocking twin runs a coroutine to its end in one step: what it awaits there, network and clock,
blocks instead of suspending.
"""

from __future__ import annotations

from functools import wraps
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

import httpx2

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Awaited = TypeVar("Awaited")
Value = TypeVar("Value")


class BlockingTwin:
    """A client whose methods return their results."""


class AsyncTwin:
    """A client whose methods return coroutines and asynchronous generators."""


class Twin(Generic[Parameters, Result, Awaited]):
    """A method that returns a result in one twin, and what is awaited in the other.

    Methods that both twins share cannot call it, since they do not know which one it is; they await
    the one of their class.
    """

    def __init__(self, blocking: Callable[..., Result], awaited: Callable[..., Awaited]) -> None:
        self._blocking = blocking
        self._awaited = awaited

    @overload
    def __get__(
        self, client: None, owner: type[Any]
    ) -> Callable[Concatenate[Any, Parameters], Awaited]: ...
    @overload
    def __get__(self, client: BlockingTwin, owner: type[Any]) -> Callable[Parameters, Result]: ...
    @overload
    def __get__(self, client: AsyncTwin, owner: type[Any]) -> Callable[Parameters, Awaited]: ...
    def __get__(self, client: object, owner: type[Any]) -> Callable[..., object]:
        method = self._blocking if issubclass(owner, BlockingTwin) else self._awaited
        return method if client is None else MethodType(method, client)


def wrap_call(
    method: Callable[Concatenate[Any, Parameters], Coroutine[Any, Any, Value]],
) -> Twin[Parameters, Value, Coroutine[Any, Any, Value]]:
    """Make a method that one twin calls and the other awaits."""

    @wraps(method)
    def call(*args: Any, **options: Any) -> Value:
        return run_at_once(method(*args, **options))

    return Twin(call, method)


def wrap_stream(
    method: Callable[Concatenate[Any, Parameters], AsyncGenerator[Value]],
) -> Twin[Parameters, Generator[Value], AsyncGenerator[Value]]:
    """Make a method that one twin goes through with `for`, and the other with `async for`."""

    @wraps(method)
    def iterate(*args: Any, **options: Any) -> Generator[Value]:
        values = method(*args, **options)
        try:
            while True:
                yield run_at_once(anext(values))
        except StopAsyncIteration:
            return
        finally:
            run_at_once(values.aclose())

    return Twin(iterate, method)


def run_at_once(work: Coroutine[Any, Any, Value]) -> Value:
    """Run a coroutine that never suspends, and return its result."""
    try:
        work.send(None)
    except StopIteration as end:
        return cast("Value", end.value)
    raise RuntimeError("a method of the blocking client waits for an event loop")


class BlockingTransport(httpx2.AsyncBaseTransport):
    """A transport that blocks, in the place of one that is awaited."""

    def __init__(self, transport: httpx2.BaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self._transport.handle_request(request)
        response.stream = _BlockingStream(cast("httpx2.SyncByteStream", response.stream))
        return response

    async def aclose(self) -> None:
        self._transport.close()


class _BlockingStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._stream:
            yield chunk

    async def aclose(self) -> None:
        self._stream.close()
