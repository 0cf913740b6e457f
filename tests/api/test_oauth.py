"""Programs that are let in by OAuth, and those who try to get in that way."""

from __future__ import annotations

import html
import json
from base64 import urlsafe_b64encode
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from mcp.client.auth.utils import should_use_client_metadata_url
from mcp.shared.auth import OAuthMetadata

from api.test_appointing import appoint
from api.walls import MCP, Caller, closed, founded, kept, send, served, unlimited
from api.world import accepted
from integration.fetch_servers import LOOPBACK, RawServer, answer, make_tls
from oauth_person import OPENED, OWN, Person, find_field, find_way_back, read_answer
from wellworn.application.calls import SERVER_TRAIL, Consents
from wellworn.domain.spaces import ClientDocuments, SpaceSettings
from wellworn.engines.fetch import FetchSettings, claim_port

SITE = "http://127.0.0.1:3200"
CALLBACK = "http://127.0.0.1:33418/callback"
VERIFIER = "v" * 64
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
PUBLIC = "https://memory.example.org"
CROSS = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
LINK = {**CROSS, "sec-fetch-dest": "document"}


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture(scope="module")
def shut():
    """An admin of a server where every call needs a key."""
    with closed() as admin:
        yield admin


@pytest.fixture
def owner(world):
    """An admin of an open space of their own; nobody is signed in."""
    world.client.cookies.clear()
    return founded(world)


@dataclass
class Program:
    """A client that was registered, at the space of whoever lets it in."""

    member: Caller
    client_id: str
    redirect_uri: str = CALLBACK

    @property
    def client(self):
        return self.member.world.client

    @property
    def path(self):
        return f"/mcp/{self.member.space}"

    @property
    def person(self):
        return Person(self.client, self.member.key)

    @property
    def site(self):
        return str(self.client.base_url).rstrip("/")

    def address(self, **more):
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "state": "as/it+was",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "resource": self.site + self.path,
        }
        asked |= more
        return "/authorize?" + urlencode({name: value for name, value in asked.items() if value})

    def allowed(self, **form):
        """Return the code that a member's consent gives."""
        self.client.cookies.clear()
        answer = self.person.consent(self.address(), **form)
        assert answer["state"] == "as/it+was"
        assert answer["iss"] == self.site
        return answer["code"]

    def exchange(self, code, **more):
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code_verifier": VERIFIER,
        }
        return self.client.post("/token", data=form | more)

    def refresh(self, token, **more):
        form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client_id}
        return self.client.post("/token", data=form | more)

    def connected(self, **form):
        """Return the tokens that a member's consent leads to."""
        reply = self.exchange(self.allowed(**form))
        assert reply.status_code == 200, reply.text
        return reply.json()

    def call(self, token, tool="search", path=None, headers=None, **arguments):
        arguments = arguments or {"query": "lamp"}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        message["params"] = {"name": tool, "arguments": arguments}
        sent = MCP | (headers or {"authorization": f"Bearer {token}"})
        return self.client.post(path or self.path, json=message, headers=sent)

    def holds(self, token, **more):
        return self.call(token, **more).status_code == 200


def register(caller, name="Editor", *redirect_uris, **more):
    body = {"client_name": name, "redirect_uris": redirect_uris or [CALLBACK], **more}
    return caller.world.client.post("/register", json=body)


def registered(caller, name="Editor", *redirect_uris):
    reply = register(caller, name, *redirect_uris)
    assert reply.status_code == 201, reply.text
    return Program(caller, reply.json()["client_id"], *redirect_uris[:1])


@pytest.fixture
def editor(owner):
    return registered(owner)


def error_of(reply):
    assert reply.status_code == 400, reply.text
    return reply.json()["error"]


def refusal(reply):
    """Return the code of what a tool refuses."""
    assert reply.status_code == 200, reply.text
    return reply.json()["result"]["structuredContent"]["error"]


# What a client is told that knows an address alone


