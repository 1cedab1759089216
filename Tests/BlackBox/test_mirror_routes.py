"""Mirror routes of contracts: an API in its own form, signed, kept, and with links that stay here."""
import json
import socket

import pytest
import requests

from program import Program
from scripted import answer
from talk import Mirrored, Talk

KEY = "canary-4711-secret"

CONTRACT = """
openapi: 3.1.0
info: {title: Things, version: "1"}
x-sluice-upstreams:
  things:
    url: ${THINGS_URL}/base
    aliases: [https://things.example/base]
    auth: {type: query, name: key, value: "${THINGS_KEY}"}
    cache: {ttl: 1h}
  plain:
    url: ${THINGS_URL}/plain
    auth: {type: header, name: X-Token, value: "${THINGS_KEY}"}
  bare:
    url: ${THINGS_URL}/bare
paths:
  /things/{id}:
    get:
      operationId: getThing
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      x-sluice: {upstream: things}
      responses: {"200": {description: A thing.}}
  /mirror/things/{rest}:
    x-sluice: {upstream: things, mirror: true, links: rewrite}
    parameters: [{name: rest, in: path, required: true, schema: {type: string}}]
    get: {operationId: mirrorThings, responses: {default: {description: Anything.}}}
  /mirror/things/own/{id}:
    get:
      operationId: getOwn
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      x-sluice: {upstream: things, path: "/other/{id}"}
      responses: {"200": {description: A thing.}}
  /mirror/plain/{rest}:
    parameters: [{name: rest, in: path, required: true, schema: {type: string}}]
    get:
      operationId: mirrorPlain
      x-sluice: {upstream: plain, mirror: true, path: "/v2/{rest}", limits: {body: 1KiB}}
      responses: {default: {description: Anything.}}
  /mirror/bare/{rest}:
    parameters: [{name: rest, in: path, required: true, schema: {type: string}}]
    get:
      operationId: mirrorBare
      x-sluice: {upstream: bare, mirror: true}
      responses: {default: {description: Anything.}}
"""


@pytest.fixture(scope="module")
def things(tmp_path_factory):
    """Talks by mirror and path: things("bare", "/x") is heard by the upstream at /bare/x."""
    path = tmp_path_factory.mktemp("mirror") / "things.yaml"
    path.write_text(CONTRACT)
    mirrored = Mirrored()
    bases = {"things": "/base", "plain": "/plain/v2", "bare": "/bare"}
    with Program("serve", str(path), "--port", "0", "--workers", "2", "--log-format", "json",
                 env={"THINGS_URL": mirrored.upstream.url, "THINGS_KEY": KEY}) as program:
        def talk(name, path):
            return MirrorTalk(program.port, mirrored, bases[name] + path, "/mirror/" + name + path)
        talk.program, talk.mirrored = program, mirrored
        yield talk
        assert KEY not in program.log
    mirrored.close()


class MirrorTalk(Talk):
    """Asks another path than the upstream hears."""

    def __init__(self, port, mirrored, heard, asked):
        super().__init__(port, mirrored, heard)
        self.asked = asked

    def ask(self, *fields, **more):
        path, self.prefix = self.path, ""
        try:
            heard, before = self.path, len(self.seen)
            self.path = self.asked
            got = super().ask(*fields, **more)
        finally:
            self.path = path
        got.calls = self.seen[before:]
        got.is_hit = not got.calls
        assert KEY not in repr(got.lines) and KEY.encode() not in got.body, heard
        return got


def raw(port, text):
    """The status line that raw bytes are answered with."""
    with socket.create_connection(("127.0.0.1", port), 20) as client:
        client.sendall(text)
        return client.recv(65536).split(b"\r\n")[0].decode()


# The way there

@pytest.mark.parametrize("path", [
    "/a", "/", "/a/b/", "//a//b", "/a%2Fb", "/a%2fb/%20", "/a;v=1/b", "/%E4", "/a.b/..c/...", "/a%3Fb%23", "/:@!$&'()*+,=", "/%25",
])
def test_the_rest_goes_on_as_it_came(things, path):
    talk = things("bare", path).says()
    got = talk.ask(query="?x=%2f&&y=+&x")
    assert (got.status, got.calls[0].target) == (200, "/bare" + path + "?x=%2f&&y=+&x")


