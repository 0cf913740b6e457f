"""What a document may be called by."""

from __future__ import annotations

import pytest

from wellworn.domain.outline.names import list_names

PATH = "Notes/ops.d/runbook.md"


@pytest.mark.parametrize(
    "name",
    [
        "notes/ops.d/runbook.md",
        "notes/ops.d/runbook",
        "ops.d/runbook.md",
        "ops.d/runbook",
        "runbook.md",
        "runbook",
    ],
)
def test_a_path_is_called_by_any_end_of_it_from_a_folder_on(name):
    assert name in list_names(PATH)


@pytest.mark.parametrize("name", ["", "book.md", "notes", "notes/ops.d", "ops", "d/runbook.md"])
def test_a_part_of_a_path_that_is_no_end_of_it_is_no_name(name):
    assert name not in list_names(PATH)


def test_a_name_without_folders_is_called_as_it_is():
    assert list_names("Guide") == {"guide"}