def test_a_401_leads_to_who_lets_in(owner):
    path = f"/mcp/{owner.space}"
    client = owner.world.client
    challenge = Program(owner, "").call(None, headers={"x": "y"}).headers["www-authenticate"]
    metadata = f"{SITE}/.well-known/oauth-protected-resource{path}"
    assert f'resource_metadata="{metadata}"' in challenge
    assert 'scope="contributor"' in challenge
    assert "invalid_token" not in challenge
    told = client.get(metadata).json()
    assert told["resource"] == SITE + path
    assert told["authorization_servers"] == [SITE]
    server = client.get("/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == SITE
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["token_endpoint_auth_methods_supported"] == ["none"]
    assert server["authorization_response_iss_parameter_supported"] is True
    for name in ("authorization", "token", "registration", "revocation"):
        assert server[f"{name}_endpoint"].startswith(SITE)


def test_a_token_that_does_not_hold_is_told_so_in_one_message_and_in_an_array(owner):
    program = Program(owner, "")
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    sent = MCP | {"authorization": "Bearer wa_no"}
    for body in (message, [message]):
        reply = owner.world.client.post(program.path, json=body, headers=sent)
        assert reply.status_code == 401
        assert 'error="invalid_token"' in reply.headers["www-authenticate"]
        assert "resource_metadata=" in reply.headers["www-authenticate"]


def test_at_the_open_door_nobody_is_asked_for_a_token(world):
    metadata = "/.well-known/oauth-protected-resource"
    for path in ("", "/mcp", "/mcp/ks-default"):
        assert world.client.get(metadata + path).status_code == 404
    assert Program(Caller(world, "", "ks-default"), "").call(None, headers={"x": "y"}).is_success


def test_behind_a_closed_door_the_endpoint_itself_is_the_resource(shut):
    metadata = "/.well-known/oauth-protected-resource"
    for path in ("", "/mcp"):
        assert shut.world.client.get(metadata + path).json()["resource"] == f"{SITE}/mcp"


def test_a_path_cannot_write_into_the_challenge(owner):
    reply = Program(owner, "").call(None, path='/mcp/a"%0d%0ax: y', headers={"x": "y"})
    assert reply.status_code == 401
    assert "x" not in reply.headers
    assert "a%22%0D%0Ax%3A%20y" in reply.headers["www-authenticate"]


def test_a_public_address_is_the_one_that_clients_are_told_and_closes_the_open_door():
    with served(unlimited(public_url=f"{PUBLIC}/")) as world:
        told = world.client.get("/.well-known/oauth-protected-resource/mcp").json()
        assert (told["resource"], told["authorization_servers"]) == (f"{PUBLIC}/mcp", [PUBLIC])
        assert (
            world.client.get("/.well-known/oauth-authorization-server").json()["issuer"] == PUBLIC
        )
        assert (
            Program(Caller(world, "", ""), "").call("", path="/mcp", headers=MCP).status_code == 401
        )
    assert SpaceSettings(public_url=PUBLIC).names == {"memory.example.org"}
    assert SpaceSettings(public_url="HTTPS://Memory.example.org:443/").public_url == PUBLIC
    assert SpaceSettings(public_url="http://[::1]:3200").names == {"[::1]"}


@pytest.mark.parametrize(
    "address",
    [
        *("http://memory.example.org", "memory.example.org", "https://", f"{PUBLIC}/mcp"),
        *(f"{PUBLIC}?a=b", f"{PUBLIC}#a", "https://me@memory.example.org", "ftp://localhost"),
        *("https://memory.example.org:0", "https://memory.example.org:x"),
    ],
)
def test_a_public_address_is_an_origin_with_tls(address):
    with pytest.raises(ValueError, match="public_url"):
        SpaceSettings(public_url=address)


# Registration


@pytest.mark.parametrize(
    "uri",
    [
        *("javascript:alert(1)", "javascript://a/%0aalert(1)", "data:text/html,a", "file:///etc"),
        *("http://evil.example/cb", "http://127.0.0.1.evil.example/cb", "vbscript://a/b"),
        *("https://claude.ai@evil.example/cb", "https://a.example/cb#x", "mailto:a@b.example"),
        *("ms-msdt:/id", "view-source://a/b", "http://127.0.0.1:0/cb", "search-ms://a/b"),
        *("webcal://evil.example/cb", "smb://evil.example/cb", "rtsp://evil.example/cb"),
    ],
)
def test_nobody_registers_an_address_that_no_program_answers(owner, uri):
    assert error_of(register(owner, "Editor", uri)) == "invalid_redirect_uri"
    assert error_of(register(owner, "Editor", CALLBACK, uri)) == "invalid_redirect_uri"


@pytest.mark.parametrize(
    ("uri", "asked"),
    [
        ("http://127.0.0.1/", "http://127.0.0.1:51234/"),
        ("http://127.0.0.1:33418", "http://127.0.0.1:33418/"),
        ("http://localhost:1/cb", "http://localhost:2/cb"),
        ("http://[::1]/cb", "http://[::1]:2/cb"),
        ("https://vscode.dev/redirect", "https://vscode.dev/redirect"),
        ("https://claude.ai/api/cb?a=b", "https://claude.ai/api/cb?a=b"),
        ("vscode://publisher.name/did", "vscode://publisher.name/did"),
        ("cursor://anysphere.cursor-retrieval/oauth/cb", ""),
        ("com.example.app:/cb", ""),
    ],
)
def test_an_editor_is_led_back_as_it_registered(owner, uri, asked):
    program = registered(owner, "Editor", uri)
    program.redirect_uri = asked or uri
    way_back = find_way_back(program.person.answer(program.person.look(program.address())))
    assert way_back.startswith(program.redirect_uri)
    assert program.exchange(read_answer_of(way_back)).is_success


def read_answer_of(way_back):
    return parse_qs(urlsplit(way_back).query)["code"][0]


@pytest.mark.parametrize(
    ("uri", "asked"),
    [
        (CALLBACK, "http://127.0.0.1:33418/other"),
        (CALLBACK, "http://127.0.0.1:33418/callback?x=y"),
        (CALLBACK, "http://localhost:33418/callback"),
        (CALLBACK, "https://127.0.0.1:33418/callback"),
        ("https://a.example/cb", "https://a.example:444/cb"),
        ("https://a.example/cb", "https://a.example.evil.example/cb"),
        ("https://a.example/cb", "https://b.a.example/cb"),
        ("vscode://a.b/did", "vscode://a.c/did"),
        ("vscode://a.b/did", "cursor://a.b/did"),
        (CALLBACK, ""),
    ],
)
def test_nobody_is_led_elsewhere_than_a_client_registered(owner, uri, asked):
    program = registered(owner, "Editor", uri)
    reply = program.client.get(program.address(redirect_uri=asked), follow_redirects=False)
    assert error_of(reply) == "invalid_request"
    assert "location" not in reply.headers


def test_registrations_are_bounded_and_kept_nowhere(owner):
    before = kept(owner.world)
    for _ in range(5):
        program = registered(owner)
        program.client.get(program.address(), follow_redirects=False)
    assert kept(owner.world) == before
    many = [f"{CALLBACK}/{number}" for number in range(11)]
    assert error_of(register(owner, "Editor", *many)) == "invalid_redirect_uri"
    assert (
        error_of(register(owner, "Editor", f"{CALLBACK}?{'x' * 2_000}")) == "invalid_redirect_uri"
    )
    assert register(owner, "x" * 20_000).status_code == 413
    assert len(registered(owner, "x" * 10_000).client_id) < 400
    nested = b'{"redirect_uris": ["%s"], "jwks": %s}' % (CALLBACK.encode(), b"[" * 7_000)
    assert owner.world.client.post("/register", content=nested).status_code == 400


def test_a_client_gets_no_secret_and_nobody_makes_up_an_id(editor):
    told = register(editor.member, token_endpoint_auth_method="client_secret_post").json()
    assert told["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in told
    for made_up in ("x", editor.client_id[:-4] + "AAAA", "\u00e9", "A" * 9_000, "%00"):
        reply = editor.client.get(editor.address(client_id=made_up), follow_redirects=False)
        assert error_of(reply) == "invalid_request"
        assert reply.headers["content-type"] == "application/json"
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_whoever_registers_without_end_waits():
    with served(unlimited(administration_a_minute=3)) as world:
        owner = Caller(world, "", "")
        statuses = [register(owner).status_code for _ in range(4)]
        assert statuses == [201, 201, 201, 429]
        waiting = world.client.post("/token", data={"client_id": "x"})
        assert waiting.status_code == 429
        assert waiting.headers["retry-after"]


# Clients whose id is the address of what describes them


def write_document(site, **more):
    body = {
        "client_id": site.address,
        "client_name": "Editor",
        "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "none",
    }
    return json.dumps({name: each for name, each in (body | more).items() if each is not None})


class Site:
    """A site on this machine that describes a client."""

    def __init__(self, tls):
        self.answer = b""
        self.server = RawServer(lambda asked, send: send(self.answer), tls=tls)

    @property
    def address(self):
        return self.server.url("/client.json", host="localhost")

    def tell(self, body, status=200, content_type="application/json", **headers):
        headers = {"content_type": content_type, **headers}
        self.answer = answer(status, body.encode(), **headers)


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    return make_tls(tmp_path_factory.mktemp("tls") / "site.pem", "localhost")


@pytest.fixture
def site(tls):
    site = Site(tls[0])
    with closing(site.server):
        site.tell(write_document(site))
        yield site


@pytest.fixture
def described(owner, site, tls, monkeypatch):
    """A client that names its address, where an admin allows that."""
    documents = ClientDocuments(FetchSettings(private_networks=LOOPBACK), tls=tls[1])
    monkeypatch.setattr(owner.world.app.connections, "documents", documents)
    return Program(owner, site.address)


def read_metadata(client):
    told = client.get("/.well-known/oauth-authorization-server").json()
    return OAuthMetadata.model_validate(told)


def is_let_ask(program, **more):
    """Tell whether a client is led to the page of consent."""
    reply = program.client.get(program.address(**more), follow_redirects=False)
    if reply.status_code == 400:
        assert reply.json()["error"] == "invalid_request"
        assert "location" not in reply.headers
    return reply.status_code == 302


def test_a_client_may_be_named_by_an_address_where_an_admin_allows_it(described, site):
    assert should_use_client_metadata_url(read_metadata(described.client), site.address)
    page = described.person.look(described.address())
    assert "Let Editor in?" in page.text
    assert f"It is described at <strong><bdi>localhost:{site.server.port}<" in page.text
    tokens = described.exchange(read_answer(described.person.answer(page))["code"]).json()
    assert described.holds(tokens["access_token"])
    [asked] = site.server.asked
    assert asked.path == "/client.json"

    # What it holds is bound to the address: nobody has to be asked again.
    site.server.close()
    renewed = described.refresh(tokens["refresh_token"]).json()
    assert described.holds(renewed["access_token"])
    other = Program(described.member, site.address + "x")
    assert error_of(other.refresh(renewed["refresh_token"])) == "invalid_grant"
    form = {"token": renewed["refresh_token"], "client_id": described.client_id}
    assert described.client.post("/revoke", data=form).status_code == 200
    assert not described.holds(renewed["access_token"])
    assert len(site.server.asked) == 1


def test_a_client_is_led_where_its_document_says_and_nowhere_else(described):
    assert is_let_ask(described)
    assert not is_let_ask(described, redirect_uri="https://evil.example/cb")


@pytest.mark.parametrize(
    "more",
    [
        {"client_id": "https://editor.example/client.json"},
        {"client_id": None},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"redirect_uris": [f"{CALLBACK}/{number}" for number in range(11)]},
        {"redirect_uris": []},
        {"redirect_uris": "x"},
        {"redirect_uris": None},
        {"client_secret": "s"},
        {"token_endpoint_auth_method": "client_secret_basic"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"client_name": "x" * 20_000},
    ],
)
def test_a_document_that_does_not_describe_its_client_lets_nobody_ask(described, site, more):
    site.tell(write_document(site, **more))
    assert not is_let_ask(described)
    assert len(site.server.asked) == 1


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("", {}),
        ("[]", {}),
        ("[" * 9_000, {}),
        (None, {"content_type": "text/html"}),
        (None, {"status": 404}),
        (None, {"status": 500}),
        (None, {"status": 302, "location": "/client.json?again"}),
        (None, {"status": 301, "location": "https://editor.example/client.json"}),
    ],
)
def test_what_is_no_document_lets_nobody_ask(described, site, body, told):
    site.tell(write_document(site) if body is None else body, **told)
    assert not is_let_ask(described)
    assert len(site.server.asked) == 1