def test_the_rest_may_be_empty(things):
    talk = things("bare", "/").says(body=b"root")
    talk.asked = "/mirror/bare"
    assert talk.ask().body == b"root"


@pytest.mark.parametrize("rest", [
    "..", ".", "../x", "a/../../x", "a/./b", "%2e%2e/x", ".%2e/x", "%2E%2E%2Fx", "a%2f..%2fx", "..%5cx", "a%5c..%5cx", "..;x/y", "%2e%2e;/y",
    "%252e%252e/x", "%25252e%25252e/x", "a/..", "..%2f..%2fetc", "%2525252525252e",
])
def test_nothing_outside_of_the_base_is_reached(things, rest):
    before = len(things.mirrored.upstream.calls)
    status = raw(things.program.port, f"GET /mirror/bare/{rest} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    assert " 400 " in status and len(things.mirrored.upstream.calls) == before


def test_routes_win_over_mirrors(things):
    things.mirrored.default["/base/other/7"] = answer({"id": "7"})
    got = requests.get(things.program.url + "/mirror/things/own/7")
    assert got.json() == {"id": "7"}
    assert requests.post(things.program.url + "/mirror/things/own/7").status_code == 405
    assert requests.get(things.program.url + "/mirror/nothing/7").status_code == 404


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"])
def test_every_method_goes_on(things, method):
    talk = things("plain", f"/methods/{method}").says("X-A: 1", status="201 Created")
    body = None if method in ("GET", "HEAD") else b"content"
    got = talk.ask("Content-Type: text/x", method=method, body=body)
    assert (got.status, got["X-A"], got.calls[0].method, got.calls[0].body) == (201, "1", method, body or b"")
    assert got.calls[0].fields["content-type"] == "text/x" and got.calls[0].fields["x-token"] == KEY


def test_content_has_the_routes_limit(things):
    talk = things("plain", "/large")
    got = talk.ask(method="POST", body=b"x" * 1025)
    assert (got.status, got.calls) == (413, [])


def test_a_clients_own_signature_is_replaced(things):
    talk = things("things", "/signed").says("Cache-Control: max-age=60", "Content-Type: text/plain")
    got = talk.ask(query="?key=mine&a=1&%6bey=mine")
    assert got.calls[0].target == f"/base/signed?a=1&key={KEY}"
    assert talk.ask(query="?a=1&key=other").is_hit
    talk = things("plain", "/signed").says()
    assert talk.ask("X-Token: mine").calls[0].fields["x-token"] == KEY


def test_what_a_client_says_of_its_way_ends_here(things):
    talk = things("bare", "/way").says()
    fields = talk.ask("X-Forwarded-For: 10.0.0.1", "Forwarded: for=10.0.0.1", "X-Real-IP: 1", "Connection: X-Hop", "X-Hop: 1", "X-End: 1",
                      "Via: 1.1 near").calls[0].fields
    assert not {"x-forwarded-for", "forwarded", "x-real-ip", "x-hop", "connection"} & set(fields)
    assert fields["x-end"] == "1" and fields["host"] == f"127.0.0.1:{talk.mirrored.upstream.port}"


def test_a_circle_is_cut(things):
    via = ", ".join(["1.1 sluice"] * 8)
    assert things("bare", "/circle").ask(f"Via: {via}").status == 508


def test_the_last_one_that_may_answer(things):
    talk = things("bare", "/last").says()
    assert talk.ask("Max-Forwards: 0", method="OPTIONS").calls == []
    assert talk.ask("Max-Forwards: 5", method="OPTIONS").calls[0].fields["max-forwards"] == "4"


@pytest.mark.parametrize("text", [
    "GET /mirror/bare/x HTTP/1.1\r\nHost: a\r\nX-A: 1\rX-B: 2\r\n\r\n", "GET /mirror/bare/x HTTP/1.1\r\nHost: a\r\nX-A: 1\nX-B: 2\r\n\r\n",
    "GET /mirror/bare/x HTTP/1.1\r\nHost: a\r\nX-A: 1\0\r\n\r\n", "GET /mirror/bare/a\tb HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /mirror/bare/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /mirror/bare/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
    "POST /mirror/bare/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "GET /mirror/bare/x#y HTTP/1.1\r\nHost: a\r\n\r\n", "GET /mirror/bare/%zz HTTP/1.1\r\nHost: a\r\n\r\n",
])
def test_what_two_readers_could_read_differently_never_gets_there(things, text):
    before = len(things.mirrored.upstream.calls)
    status = raw(things.program.port, text.encode())
    assert status.split(" ")[1] in ("400", "501") and len(things.mirrored.upstream.calls) == before


# The way back

def test_links_stay_here(things):
    base, here = things.mirrored.upstream.url + "/base", things.program.url + "/mirror/things"
    links = {base + "/a/1?x=2": here + "/a/1?x=2", "https://things.example/base/b": here + "/b", "http://things.example/base": here + "/",
             base + "x": base + "x", base + "/../x": base + "/../x", "https://elsewhere.example/base/b": None, "see " + base + "/a": None,
             "/base/a": None, base.upper().replace("/BASE", "/base/a"): here + "/a", base + "/a#f": here + "/a#f"}
    talk = things("things", "/links").says("Content-Type: application/json; charset=utf-8", "ETag: \"a\"", "Content-Digest: x=:YQ==:",
                                           f"Location: {base}/c", "Content-Location: /base/d", f"Link: <{base}/e>; rel=next, <https://f.example/>",
                                           body=json.dumps({"all": list(links), "n": 1.10, "deep": [[{"a": base}]]}).encode())
    got = talk.ask()
    found = json.loads(got.body)
    assert found["all"] == [there or link for link, there in links.items()] and found["deep"] == [[{"a": here + "/"}]]
    assert (got["Location"], got["Content-Location"]) == (here + "/c", here + "/d")
    assert got["Link"] == f"<{here}/e>; rel=next, <https://f.example/>"
    assert (got["ETag"], got["Content-Digest"], int(got["Content-Length"])) == ('W/"a"', None, len(got.body))
    again = talk.ask("If-None-Match: W/\"a\"")
    assert (again.status, again["ETag"], again.is_hit) == (304, 'W/"a"', True)
    assert talk.ask("Range: bytes=0-3").status == 200
    assert talk.ask(method="HEAD").body == b""


def test_links_of_what_is_kept_stay_here_too(things):
    base, here = things.mirrored.upstream.url + "/base", things.program.url + "/mirror/things"
    talks = [things("things", f"/kept/{number}") for number in range(3)]
    for talk in talks:
        talk.says("Content-Type: application/json", "Cache-Control: max-age=60", body=json.dumps([base + talk.path]).encode())
    for number in range(12):
        talk = talks[number % 3]
        got = talk.ask()
        assert json.loads(got.body) == [here + talk.path] and got.is_hit == (number >= 3)


def test_links_are_left_alone_where_nothing_may_be_changed(things):
    body = json.dumps([things.mirrored.upstream.url + "/base/a"]).encode()
    for number, fields in enumerate((["Cache-Control: no-transform", "Content-Type: application/json"], ["Content-Type: text/plain"])):
        assert things("things", f"/alone/{number}").says(*fields, body=body).ask().body == body
    assert things("bare", "/alone").says("Content-Type: application/json", "ETag: \"a\"", body=body).ask()["ETag"] == '"a"'


@pytest.mark.parametrize("type, body", [
    ("application/json", json.dumps({"a": f"http://x.example/?key={KEY}&b=1", KEY: 1, "c": [KEY]}).encode()),
    ("text/html", f"<p>{KEY}</p>".encode()), ("application/json", f'{{"cut": "{KEY}'.encode()), ("text/plain", KEY.encode()),
])
def test_credentials_stay_here(things, type, body):
    talk = things("things", f"/secret/{type}/{len(body)}")
    talk.says(f"Content-Type: {type}", f"Location: /base/x?key={KEY}&a=1", f"X-Echo: {KEY}", f"Link: </y?key={KEY}>", "Cache-Control: max-age=60",
              "ETag: \"a\"", body=body)
    for got in (talk.ask(), talk.ask()):
        assert got.status == 200 and got["Location"].endswith("/x?a=1") and got["ETag"] == 'W/"a"'
    assert got.is_hit


@pytest.mark.parametrize("fields, body", [
    (["Content-Type: image/png"], b"\x89PNG\xff" + KEY.encode() + b"\xff"), (["Content-Encoding: gzip"], b"\x1f\x8b\x08"),
])
def test_what_cant_be_searched_is_refused(things, fields, body):
    talk = things("things", f"/unsearched/{len(body)}").says(*fields, body=body)
    got = talk.ask("Accept-Encoding: gzip")
    assert (got.status, got.calls[0].fields["accept-encoding"]) == (502, "identity")


def test_what_has_no_credential_comes_in_its_coding(things):
    talk = things("bare", "/coded").says("Content-Encoding: gzip", body=b"\x1f\x8b")
    got = talk.ask("Accept-Encoding: gzip")
    assert (got.body, got["Content-Encoding"], got.calls[0].fields["accept-encoding"]) == (b"\x1f\x8b", "gzip", "gzip")


# Keeping

def test_the_contracts_life_counts_where_the_upstream_says_nothing(things):
    talk = things("things", "/kept").says()
    talk.ask()
    assert talk.ask().is_hit
    talk = things("things", "/unkept").says("Cache-Control: no-store")
    talk.ask()
    assert not talk.says().ask().is_hit


def test_people_are_kept_apart_by_their_cookies(things):
    talk = things("things", "/cookies").says(body=b"hers").says(body=b"his")
    assert [talk.ask(f"Cookie: who={who}").body for who in ("she", "he", "she", "he")] == [b"hers", b"his", b"hers", b"his"]
    assert len(talk.seen) == 2


@pytest.mark.parametrize("name", ["things", "bare"])
@pytest.mark.parametrize("status", ["200 OK", "404 Not Found", "301 Moved Permanently"])
def test_a_cookie_is_for_the_one_who_asked(things, name, status):
    talk = things(name, "/session/" + status[:3]).says("Cache-Control: public, max-age=60", "Set-Cookie: session=S1", status=status)
    assert talk.ask().all("Set-Cookie") == ["session=S1"]
    other = talk.says("Cache-Control: public, max-age=60", "Set-Cookie: session=S2", status=status).ask()
    assert not other.is_hit and other.all("Set-Cookie") == ["session=S2"] and len(talk.seen) == 2


def test_a_cookie_with_a_304_reaches_nobody_else(things):
    talk = things("bare", "/session/renewed").says("Cache-Control: max-age=0", 'ETag: "a"')
    talk.ask()
    renewed = talk.says("Cache-Control: max-age=60", 'ETag: "a"', "Set-Cookie: session=S1", status="304 Not Modified").ask()
    assert renewed.status == 200
    assert talk.says("Cache-Control: max-age=60", 'ETag: "a"').ask().all("Set-Cookie") == []


def test_a_write_drops_what_routes_and_mirrors_keep(things):
    path = "/base/things/1"
    talk = things("things", "/things/1").says(body=b'{"n":1}', *["Content-Type: application/json"])
    assert talk.ask().body == b'{"n":1}'
    things.mirrored.answers[path] = [answer({"n": 2}), answer({"n": 3}, "200 OK"), answer({"n": 4}), answer({"n": 5})]
    assert requests.get(things.program.url + "/things/1").json() == {"n": 2}
    assert (talk.ask().body, requests.get(things.program.url + "/things/1").json()) == (b'{"n":1}', {"n": 2})
    assert talk.ask(method="DELETE").status == 200
    assert (talk.ask().body, requests.get(things.program.url + "/things/1").json()) == (b'{"n":4}', {"n": 5})


# The samples

def test_a_client_library_walks_through_swapi(gateway):
    """As any client of the API does: no key, no contract, links and pages as they come."""
    session = requests.Session()
    page, names = gateway.url + "/mirror/swapi/people", []
    while page:
        assert page.startswith(gateway.url + "/mirror/swapi/people")
        found = session.get(page)
        assert found.status_code == 200 and [step.status_code for step in found.history] in ([], [301])
        names += [person["name"] for person in found.json()["results"]]
        page = found.json()["next"]
    assert len(names) == found.json()["count"]
    film = session.get(gateway.url + "/mirror/swapi/films/1/").json()
    ship = session.get(film["starships"][0])
    assert ship.json()["films"][0].startswith(gateway.url + "/mirror/swapi/films/") and "sluice; " in ship.headers["Cache-Status"]


def test_a_client_library_needs_no_key_for_marvel(gateway):
    first = requests.get(gateway.url + "/mirror/marvel/comics", params={"limit": 2, "ts": "1", "apikey": "none", "hash": "0" * 32})
    assert first.status_code == 200 and first.json()["data"]["limit"] == 2
    again = requests.get(gateway.url + "/mirror/marvel/comics", params={"limit": 2, "ts": "2", "apikey": "x", "hash": "1" * 32})
    assert "sluice; hit" in again.headers["Cache-Status"] and again.json() == first.json()
    comic = first.json()["data"]["results"][0]["resourceURI"]
    assert comic.startswith(gateway.url + "/mirror/marvel/") and requests.get(comic).status_code == 200
    weather = requests.get(gateway.url + "/mirror/weather/weather.ashx", params={"q": "Berlin", "format": "json"})
    assert weather.status_code == 200 and "current_condition" in weather.json()["data"]


@pytest.mark.parametrize("query", [{"url": "/mirror/swapi/planets/{n}/"}, {"route": "/mirror/swapi/{rest}"}])
def test_an_operator_drops_what_a_mirror_keeps(gateway, query):
    number = 3 if "url" in query else 4
    query = {name: text.replace("{n}", str(number)) for name, text in query.items()}
    planet = f"{gateway.url}/mirror/swapi/planets/{number}/"
    requests.get(planet)
    assert "; hit" in requests.get(planet).headers["Cache-Status"]
    done = requests.delete(f"http://127.0.0.1:{gateway.admin_port}/cache", params=query)
    assert done.status_code == 200 and done.json()["dropped"] >= 1
    assert "fwd=uri-miss" in requests.get(planet).headers["Cache-Status"]


# Who may change what

def test_writes_through_a_mirror_need_a_key_where_others_can_reach_it(tmp_path):
    path, mirrored = tmp_path / "things.yaml", Mirrored()
    path.write_text(CONTRACT)
    env = {"THINGS_URL": mirrored.upstream.url, "THINGS_KEY": KEY}
    mirrored.default["/bare/x"] = answer({})
    with Program("serve", str(path), "--host", "0.0.0.0", "--port", "0", "--workers", "1", env=env) as program:
        url = f"http://127.0.0.1:{program.port}/mirror/bare/x"
        assert [requests.request(method, url).status_code for method in ("GET", "OPTIONS", "POST", "DELETE")] == [200, 200, 403, 403]
    key = "a-client-key-0123456789"
    with Program("serve", str(path), "--port", "0", "--workers", "1", env={**env, "SLUICE_CLIENT_KEYS": key}) as program:
        url = f"http://127.0.0.1:{program.port}/mirror/bare/x"
        assert requests.put(url).status_code == 401
        for fields in ({"X-API-Key": key, "Authorization": "Basic QTpC"}, {"Authorization": f"Bearer {key}"}):
            assert requests.put(url, headers=fields).status_code == 200
            assert key not in repr(mirrored.upstream.calls[-1].lines)
            assert mirrored.upstream.calls[-1].fields.get("authorization") == ("Basic QTpC" if len(fields) == 2 else None)
    assert [call.method for call in mirrored.upstream.calls] == ["GET", "OPTIONS", "PUT", "PUT"]
    mirrored.close()


def test_a_plain_proxy_leaves_it_to_its_upstream(tmp_path):
    mirrored = Mirrored()
    mirrored.default["/x"] = answer({})
    with Program("serve", "--mirror", mirrored.upstream.url, "--host", "0.0.0.0", "--port", "0", "--workers", "1") as program:
        url = f"http://127.0.0.1:{program.port}/x"
        assert requests.put(url, headers={"Origin": "https://elsewhere.example", "X-API-Key": "theirs"}).status_code == 200
    assert mirrored.upstream.calls[0].fields["x-api-key"] == "theirs"
    mirrored.close()
