"""Marvel's routes as an app meets them: with the sample behind them, and with an upstream whose every call is looked at."""
import hashlib
import json
import re
import time
import urllib.parse

import pytest

from program import Program, run
from scripted import Upstream, answer
from wire import ask

KEYS = {"MARVEL_PUBLIC_KEY": "public-key-of-the-test-01", "MARVEL_PRIVATE_KEY": "private-key-of-the-test-02"}
SIGNED = {"ts", "apikey", "hash"}
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)")


def get(gateway, target, *fields):
    got = ask(gateway.port, target, *fields)
    return got, json.loads(got.body)


def envelope(*results, total=None, **more):
    return {"code": 200, "attributionText": "Data provided by Marvel.", "data": {"offset": 0, "total": len(results) if total is None else total, "count": len(results),
                                                                               "results": list(results)}, **more}


class Marvel(Upstream):
    """Answers `reply`, in turn where it is a list; keeps the query of each call without what signs it."""

    def __init__(self):
        self.replies = [answer(envelope())]
        super().__init__(lambda call: self.replies.pop(0) if len(self.replies) > 1 else self.replies[0])

    @property
    def env(self):
        return {**KEYS, "MARVEL_URL": self.url + "/v1/public"}

    def queries(self):
        return [urllib.parse.parse_qs(call.target.partition("?")[2], keep_blank_values=True) for call in self.calls]

    def asked(self):
        """The last call's own parameters."""
        return {name: ",".join(values) for name, values in self.queries()[-1].items() if name not in SIGNED}


@pytest.fixture(scope="module")
def both():
    with Marvel() as upstream, Program("serve", "--port", "0", "--workers", "1", env=upstream.env) as gateway:
        yield upstream, gateway


@pytest.fixture
def scripted(both):
    both[0].reset()
    both[0].replies = [answer(envelope())]
    return both


# -- what is asked
def test_comics_have_the_defaults_of_the_mission(scripted):
    upstream, gateway = scripted
    assert get(gateway, "/comics")[0].status == 200
    assert upstream.asked() == {"format": "comic", "formatType": "comic", "orderBy": "-onsaleDate", "dateDescriptor": "lastWeek", "limit": "50", "offset": "0"}


def test_what_is_given_takes_the_place_of_a_default(scripted):
    upstream, gateway = scripted
    target = "/comics?format=hardcover&formatType=collection&orderBy=title,-modified&dateDescriptor=&limit=3&offset=6&title=S%C3%A3o%20a%2Bb%2050%25%26&characters=1,2&noVariants=true"
    assert get(gateway, target)[0].status == 200
    assert upstream.asked() == {"format": "hardcover", "formatType": "collection", "orderBy": "title,-modified", "limit": "3", "offset": "6", "title": "São a+b 50%&",
                                "characters": "1,2", "noVariants": "true"}


@pytest.mark.parametrize("query", [
    "nothing=1", "apikey=x", "ts=1", "hash=x", "limit=0", "limit=101", "limit=-1", "limit=1.5", "limit=", "limit=x", "limit=99999999999999999999", "offset=-1", "format=vinyl", "format=Comic",
    "formatType=x", "orderBy=x", "orderBy=title,x", "orderBy=--title", "dateDescriptor=yesterday", "dateRange=2024-01-01", "dateRange=2024-01-01,2024-02-30", "dateRange=2024-01-01,2024-01-02,2024-01-03",
    "dateRange=2023-02-29,2024-01-01", "modifiedSince=monday", "modifiedSince=2024-13-01", "characters=x", "characters=1,,2", "characters=0", "characters=1,2,3,4,5,6,7,8,9,10,11", "noVariants=yes",
    "startYear=1", "issueNumber=-1", "title=", "limit=1&limit=2", "expand=charactersx", "expand=characters.comics.characters.comics.characters", "fields=nothing", "fields=characters.nothing", "all=maybe",
    "title=%00", "title=%FF", "title=a%0Ab", "title=" + "x" * 201,
])
def test_what_is_wrong_is_refused_before_any_call(scripted, query):
    upstream, gateway = scripted
    got, problem = get(gateway, "/comics?" + query)
    assert got.status == 400 and got["Content-Type"] == "application/problem+json" and problem["status"] == 400, got
    assert not upstream.calls