def test_addresses_that_no_document_has_are_never_asked(described, site):
    for address in (
        site.address.replace("https:", "http:"),
        site.server.url("", host="localhost"),
        site.server.url("/", host="localhost"),
        site.server.url("/a/../client.json", host="localhost"),
        site.server.url("/./client.json", host="localhost"),
        f"{site.address}#a",
        site.address.replace("//", "//me@"),
        f"{site.address}?{'x' * 500}",
        f"{site.address}\u00e9",
        f"{site.address} ",
        "https://[",
    ):
        assert not is_let_ask(described, client_id=address)
    assert site.server.heads == []


def test_unless_an_admin_allows_it_no_address_is_asked(owner, site):
    metadata = read_metadata(owner.world.client)
    assert not should_use_client_metadata_url(metadata, site.address)
    assert not is_let_ask(Program(owner, site.address))
    assert site.server.heads == []
    with served(unlimited(client_documents=True)) as world:
        assert should_use_client_metadata_url(read_metadata(world.client), site.address)


def test_private_addresses_and_the_server_itself_are_never_asked(described, site, tls):
    connections = described.member.world.app.connections
    with claim_port(site.server.port):
        assert not is_let_ask(described)
    connections.documents = ClientDocuments(FetchSettings(), tls=tls[1])
    assert not is_let_ask(described)
    assert site.server.heads == []


