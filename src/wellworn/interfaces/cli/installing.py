"""Puts wellworn into the settings of clients, and takes it out again: nothing else is touched.

An entry is our own if it runs our program, whatever else was edited in it. What is taken
out leaves mappings as they were before: those that a backup had stay, empty as they may be.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast

from wellworn.engines.config_files import (
    FORMATS,
    ConfigBroken,
    ConfigRefused,
    Format,
    Steps,
    get,
    nest,
    read_config,
    replace_config,
)
from wellworn.engines.daemon import DEFAULT_HOME, make_private_folder
from wellworn.interfaces.cli.clients import NAME, Client, Hooks, SettingsFiles

_HOOK: Final = "wellworn-hook"
_PLUGIN: Final = Path(__file__).with_name("opencode_plugin.js")
_PLUGIN_MARK: Final = "// wellworn: "
_MOST_BACKUPS: Final = 10
_ENVIRONMENTS: Final = {"opencode": "environment", "goose": "envs"}

Scope: TypeAlias = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """The change of one file: `after` is None to remove it, and equals `before` to leave it."""

    file: Path
    before: str | None
    after: str | None

    @property
    def is_none(self) -> bool:
        return self.before == self.after

    def tell(self, *, is_dry: bool) -> str:
        """Return what is done to the file, as a verb."""
        verb = "remove" if self.after is None else "write"
        return f"would {verb}" if is_dry else {"remove": "removed", "write": "wrote"}[verb]

    def compare(self) -> list[str]:
        """Return the lines that differ, as `diff` shows them; they may hold secrets."""
        lines = [(text or "").splitlines(keepends=True) for text in (self.before, self.after)]
        name = str(self.file)
        return [*unified_diff(*lines, fromfile=name, tofile=name)]


@dataclass(frozen=True, slots=True)
class FoundHooks:
    """Our hooks in a file: the program of each event, and whether the client runs none at all."""

    file: Path
    programs: dict[str, str]
    is_off: bool


@dataclass(frozen=True, slots=True)
class Installation:
    """One client, for a user or in a project.

    Attributes:
        folder: the project's.
        home: the data folder, which keeps backups.
    """

    client: Client
    scope: Scope
    folder: Path
    home: Path
    with_hooks: bool = True

    @property
    def snippet(self) -> str:
        """The lines to paste into the client's settings by hand."""
        return self._format.write(nest((*self.client.servers, NAME), self.write_server())).rstrip()

    @property
    def _format(self) -> Format:
        return FORMATS[self.client.format]

    @property
    def file(self) -> Path:
        """The file with its servers."""
        return self._find(self.client.files)

    def plan(self, *, removes: bool) -> list[SettingsChange]:
        """Return what becomes of each file, without touching any.

        Raises:
            ConfigBroken, ConfigRefused: a file cannot be changed; the message says what to do.
        """
        servers = self._drop_server if removes else self._put_server
        edits: dict[Path, list[tuple[Format, Callable[..., str]]]] = {}
        edits[self.file] = [(self._format, servers)]
        hooks = self.client.hooks
        if hooks is not None and (removes or self.with_hooks):
            edit = self._drop_hooks if removes else self._put_hooks

            def edit_hooks(form: Format, text: str, file: Path, *, given: Hooks = hooks) -> str:
                return edit(form, text, file, given)

            edits.setdefault(self._find(hooks.files), []).append((FORMATS["json"], edit_hooks))
        changes = [self._change(file, each, removes=removes) for file, each in edits.items()]
        if self.client.plugin is not None and (removes or self.with_hooks):
            changes.append(self._change_plugin(self.client.plugin, removes=removes))
        return changes

    def find_server(self) -> dict[str, Any] | None:
        """Return our entry in the client's settings.

        Raises:
            ConfigBroken, ConfigRefused: its settings cannot be read.
        """
        value = self._format.read(read_config(self.file) or "")
        entries = (get(value, path) for path in self._list_places())
        return next((entry for entry in entries if _is_own_server(entry)), None)

    def find_hooks(self) -> FoundHooks | None:
        """Return our hooks in the client's settings, None where it has none.

        Raises:
            ConfigBroken, ConfigRefused: its settings cannot be read.
        """
        if self.client.plugin is not None:
            return self._find_plugin(self.client.plugin)
        if self.client.hooks is None:
            return None
        file = self._find(self.client.hooks.files)
        value = FORMATS["json"].read(read_config(file) or "")
        programs = {
            event: _find_hook_program(get(groups, path))
            for event, groups in _as_mapping(value.get("hooks")).items()
            for path in _list_own_hooks(groups)
        }
        is_off = value.get("disableAllHooks") is True
        return FoundHooks(file, programs, is_off=is_off) if programs else None

    def _change(
        self, file: Path, edits: list[tuple[Format, Callable[..., str]]], *, removes: bool
    ) -> SettingsChange:
        before = read_config(file)
        after = before or ""
        if before is None and removes:
            return SettingsChange(file, None, None)
        try:
            for form, edit in edits:
                after = edit(form, after, file)
            form = edits[0][0]
            old, new = form.read(before or ""), form.read(after)
        except ConfigBroken as failure:
            message = f"{file}: {failure.message}. Mend it, or edit it by hand: {self.snippet}"
            raise ConfigRefused(message) from failure
        if strip_own(old) != strip_own(new):
            raise ConfigRefused(f"{file} cannot be edited safely; add this by hand: {self.snippet}")
        is_gone = removes and not new and before != after and not self._list_backups(file)
        return SettingsChange(file, before, None if is_gone else after)

    # ------------------------------------------------------------ servers

    def _put_server(self, form: Format, text: str, file: Path) -> str:
        del file
        value = form.read(text)
        for path in self._list_places():
            there = get(value, path)
            if _is_own_server(there):
                return self._renew_server(form, text, path, there)
            if there is not None:
                message = f"another server is called {NAME}; rename or remove it"
                raise ConfigBroken(message)
        newer = self.client.newer
        is_newer = bool(newer) and isinstance(get(value, newer), Mapping)
        place = newer if is_newer else self.client.servers
        return form.put(text, (*place, NAME), self.write_server())

    def _renew_server(self, form: Format, text: str, path: Steps, there: Any) -> str:
        """Update an entry whose program is not there any more; leave any other as it is."""
        if shutil.which(get_command(there)) is not None:
            return text
        made = self.write_server()
        program = {name: made[name] for name in ("command", "cmd") if name in made}
        return form.put(form.drop(text, path), path, {**there, **program})

    def _drop_server(self, form: Format, text: str, file: Path) -> str:
        for path in self._list_places():
            if _is_own_server(get(form.read(text), path)):
                text = form.drop(text, path)
                text = self._prune(form, text, file, path[:-1])
        return text

    def _list_places(self) -> Iterator[Steps]:
        if self.client.newer:
            yield (*self.client.newer, NAME)
        yield (*self.client.servers, NAME)

    def write_server(self) -> dict[str, Any]:
        """Return our entry among the client's servers."""
        command, shape = self._find_program(NAME), self.client.shape
        entry: dict[str, Any]
        if shape == "opencode":
            entry = {"type": "local", "command": [command, "mcp"], "enabled": True}
        elif shape == "goose":
            entry = {"type": "stdio", "name": NAME, "enabled": True, "cmd": command}
            entry |= {"args": ["mcp"], "envs": {}, "timeout": 300}
        else:
            entry = {"type": "stdio"} if shape == "typed" else {}
            entry |= {"command": command, "args": ["mcp"]}
        if environment := self._list_environment():
            entry[_ENVIRONMENTS.get(shape, "env")] = environment
        return entry

    # ------------------------------------------------------------ hooks

    def _put_hooks(self, form: Format, text: str, file: Path, hooks: Hooks) -> str:
        del file
        for event in hooks.events:
            groups: Any = get(form.read(text), ("hooks", event))
            if groups is not None and groups != _as_list(groups):
                raise ConfigBroken(f"hooks.{event} is no list")
            own = list(_list_own_hooks(groups))
            if any(shutil.which(_find_hook_program(get(groups, path))) for path in own):
                continue
            for path in reversed(own):
                text = form.drop(text, ("hooks", event, *path[:1]))
                groups = get(form.read(text), ("hooks", event))
            text = form.put(text, ("hooks", event, len(groups or ())), self._write_hook(hooks))
        return text

    def _drop_hooks(self, form: Format, text: str, file: Path, hooks: Hooks) -> str:
        del hooks
        for event in [*(get(form.read(text), ("hooks",)) or ())]:
            place = ("hooks", event)
            own = [*_list_own_hooks(get(form.read(text), place))]
            for path in reversed(own):
                text = form.drop(text, (*place, *path))
                if get(form.read(text), (*place, path[0], "hooks")) == []:
                    text = form.drop(text, (*place, path[0]))
            if own:
                text = self._prune(form, text, file, place)
        return text

    def write_hooks(self) -> dict[str, Any]:
        """Return our hooks by the client's names of events; empty where it has none."""
        hooks = self.client.hooks
        return {} if hooks is None else {e: [self._write_hook(hooks)] for e in hooks.events}

    def _write_hook(self, hooks: Hooks) -> dict[str, Any]:
        words = [self._find_program(_HOOK), self.client.name]
        if environment := self._list_environment():
            words = ["env", *(f"{name}={value}" for name, value in environment.items()), *words]
        hook = {"type": "command", "command": shlex.join(words), "timeout": hooks.timeout}
        return {"hooks": [hook]}

    # ------------------------------------------------------------ plugins

    def _change_plugin(self, plugin: SettingsFiles, *, removes: bool) -> SettingsChange:
        """Return the change of a file that is ours as a whole; another's is left alone.

        Raises:
            ConfigRefused: somebody else has a file of that name.
        """
        file = self._find(plugin)
        before = read_config(file)
        is_own = before is None or before.startswith(_PLUGIN_MARK)
        if removes:
            return SettingsChange(file, before, None if is_own else before)
        if not is_own:
            raise ConfigRefused(f"{file} is not of wellworn; rename it, or use --no-hooks")
        return SettingsChange(file, before, self._write_plugin())

    def _write_plugin(self) -> str:
        text = _PLUGIN.read_text("utf-8")
        made = {
            "COMMAND": [self._find_program(_HOOK), self.client.name],
            "ENVIRONMENT": self._list_environment(),
        }
        for name, value in made.items():
            line = re.compile(rf"^const {name} = .*$", re.MULTILINE)
            text = line.sub(lambda _, name=name, value=value: _declare(name, value), text)
        return text

    def _find_plugin(self, plugin: SettingsFiles) -> FoundHooks | None:
        file = self._find(plugin)
        text = read_config(file) or ""
        if not text.startswith(_PLUGIN_MARK):
            return None
        declared = re.search(r"^const COMMAND = \[(\".*?\"),", text, re.MULTILINE)
        try:
            program = str(json.loads(declared[1])) if declared else ""
        except ValueError:
            program = ""
        return FoundHooks(file, {"plugin": program}, is_off=False)

    # ------------------------------------------------------------ both

    def _find(self, settings: SettingsFiles) -> Path:
        patterns = settings.user if self.scope == "user" else settings.project
        files = [self._locate(pattern) for pattern in patterns]
        if not files:
            raise ConfigRefused(f"{self.client.title} has no settings of a project; use --user")
        return next((file for file in files if file.exists()), files[0])

    def _locate(self, pattern: str) -> Path:
        if self.scope == "project":
            return self.folder / pattern
        config = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
        apps = "~/Library/Application Support" if sys.platform == "darwin" else config
        claude = os.environ.get("CLAUDE_CONFIG_DIR")
        places = {
            "config": config,
            "apps": apps,
            "claude": claude or "~",
            "claude_settings": claude or "~/.claude",
            "codex": os.environ.get("CODEX_HOME") or "~/.codex",
        }
        try:
            return Path(pattern.format_map(places)).expanduser().absolute()
        except RuntimeError as failure:
            raise ConfigRefused("your home directory is not known; set HOME") from failure

    def _find_program(self, name: str) -> str:
        """Return how a program is called: by its path, but by its name in files that are shared."""
        beside = Path(sys.executable).with_name(name)
        if self.scope == "project":
            return name
        return str(beside) if beside.exists() else shutil.which(name) or name

    def _list_environment(self) -> dict[str, str]:
        default = Path(DEFAULT_HOME).expanduser().absolute()
        return {} if self.home == default else {"WELLWORN_HOME": str(self.home)}

    def _prune(self, form: Format, text: str, file: Path, path: Steps) -> str:
        """Drop the mappings and lists that nothing is left in, and that were not there before."""
        backups = [form.read(each.read_text("utf-8")) for each in self._list_backups(file)]
        before = next((each for each in backups if _take_own(each) == each), None)
        while path and not get(form.read(text), path) and get(before, path) is None:
            text = form.drop(text, path)
            path = path[:-1]
        return text

    def apply(self, change: SettingsChange) -> Path | None:
        """Write a change, and first a backup; return where that is, None for a new file.

        Raises:
            ConfigRefused: it cannot be written.
        """
        kept = None if change.before is None else self._back_up(change.file, change.before)
        replace_config(change.file, change.before, change.after)
        return kept

    def _back_up(self, file: Path, text: str) -> Path:
        folder = self._backup_folder
        make_private_folder(self.home)
        make_private_folder(folder)
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        taken = len([*folder.glob(f"{_mark(file)}-{stamp}-*")])
        path = folder / f"{_mark(file)}-{stamp}-{taken:03}-{file.name}"
        path.write_bytes(text.encode())
        for old in self._list_backups(file)[_MOST_BACKUPS:]:
            old.unlink()
        return path

    @property
    def _backup_folder(self) -> Path:
        return self.home / "backups-of-settings"

    def _list_backups(self, file: Path) -> list[Path]:
        """Return the backups of a file, the newest first."""
        return sorted(self._backup_folder.glob(f"{_mark(file)}-*"), reverse=True)


