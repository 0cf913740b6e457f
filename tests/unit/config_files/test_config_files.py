"""Settings of other programs are edited in place, and are as before once the edit is taken back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.config_files import (
    FORMATS,
    ConfigBroken,
    ConfigRefused,
    get,
    read_config,
    replace_config,
)

JSON, TOML, YAML = (FORMATS[name] for name in ("json", "toml", "yaml"))
ENTRY = {"command": "/bin/wellworn", "args": ["mcp"]}
SERVER = ("mcpServers", "wellworn")
COMMENTED = """// mine
{
    "theme": "dark", // at night
    "mcpServers": {
        /* a friend's */
        "other": {"command": "npx"} // keep
    },
    "last": [1, 2,],
}
"""
JSON_TEXTS = {
    "nothing": "",
    "empty": "{}\n",
    "no newline": '{"a": 1}',
    "one line": '{"a": 1, "mcpServers": {"other": {}}}\n',
    "comments": COMMENTED,
    "tabs": '{\n\t"mcpServers": {\n\t\t"other": {}\n\t}\n}\n',
    "line ends of Windows": '{\r\n  "mcpServers": {\r\n    "other": {}\r\n  }\r\n}\r\n',
    "a mark at the beginning": '\ufeff{\n  "a": 1\n}\n',
    "a comma at the end": '{\n  "mcpServers": {\n    "other": {},\n  },\n}\n',
    "only a comment": "{\n  // nothing yet\n}\n",
}
TOML_TEXT = """# mine
model = "best" # of all

[mcp_servers.other] # keep
command = "npx"

[profiles.x]
a = 1
"""
YAML_TEXT = """# mine
extensions:
  # a friend's
  other:   # keep
    cmd: npx