def test_a_site_that_does_not_answer_is_waited_for_no_longer_than_allowed(described, site, tls):
    site.server._answer = lambda _asked, _send: site.server.stopped.wait()
    settings = FetchSettings(private_networks=LOOPBACK, deadline_s=0.5)
    connections = described.member.world.app.connections
    connections.documents = ClientDocuments(settings, tls=tls[1])
    assert not is_let_ask(described)


# Consent


def test_the_page_names_the_program_where_it_is_and_what_it_gets(editor):
    page = editor.person.look(editor.address())
    text = html.unescape(page.text)
    assert "Let Editor in?" in text
    assert "127.0.0.1:33418" in text
    assert "contributor in lab: asks, adds and judges" in text
    assert f'value="contributor {editor.member.space}" selected' in text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"


def test_the_page_names_what_a_scheme_of_a_program_is_followed_by(owner):
    program = registered(owner, "Editor", "vscode://publisher.name/did")
    program.redirect_uri = "vscode://publisher.name/did"
    text = html.unescape(program.person.look(program.address()).text)
    assert "vscode://publisher.name" in text
    assert "is opened by a program" in text


def test_a_browser_that_is_signed_in_is_not_asked_for_the_key_again(editor):
    editor.person.look(editor.address())
    assert 'name="key"' not in editor.person.open(editor.address()).text


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "{{ 7 * 7 }}",
        "Claude\u202e\u200b\x1b[31m\nAllow",
        "Trusted by your admin. Press Allow to go on, or your memory is erased within a day.",
        "",
        "\u200b\u202e",
    ],
)
def test_a_hostile_name_is_text_and_short(owner, name):
    program = registered(owner, name)
    page = program.person.look(program.address())
    done = program.person.answer(page)
    for each in (page, done):
        assert "<script>alert" not in each.text
        assert "<img" not in each.text
        assert "49" not in each.text.partition("<h1")[2].partition("</h1>")[0]
        assert not set("\u202e\u200b\x1b") & set(each.text)
        assert "or your memory is erased" not in each.text
    tokens = program.exchange(read_answer(done)["code"]).json()
    [listed] = [each for each in list_keys(owner) if each["kid"] == kid_of(tokens)]
    assert len(listed["label"]) <= 100
    assert listed["label"].isprintable()