def _declare(name: str, value: object) -> str:
    return f"const {name} = {json.dumps(value)}"


def strip_own(value: dict[str, Any]) -> dict[str, Any]:
    """Return settings without our entries and without what is empty; pure."""
    return _drop_empty(_take_own(value))


def _take_own(value: dict[str, Any]) -> dict[str, Any]:
    """Return settings without our entries."""
    value = deepcopy(value)
    for path in [path for path, each in _walk(value, ()) if _is_own_server(each)]:
        del get(value, path[:-1])[path[-1]]
    for groups in _as_mapping(value.get("hooks")).values():
        for path in reversed([*_list_own_hooks(groups)]):
            del get(groups, path[:-1])[path[-1]]
            if not groups[path[0]]["hooks"]:
                del groups[path[0]]
    return value


def _drop_empty(value: Any) -> Any:
    """Return a value whose mappings have nothing empty in them."""
    if not isinstance(value, dict):
        return value
    dropped = {key: _drop_empty(each) for key, each in _as_mapping(value).items()}
    return {key: each for key, each in dropped.items() if each not in ({}, [])}


def _walk(value: Any, path: Steps) -> Iterator[tuple[Steps, Any]]:
    for key, each in value.items():
        if isinstance(each, dict):
            yield (*path, key), each
            if len(path) < len(("mcp", "servers")):
                yield from _walk(each, (*path, key))


def _list_own_hooks(groups: Any) -> Iterator[Steps]:
    """Yield where in the groups of an event our own hooks stand."""
    for at, group in enumerate(_as_list(groups)):
        for place, hook in enumerate(_as_list(get(group, ("hooks",)))):
            if _find_hook_program(hook):
                yield (at, "hooks", place)


def _find_hook_program(hook: Any) -> str:
    """Return the program of a hook of our own, else an empty text."""
    command = get(hook, ("command",))
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return ""
    return next((word for word in words if Path(word).name == _HOOK), "")


def _is_own_server(entry: Any) -> bool:
    return Path(get_command(entry)).name == NAME


def get_command(entry: Any) -> str:
    command: Any = get(entry, ("command",)) or get(entry, ("cmd",))
    words = _as_list(command) or [command]
    return words[0] if isinstance(words[0], str) else ""


def _as_list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _as_mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _mark(file: Path) -> str:
    """Return what begins the names of the backups of a file."""
    return hashlib.sha256(str(file).encode()).hexdigest()[:12]
