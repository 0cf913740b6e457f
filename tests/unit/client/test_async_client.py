"""What only the async client can be asked: many calls at once, cancelling, a loop that goes on."""

from __future__ import annotations

import asyncio
import inspect
import threading

import httpx2
import pytest

from patience import LONG_S
from unit.client.test_client import REPLY, Server
from wellworn.client import AsyncWellworn, Wellworn, WellwornClientError
from wellworn.engines import daemon

RUNNING = daemon.RunningDaemon(1, "http://127.0.0.1:4321", "0.1.0", "2026-11-23T00:00:00Z")


@pytest.fixture(autouse=True)
def both_clients():
    """These tests name their client."""


def public(client):
    return {name for name, _ in inspect.getmembers(client) if not name.startswith("_")}


def answering(*answers):
    return httpx2.MockTransport(Server(*answers))


def test_every_method_has_a_twin_with_the_same_parameters_and_the_same_words():
    assert public(Wellworn) == public(AsyncWellworn)
    for name in public(Wellworn) - {"url"}:
        blocking, awaited = getattr(Wellworn, name), getattr(AsyncWellworn, name)
        assert inspect.signature(blocking) == inspect.signature(awaited), name
        assert inspect.getdoc(blocking) == inspect.getdoc(awaited), name
        assert inspect.getdoc(blocking), name
        streams = inspect.isgeneratorfunction(blocking)
        assert not inspect.iscoroutinefunction(blocking), name
        assert inspect.iscoroutinefunction(awaited) != streams, name


def test_several_calls_are_under_way_at_once():
    all_three = asyncio.Barrier(3)

    async def answer(_request):
        await all_three.wait()
        return httpx2.Response(200, json=REPLY)

    async def main():
        async with AsyncWellworn("http://memory", transport=httpx2.MockTransport(answer)) as memory:
            return await asyncio.gather(*(memory.recall(f"question {n}") for n in range(3)))

    assert [reply.session_id for reply in asyncio.run(main())] == ["s1"] * 3


def test_the_server_is_found_once_while_the_event_loop_goes_on(monkeypatch, tmp_path):
    monkeypatch.setenv("WELLWORN_HOME", str(tmp_path))
    starting, goes_on, homes = asyncio.Event(), threading.Event(), []

    def start(home):
        homes.append(home)
        loop.call_soon_threadsafe(starting.set)
        assert goes_on.wait(LONG_S), "the event loop stood still"
        return RUNNING

    async def main():
        nonlocal loop
        loop = asyncio.get_running_loop()
        assert memory.url == ""
        calls = asyncio.gather(memory.recall("one?"), memory.recall("two?"))
        await starting.wait()
        goes_on.set()
        await calls
        await memory.close()
        return memory.url

    monkeypatch.setattr(daemon, "ensure_daemon", start)
    loop, memory = None, AsyncWellworn(transport=answering(REPLY))
    assert asyncio.run(main()) == RUNNING.url
    assert homes == [tmp_path]


def test_after_a_server_that_did_not_start_the_next_call_looks_again(monkeypatch, tmp_path):
    monkeypatch.setenv("WELLWORN_HOME", str(tmp_path))
    found = [PermissionError(13, "not yours"), RUNNING]

    def start(_home):
        if isinstance(next_one := found.pop(0), Exception):
            raise next_one
        return next_one

    async def main():
        memory = AsyncWellworn(transport=answering(REPLY))
        with pytest.raises(WellwornClientError, match=r"UNREACHABLE.*not yours"):
            await memory.recall("one?")
        return await memory.recall("two?")

    monkeypatch.setattr(daemon, "ensure_daemon", start)
    assert asyncio.run(main()).session_id == "s1"


@pytest.mark.parametrize("begun", [False, True], ids=["before the answer", "amid a stream"])
def test_a_cancelled_call_closes_its_connection(begun):
    async def main():
        asked, taken, closed = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def serve(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            if begun:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{}\n")
            asked.set()
            assert await reader.read() == b"", "more was sent"
            closed.set()
            writer.close()

        async def call():
            async for _ in memory.export():
                taken.set()

        async with await asyncio.start_server(serve, "127.0.0.1") as server:
            port = server.sockets[0].getsockname()[1]
            async with AsyncWellworn(f"http://127.0.0.1:{port}") as memory:
                task = asyncio.create_task(call())
                await (taken if begun else asked).wait()
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                await closed.wait()

    asyncio.run(main())


def test_an_export_that_is_left_early_closes_its_connection():
    closed = []

    class Lines(httpx2.SyncByteStream, httpx2.AsyncByteStream):
        def __iter__(self):
            yield from (b"{}\n", b"{}\n")

        async def __aiter__(self):
            for line in self:
                yield line

        def close(self):
            closed.append("blocking")

        async def aclose(self):
            closed.append("async")

    async def main():
        async with AsyncWellworn("http://memory", transport=transport) as memory:
            records = memory.export()
            assert await anext(records) == {}
            await records.aclose()

    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, stream=Lines()))
    with Wellworn("http://memory", transport=transport) as memory:
        for record in memory.export():
            assert record == {}
            break
        assert closed == ["blocking"]
        asyncio.run(main())
    assert closed == ["blocking", "async"]


def test_the_blocking_client_works_where_an_event_loop_runs():
    async def main():
        with Wellworn("http://memory", transport=answering(REPLY)) as memory:
            return memory.recall("what helps?").session_id

    assert asyncio.run(main()) == "s1"
