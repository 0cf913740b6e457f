"""No value here has ever opened anything; they are put together so that no scanner thinks so."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.safety import SecretCount, redact
from wellworn.engines.safety.secret_rules import RULES

CHANCE = random.Random(7)
BASE62 = string.ascii_letters + string.digits
LOWER32 = string.ascii_lowercase + "234567"
HEX = "0123456789abcdef"


def noise(count: int, alphabet: str = BASE62) -> str:
    """Return chance characters of which the first two are a letter and a digit."""
    return (
        "k7"[:count] + "".join(CHANCE.choice(alphabet) for _ in range(count - 2)) if count else ""
    )


def hexes(count: int) -> str:
    return "a7" + "".join(CHANCE.choice(HEX) for _ in range(count - 2))


PEM = "\n".join(["-----BEGIN RSA " + "PRIVATE KEY-----", *(noise(64) for _ in range(9))])
PEM_END = "\n-----END RSA " + "PRIVATE KEY-----"
JWT = ".".join(["eyJ" + noise(33), "eyJ" + noise(60), noise(43)])
OWN_KEY = "ww_" + "abcdefgh2345" + "_" + "".join(CHANCE.choice(LOWER32) for _ in range(52))

# kind -> texts in which `{}` is the secret, and the secret
TOKENS = [
    ("wellworn-key", OWN_KEY),
    ("wellworn-key", OWN_KEY.replace("ww_", "").upper().join(["ww_", ""])),
    ("wellworn-invitation", "wi_" + noise(26, LOWER32) + "_" + noise(30, LOWER32)),
    ("aws-access-key", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("aws-access-key", "ASIA" + noise(16, LOWER32).upper()),
    ("github-token", "ghp_" + noise(36)),
    ("github-token", "gho_" + noise(36)),
    ("github-token", "ghs_" + noise(36)),
    ("github-token", "github_pat_" + noise(22) + "_" + noise(59)),
    ("gitlab-token", "glpat-" + noise(20)),
    ("gitlab-token", "glrt-" + noise(20)),
    ("slack-token", "xoxb-" + "123456789012-1234567890123-" + noise(24)),
    ("slack-token", "xapp-1-A012345678-1234567890123-" + hexes(64)),
    ("stripe-key", "sk_live_" + noise(24)),
    ("stripe-key", "sk_test_" + noise(24)),
    ("stripe-key", "rk_live_" + noise(24)),
    ("stripe-key", "whsec_" + noise(32)),
    ("anthropic-key", "sk-ant-" + "api03-" + noise(93) + "AA"),
    ("openai-key", "sk-" + noise(48)),
    ("openai-key", "sk-proj-" + noise(74)),
    ("google-key", "AIza" + noise(35)),
    ("google-key", "GOCSPX-" + noise(28)),
    ("npm-token", "npm_" + noise(36)),
    ("pypi-token", "pypi-" + "AgEIcHlwaS5vcmc" + noise(80)),
    ("sendgrid-key", "SG." + noise(22) + "." + noise(43)),
    ("twilio-key", "SK" + hexes(32)),
    ("hugging-face-token", "hf_" + noise(34)),
    ("telegram-token", "123456789:AA" + noise(33)),
    ("azure-client-secret", noise(3) + "8Q~" + noise(34)),
    ("discord-token", "MTEy" + noise(20) + ".G" + noise(5) + "." + noise(38)),
    ("azure-key", noise(76) + "AZDO" + noise(4)),
    ("private-key", "LS0tLS1CRUdJTi" + "BQUklWQVRFIEtFWS0tLS0tCk1JSUV2" + noise(200) + "=="),
    ("password-hash", "$2b$" + "12$" + noise(53)),
    ("password-hash", "$6$" + noise(12) + "$" + noise(86)),
    ("service-token", hexes(32) + "-us12"),
    ("service-token", noise(14) + ".atlasv1." + noise(64)),
    ("service-token", "gsk_" + noise(52)),
    ("service-token", "dop_v1_" + hexes(64)),
    ("service-token", "hvs." + noise(90)),
    ("jwt", JWT),
    ("private-key", PEM + PEM_END),
    ("private-key", (PEM + PEM_END).replace("\n", "\\n")),
    ("private-key", PEM),
]
PLACES = [
    ("aws-secret-key", "aws_secret_access_key = {}", noise(19) + "/" + noise(20)),
    ("aws-secret-key", '"SecretAccessKey": "{}"', noise(19) + "+" + noise(20)),
    ("aws-secret-key", "ASIA" + "ABCDEFGH2345QRST" + "\n{}", noise(19) + "/" + noise(20)),
    ("slack-webhook", "https://hooks.slack.com/services/{}", "T01/B02/" + noise(24)),
    ("discord-webhook", "https://discord.com/api/webhooks/123456789012345678/{}", noise(68)),
    ("azure-key", "DefaultEndpointsProtocol=https;AccountKey={};X=y", noise(86) + "=="),
    ("azure-key", "https://a.blob.example/c?sv=1&sig={}&se=2", noise(43) + "%3D"),
    ("url-password", "postgres://app:{}@db.internal:5432/shop", "s3cr3t"),
    ("url-password", "redis://:{}@cache:6379/0", "correcthorse"),
    ("url-password", "see mysql+pymysql://root:{}@127.0.0.1/x.", "p@ss!w0rd"),
    ("url-token", "git clone https://{}@git.example/team/notes.git", hexes(40)),
    ("url-token", "https://functions.example/api/report?code={}&day=3", noise(44) + "=="),
    ("url-token", "![map](https://maps.example/tile?z=3&key={})", noise(32)),
    ("authorization", "Authorization: Bearer {}", noise(32)),
    ("authorization", "authorization: basic {}", "dXNlcjpodW50ZXIy"),
    ("authorization", "curl -H 'Authorization: Token {}' https://x.example", hexes(40)),
    ("authorization", "call it with Bearer {} and retry", noise(24)),
    ("password", "password: {}", "hunter2"),
    ("password", "DB_PASSWORD={}", "Tr0ub4dor&3"),
    ("password", 'password = "{}"', "s3same!open"),
    ("password", '{{"user":"x","password":"{}","port":1}}', "hunter2"),
    ("password", "the password for the staging database is {}.", "hunter2"),
    ("webhook", "https://a.webhook.office.com/webhookb2/{}", noise(40) + "@" + noise(60)),
    ("webhook", "https://hooks.zapier.com/hooks/catch/{}", "1234567/" + noise(7)),
    ("service-token", "acme_live_{}", noise(32)),
    ("authorization", "curl -u admin:{} https://nas.lan", "hunter2"),
    ("authorization", "curl -s --user 'bot:{}' https://nas.lan", "hunter2"),
    ("password", "machine nas.lan login backup password {}", "geheimnis"),
    ("password", "sshpass -p {} ssh root@nas", "hunter2"),
    ("password", "mysqldump -u root -p{} shop", "hunter2"),
    ("password", "root / {} on the old server", "hunter2"),
    ("password", "user admin, password `{}`", "hunter2"),
    ("password", "pw: {}", "hunter2"),
    ("password", "PIN: {}", "482913"),
    ("password", "passphrase: {}", "correct horse battery staple"),
    ("password", "REACT_APP_PASSWORD={}", "whiteduke"),
    ("password", "Passwort f\u00fcrs WLAN: {}", "hunter2"),
    ("password", "mot de passe : {}", "hunter2"),
    ("password", "contrase\u00f1a: {}", "hunter2"),
    ("password", "\u5bc6\u7801\uff1a{}", "hunter2"),
    ("password", "| password | {} |", "hunter2"),
    ("password", "psql --password {} -h db", "hunter2"),
    ("password", "<password>{}</password>", "hunter2"),
    ("password", "Server=db;User=a;Password={};Timeout=3", "hunter2"),
    ("password", "Passwort: {}", "g3heim!"),
    ("password", "PGPASSWORD={} psql", "hunter2"),
    ("secret", "API_KEY={}", noise(32)),
    ("secret", "x-api-key: {}", hexes(32)),
    ("secret", "client_secret: '{}'", noise(40)),
    ("secret", "SECRET_KEY_BASE={}", hexes(64)),
    ("secret", "https://api.example/v1?access_token={}&page=2", noise(30)),
    ("secret", "TWILIO_AUTH_TOKEN={}", hexes(32)),
    ("secret", "the api key for the weather service is {}", noise(24)),
    ("secret", "deploy --token {} --now", noise(24)),
    ("secret", "WEATHER_KEY={}", hexes(32)),
    ("secret", "weatherKey: '{}'", noise(32)),
    ("secret", "weather key: {}", noise(32)),
    ("secret", "githubToken: {}", noise(32)),
    ("secret", "API key (production): {}", noise(32)),
    ("secret", "token {} expires in May", noise(32)),
    ("secret", "the token `{}` is old", noise(32)),
    ("secret", "PresharedKey = {}", noise(42) + "8="),
    ("private-key", "Private-Lines: 2\n{}\nPrivate-MAC", noise(64) + "\n" + noise(64)),
    (
        "private-key",
        '{{"type":"service_account","private_key":"{}"}}',
        (PEM + PEM_END).replace("\n", "\\n"),
    ),
]
LOOK_ALIKES = [
    "The build at 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b was good.",
    "commit 4f2a91c broke it; sha256 " + "9f86d081" * 8,
    "thought 7f0c1d9e-4b1a-4c58-9f0e-1c2d3e4f5a6b was affirmed",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    "wellworn 0.4.0-rc.1+build.20260301 needs Python 3.11.7",
    "https://example.org:8443/path?q=1#part and http://localhost:8000/@scope/pkg",
    "see http://localhost:8000, or write to admin@example.org",
    "git@github.com:owner/name.git and ssh://git@host.example:22/x.git",
    "ssh://deploy-bot-of-the-platform-team-2@git.example/x and https://x.example/?code=invalid_request_uri",
    "https://x.example/list?key=projects/backup-policies-2024&auth=required",
    "postgres://app:${DB_PASSWORD}@db/x and postgres://user:password@localhost/x",
    "postgres://app:<password>@db/x and redis://:***@cache",
    "The password must have 12 characters, a digit and a sign.",
    "password: required, Password: string, password=None, password is case-sensitive",
    "Passwords are hashed with argon2id; the password is base64-encoded before that.",
    "password = os.environ['DB_PASSWORD2'], password: settings.password1, password=getpass()",
    "password: ${DB_PASS1} or {{ vault_pass1 }} or $DB_PASS1 or %(pass1)s or !vault",
    "api_key: <your-key>, api_key=YOUR_API_KEY_1, api-key: your-api-key-123, token: xxxxxxxxxxxx1",
    "Set OPENAI_API_KEY=sk-... and ANTHROPIC_API_KEY=sk-ant-... first; sk-xxxxxxxxxxxxxxxxxxxxxxxx",
    "export TOKEN=${TOKEN} GITHUB_TOKEN=$GITHUB_TOKEN1 token=... token: [redacted:secret]",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx and AKIAXXXXXXXXXXXXXXXX are placeholders",
    "next_page_token: CAUQAAabc123def456, max_tokens: 4096, pagination_token=a1b2c3d4e5f6g7",
    "primary key: 12ab34cd56ef, cache_key=user:1234:profile9, public_key: ssh-ed25519 AAAAC3Nza",
    "token: the design token `color-primary-500`; secret: my-k8s-secret-v2",
    "The secret of good tests is feedback; the token is opaque to clients.",
    "Bearer authentication with short tokens; Authorization: Basic authentication is off",
    "from sk-learn-contrib-imbalanced-learn-extras import it; npm_config_registry_override",
    "kiwi_abcdefghijklmnop234567 and wi_fi_settings_for_the_guest_network",
    "ww_<12 characters>_<52 characters>",
    "-----BEGIN " + "PRIVATE KEY-----\n...\n-----END " + "PRIVATE KEY-----",
    "A PEM file begins with -----BEGIN " + "PRIVATE KEY----- and ends likewise.",
    "eyJ is how a JWT begins; eyJhbGciOi is the start of one",
    "secret_name: prod/db/main-7f3a91, password_file=/run/secrets/db1, token_url: https://x.example/t1",
    "vault: password=vault:secret/db#pass1 or op://vault/item/password1",
    "public_key: hG7kQ2mZ9xW4vB8nT6yR1cJ5fL3dS0aP, cache_key=9f86d081884c7d659a2feaa0c55ad015",
    "partitionKey: hG7kQ2mZ9xW4vB8nT6yR1cJ5fL3dS0aP and the whiskey=hG7kQ2mZ9xW4vB8nT6yR1cJ5fL3d",
    "GPG key 9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B, ssh-ed25519 key SHA256:k7Q2mZ9xW4vB8nT6yR1c",
    "restore key: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b, and another",
    "at token 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b the parser stops",
    "WEATHER_KEY=7f0c1d9e-4b1a-4c58-9f0e-1c2d3e4f5a6b is an id, WEATHER_KEY=winter-2026-in-berlin",
    "pk_live_hG7kQ2mZ9xW4vB8nT6yR1cJ5 may be seen, acme_test_everything_twice_in_2026 is a test",
    "msg_01XFDUDYJgAACzvnptvVoYEL, toolu_01A09q90qw90lq917835lq9, req_k7Q2mZ9xW4vB8nT6yR1c",
    "docker run -u 1000:1000 and --user www-data:www-data; curl -u $USER:$PASS https://x.example",
    "pass `model2vec` to it, Pass `gpt4turbo` on; the token `color-primary-500` is red",
    "pass `include_failed=True` to it; Pass `x1='y2'` as well; pass `message_history1=` on",
    "export PYTHONPATH=$PWD:$PWD/src:path/to/harness1",
    "PIN: 17 is GPIO, spin: 4821, mapping: 123456; the pin is 4 digits",
    "passphrase: the one that is kept in the vault",
    "POSTGRES_PASSWORD=postgres DB_PASSWORD=changeme ROOT_PASSWORD=yourpassword APP_PASS=required",
    "WEB_PASSWORD=${WEB_PASSWORD:?Please-set-it-in.env} and ${DB_PASSWORD:?required-for-backups}",
    "login as admin: see below; root: /var/lib/x1; admin/settings2",
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUV2aG7kQ2mZ9xW4vB8nT6yR1cJ5fL3dS0aP",
    "sed s/$1$2$3/x/ and $5$6, costs $2a year; the mysql -h db -P 3306 -ppassword client",
    "https://hooks.zapier.com/hooks/catch/ and https://a.webhook.office.com/webhookb2/<id>",
    "| `client_credentials` | [OAuth2ClientCredentials](./advanced.md#oauth-20) | `credentials` |",
    "API-KEY, CLOJARS_TOKEN, key-value, pat-the-cat, access-control, sat.nav, cmVmdA, EAAA, K10",
    "xoxb is the prefix of a bot token; SG. is SendGrid's; the SK1 road",
]


@pytest.mark.parametrize(("kind", "secret"), TOKENS)
@pytest.mark.parametrize(
    "around", ["{}", "use {} here", "KEY={}\n", "`{}`, and so on", '"{}"', "({})"]
)
def test_a_token_is_replaced_wherever_it_stands(kind: str, secret: str, around: str) -> None:
    result = redact(around.replace("{}", secret))
    assert result.text == around.replace("{}", f"[redacted:{kind}]")
    assert result.secrets == (SecretCount(kind, 1),)


@pytest.mark.parametrize(("kind", "place", "secret"), PLACES)
def test_a_secret_is_known_by_its_place(kind: str, place: str, secret: str) -> None:
    place = place.replace("{{", "{").replace("}}", "}")
    result = redact(place.replace("{}", secret))
    assert secret not in result.text
    assert f"[redacted:{kind}]" in result.text
    assert SecretCount(kind, 1) in result.secrets


def test_only_the_secret_is_replaced() -> None:
    text = "postgres://app:s3cr3t@db:5432/shop?sslmode=require is the DSN"
    assert redact(text).text == text.replace("s3cr3t", "[redacted:url-password]")


def test_a_value_longer_than_what_is_looked_at_leaves_no_tail() -> None:
    assert redact(f"password: {noise(700)} and").text == "password: [redacted:password] and"


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text).text == text
    assert redact(text).secrets == ()


def test_every_kind_is_counted_once_with_its_number() -> None:
    first, second = "npm_" + noise(36), "npm_" + noise(36)
    result = redact(f"{first} {second} password: hunter2")
    assert result.secrets == (SecretCount("npm-token", 2), SecretCount("password", 1))


def test_every_rule_has_a_case_here() -> None:
    assert {rule.kind for rule in RULES} == {case[0] for case in [*TOKENS, *PLACES]}


def test_neither_the_result_nor_its_findings_tell_the_secret() -> None:
    assert "hunter2" not in repr(redact("password: hunter2"))


SECRETS = [secret for _, secret in TOKENS] + [place.replace("{}", s) for _, place, s in PLACES]
GLUE = [
    "",
    " ",
    "\n",
    "_",
    "-",
    ".",
    ":",
    "=",
    "@",
    "/",
    "a",
    "7",
    "password: ",
    "token=",
    "://",
    '"',
]


def test_a_secret_that_stands_against_another_is_taken_out_too() -> None:
    hashed = "$2b$" + "12$" + noise(53)
    assert redact(hashed + OWN_KEY).text == "[redacted:password-hash][redacted:wellworn-key]"


@given(st.lists(st.sampled_from(SECRETS + GLUE * 4), max_size=8).map("".join))
def test_a_second_time_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once.text).text == once.text
    assert redact(once.text).secrets == ()


@given(
    st.lists(
        st.sampled_from(["and ", "the ", "42 ", "\u00e4 ", "(x) ", "\u4f60\u597d ", "\n"])
    ).map("".join)
)
def test_plain_text_is_unchanged(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.slow
@pytest.mark.parametrize("character", string.punctuation)
def test_repeated_punctuation_is_no_trouble(character: str) -> None:
    for rule in RULES:
        rule.pattern.search(character * 20_000)
    text = character * 1_000_000
    assert redact(text).text == text


NEAR_MATCHES = [
    "password",
    "password:",
    "password for ",
    "password is ",
    "--password ",
    "token=",
    "api key ",
    "secret ",
    "://",
    "://a:",
    "://:@",
    "a:b@",
    "eyJ",
    "eyJaaaaaaaa.",
    ".eyJaaaaaaaa",
    "ghp_",
    "sk-",
    "sk-a",
    "ww_a",
    "wi_",
    "AKIA",
    "Bearer ",
    "authorization: ",
    "authorization: bearer ",
    "aws secret key ",
    "xoxb-",
    "SG.",
    "Q~",
    ":AA",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN " + "A " * 4,
    "-----",
    "-----BEGIN PRIVATE KEY-----\n" + "A" * 64,
    "a1" * 300 + ".",
    "key-",
    "secret: token: ",
    "<password>",
    "=",
    "1//0",
    "hvs.",
    "password=a1b2c3,",
    "curl ",
    "curl -u a:",
    "mysql ",
    "mysql -p",
    "login a password ",
    "root:",
    "admin / ",
    "pin:",
    "passphrase: aaa ",
    "a_key=",
    "x key: ",
    "token `",
    "PASSWORD=aaaaaaaa",
    "$6$a$",
    "$argon2id$v=1$",
    "_live_a1",
    "M" + "a1" * 13 + ".",
    "LS0tLS1CRUdJTi",
    "Private-Lines: 1\n",
    "| token |\n|-|\n",
    "| password | a |\n",
    "kind: Secret\n",
    "data:\n  a: b1c2d3\n",
    "| \\",
    "|",
    "/" * 15 + ".",
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", NEAR_MATCHES)
def test_a_long_text_of_near_matches_is_no_trouble(unit: str) -> None:
    text = unit * (300_000 // len(unit))
    assert len(redact(text).text) <= 2 * len(text)


def test_every_token_has_a_needle_of_its_rule() -> None:
    for kind, secret in TOKENS:
        needles = [needle for rule in RULES if rule.kind == kind for needle in rule.needles]
        assert any(needle in secret or needle in secret.lower() for needle in needles), kind