mode: auto
"""


@pytest.mark.parametrize("text", JSON_TEXTS.values(), ids=JSON_TEXTS)
def test_json_is_as_before_once_an_entry_is_taken_back(text):
    made = JSON.put(text, SERVER, ENTRY)
    assert get(JSON.read(made), SERVER) == ENTRY
    back = JSON.drop(made, SERVER)
    if get(JSON.read(text), SERVER[:1]) is None:
        back = JSON.drop(back, SERVER[:1])
    assert back.strip() == (text.strip() or "{}")
    assert made.count("\r") == (made.count("\n") if "\r" in text else 0)


def test_a_comment_stays_behind_the_member_that_it_is_about():
    made = JSON.put(COMMENTED, SERVER, ENTRY)
    assert '"other": {"command": "npx"}, // keep\n' in made
    assert '        "wellworn": {\n            "command"' in made


def test_a_member_in_the_middle_is_dropped_alone():
    made = JSON.put(COMMENTED, SERVER, ENTRY)
    more = JSON.put(made, ("mcpServers", "third"), {})
    assert JSON.drop(more, SERVER) == JSON.put(COMMENTED, ("mcpServers", "third"), {})


def test_items_are_put_into_lists_and_dropped_from_them():
    text = '{\n  "hooks": {\n    "Stop": [\n      {"a": 1}\n    ]\n  }\n}\n'
    made = JSON.put(text, ("hooks", "Stop", 1), {"b": 2})
    assert JSON.read(made)["hooks"]["Stop"] == [{"a": 1}, {"b": 2}]
    assert JSON.drop(made, ("hooks", "Stop", 1)) == text
    new = JSON.put(text, ("hooks", "Start", 0), {"b": 2})
    assert JSON.read(new)["hooks"]["Start"] == [{"b": 2}]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "line 1"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3"),
        ('{"a": }', "a value"),
        ('{"a": "\\x"}', "escape"),
        ("[1]", "object"),
        ('{"a": 1} {}', "follows"),
        ("[" * 5_000, "deeply"),
        ("{/* open", "line 1"),
        ("nonsense", "a value"),
    ],
)
def test_broken_json_is_refused_with_the_line(text, says):
    with pytest.raises(ConfigBroken, match=says):
        JSON.read(text)


def test_a_server_is_not_put_where_another_value_stands():
    with pytest.raises(ConfigBroken, match="another value"):
        JSON.put('{"mcpServers": 5}', SERVER, ENTRY)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(max_size=5), json_values, max_size=5),
    st.sampled_from([None, 2, "\t"]),
    st.text(max_size=5),
)
def test_any_json_is_read_as_python_does_and_comes_back(value, indent, name):
    text = json.dumps(value, indent=indent)
    assert JSON.read(text) == value
    if name not in value:
        made = JSON.put(text, (name,), ENTRY)
        assert JSON.read(made) == {**value, name: ENTRY}
        assert JSON.drop(made, (name,)) == text


def test_toml_keeps_comments_and_comes_back():
    made = TOML.put(TOML_TEXT, ("mcp_servers", "wellworn"), ENTRY)
    assert TOML.read(made)["mcp_servers"]["wellworn"] == ENTRY
    assert "# of all" in made
    assert "# keep" in made
    assert TOML.drop(made, ("mcp_servers", "wellworn")) == TOML_TEXT
    assert TOML.drop(TOML.put("", ("mcp_servers", "w"), ENTRY), ("mcp_servers", "w")) == ""


@pytest.mark.parametrize(
    "before",
    [TOML_TEXT, '[mcp_servers.other]\ncommand = "npx"\n\n# about z\n[z]\nq = [\n  ["a"],\n]\n'],
)
@pytest.mark.parametrize(
    "behind", ["\n# a note\n", "\n# a note\n\n# about x\n[projects.x]\ntrust = 1\n", "\n[[x]]\n"]
)
def test_what_stands_behind_a_table_of_toml_stays(before, behind):
    made = TOML.put(before, ("mcp_servers", "wellworn"), {**ENTRY, "env": {"A": "b"}})
    assert made.startswith(before)
    assert TOML.drop(made + behind, ("mcp_servers", "wellworn")) == before + behind


def test_a_note_right_below_a_table_of_toml_stays():
    made = TOML.put(TOML_TEXT, ("mcp_servers", "wellworn"), ENTRY)
    assert TOML.drop(f"{made}# a note\n", ("mcp_servers", "wellworn")) == f"{TOML_TEXT}\n# a note\n"


@pytest.mark.parametrize("text", ['mcp_servers = {o = {c = "x"}}\n', "mcp_servers.o.c = 1\n"])
def test_toml_in_one_line_is_edited_there(text):
    made = TOML.put(text, ("mcp_servers", "wellworn"), ENTRY)
    assert TOML.read(made)["mcp_servers"]["wellworn"] == ENTRY
    assert TOML.read(TOML.drop(made, ("mcp_servers", "wellworn"))) == TOML.read(text)


def test_yaml_keeps_comments_and_comes_back():
    made = YAML.put(YAML_TEXT, ("extensions", "wellworn"), ENTRY)
    assert YAML.read(made)["extensions"] == {"wellworn": ENTRY, "other": {"cmd": "npx"}}
    assert YAML.drop(made, ("extensions", "wellworn")) == YAML_TEXT
    alone = YAML.put("a: 1\n", ("extensions", "wellworn"), ENTRY)
    assert YAML.drop(YAML.drop(alone, ("extensions", "wellworn")), ("extensions",)) == "a: 1\n"


@pytest.mark.parametrize("text", ["extensions: {a: {}}\n", "extensions:\n", "extensions: 5\n"])
def test_yaml_in_braces_is_left_to_its_owner(text):
    with pytest.raises(ConfigBroken, match="one member a line"):
        YAML.put(text, ("extensions", "wellworn"), ENTRY)


@pytest.mark.parametrize(
    ("form", "text"),
    [(TOML, "a = "), (YAML, "a: [1"), (YAML, "- 1\n")],
    ids=["toml", "yaml", "list"],
)
def test_other_broken_texts_are_refused(form, text):
    with pytest.raises(ConfigBroken):
        form.read(text)


def test_a_link_stays_a_link_and_rights_stay(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("{}")
    real.chmod(0o640)
    link.symlink_to(real)
    replace_config(link, "{}", '{"a": 1}')
    assert link.is_symlink()
    assert real.read_text() == '{"a": 1}'
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_file_that_is_read_only_or_changed_meanwhile_is_not_written(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text("{}")
    with pytest.raises(ConfigRefused, match="meanwhile"):
        replace_config(file, "{ }", "{}")
    file.chmod(0o400)
    with pytest.raises(ConfigRefused, match="read-only"):
        replace_config(file, "{}", '{"a": 1}')
    assert file.read_text() == "{}"
    assert [*tmp_path.iterdir()] == [file]


def test_what_is_no_text_is_refused(tmp_path):
    file = tmp_path / "settings.json"
    file.write_bytes(b"\xff\xfe{")
    with pytest.raises(ConfigRefused, match="UTF-8"):
        read_config(file)
    with pytest.raises(ConfigRefused, match="no file"):
        read_config(tmp_path)
    assert read_config(tmp_path / "none") is None