def list_keys(caller):
    return caller.get("credentials").json()["credentials"]


def kid_of(tokens):
    return tokens["access_token"].split("_")[1]


def test_no_is_told_only_by_who_follows_the_link(editor):
    before = kept(editor.member.world)["oauth_connections"]
    page = editor.person.answer(editor.person.look(editor.address()), "deny")
    assert read_answer(page) == {"error": "access_denied", "state": "as/it+was", "iss": SITE}
    assert "http-equiv" not in page.text
    assert kept(editor.member.world)["oauth_connections"] == before


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://127.0.0.1:3000"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
    ],
)
def test_a_form_of_another_page_lets_nobody_in(editor, headers):
    page = editor.person.look(editor.address())
    before = kept(editor.member.world)["oauth_connections"]
    form = {"request": find_field(page.text, "request"), "decision": "allow"}
    form["grant"] = f"contributor {editor.member.space}"
    reply = editor.client.post("/ui/connect", data=form, headers=headers)
    assert reply.status_code in {400, 403}
    assert kept(editor.member.world)["oauth_connections"] == before
    assert editor.client.post("/ui/connect", data=form, headers=OWN).status_code == 200


def test_a_request_without_a_session_lets_nobody_in(editor):
    page = editor.person.look(editor.address())
    editor.client.cookies.clear()
    assert editor.person.answer(page).status_code == 401


def test_a_site_leads_to_the_page_by_a_link_and_its_frame_does_not(editor):
    reply = editor.client.get(editor.address(), headers=LINK, follow_redirects=False)
    onward = editor.client.get(reply.headers["location"], headers=LINK, follow_redirects=False)
    # Where the strict cookie was left behind, a page of this site leads on to itself.
    assert onward.status_code == 200
    assert "http-equiv" in onward.text
    assert 'name="key"' in editor.person.open(find_way_back(onward)).text
    framed = {**CROSS, "sec-fetch-dest": "iframe"}
    assert editor.client.get(editor.address(), headers=framed).status_code == 403
    posted = editor.client.post("/authorize", headers=LINK, data={})
    assert posted.status_code == 403