@pytest.mark.parametrize("path", ["/comics/0", "/comics/x", "/comics/-1", "/comics/1.5", "/characters/0x1", "/comics/1?title=x", "/series/1?limit=1", "/creators/1?all=true", "/comics/1/characters?format=comic"])
def test_each_route_knows_its_own_parameters(scripted, path):
    upstream, gateway = scripted
    assert get(gateway, path)[0].status == 400
    assert not upstream.calls


def test_each_attempt_has_a_fresh_pair_that_matches(scripted):
    upstream, gateway = scripted
    # The first attempt ends without an answer.
    upstream.replies = [None, answer(envelope({"id": 1, "title": "Fine"}))]
    got, comic = get(gateway, "/comics/4711")
    assert got.status == 200 and comic["title"] == "Fine"
    for number in range(3):
        get(gateway, f"/comics/{5000 + number}")
    seen = set()
    for query in upstream.queries():
        (ts,), (key,), (digest,) = query["ts"], query["apikey"], query["hash"]
        assert key == KEYS["MARVEL_PUBLIC_KEY"]
        assert digest == hashlib.md5((ts + KEYS["MARVEL_PRIVATE_KEY"] + key).encode()).hexdigest()
        seen.add(ts)
    assert len(upstream.calls) == 5 and len(seen) == 5, seen


def test_without_keys_the_variables_are_named():
    with Program("serve", "--port", "0", "--workers", "1", env={"MARVEL_URL": "http://127.0.0.1:1/v1/public"}) as gateway:
        for route in ("/comics", "/comics/1", "/comics/1/characters", "/characters", "/characters/1", "/characters/1/comics", "/series/1", "/creators/1"):
            got, problem = get(gateway, route)
            assert got.status == 503 and problem["code"] == "credential-missing" and set(problem["variables"]) == set(KEYS), problem
        assert get(gateway, "/weather?query=x")[1]["variables"] == ["WWO_KEY"]
        assert get(gateway, "/readyz")[0].status == 200
    status, out, err = run("get", "/comics", env={"MARVEL_PUBLIC_KEY": "x"})
    assert status != 0 and "MARVEL_PRIVATE_KEY" in out + err


@pytest.mark.parametrize("number,status,body,wanted,code", [(number, *case) for number, case in enumerate([
    ("401 Unauthorized", {"code": "InvalidCredentials", "message": "The passed API key is invalid."}, 502, "upstream-denied"),
    ("409 Conflict", {"code": "MissingParameter", "message": "You must provide a user key."}, 502, "upstream-denied"),
    ("409 Conflict", {"code": 409, "status": "You may not request more than 100 items."}, 502, "upstream-rejected"),
    ("404 Not Found", {"code": 404, "status": "We couldn't find that comic_issue"}, 404, "not-found"), ("404 Not Found", {"code": "ResourceNotFound", "message": "x"}, 404, "not-found"),
    ("500 Oops", "<html>", 502, "upstream-failed"), ("200 OK", "<html>", 502, "upstream-not-json"), ("200 OK", {}, 502, "upstream-shape"), ("200 OK", [], 502, "upstream-shape"), ("200 OK", {"data": []}, 502, "upstream-shape"),
    ("200 OK", {"data": {"results": {}}}, 502, "upstream-shape"), ("200 OK", {"data": {"results": []}}, 404, "not-found"), ("200 OK", {"data": {"results": [7]}}, 502, "upstream-shape"), ("200 OK", {"data": {"results": [None]}}, 502, "upstream-shape"),
], 1_000_000)])
def test_errors_are_told_for_what_they_are(scripted, number, status, body, wanted, code):
    upstream, gateway = scripted
    upstream.replies = [answer(body.encode() if isinstance(body, str) else body, status)]
    got, problem = get(gateway, f"/comics/{number}")
    assert (got.status, problem["code"]) == (wanted, code), problem


# -- what comes back
def test_a_list_is_an_envelope_with_pages_and_attribution(gateway):
    got, page = get(gateway, "/comics?limit=10")
    assert list(page) == ["count", "next", "previous", "results", "attribution"]
    assert page["count"] > 50 and len(page["results"]) == 10 and page["previous"] is None and "Marvel" in page["attribution"]
    seen, turns = [], 0
    while page["next"]:
        assert page["next"].startswith(gateway.url + "/comics?")
        seen += [comic["id"] for comic in page["results"]]
        page, turns = get(gateway, page["next"].removeprefix(gateway.url))[1], turns + 1
    seen += [comic["id"] for comic in page["results"]]
    assert len(seen) == len(set(seen)) == page["count"] and turns == (page["count"] - 1) // 10
    assert page["previous"].startswith(gateway.url)
    everything = get(gateway, "/comics?all=true&fields=id")[1]
    assert [comic["id"] for comic in everything["results"]] == seen and everything["next"] is None and everything["previous"] is None


