"""Configuration files: settings by their path, of the thing that they configure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.knowledge.facts import extract_facts, is_supported
from wellworn.domain.knowledge.views import DocumentView, Reading
from wellworn.engines.extraction.canonical import fence

COMPOSE = """\
services:
  jellyfin:
    image: "lscr.io/linuxserver/jellyfin:10.9"
    ports:
      - "8096:8096"
    environment:
      TZ: Europe/Berlin
      ADMIN_PASSWORD: ${ADMIN_PASSWORD}
# port: 1
"""
MANIFEST = """\
apiVersion: v1
kind: Service
metadata:
  name: mongodb
spec:
  ports:
    - port: 27017
---
kind: Service
metadata:
  name: redis
spec:
  ports:
    - port: 6379
"""


def said(text, path):
    document = DocumentView(7, "docs", path, None, fence(text, path))
    facts = extract_facts(Reading(document))
    assert all(is_supported(fact, document.text) for fact in facts)
    return {(fact.term, fact.attribute, fact.value) for fact in facts}


def test_a_service_of_a_list_is_a_thing_with_settings():
    facts = said(COMPOSE, "jellyfin/docker-compose.yml")
    assert ("jellyfin", "image", "lscr.io/linuxserver/jellyfin:10.9") in facts
    assert ("jellyfin", "ports", "8096:8096") in facts
    assert ("jellyfin", "environment tz", "Europe/Berlin") in facts
    assert not [fact for fact in facts if "$" in fact[2] or fact[2] == "1"]


def test_a_manifest_is_about_the_name_in_its_metadata():
    facts = said(MANIFEST, "k8s/databases.yaml")
    assert ("mongodb", "ports port", "27017") in facts
    assert ("redis", "ports port", "6379") in facts


def test_what_has_no_name_is_about_what_the_folder_is_called():
    assert ("legalhold", "image tag", "1.0.2") in said(
        "image:\n  tag: 1.0.2\n", "charts/legalhold/values.yaml"
    )


def test_a_setting_with_a_name_of_its_own_is_known_by_it():
    facts = said("federatorPort: 8081\nport: 1\n", "charts/galley/values.yaml")
    assert ("federatorport", "value", "8081") in facts
    assert not [fact for fact in facts if fact[0] == "port"]


@pytest.mark.parametrize(
    ("text", "path", "fact"),
    [
        ('[grafana]\nport = 3000\n# user = "x"\n', "a.toml", ("grafana", "port", "3000")),
        ("[grafana]\nport: 3000 ; as ever\n", "a.ini", ("grafana", "port", "3000")),
        ('{"grafana": {"host": "10.0.0.9"}}', "a.json", ("grafana", "host", "10.0.0.9")),
        (
            "hosts:\n  pi-1:\n    ansible_host: 10.0.0.9\n",
            "inventory.yml",
            ("pi-1", "ansible host", "10.0.0.9"),
        ),
        (
            "machines:\n  - name: pi-1\n    rack: B2\n",
            "lab.yaml",
            ("pi-1", "rack", "B2"),
        ),
    ],
)
def test_each_format_is_read(text, path, fact):
    assert fact in said(text, path)


def test_the_comments_of_json_state_nothing_and_what_stands_beside_them_does():
    text = """\
