"""Markdown, read once: front matter, headings, code, lists and tables with exact character spans.

`Markdown(text)` parses a text at most once, for everyone, so that chunks, facts, headings, titles
and imports agree on where a section begins and on what is code. A heading is one that renderers
show; regular expressions remain for what stands inside a line.

Source: CommonMark 0.31; GitHub Flavored Markdown, tables.
"""

from wellworn.kit.markdown.document import Markdown, Table, TableCell, TableRow
from wellworn.kit.markdown.front_matter import LONGEST_FRONT_MATTER, FrontMatter, read_front_matter
from wellworn.kit.markdown.inline import CurrentText, blank_struck, find_struck, strip_markup
from wellworn.kit.markdown.parsing import HtmlPiece, read_html_pieces
from wellworn.kit.markdown.sections import LONGEST_TITLE, Heading, Section, build_sections
from wellworn.kit.markdown.table_heads import TableHeads, may_be_row