@pytest.mark.parametrize(
    "more",
    [
        {"code_challenge": ""},
        {"code_challenge": VERIFIER},
        {"code_challenge_method": "plain"},
        {"response_type": "token"},
        {"state": "x" * 1_001},
        {"resource": "https://evil.example/mcp"},
        {"resource": f"{SITE}/mcpx"},
        {"resource": f"{SITE}/mcp/a/b"},
        {"resource": f"{SITE}/api/v1"},
        {"resource": f"{SITE}/mcp#a"},
        {"resource": "mcp"},
    ],
)
def test_a_faulty_request_is_told_where_it_was_made_and_leads_nowhere(editor, more):
    reply = editor.client.get(editor.address(**more), follow_redirects=False)
    assert error_of(reply) in {"invalid_request", "invalid_target", "unsupported_response_type"}
    assert "location" not in reply.headers


def test_a_request_for_consent_ends_and_cannot_be_made_up(editor):
    address = editor.person.open(editor.address()).url
    page = editor.person.look(editor.address())
    editor.member.world.clock.advance(601)
    assert editor.person.answer(page).status_code == 400
    assert editor.client.get(str(address), headers=OPENED).status_code in {200, 400}
    for made_up in ("", "x", editor.client_id):
        reply = editor.client.get("/ui/connect", params={"request": made_up}, headers=OPENED)
        assert reply.status_code == 400


def test_a_member_grants_no_more_than_they_may_and_the_program_asks_for(owner):
    reader = owner.guest("reader")
    program = registered(reader)
    page = program.person.look(program.address())
    assert "contributor in" not in page.text
    for role in ("contributor", "admin", "owner", ""):
        assert program.person.answer(page, grant=f"{role} {owner.space}").status_code in {400, 403}
    assert program.connected()["scope"] == "reader"

    modest = registered(owner)
    modest.client.cookies.clear()
    page = modest.person.look(modest.address(scope="reader offline_access"))
    assert modest.person.answer(page, grant=f"admin {owner.space}").status_code == 403
    assert modest.person.answer(page).status_code == 200


def test_a_limited_key_lets_programs_in_within_its_limits(owner):
    child = owner.child(role="reader")
    program = registered(child)
    assert program.connected()["scope"] == "reader"
    elsewhere = founded(owner.world, "elsewhere")
    page = program.person.look(program.address())
    refused = program.person.answer(page, grant=f"reader {elsewhere.space}")
    assert refused.status_code == 404
    other = Program(owner, program.client_id)
    other.client.cookies.clear()
    address = other.address(resource=f"{SITE}/mcp/{elsewhere.space}")
    assert other.person.look(address).status_code == 404


def test_what_was_narrowed_to_reading_stores_nothing(editor):
    tokens = editor.connected(grant=f"reader {editor.member.space}")
    assert tokens["scope"] == "reader"
    assert editor.holds(tokens["access_token"])
    stored = editor.call(tokens["access_token"], "remember", content="The lamp is blue.")
    assert refusal(stored)["code"] == "FORBIDDEN"


def test_without_a_space_in_the_address_the_member_chooses_one(shut):
    other = founded_there(shut)
    program = registered(shut)
    program.client.cookies.clear()
    address = program.address(resource=f"{SITE}/mcp")
    page = program.person.look(address)
    assert 'value="contributor ks-default" selected' in page.text
    done = program.person.answer(page, grant=f"contributor {other}")
    tokens = program.exchange(read_answer(done)["code"]).json()
    stored = program.call(
        tokens["access_token"], "remember", path="/mcp", content="The cup is red."
    )
    assert stored.json()["result"]["structuredContent"]["thought_id"]
    inside = shut.get("thoughts", headers={"wellworn-space": other}).json()["thoughts"]
    assert [each["content"] for each in inside] == ["The cup is red."]
    default = {"authorization": f"Bearer {tokens['access_token']}", "wellworn-space": "ks-default"}
    assert refusal(program.call(None, path="/mcp", headers=default))["code"] == "SPACE_NOT_FOUND"


def founded_there(admin):
    return admin.post("spaces", {"name": "pool"}).json()["space"]["id"]


# Codes and tokens


def test_a_token_opens_its_resource_and_nothing_else(editor):
    tokens = editor.connected()
    access = tokens["access_token"]
    assert tokens["token_type"] == "Bearer"
    assert tokens["expires_in"] == 3600
    assert editor.holds(access)
    assert editor.call(access, path="/mcp").status_code == 401
    assert editor.call(access, path="/mcp/ks-default").status_code == 401
    for headers in ({"authorization": f"Bearer {access}"}, {"x-api-key": access}):
        for path in ("thoughts", "credentials", "spaces"):
            named = headers | {"wellworn-space": editor.member.space}
            reply = send(editor.member.world, "GET", path, headers=named)
            assert reply.status_code == 401
    signing = {"key": access, "next": "/ui"}
    assert editor.client.post("/ui/sign-in", data=signing, headers=OWN).status_code == 401
    assert editor.call(tokens["refresh_token"]).status_code == 401


