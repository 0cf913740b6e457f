"""Formats: records and bundles, and what other programs keep memories in. Files in, records out.

They know no database and no model, so the command line reads and writes them without either.
"""

from wellworn.engines.formats.agent_sessions import AGENTS, AgentSessions, SessionPart
from wellworn.engines.formats.bundle import read as read_bundle
from wellworn.engines.formats.bundle import write as write_bundle
from wellworn.engines.formats.foreign import PROGRAMS, read_foreign
from wellworn.engines.formats.lines import canonical
from wellworn.engines.formats.markdown import read_markdown
from wellworn.engines.formats.mcp_memory import read_mcp_memory
from wellworn.engines.formats.pieces import (
    LONGEST_CONTENT,
    replace_unstorable,
    split_into_pieces,
)
from wellworn.engines.formats.practices import read_practices
from wellworn.engines.formats.recognition import recognise
from wellworn.engines.formats.records import (
    KINDS,
    PASSED_OVER,
    Moment,
    Record,
    ThoughtRecord,
    Uuid,
    parse_record,
)
from wellworn.engines.formats.transcript import read_transcript
