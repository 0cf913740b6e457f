"""Facts of cells and fields: each value has the form of its name, and a stand-in states none."""

from __future__ import annotations

import pytest

from wellworn.domain.knowledge.facts import extract_facts
from wellworn.domain.knowledge.views import DocumentView, Reading

HOSTS = """# Hosts

| Host | IP | Port | Owner | Version |
|---|---|---|---|---|
| larch | 10.9.1.1:443 (tcp) | 22, 80/tcp | Ann | 1.2.3 |
| cedar | TBD | TBD | TBD | latest |
| aspen | to be defined | - | to be defined | 2 |
| birch | mail.example.org:587 | 8000-8100 | none | n/a |
| alder | [2001:db8::1]:443 | ? | Bob | |
| elm | 10.0.0.4, 10.0.0.5:80 | 0.0.0.0:9 | Eve | |
"""


def called(text, path="notes.md"):
    reading = Reading(DocumentView(7, "mytech", path, None, text))
    return {(fact.term, fact.attribute, fact.value) for fact in extract_facts(reading)}


def test_in_a_table_a_value_is_what_its_form_says_and_what_stands_for_one_is_none():
    assert called(HOSTS) == {
        *(("larch", "ip", "10.9.1.1:443 (tcp)"), ("larch", "port", "443 (tcp)")),
        *(("larch", "port", "22"), ("larch", "port", "80/tcp")),
        *(("larch", "owner", "Ann"), ("larch", "version", "1.2.3")),
        *(("cedar", "version", "latest"), ("aspen", "version", "2")),
        *(("birch", "hostname", "mail.example.org"), ("birch", "port", "587")),
        ("birch", "port", "8000-8100"),
        *(("alder", "ip", "2001:db8::1"), ("alder", "port", "443"), ("alder", "owner", "Bob")),
        *(("elm", "ip", "10.0.0.4"), ("elm", "ip", "10.0.0.5"), ("elm", "port", "80")),
        *(("elm", "ip", "0.0.0.0"), ("elm", "port", "9"), ("elm", "owner", "Eve")),
    }


def test_a_row_of_several_names_is_read_line_by_line_where_the_lines_agree():
    text = """# Hosts

| Host | IP | Owner |
|---|---|---|
| larch; cedar | 10.9.1.1; 10.9.1.2 | Ana Lopez |
| aspen; birch | 10.9.1.3; 10.9.1.4; 10.9.1.5 | Eve Stone |
| elm | 10.9.1.6 | Ana Lopez; Ben Kim |
"""
    found = called(text)
    assert {each for each in found if each[0] in {"larch", "cedar", "elm"}} == {
        *(("larch", "ip", "10.9.1.1"), ("larch", "owner", "Ana Lopez")),
        *(("cedar", "ip", "10.9.1.2"), ("cedar", "owner", "Ana Lopez")),
        *(("elm", "ip", "10.9.1.6"), ("elm", "owner", "Ana Lopez; Ben Kim")),
    }
    # Which of three addresses is whose, nobody could say.
    assert {name for name, _, _ in found}.isdisjoint({"aspen", "birch", "aspen birch"})


def test_a_column_without_numbers_may_have_ports_for_ships():
    text = "# Ships\n\n| Ship | Port |\n|---|---|\n| Aurora | Rotterdam |\n| Borea | - |\n"
    assert called(text) == {("aurora", "port", "Rotterdam")}


@pytest.mark.parametrize(
    "text",
    [
        "# larch\n\n- IP: 10.9.1.1:443\n- Port: TBD\n- Hostname: to be defined\n",
        "---\ntitle: larch\nip: 10.9.1.1:443\n---\n\n# larch\n\nThe host.\n",
        "# larch\n\n| Setting | Value |\n|---|---|\n| IP | 10.9.1.1:443 |\n| FQDN | not set |\n",
    ],
    ids=["lines", "front matter", "pairs"],
)
def test_wherever_it_stands_a_port_behind_an_address_is_a_port(text):
    assert called(text) == {("larch", "ip", "10.9.1.1"), ("larch", "port", "443")}


@pytest.mark.parametrize("nothing", ["n/a", "TBD", "none", "-", "?", "to be defined", "see wiki"])
@pytest.mark.parametrize("form", ["- IP: {}\n", "| Setting | Value |\n|---|---|\n| IP | {} |\n"])
def test_no_words_are_an_ip(nothing, form):
    assert called(f"# larch\n\n{form.format(nothing)}") == set()


def test_a_setting_of_the_name_ip_is_an_address():
    text = "```yaml\nservices:\n  larch:\n    ip: 10.9.1.1:443\n    image: larch:2\n```\n"
    found = called(text, "compose.yml")
    assert {("larch", "ip", "10.9.1.1"), ("larch", "port", "443")} <= found