def test_a_code_is_bound_to_its_verifier_its_client_its_address_and_its_resource(editor):
    code = editor.allowed()
    other = registered(editor.member)
    assert error_of(editor.exchange(code, code_verifier="w" * 64)) == "invalid_grant"
    assert error_of(other.exchange(code)) == "invalid_grant"
    elsewhere = "http://127.0.0.1:33419/callback"
    assert error_of(editor.exchange(code, redirect_uri=elsewhere)) == "invalid_request"
    assert error_of(editor.exchange(code, resource=f"{SITE}/mcp")) == "invalid_target"
    assert error_of(editor.exchange(code[:-3] + "aaa")) == "invalid_grant"
    right = editor.exchange(code, resource=f"{SITE}{editor.path}")
    assert right.is_success
    assert right.headers["cache-control"] == "no-store"


def test_a_code_that_comes_twice_ends_what_it_gave(editor):
    code = editor.allowed()
    tokens = editor.exchange(code).json()
    assert editor.holds(tokens["access_token"])
    assert error_of(editor.exchange(code)) == "invalid_grant"
    assert not editor.holds(tokens["access_token"])
    assert error_of(editor.refresh(tokens["refresh_token"])) == "invalid_grant"


def test_of_a_code_that_comes_twice_at_once_nothing_is_left(editor, monkeypatch):
    def find(consents, code, client):
        """Find it as one does who comes before the other has used it."""
        return consents._connections.find_by_code(code, client)

    monkeypatch.setattr(Consents, "find_by_code", find)
    code = editor.allowed()
    tokens = editor.exchange(code).json()
    assert editor.holds(tokens["access_token"])
    assert error_of(editor.exchange(code)) == "invalid_grant"
    assert not editor.holds(tokens["access_token"])


def test_a_code_lasts_a_minute(editor):
    code = editor.allowed()
    editor.member.world.clock.advance(61)
    assert error_of(editor.exchange(code)) == "invalid_grant"
    assert "Editor" not in json.dumps(list_keys(editor.member))


def test_an_hour_is_renewed_and_a_used_refresh_token_ends_it_all(editor):
    first = editor.connected()
    editor.member.world.clock.advance(3601)
    assert not editor.holds(first["access_token"])
    elsewhere = editor.refresh(first["refresh_token"], resource=f"{SITE}/mcp")
    assert error_of(elsewhere) == "invalid_target"
    other = registered(editor.member)
    assert error_of(other.refresh(first["refresh_token"])) == "invalid_grant"
    second = editor.refresh(first["refresh_token"]).json()
    third = editor.refresh(second["refresh_token"], scope="contributor").json()
    assert editor.holds(third["access_token"])
    assert not editor.holds(second["access_token"])
    # Whoever has the first one stole it, or was stolen from.
    assert error_of(editor.refresh(first["refresh_token"])) == "invalid_grant"
    assert not editor.holds(third["access_token"])
    assert error_of(editor.refresh(third["refresh_token"])) == "invalid_grant"


def test_a_made_up_refresh_token_ends_nothing(editor):
    tokens = editor.connected()
    other = registered(editor.member).connected()["refresh_token"]
    made_up = f"wr_{kid_of(tokens)}_{other.split('_')[2]}"
    assert error_of(editor.refresh(made_up)) == "invalid_grant"
    assert editor.holds(tokens["access_token"])


def test_a_connection_ends_after_ninety_days_and_with_what_let_it_in(owner):
    short = owner.child(lifetime_s=7_200)
    program = registered(short)
    tokens = program.connected()
    lasting = registered(owner).connected()
    owner.world.clock.advance(7_201)
    assert error_of(program.refresh(tokens["refresh_token"])) == "invalid_grant"
    program = registered(owner)
    tokens = program.connected()
    owner.world.clock.advance(90 * 86_400)
    assert error_of(program.refresh(tokens["refresh_token"])) == "invalid_grant"
    owner.world.app.connections.drop_ended()
    left = json.dumps([row[0] for row in kept(owner.world)["oauth_connections"]])
    assert kid_of(tokens) not in left
    assert kid_of(lasting) not in left


@pytest.mark.parametrize("hint", ["access_token", "refresh_token", ""])
def test_a_program_gives_back_what_it_has_and_not_anothers(editor, hint):
    tokens = editor.connected()
    token = tokens[hint or "refresh_token"]
    other = registered(editor.member)
    form = {"token": token, "client_id": other.client_id}
    assert editor.client.post("/revoke", data=form).status_code == 200
    assert editor.holds(tokens["access_token"])
    form |= {"client_id": editor.client_id, "token_type_hint": hint}
    assert editor.client.post("/revoke", data=form).status_code == 200
    assert not editor.holds(tokens["access_token"])
    assert editor.client.post("/revoke", data=form).status_code == 200
    assert editor.client.post("/revoke", data={**form, "client_id": "x"}).status_code == 401


