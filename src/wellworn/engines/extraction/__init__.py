"""Extracts canonical Markdown text from the bytes of a file, whatever it was, or refuses it.

Every kind of file becomes the same kind of text, so that one chunker, one heading parser and one
finder of facts serve them all. Parsers of hostile formats run in a child process with limits.
"""

from __future__ import annotations

from wellworn.engines.extraction.extractor import Extractor
from wellworn.engines.extraction.kinds import identify, is_configuration
from wellworn.engines.extraction.models import (
    VERSION,
    Anchor,
    Discussion,
    Extracted,
    FileKind,
    Refused,
)
from wellworn.engines.extraction.separated import is_separated
from wellworn.engines.extraction.settings import ExtractionSettings