def test_all_reads_every_page(gateway):
    got, everything = get(gateway, "/comics?all=true&dateDescriptor=&format=&formatType=&fields=id")
    assert got["Sluice-Complete"] == "?1" and everything["count"] == len(everything["results"]) >= 120
    assert len(get(gateway, "/characters?all=true&fields=id")[1]["results"]) >= 60


def test_past_the_end_is_an_empty_list(gateway):
    got, page = get(gateway, "/comics?offset=1000000")
    assert got.status == 200 and page["results"] == [] and page["next"] is None


def test_a_single_route_is_the_object(gateway):
    first = get(gateway, "/comics?limit=1")[1]["results"][0]
    got, comic = get(gateway, first["url"].removeprefix(gateway.url))
    assert got.status == 200 and comic["id"] == first["id"] and "Marvel" in comic.pop("attribution")
    assert comic == first
    assert get(gateway, "/comics/1")[0].status == 404


def test_links_are_followed(gateway):
    got, page = get(gateway, "/comics?limit=5&expand=characters")
    assert got["Sluice-Complete"] == "?1"
    people = [person for comic in page["results"] for person in comic["characters"]]
    assert people and all("description" in person and "comicsAvailable" in person for person in people)
    identifier = next(comic["id"] for comic in page["results"] if comic["characters"])
    comic = get(gateway, f"/comics/{identifier}?expand=series,creators")[1]
    assert "startYear" in comic["series"] and comic["creators"] and all("fullName" in person for person in comic["creators"])
    got, comic = get(gateway, f"/comics/{identifier}?expand=characters.comics&fields=title,characters.name,characters.comics.title")
    assert got.status == 200 and list(comic) == ["title", "characters"] and list(comic["characters"][0]) == ["name", "comics"] and comic["characters"][0]["comics"][0]["title"]


def test_too_many_links_are_bounded(gateway):
    got, page = get(gateway, "/comics?limit=100&dateDescriptor=&expand=characters.comics,series.comics,creators.comics")
    assert got.status in (200, 400)
    if got.status == 200:
        assert got["Sluice-Complete"] == "?0" and {error["code"] for error in page["_errors"]} <= {"budget-exceeded", "more-errors"}


def test_fields_speak_of_the_shaped_names(gateway):
    comic = get(gateway, "/comics?limit=1&fields=title,onSaleDate,prices.print,characters.name")[1]["results"][0]
    assert list(comic) == ["title", "onSaleDate", "prices", "characters"] and list(comic["prices"]) == ["print"] and all(list(person) == ["name"] for person in comic["characters"])
    assert get(gateway, "/comics?fields=dates")[0].status == 400


def test_odd_values_are_null_and_nothing_is_lost(gateway):
    got, page = get(gateway, "/comics?all=true&dateDescriptor=&format=&formatType=")
    comics = page["results"]
    assert len(comics) == page["count"]
    for comic in comics:
        assert comic["description"] is None or comic["description"] not in ("", "#N/A")
        for name in ("modified", "onSaleDate", "focDate", "unlimitedDate", "digitalPurchaseDate"):
            assert comic[name] is None or MOMENT.fullmatch(comic[name]) and 1939 <= int(comic[name][:4]) <= 2028, (name, comic[name])
        for address in [comic["thumbnail"], *comic["images"]]:
            assert address is None or address.startswith("https://") and "image_not_available" not in address
        assert isinstance(comic["issueNumber"], (int, float)) and comic["format"] != ""
        for name in ("isbn", "upc", "ean", "issn"):
            assert comic[name] is None or isinstance(comic[name], str) and comic[name]
        for page in comic["urls"]:
            assert page["url"].startswith("https://") and "sample-public-key" not in page["url"]
        assert comic["series"]["url"].startswith(gateway.url + "/series/")
    assert b"sample-public-key" not in got.body and b"gateway.marvel.com" not in got.body
    for name in ("description", "focDate", "onSaleDate", "thumbnail", "modified", "format"):
        assert any(comic[name] is None for comic in comics), f"no comic of the sample has an odd {name}"
    assert any(comic["issueNumber"] % 1 for comic in comics) and any(comic["charactersAvailable"] > len(comic["characters"]) or comic["creatorsAvailable"] > len(comic["creators"]) for comic in comics)