// as the editor wrote it
{
  "grafana": {
    "port": 3000, // "port": 3001
    /* "host": "10.0.0.8",
       of last year */
    "host": "10.0.0.9",
    "home_page": "https://grafana.example//d",
  },
}
"""
    facts = said(text, "settings.json")
    assert ("grafana", "port", "3000") in facts
    assert ("grafana", "host", "10.0.0.9") in facts
    assert ("grafana", "home page", "https://grafana.example//d") in facts
    assert not [fact for fact in facts if fact[2] in {"3001", "10.0.0.8"}]


@pytest.mark.parametrize(
    "text", ["a: [", "{{ if .x }}\na: 1\n", "\tx", "- &a [*a]", "a: &b {c: *b}"]
)
def test_what_is_no_configuration_states_nothing(text):
    assert said(text, "docs/broken/values.yaml") == set()


def test_a_text_that_names_itself_over_and_over_is_read_once():
    lines = [
        "a0: &a0 [x]",
        *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)),
    ]
    assert said("\n".join(lines), "docs/laughs/values.yaml") == {("laughs", "a0", "x")}


def test_a_very_deep_text_states_nothing():
    for text in ("[" * 100_000 + "1", "[" * 3_000 + "1" + "]" * 3_000, "- " * 100_000 + "1"):
        assert said(text, "docs/deep/values.json") == set()


@given(st.text(max_size=300), st.sampled_from(["yaml", "json", "toml", "ini"]))
def test_any_text_is_read_without_a_failure_and_every_fact_stands_where_it_says(text, ending):
    said(text.replace("\r", ""), f"docs/any/values.{ending}")


def test_an_example_in_a_document_states_nothing():
    document = DocumentView(7, "docs", "a.md", None, "# Jellyfin\n\n```yaml\nport: 80\n```\n\nx\n")
    assert not extract_facts(Reading(document))


def test_of_several_items_those_without_a_name_are_nobodys():
    rules = "rules:\n  - port: 22\n    from: lan\n  - port: 80\n    from: wan\n"
    assert said(rules, "nftables.yaml") == set()
    alone = rules.partition("  - port: 80")[0]
    assert ("nftables", "rules port", "22") in said(alone, "nftables.yaml")


def test_an_item_that_is_only_counted_has_no_name():
    panels = (
        '{"panels": [{"id": 1, "unit": "ms"}, {"id": 2, "unit": "MB"}, {"id": "cpu", "unit": "s"}]}'
    )
    facts = said(panels, "grafana/grafana.json")
    assert {value for _, _, value in facts} == {"cpu", "s"}


def test_an_item_that_says_what_to_do_has_no_name():
    tasks = "- name: Install caddy\n  become: true\n- name: caddy\n  port: 80\n"
    assert {value for _, _, value in said(tasks, "caddy/caddy.yaml")} == {"caddy", "80"}


def test_a_tree_is_read_as_one_however_its_file_is_called():
    hosts = "ace:\n  mgmt_ip: 10.0.40.20\nbray:\n  mgmt_ip: 10.0.40.30\n"
    facts = said(hosts, "hosts.conf")
    assert ("ace", "mgmt ip", "10.0.40.20") in facts
    assert not [fact for fact in facts if fact[0] == "mgmt_ip"]


def test_only_a_key_that_stands_in_one_place_is_known_by_itself():
    ports = "a:\n  listenPort: 1\n  adminPort: 3\nb:\n  listenPort: 2\n"
    assert {fact[0] for fact in said(ports, "docs/values.yaml")} == {"adminport"}
    many = "listenPorts:\n  - 1\n  - 2\n"
    assert {fact[2] for fact in said(many, "docs/values.yaml")} == {"1", "2"}


@pytest.mark.parametrize("name", ["config.example.yml", "package-lock.json", "values.schema.json"])
def test_an_example_and_what_a_program_wrote_state_nothing(name):
    assert said('{"grafana": {"host": "10.0.0.9"}}', f"grafana/{name}") == set()


def test_a_setting_below_more_keys_than_anybody_says_is_looked_up_by_none():
    keys = ["authentication", "verification", "requirements", "exceptions", "limitations", "port"]
    deep = "".join(f"{' ' * depth}{key}:\n" for depth, key in enumerate(keys))
    assert said(deep.rstrip() + " 80\n", "grafana/grafana.yaml") == set()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('[server]\nname = "quill-2"\nport = 8300\n', "a.toml"),
        ("[server]\nname = quill-2\nport = 8300\n", "a.ini"),
        ("server:\n  name: quill-2\n  port: 8300\n", "a.yaml"),
    ],
)
def test_a_section_is_about_the_name_that_it_gives(text, path):
    assert ("quill-2", "port", "8300") in said(text, path)


def test_a_section_that_is_called_by_a_plain_word_or_as_another_has_no_name():
    text = '[server]\nname = "{}"\nport = 8300\n\n[backup]\nname = "{}"\nport = 8400\n'
    assert not {term for term, _, _ in said(text.format("main", "main"), "a.toml")} & {"main"}
    assert "quill-2" not in {term for term, _, _ in said(text.format(*["quill-2"] * 2), "a.toml")}


def test_sections_of_one_key_are_not_told_apart_by_their_names():
    text = (
        '[[servers]]\nname = "quill-1"\nport = 8300\n\n[[servers]]\nname = "quill-2"\nport = 8400\n'
    )
    assert not {term for term, _, _ in said(text, "a.toml")} & {"quill-1", "quill-2"}
