"""Pages in a browser: what they may read and send, by their origin."""
import json

import pytest

from program import Program, curl

PAGE = "http://localhost:3000"


@pytest.fixture(scope="module")
def gateway():
    with Program("serve", "--sample", "--port", "0", "--workers", "1",
                 "--cors-origin", f"https://films.example,{PAGE}") as program:
        yield program


def fields(url, *arguments):
    out = curl("-i", *arguments, url).decode().split("\r\n\r\n", 1)[0].split("\r\n")
    found = {}
    for line in out[1:]:
        name, value = line.split(": ", 1)
        found[name.lower()] = found[name.lower()] + ", " + value if name.lower() in found else value
    return int(out[0].split()[1]), found


@pytest.mark.parametrize("path, status", [("/films/1", 200), ("/films/999", 404), ("/films/x", 400), ("/nowhere", 404), ("/", 200)])
def test_a_listed_page_may_read_every_answer(gateway, path, status):
    got, found = fields(gateway.url + path, "-H", f"Origin: {PAGE}")
    assert got == status and found["access-control-allow-origin"] == PAGE
    assert "Origin" in found["vary"]
    exposed = found["access-control-expose-headers"]
    assert all(name in exposed for name in ("ETag", "Location", "Cache-Status", "Sluice-Complete", "RateLimit"))
    assert "access-control-allow-credentials" not in found


def test_other_pages_get_nothing(gateway):
    for origin in ("http://localhost:3001", "https://localhost:3000", "null", "https://films.example.evil.example"):
        got, found = fields(gateway.url + "/films/1", "-H", f"Origin: {origin}")
        assert got == 200 and "Origin" in found["vary"]
        assert not [name for name in found if name.startswith("access-control")]
    assert "Origin" in fields(gateway.url + "/films/1")[1]["vary"]


def test_a_preflight_is_answered_for_the_path(gateway):
    ask = ["-X", "OPTIONS", "-H", f"Origin: {PAGE}", "-H", "Access-Control-Request-Method: GET",
           "-H", "Access-Control-Request-Headers: x-api-key, prefer, x-else"]
    got, found = fields(gateway.url + "/films/1", *ask)
    assert got == 204 and found["access-control-allow-origin"] == PAGE
    assert found["access-control-allow-methods"] == found["allow"] == "GET, HEAD, OPTIONS"
    assert found["access-control-allow-headers"] == "x-api-key, prefer"
    assert found["access-control-max-age"] == "600"
    got, found = fields(gateway.url + "/nowhere", *ask)
    assert got == 404


def test_a_tag_is_still_good_for_another_page(gateway):
    _, first = fields(gateway.url + "/films/1", "-H", f"Origin: {PAGE}")
    got, found = fields(gateway.url + "/films/1", "-H", "Origin: https://films.example", "-H", f"If-None-Match: {first['etag']}")
    assert got == 304 and found["access-control-allow-origin"] == "https://films.example"


def test_nothing_is_said_where_no_origin_is_listed():
    with Program("serve", "--sample", "--port", "0", "--workers", "1") as gateway:
        for arguments in ([], ["-X", "OPTIONS", "-H", "Access-Control-Request-Method: GET"]):
            _, found = fields(gateway.url + "/films/1", "-H", f"Origin: {PAGE}", *arguments)
            assert not [name for name in found if name.startswith("access-control")]
            assert "Origin" not in found.get("vary", "")
        assert json.loads(curl(gateway.url + "/films/1"))["title"]