def test_it_is_listed_with_the_keys_and_revoked_there(editor):
    tokens = editor.connected()
    kid = kid_of(tokens)
    [listed] = [each for each in list_keys(editor.member) if each["kid"] == kid]
    assert listed["label"] == f"Editor ({CALLBACK})"
    assert listed["spaces"] == [editor.member.space]
    assert listed["parent"] == editor.member.kid
    page = editor.client.get(f"/ui/{editor.member.space}/spaces").text
    assert f"Editor ({CALLBACK})" in html.unescape(page)
    assert editor.member.send("DELETE", f"credentials/{kid}").is_success
    assert not editor.holds(tokens["access_token"])
    assert error_of(editor.refresh(tokens["refresh_token"])) == "invalid_grant"
    trail = editor.member.world.app.guard.audit.entries(SERVER_TRAIL, limit=10_000)
    said = [each.entry.action for each in trail if kid in each.entry.targets]
    assert said == ["credential.created", "credential.revoked"]


def test_it_ends_with_the_key_and_with_the_membership(owner):
    guest = owner.guest()
    program = registered(guest)
    tokens = program.connected()
    owner.send("DELETE", f"spaces/{owner.space}/members/{guest.member_id}")
    assert refusal(program.call(tokens["access_token"]))["code"] == "SPACE_NOT_FOUND"

    child = owner.child()
    program = registered(child)
    tokens, code = program.connected(), program.allowed()
    owner.send("DELETE", f"credentials/{child.kid}")
    assert not program.holds(tokens["access_token"])
    assert error_of(program.refresh(tokens["refresh_token"])) == "invalid_grant"
    assert error_of(program.exchange(code)) == "invalid_grant"


def test_it_may_less_as_soon_as_its_member_may_less(owner):
    guest = owner.guest()
    program = registered(guest)
    token = program.connected()["access_token"]
    accepted(appoint(owner, guest, "reader"))
    stored = program.call(token, "remember", content="The lamp is blue.")
    assert refusal(stored)["code"] == "FORBIDDEN"


def test_no_sealed_space_is_opened_by_a_token(owner):
    sealed = founded(owner.world, "vault", sealed=True)
    program = registered(sealed)
    page = program.person.look(program.address())
    assert page.status_code == 403
    assert "opens only with a member's key" in html.unescape(page.text)

    editor = registered(owner)
    editor.client.cookies.clear()
    page = editor.person.look(editor.address())
    forced = editor.person.answer(page, grant=f"contributor {sealed.space}")
    assert forced.status_code == 404
    tokens = editor.exchange(read_answer(editor.person.answer(page))["code"]).json()
    assert editor.holds(tokens["access_token"])
    assert owner.post(f"spaces/{owner.space}/seal").is_success
    refused = refusal(editor.call(tokens["access_token"]))
    assert refused["code"] == "SPACE_LOCKED"
    assert "member's key" in refused["message"]


def test_nothing_that_opens_anything_is_stored(editor):
    code = editor.allowed()
    first = editor.exchange(code).json()
    second = editor.refresh(first["refresh_token"]).json()
    stored = repr(kept(editor.member.world))
    for tokens in (first, second):
        for name in ("access_token", "refresh_token"):
            assert tokens[name].split("_")[2] not in stored
    assert code.split("_")[2] not in stored
    assert editor.client_id not in stored


def test_a_key_lets_in_a_bounded_number(editor, monkeypatch):
    monkeypatch.setattr("wellworn.domain.spaces.connections.MOST_CONNECTIONS", 2)
    for _ in range(2):
        editor.connected()
    page = editor.person.answer(editor.person.look(editor.address()))
    assert page.status_code == 400
    assert "revoke one of them first" in html.unescape(page.text)


def test_codes_that_nobody_fetches_make_room(editor):
    codes: list[str] = []
    for _ in range(21):
        codes.append(editor.allowed())
        editor.member.world.clock.advance(1)
    waiting = [row for row in kept(editor.member.world)["oauth_connections"] if None in row]
    assert len([row for row in waiting if row[1] == editor.member.kid]) == 20
    assert error_of(editor.exchange(codes[0])) == "invalid_grant"
    assert editor.exchange(codes[-1]).is_success