def test_the_samples_answer_alone():
    with Program("sample", "--port", "0") as sample:
        assert sample.line
        end = time.monotonic() + 5
        while len(sample.rest) < 2 and time.monotonic() < end:
            time.sleep(0.02)
        text = sample.line + "".join(line.decode() for line in sample.rest)
        found = dict(re.findall(r"((?:MARVEL|WWO)_\w*KEY)=([^,)\s]+)", text))
        assert set(found) == {*KEYS, "WWO_KEY"}, text
        env = {**found, "MARVEL_URL": sample.url + "/v1/public", "WWO_URL": sample.url + "/premium/v1"}
        assert run("get", "/comics?limit=1", env=env)[0] == 0
        assert run("get", "/weather?query=Hanoi", env=env)[0] == 0
        status, out, err = run("get", "/comics?limit=1", env={**env, "MARVEL_PRIVATE_KEY": "another-private-key"})
        assert status != 0 and "upstream-denied" in out + err and "another-private-key" not in out + err


# -- an upstream that means harm
HOSTILE = [None, True, False, 0, -1, 1e308, 123456789012345678901234567890, "", "x", "9" * 5000, "\ud800", "é" * 3000, [], {}, [[]], [{}], [None], {"a": {"b": []}}, [[[[[[1]]]]]],
           {"items": 5}, {"items": "x"}, {"items": [1, None, "x", [], {"resourceURI": 5}]}, {"path": [], "extension": {}}, [{"type": "onsaleDate", "date": ["x"]}], [{"type": None}], {"resourceURI": "x" * 9000}]
NAMES = ["id", "digitalId", "title", "issueNumber", "variantDescription", "description", "modified", "isbn", "format", "pageCount", "resourceURI", "urls", "series", "variants", "collections", "collectedIssues", "dates",
         "prices", "thumbnail", "images", "creators", "characters", "stories", "events", "comics", "name", "startYear", "next", "fullName"]


def test_no_value_of_the_wrong_type_costs_more_than_itself(scripted):
    upstream, gateway = scripted
    comics = [{**{name: "fine" for name in ("title", "name")}, name: value} for name in NAMES for value in HOSTILE]
    comics += [{name: value for name in NAMES} for value in HOSTILE]
    upstream.replies = [answer(json.dumps(envelope(*comics)).encode())]
    for route in ("/comics/31", "/characters/31", "/series/31", "/creators/31", "/comics/32?expand=series,characters.comics"):
        assert get(gateway, route)[0].status == 200, route
    assert get(gateway, "/comics?title=h&expand=characters,series,creators,variants")[0].status in (200, 400, 502)
    # As many as one page may have.
    for start in range(0, len(comics), 100):
        chunk = comics[start:start + 100]
        upstream.replies = [answer(json.dumps(envelope(*chunk)).encode())]
        for route in (f"/comics?title=h{start}&limit=100", f"/characters?name=h{start}&limit=100", f"/characters/{start + 40}/comics?limit=100", f"/comics/{start + 40}/characters?limit=100"):
            got, found = get(gateway, route)
            assert got.status == 200 and len(found["results"]) == len(chunk), (route, got)
    for position, data in enumerate(HOSTILE):
        whole = {"attributionText": data, "data": {"total": data, "offset": data, "limit": data, "count": data, "results": [{"id": 1}]}}
        upstream.replies = [answer(json.dumps(whole).encode())]
        got, page = get(gateway, f"/comics?title=t{position}")
        assert got.status == 200 and page["results"][0]["id"] == 1, (data, got)
        for form, whole in enumerate(({"data": data}, {"data": {"results": data}}, data)):
            upstream.replies = [answer(json.dumps(whole).encode())]
            assert get(gateway, f"/comics?title=u{position}.{form}")[0].status in (200, 502)


@pytest.mark.parametrize("total", [10**6, 10**18, -5, "12", 1.5, True, None])
def test_no_total_makes_all_read_for_ever(scripted, total):
    upstream, gateway = scripted
    upstream.replies = [answer(envelope({"id": 1}, {"id": 2}, total=total))]
    got, page = get(gateway, f"/comics?all=true&title=t{total}")
    assert got.status in (200, 400, 502) and len(upstream.calls) <= 260, got
