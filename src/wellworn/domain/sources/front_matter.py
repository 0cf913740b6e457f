"""Where the front matter of a Markdown text ends: fields for programs, before the words for people.

It is YAML between two `---` or TOML between two `+++`. A text that only begins with a rule has
none: the first line that says anything must name a field.

Source: Jekyll's and Hugo's documentation of front matter.
"""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 8_000
"""Characters looked through; what goes on longer is taken for no front matter."""
_MARKS: Final = {"---": ("---", "..."), "+++": ("+++",)}
_FIELD: Final = re.compile(r"[\w\"'][\w .\"'-]{0,80}[:=]|\[{1,2}[\w.\"' -]{1,80}\]{1,2}$")


def front_matter_end(text: str) -> int:
    """Return the offset after the front matter and its last line end; 0 where there is none.

    Of `text` only the first `LONGEST` characters are looked at.
    """
    first, _, rest = text[:LONGEST].partition("\n")
    closing = _MARKS.get(first.rstrip())
    if closing is None:
        return 0
    at, has_field = len(first) + 1, False
    for line in rest.splitlines(keepends=True):
        at += len(line)
        said = line.strip()
        if line.rstrip() in closing:
            return at if has_field else 0
        if said and not said.startswith("#") and not has_field:
            if not _FIELD.match(said):
                return 0
            has_field = True
    return 0
