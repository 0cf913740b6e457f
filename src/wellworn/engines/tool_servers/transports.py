"""Carries messages to a server of tools: through the pipes of a program, or by HTTP.

The SDK's own transports read an answer of any size. Here what a server may send is counted, and a
program gets no variable that was not chosen for it. At the end nothing of it is left: its input is
closed, and what does not end by itself within seconds is killed, with what it started. On Linux a
keeper sees to that, for what has left the program's group too; elsewhere only the group is ended.

Source: the MCP specification, "Lifecycle", "Shutdown".
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, cast

import httpx2
from mcp.client import Transport
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.memory import MessageStream, create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from wellworn.engines.tool_servers.settings import ToolServer
from wellworn.kit.byte_limits import ByteLimit
from wellworn.kit.child_environment import choose_variables
from wellworn.kit.fetch_mark import MARKED

CONNECTION_ERRORS: Final = (OSError, httpx2.TransportError)
_INHERITED: Final = ("HOME", "LANG", "PATH", "TMPDIR")
_CHUNK: Final = 65_536
_GRACE_S: Final = 2.0
_KEEPER: Final = (
    (sys.executable, "-I", "-S", str(Path(__file__).with_name("keeper.py")))
    if sys.platform == "linux"
    else ()
)


class MissingVariable(Exception):
    """A variable that the settings name is not set."""


def connect(server: ToolServer, limit: ByteLimit) -> Transport:
    """Return what leads to a server once it is entered."""
    return _run_program(server, limit) if server.command else _open_address(server, limit)


@asynccontextmanager
async def _run_program(server: ToolServer, limit: ByteLimit) -> AsyncGenerator[MessageStream]:
    variables = choose_variables(*_INHERITED) | _read_variables(*server.environment)
    if shutil.which(server.command[0], path=variables.get("PATH")) is None:
        raise FileNotFoundError(server.command[0])
    process = await asyncio.create_subprocess_exec(
        *_KEEPER,
        *server.command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=variables,
        start_new_session=True,
    )
    try:
        async with create_client_server_memory_streams() as (ours, (requests, answers)):
            pumps = [
                asyncio.create_task(_send(requests, process)),
                asyncio.create_task(_receive(process, answers, limit)),
            ]
            try:
                yield ours
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
    except BaseException:
        _kill(process)
        raise
    finally:
        await _end(process)


async def _send(requests: AsyncIterator[SessionMessage | Exception], process: Process) -> None:
    entry = cast("asyncio.StreamWriter", process.stdin)
    async for request in requests:
        if isinstance(request, SessionMessage):
            line = request.message.model_dump_json(by_alias=True, exclude_unset=True)
            entry.write(f"{line}\n".encode())
            await entry.drain()


async def _receive(process: Process, answers: Any, limit: ByteLimit) -> None:
    """Pass on what the program says until it ends or says too much; then the session ends."""
    exit_ = cast("asyncio.StreamReader", process.stdout)
    rest = b""
    try:
        while (chunk := await exit_.read(_CHUNK)) and limit.allows(len(chunk)):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                # What is no message, such as a line for people, is passed over.
                with suppress(ValueError):
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                    await answers.send(SessionMessage(message))
    finally:
        await answers.aclose()


async def _end(process: Process) -> None:
    """End a program, first by closing its input, and whatever it has left behind."""
    cast("asyncio.StreamWriter", process.stdin).close()
    if not await _wait(process):
        _signal(process, signal.SIGTERM)
        await _wait(process)
    if process.returncode is None:
        _kill(process)
        await _wait(process)
    _signal(process, signal.SIGKILL)
    await _wait(process)


async def _wait(process: Process) -> bool:
    """Tell whether a program has ended in time; what it still says is read, and heard by nobody."""
    exit_ = cast("asyncio.StreamReader", process.stdout)
    with suppress(TimeoutError):
        async with asyncio.timeout(_GRACE_S):
            while await exit_.read(_CHUNK):
                pass
            await process.wait()
    return process.returncode is not None


def _kill(process: Process) -> None:
    """Let all that a program has started be killed."""
    if not _KEEPER:
        _signal(process, signal.SIGKILL)
        return
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGUSR1)


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


@asynccontextmanager
async def _open_address(server: ToolServer, limit: ByteLimit) -> AsyncGenerator[Any]:
    headers = {"accept-encoding": "identity", **MARKED}
    if server.header_env is not None:
        headers[server.header] = _read_variables(server.header_env)[server.header_env]
    async with (
        httpx2.AsyncClient(
            headers=headers,
            event_hooks={"response": [limit.watch]},
            timeout=None,
            trust_env=False,
        ) as client,
        streamable_http_client(server.url or "", http_client=client) as streams,
    ):
        yield streams


def _read_variables(*names: str) -> dict[str, str]:
    """Return the variables of these names.

    Raises:
        MissingVariable: one of them is not set.
    """
    variables = choose_variables(*names)
    missing = [name for name in names if not variables.get(name)]
    if missing:
        raise MissingVariable(f"the variable {missing[0]} is not set")
    return variables
