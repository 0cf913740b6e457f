"""Documents of a day: copies that a later one supersedes, and notes of a journal."""

from __future__ import annotations

from wellworn.domain.knowledge.periods import find_records, find_superseded


def located(*paths: str) -> list[tuple[int, str, str]]:
    return [(number, "docs", path) for number, path in enumerate(paths)]


def test_the_newest_copy_speaks():
    assert find_superseded(located("inv/2026-01-01.md", "inv/2026-02-01.md")) == {0}
    assert find_superseded(located("vms-2026-01.md", "hosts-2026-02.md")) == set()


def test_a_copy_without_a_date_is_kept_up():
    assert find_superseded(located("VMs - 2026-07-28.md", "VMs.md", "LXCs.md")) == {0}
    assert find_superseded(located("VMs.md", "LXCs.md")) == set()


def test_notes_of_a_journal_tell_of_their_day():
    notes = [f"journal/2026-02-0{day}-{word}.md" for day, word in enumerate("abc", 1)]
    assert find_records(located(*notes, "hosts.md")) == {0, 1, 2}


def test_one_inventory_with_a_date_holds_now():
    assert find_records(located("hosts-2026-02-01.md", "journal/2026-02-01-a.md")) == set()
    dated = located("inv/hosts-2026-01-01.md", "inv/hosts-2026-02-01.md", "readme.md")
    assert find_records(dated) == {0}
