"""Reads files of any kind; an expendable child process parses what could do harm.

Text is decoded here, which is harmless and cheaper than the child. HTML is decoded here and parsed
there; PDF and DOCX are passed on. The child stays for the next file, because starting one takes
longer than reading most files.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from threading import Lock
from typing import Final

from wellworn.engines.extraction.canonical import canonical, fence, markdown_title, shorten
from wellworn.engines.extraction.html_text import has_html
from wellworn.engines.extraction.kinds import identify
from wellworn.engines.extraction.models import Extracted, FileKind, Refused
from wellworn.engines.extraction.reader_process import ReaderDiedError, ReaderProcess
from wellworn.engines.extraction.separated import format_separated, is_separated
from wellworn.engines.extraction.settings import ExtractionSettings
from wellworn.kit.charset import decode, find_html_charset

_log = logging.getLogger(__name__)
# A child keeps the memory that its largest files needed.
_MOST_FILES: Final = 500
_FAILED: Final = "the file could not be read: it is damaged, or needs more memory than is allowed"


class Extractor:
    """Turns files into canonical Markdown; safe to share between threads, one file at a time."""

    def __init__(self, settings: ExtractionSettings) -> None:
        self._settings = settings
        self._turn = Lock()
        self._child: ReaderProcess | None = None
        self._files = 0

    @property
    def limits(self) -> ExtractionSettings:
        """The limits for one file; under others a refused file may be read."""
        return self._settings

    def extract(
        self, raw: bytes, *, name: str, media_type: str | None = None, charset: str | None = None
    ) -> Extracted | Refused:
        """Read one file, in at most the settings' `processor_s`, or twice that for a hostile PDF.

        How busy the machine is decides nothing: `timeout_s` only ends a process that hangs.

        Args:
            raw: the full file.
            name: its name or path; tells Markdown from other text.
            media_type: what its server declares.
            charset: the encoding that its server declares.

        Raises:
            ExtractionUnavailable: the process that reads files cannot be started.
        """
        if len(raw) > self._settings.most_bytes:
            limit = f"{self._settings.most_bytes / 1e6:,.0f} MB"
            return Refused(f"the file is larger than {limit}; split it, or raise the limit")
        kind = identify(raw, name=name, media_type=media_type)
        match kind:
            case Refused():
                return kind
            case FileKind.MARKDOWN | FileKind.TEXT:
                is_table = kind is FileKind.TEXT and is_separated(name, media_type)
                return (self._table if is_table else self._text)(raw, kind, charset)
            case FileKind.CONFIGURATION:
                made = self._text(raw, kind, charset)
                return replace(made, text=fence(made.text, name))
            case FileKind.HTML:
                return self._page(raw, charset)
            case FileKind.PDF | FileKind.DOCX:
                return self._in_child(kind, raw)

    def close(self) -> None:
        """End the child, after the current file; the next file starts another."""
        with self._turn:
            self._end_child()

    def _text(self, raw: bytes, kind: FileKind, charset: str | None) -> Extracted:
        read = decode(raw, declared=[charset])
        limit = self._settings.most_characters
        text, cut = shorten(canonical(read.text), most_characters=limit)
        if kind is FileKind.MARKDOWN and has_html(text):
            made = self._in_child(kind, text.encode())
            if isinstance(made, Extracted):
                text, cut_again = shorten(made.text, most_characters=limit)
                cut = (*made.flags, *(cut or cut_again))
        title = markdown_title(text) if kind is FileKind.MARKDOWN else None
        return Extracted(text, kind, title, flags=(*read.flags, *cut))

    def _table(self, raw: bytes, kind: FileKind, charset: str | None) -> Extracted:
        made = self._text(raw, kind, charset)
        limit = self._settings.most_characters
        table = format_separated(made.text, most_characters=limit)
        if table is None:
            return made
        flags = (*made.flags, *table.flags)
        return replace(made, text=table.text, kind=FileKind.MARKDOWN, flags=flags)

    def _page(self, raw: bytes, charset: str | None) -> Extracted | Refused:
        read = decode(raw, declared=[charset, find_html_charset(raw)])
        made = self._in_child(FileKind.HTML, read.text.encode("utf-8", errors="replace"))
        if isinstance(made, Refused) or not read.flags:
            return made
        return replace(made, flags=(*read.flags, *made.flags))

    def _in_child(self, kind: FileKind, raw: bytes) -> Extracted | Refused:
        with self._turn:
            made = self._read(kind.value, raw)
            if made is None and kind is FileKind.PDF:
                made = self._read("pdf-again", raw)
            return made or Refused(_FAILED)

    def _read(self, reader: str, raw: bytes) -> Extracted | Refused | None:
        """Let the child read a file; None when the file crashed it."""
        child = self._running()
        is_well = False
        try:
            made = child.read(reader, raw)
            is_well = True
        except ReaderDiedError as error:
            _log.warning("a file of kind %s ended the process that read it", reader)
            return Refused(self._too_slow()) if error.timed_out else None
        finally:
            if not is_well:
                self._end_child()
        return made

    def _running(self) -> ReaderProcess:
        if self._child is not None and (self._files >= _MOST_FILES or not self._child.is_alive()):
            self._end_child()
        if self._child is None:
            self._child, self._files = ReaderProcess(self._settings), 0
        self._files += 1
        return self._child

    def _end_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def _too_slow(self) -> str:
        limit = f"{min(self._settings.timeout_s, self._settings.processor_s):g} s"
        return f"reading the file took longer than {limit}; split it, or save it anew"
