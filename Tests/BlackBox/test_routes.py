"""Every route as curl sees it."""
import gzip
import json
import re

import pytest

from program import curl
from wire import ask

KINDS = {"films": 6, "people": 82, "planets": 60, "species": 37, "vehicles": 39, "starships": 36}


def get(gateway, target):
    return json.loads(curl("--fail-with-body", gateway.url + target))


def head_and_body(*arguments):
    head, _, body = curl("-i", *arguments).partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return int(lines[0].split()[1]), fields, body


@pytest.mark.parametrize("kind", KINDS)
def test_list_and_single(gateway, kind):
    page = get(gateway, f"/{kind}")
    assert page["count"] == KINDS[kind]
    assert len(page["results"]) == min(10, KINDS[kind])
    assert page["previous"] is None
    assert (page["next"] is None) == (KINDS[kind] <= 10)
    for item in page["results"]:
        assert item["url"].startswith(f"{gateway.url}/{kind}/")
        assert get(gateway, item["url"].removeprefix(gateway.url)) == item


def test_both_slash_forms_are_the_same(gateway):
    for path in ("/films/1", "/films", "/people/4"):
        assert curl(gateway.url + path) == curl(gateway.url + path + "/")
        plain, slash = head_and_body(gateway.url + path), head_and_body(gateway.url + path + "/")
        assert plain[0] == slash[0] == 200 and plain[1]["etag"] == slash[1]["etag"]


@pytest.mark.parametrize("kind", KINDS)
def test_all_pages_at_once(gateway, kind):
    page = get(gateway, f"/{kind}?all=true")
    ids = [int(item["url"].rstrip("/").rsplit("/", 1)[1]) for item in page["results"]]
    assert page["count"] == len(ids) == KINDS[kind]
    assert ids == sorted(set(ids))
    assert page["next"] is None and page["previous"] is None


def test_search(gateway):
    assert [item["name"] for item in get(gateway, "/people?search=sky")["results"]] == [
        "Luke Skywalker", "Anakin Skywalker", "Shmi Skywalker"]
    assert [item["name"] for item in get(gateway, "/people/?search=luke%20sky")["results"]] == ["Luke Skywalker"]
    assert get(gateway, "/people?search=zzzz") == {"count": 0, "next": None, "previous": None, "results": []}
    assert [item["name"] for item in get(gateway, "/people?search=Padm%C3%A9")["results"]] == ["Padmé Amidala"]


def test_pages(gateway):
    page = get(gateway, "/people?page=2")
    assert re.fullmatch(re.escape(gateway.url) + r"/people/?\?page=3", page["next"])
    assert re.fullmatch(re.escape(gateway.url) + r"/people/?\?page=1", page["previous"])
    assert get(gateway, page["previous"].removeprefix(gateway.url))["results"] == get(gateway, "/people")["results"]
    assert head_and_body(gateway.url + "/people?page=99")[0] == 404
    for wrong in ("0", "-1", "x", "1.5", ""):
        status, _, body = head_and_body(gateway.url + f"/people?page={wrong}")
        assert status == 400 and json.loads(body)["parameter"] == "page"


def test_search_keeps_its_words_in_the_links(gateway):
    page = get(gateway, "/people?search=a&page=2")
    assert "search=a" in page["next"] and "page=3" in page["next"]
    following = get(gateway, page["next"].removeprefix(gateway.url))
    assert following["count"] == page["count"] and following["results"] != page["results"]


def test_missing_and_wrong(gateway):
    for target, status in {"/films/99": 404, "/people/17": 404, "/nothing": 404, "/films/one": 400, "/films/1/2": 404}.items():
        got, fields, body = head_and_body(gateway.url + target)
        problem = json.loads(body)
        assert got == problem["status"] == status
        assert fields["content-type"] == "application/problem+json"
        assert problem["type"] == "about:blank" and problem["title"] and problem["detail"] and problem["code"]


def test_unknown_parameter_names_the_known_ones(gateway):
    status, _, body = head_and_body(gateway.url + "/films/1?expnd=starships")
    problem = json.loads(body)
    assert status == 400 and problem["parameter"] == "expnd"
    assert {"expand", "fields"} <= set(problem["allowed"])


def test_head_has_the_fields_of_get_and_no_content(gateway):
    for target in ("/", "/films/1", "/films", "/films/1?expand=starships", "/openapi.json", "/healthz", "/readyz", "/nothing"):
        whole, head = ask(gateway.port, target), ask(gateway.port, target, method="HEAD")
        assert head.status == whole.status and head.body == b""
        for name in ("Content-Type", "Content-Length", "ETag", "Vary", "Cache-Control"):
            assert head[name] == whole[name], (target, name)


def test_options_names_the_methods(gateway):
    for target in ("/films/1", "/films", "/", "/healthz"):
        answer = ask(gateway.port, target, method="OPTIONS")
        assert answer.status in (200, 204)
        assert {method.strip() for method in answer["Allow"].split(",")} >= {"GET", "HEAD", "OPTIONS"}
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        answer = ask(gateway.port, "/films/1", "Content-Length: 2", method=method, body=b"{}")
        assert answer.status == 405
        assert {name.strip() for name in answer["Allow"].split(",")} == {"GET", "HEAD", "OPTIONS"}


