from __future__ import annotations

import pytest

from wellworn.engines.safety import SecretCount, redact

KEY = "k7Q2mZ9xW4vB8nT6yR1cJ5fL"


@pytest.mark.parametrize(
    ("header", "secret", "kind"),
    [
        ("Password", "hunter2", "password"),
        ("Admin password", "hunter2", "password"),
        ("**Passwort**", "hunter2", "password"),
        ("Credentials", "hunter2", "password"),
        ("Password", "48213377", "password"),
        ("API key", KEY, "secret"),
        ("Access-Key", KEY, "secret"),
        ("DB_TOKEN", KEY, "secret"),
        ("Secret", KEY, "secret"),
    ],
)
@pytest.mark.parametrize("rule", ["|---|---|", "| :-- | --: |", "|-|-|", "--- | ---"])
def test_a_cell_is_known_by_the_header_of_its_column(header, secret, kind, rule):
    table = f"| Host | {header} |\n{rule}\n| nas | `{secret}` |\n| cube | in the vault |\n"
    result = redact(table)
    assert result.text == table.replace(secret, f"[redacted:{kind}]")
    assert result.secrets == (SecretCount(kind, 1),)


def test_a_table_in_a_quote_is_one_too():
    table = "> | Host | Password |\n> |---|---|\n> | nas | hunter2 |"
    assert redact(table).text == table.replace("hunter2", "[redacted:password]")


def test_of_a_name_and_a_password_the_name_stays():
    table = "| Where | Login |\n|---|---|\n| nas | backup / hunter2 |"
    assert redact(table).text == table.replace("hunter2", "[redacted:password]")


def test_a_bar_within_a_cell_is_no_end_of_it():
    table = "| a \\| b | Password |\n|---|---|\n| c \\| d | hunter2 |"
    assert "hunter2" not in redact(table).text


@pytest.mark.parametrize(
    "table",
    [
        "| Name | Password |\n|---|---|\n| a | required |\n| b | see vault 7 |\n| c | \u2014 |",
        "| Name | Password |\n|---|---|\n| a | ${DB_PASS1} |\n| b | DB_PASSWORD |\n| c | **** |",
        "| Name | Password length |\n|---|---|\n| a | 12345678 |",
        "| Field | Token |\n|---|---|\n| a | `color-primary-500` |\n| b | 4096 |\n| c | <s> |",
        "| Name | Secret |\n|---|---|\n| a | HDRPOP_ANALYTICS_TOKEN |",
        "| Name | Host |\n|---|---|\n| Password | db-01.internal |",
        "| Password | Host |\n|---|---|\n| none | k7Q2mZ9xW4vB8n |",
        "Password\n--------\nsee db01 | x",
    ],
)
def test_what_is_no_secret_stays_in_its_column(table: str):
    assert redact(table).text == table


@pytest.mark.parametrize("after", ["| Host |\n|---|\n| nas2go |", "nas2go | a host", "nas2go"])
def test_what_is_after_a_table_has_columns_of_its_own(after: str):
    text = f"| Password |\n|---|\n| hunter2 |\n\n{after}"
    assert redact(text).text == text.replace("hunter2", "[redacted:password]")


MANIFEST = """\
apiVersion: v1
kind: Secret
metadata:
  name: shop1
data:
  user: c2hvcA==
  url: "aHR0cHM6Ly9zaG9w"
stringData:
  note: whatever-it-is
type: Opaque
"""


def test_the_values_of_a_secret_s_manifest_are_cut_out():
    found = redact(MANIFEST)
    for value in ("c2hvcA==", "aHR0cHM6Ly9zaG9w", "whatever-it-is"):
        assert value not in found.text
    for kept in ("name: shop1", "type: Opaque", "user: ["):
        assert kept in found.text
    assert found.secrets == (SecretCount("kubernetes-secret", 3),)


def test_another_manifest_keeps_its_data():
    other = MANIFEST.replace("Secret", "ConfigMap")
    assert redact(other).text == other
    both = f"{other}---\n{MANIFEST}"
    assert redact(both).text.startswith(other)


def test_a_template_of_a_manifest_is_kept():
    template = "kind: Secret\ndata:\n  password: ${DB_PASSWORD}\n  key: {{ .Values.key }}\n"
    assert redact(template).text == template
