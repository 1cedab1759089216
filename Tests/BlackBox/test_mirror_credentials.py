"""What an upstream tells of its credential in fields and content of a mirror's answers, and what stays of them without it."""
import json

import pytest

from program import Program, run
from talk import Mirrored
from test_mirror_routes import CONTRACT, KEY, MirrorTalk

SHORT = "short7x"
WIDE = "".join(chr(ord(letter) + 0xFEE0) for letter in KEY).encode().decode("latin-1")


class Served:
    """Mirrors of an upstream that is asked with a key."""

    def __init__(self, path, key, *options):
        path.write_text(CONTRACT)
        self.mirrored, self.path = Mirrored(), path
        self.env = {"THINGS_URL": self.mirrored.upstream.url, "THINGS_KEY": key}
        self.program = Program("serve", str(path), "--port", "0", "--workers", "1", *options, env=self.env)
        self.here, self.there = self.program.url + "/mirror/things", self.mirrored.upstream.url + "/base"

    def __call__(self, path, name="things"):
        bases = {"things": "/base", "plain": "/plain/v2", "bare": "/bare"}
        return MirrorTalk(self.program.port, self.mirrored, bases[name] + path, f"/mirror/{name}{path}")

    def __enter__(self):
        self.program.__enter__()
        return self

    def __exit__(self, *rest):
        self.program.__exit__(*rest)
        self.mirrored.close()


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("long") / "things.yaml", KEY, "--cache", "off") as served:
        yield served


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("short") / "things.yaml", SHORT) as served:
        yield served


@pytest.mark.parametrize("name", ["things", "plain"])
def test_names_of_fields_are_searched(long, name):
    got = long("/names", name).says(f"X-{KEY}: 1", f"{KEY.upper()}: 2", "X-Other: 3").ask()
    assert (got.status, got["X-Other"]) == (200, "3")
    assert not [line for line in got.lines if KEY in "".join(line).lower()]


def test_a_short_key_is_found_in_addresses(short):
    there, here = short.there, short.here
    talk = short("/short").says(
        f"Location: {there}/x?key={SHORT}", f"Content-Location: y?a=1&key={SHORT}", f"Refresh: 5; url={there}/x?key={SHORT}",
        f"Link: </z?key={SHORT}&page=2>; rel=\"next\", <https://other.example/?b=1&key={SHORT}>; rel=\"last\"",
        f"X-List: http://a.example/?key={SHORT},http://b.example/?c=1&key={SHORT.upper()}, c?next=%2Fd%3Fkey%3D{SHORT}&e=1",
        "Content-Type: application/json",
        body=json.dumps([f"x?key={SHORT}", f"{there}/x?key={SHORT}&a=1", SHORT, f"see {there}/x?key={SHORT} for more"]).encode())
    for got in (talk.ask(), talk.ask()):
        assert (got["Location"], got["Content-Location"], got["Refresh"]) == (here + "/x", "y?a=1", f"5; url={there}/x")
        assert got["Link"] == "</z?page=2>; rel=\"next\", <https://other.example/?b=1>; rel=\"last\""
        assert got["X-List"] == "http://a.example/,http://b.example/?c=1, c?e=1"
        assert json.loads(got.body) == ["x", here + "/x?a=1", SHORT, f"see {there}/x for more"]
    assert got.is_hit


def test_a_short_key_is_found_in_addresses_of_a_text(short):
    got = short("/page", "plain").says("Content-Type: text/html", body=f"<a href='x?key={SHORT}&amp;a=1'>{SHORT}</a>".encode()).ask()
    assert got.body == f"<a href='x?amp;a=1'>{SHORT}</a>".encode()


@pytest.mark.parametrize("name", ["things", "plain"])
def test_wide_letters_are_read_in_fields(long, name):
    got = long("/wide", name).says(
        f"Location: /x?key={WIDE}&a=1", f"Set-Cookie: a={WIDE}; Path=/", f"Refresh: 1; url=/y?b=1&c={WIDE}", f"Link: </z?d={WIDE}>; rel=next",
        f"ETag: \"{WIDE}\"", f"Content-Type: text/plain; a={WIDE}", f"X-Echo: {WIDE}", "X-Name: S\u00e3o", "X-Utf: S\u00c3\u00a3o").ask()
    assert WIDE not in repr(got.lines) and not [value for _, value in got.lines if "\u00ef" in value]
    assert (got.status, got["Location"], got["Refresh"], got["Link"]) == (200, "/x?a=1", "1; url=/y?b=1", "</z>; rel=next")
    assert (got["X-Name"], got["X-Utf"]) == ("S\u00e3o", "S\u00c3\u00a3o")