def test_etag_saves_the_content(gateway):
    for target in ("/films/1", "/films/1?expand=starships", "/people?all=true", "/openapi.json", "/"):
        first = ask(gateway.port, target)
        tag = first["ETag"]
        assert re.fullmatch(r'(W/)?"[^"]+"', tag)
        for condition in (tag, f'"other", {tag}', "*", tag.removeprefix("W/")):
            again = ask(gateway.port, target, "If-None-Match: " + condition)
            assert again.status == 304 and again["ETag"] == tag, (target, condition, again)
        other = ask(gateway.port, target, 'If-None-Match: "other"')
        assert other.status == 200 and other.body == first.body
    tags = {ask(gateway.port, target)["ETag"] for target in ("/films/1", "/films/2", "/films/1?fields=title")}
    assert len(tags) == 3


def test_compression(gateway, tmp_path):
    target = gateway.url + "/people?all=true"
    whole = curl(target)
    for coding in ("gzip", "br"):
        sink = tmp_path / coding
        fields = curl("-D", "-", "-o", sink, "-H", "Accept-Encoding: " + coding, target).decode().lower()
        assert f"content-encoding: {coding}" in fields
        assert "accept-encoding" in re.search(r"vary: (.*)", fields).group(1)
        assert sink.stat().st_size < len(whole) / 3
        if coding == "gzip":
            assert gzip.decompress(sink.read_bytes()) == whole
    assert curl("--compressed", target) == whole
    assert ask(gateway.port, "/people?all=true", "Accept-Encoding: gzip;q=0, br;q=0")["Content-Encoding"] is None
    tags = {ask(gateway.port, "/people?all=true", *fields)["ETag"] for fields in ((), ("Accept-Encoding: gzip",), ("Accept-Encoding: br",))}
    assert len({tag.removeprefix("W/") for tag in tags}) == 3 or all(tag.startswith("W/") for tag in tags)


def test_fields_of_every_answer(gateway):
    answer = ask(gateway.port, "/films/1?expand=starships", "X-Request-Id: mine-1.a_B")
    assert answer["X-Request-Id"] == "mine-1.a_B"
    assert re.search(r"total;dur=\d", answer["Server-Timing"])
    assert answer["Content-Type"].startswith("application/json")
    assert answer["Date"] and answer["Vary"] and answer["Cache-Control"]
    assert not re.search(r"\d", answer["Server"] or "")
    for wrong in ("a" * 65, "a b", "a;b", "ä"):
        made = ask(gateway.port, "/healthz", "X-Request-Id: " + wrong)["X-Request-Id"]
        assert made != wrong and re.fullmatch(r"[A-Za-z0-9._-]{1,64}", made)


def test_front_page_for_people_and_programs(gateway):
    page = json.loads(curl(gateway.url + "/"))
    for kind in KINDS:
        assert page[kind].startswith(f"{gateway.url}/{kind}")
    html = curl("-H", "Accept: text/html,application/xhtml+xml,*/*;q=0.8", gateway.url + "/").decode()
    assert html.lower().startswith("<!doctype html>") and "/films/{id}" in html
    assert ask(gateway.port, "/", "Accept: text/html")["Content-Type"].startswith("text/html")


def test_a_browsers_accept_does_not_reach_the_upstream(gateway):
    status, fields, body = head_and_body("-H", "Accept: text/html", gateway.url + "/films/1")
    assert status == 200 and fields["content-type"].startswith("application/json")
    assert json.loads(body)["title"] == "A New Hope"


def test_openapi_document(gateway):
    document = get(gateway, "/openapi.json")
    assert document["openapi"].startswith("3.1")
    assert "x-sluice" not in json.dumps(document)
    assert [server["url"].rstrip("/") for server in document["servers"]] == [gateway.url]
    for kind in KINDS:
        assert {f"/{kind}", f"/{kind}/{{id}}"} <= set(document["paths"])
    film = document["paths"]["/films/{id}"]["get"]
    expand = next(parameter for parameter in film["parameters"] if parameter.get("name") == "expand")
    paths = expand["schema"]["items"]
    if "$ref" in paths:
        paths = document["components"]["schemas"][paths["$ref"].rsplit("/", 1)[1]]
    assert {"starships", "characters.homeworld"} <= set(paths["enum"])
    for reference in re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(document)):
        place = document
        for key in reference.split("/"):
            place = place[key.replace("~1", "/").replace("~0", "~")]


def test_health_and_readiness(gateway):
    assert get(gateway, "/healthz")["status"] == "ok"
    ready = get(gateway, "/readyz")
    assert ready["status"] == "ready" and ready["upstreams"] == {"imgur": "ready", "marvel": "ready", "marvel-images": "ready", "swapi": "ready", "weather": "ready"}