def test_each_address_of_a_link_stands_alone(long):
    there, here = long.there, long.here
    got = long("/linked").says(
        f"Link: <{there}/c?page=2&key={KEY}>; rel=\"next\", <{there}/c?page=9&key={KEY}>; rel=\"last\"; title=\"S\u00c3\u00a3o\"",
        f"Link: <c?key={KEY}&page=1>; rel=\"first\"", f"X-Echo: {KEY}").ask()
    assert got.all("Link") == [
        f"<{here}/c?page=2>; rel=\"next\", <{here}/c?page=9>; rel=\"last\"; title=\"S\u00c3\u00a3o\"", "<c?page=1>; rel=\"first\""]
    assert KEY not in repr(got.lines)


@pytest.mark.parametrize("coding", ["utf-16-be", "utf-16-le", "utf-16", "utf-32-be", "utf-32-le"])
@pytest.mark.parametrize("type, text", [("text/plain", f"the key {KEY}"), ("application/json", json.dumps({"a": KEY}))])
def test_a_text_that_cant_be_cut_is_refused(short, tmp_path, coding, type, text):
    with Served(tmp_path / "things.yaml", KEY) as served:
        talk = served("/coded")
        for _ in range(2):
            talk.says(f"Content-Type: {type}; charset={coding}", "Cache-Control: max-age=60", body=text.encode(coding))
            got = talk.ask()
            assert (got.status, json.loads(got.body)["code"], got.is_hit) == (502, "credential-in-answer", False)


# Tags, conditions and parts

def test_a_tag_without_quotes_gets_them_where_the_content_is_changed(short):
    body = json.dumps([short.there + "/a"]).encode()
    talk = short("/tagged").says("Content-Type: application/json", "ETag: abc123", body=body)
    assert talk.ask()["ETag"] == 'W/"abc123"'
    for named in ('W/"abc123"', '"other", W/"abc123"'):
        again = talk.ask(f"If-None-Match: {named}")
        assert (again.status, again["ETag"], again.body, again.is_hit) == (304, 'W/"abc123"', b"", True)
    assert talk.ask('If-None-Match: W/"other"').status == 200


def test_a_tag_without_quotes_is_known_where_nothing_is_kept(long):
    talk = long("/tagged")
    for named, status in (('W/"abc123"', 304), ('W/"other"', 200)):
        got = talk.says("Content-Type: application/json", "ETag: abc123", body=b"[1]").ask(f"If-None-Match: {named}")
        assert (got.status, got["ETag"]) == (status, 'W/"abc123"')
    assert talk.says("Content-Type: application/json", "ETag: a\"b", body=b"[1]").ask()["ETag"] is None


@pytest.mark.parametrize("name", ["things", "plain", "bare"])
def test_what_wasnt_asked_for_is_no_answer(short, name):
    talk = short(f"/unasked/{name}", name)
    for status, fields in (("304 Not Modified", ["ETag: \"a\""]), ("206 Partial Content", ["Content-Range: bytes 0-3/10"])):
        got = talk.says(*fields, status=status, body=b"" if status.startswith("304") else b"1234").ask()
        assert (got.status, json.loads(got.body)["code"]) == (502, "upstream-framing")
    got = talk.says("ETag: \"a\"", status="304 Not Modified", body=b"").ask("If-None-Match: \"a\"")
    assert (got.status, got.body) == (304, b"")


def test_a_part_that_was_asked_for_comes_through(short):
    talk = short("/part", "bare").says("Content-Range: bytes 0-3/10", status="206 Partial Content", body=b"1234")
    assert talk.ask("Range: bytes=0-3").status == 206


# What is said where nothing is kept

def test_a_mirror_route_says_that_nothing_is_kept(long):
    talk = long("/bypass", "bare")
    assert [talk.says().ask().all("Cache-Status") for _ in range(2)] == [["sluice; fwd=bypass"]] * 2
    assert talk.says(status="304 Not Modified", body=b"").ask().all("Cache-Status") == ["sluice; fwd=bypass"]


def test_a_plain_mirror_says_that_nothing_is_kept():
    mirrored = Mirrored()
    with Program("serve", "--mirror", mirrored.upstream.url, "--port", "0", "--workers", "1", "--cache", "off") as program:
        talk = MirrorTalk(program.port, mirrored, "/bypass", "/bypass")
        assert talk.says("Cache-Control: max-age=60").ask().all("Cache-Status") == ["sluice; fwd=bypass"]
        got = talk.sends(None).sends(None).ask()
        assert (got.status, got.all("Cache-Status")) == (502, ["sluice; fwd=bypass"])
    mirrored.close()


def test_the_parts_of_a_mirrors_answer_are_shown(long):
    long("/shown").says(body=b"[1]")
    code, body, parts = run("get", "-v", "/mirror/things/shown?a=1", "--contracts", long.path, env=long.env)
    assert (code, body.strip()) == (0, "[1]") and "/base/shown?a=1 (things): 200, " in parts and KEY not in parts
