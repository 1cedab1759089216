"""expand, fields and failed parts, with the samples and with an upstream that tells what it was asked."""
import json
import threading
import time
from collections import Counter

import pytest

from program import Program, curl
from scripted import answer
from test_routes import get
from wire import ask


def problem(gateway, target, status=400):
    got = ask(gateway.port, target)
    body = json.loads(got.body)
    assert got.status == body["status"] == status, got
    return body


def test_starships_stand_in_the_order_of_their_links(gateway):
    plain, whole = get(gateway, "/films/1"), get(gateway, "/films/1?expand=starships")
    assert len(plain["starships"]) == 8
    assert [ship["url"] for ship in whole["starships"]] == plain["starships"]
    assert [ship["name"] for ship in whole["starships"]] == [
        "CR90 corvette", "Star Destroyer", "Sentinel-class landing craft", "Death Star", "Millennium Falcon", "Y-wing", "X-wing",
        "TIE Advanced x1"]
    for name in plain:
        assert name == "starships" or whole[name] == plain[name]
    assert list(whole) == list(plain), "the order of the members is the upstream's"
    assert ask(gateway.port, "/films/1?expand=starships")["Sluice-Complete"] != "?0"


def test_deep_paths_imply_their_parents(gateway):
    film = get(gateway, "/films/1?expand=starships.pilots.homeworld")
    pilots = [pilot for ship in film["starships"] for pilot in ship["pilots"]]
    assert pilots and all(pilot["homeworld"]["name"] for pilot in pilots)
    assert all(isinstance(link, str) for link in film["characters"])
    four = get(gateway, "/films/1?expand=starships.pilots.homeworld.residents")
    assert any(isinstance(one, dict) for ship in four["starships"] for pilot in ship["pilots"] for one in pilot["homeworld"]["residents"])


def test_repeats_lists_and_trailing_forms_mean_the_same(gateway):
    one = get(gateway, "/films/2?expand=starships,planets")
    assert one == get(gateway, "/films/2?expand=starships&expand=planets") == get(gateway, "/films/2/?expand=planets,starships")
    assert get(gateway, "/films/2?expand=") == get(gateway, "/films/2")


def test_lists_expand_each_item(gateway):
    page = get(gateway, "/people?expand=homeworld")
    assert [person["homeworld"]["name"] for person in page["results"][:3]] == ["Tatooine", "Tatooine", "Naboo"]
    assert page["count"] == 82 and page["next"].startswith(gateway.url) and "expand=homeworld" in page["next"]
    films = get(gateway, "/films?all=true&expand=starships&fields=title,starships.name")
    assert [len(film["starships"]) for film in films["results"]][0] == 8
    assert set(films["results"][0]) == {"title", "starships"}


def test_null_and_empty_stay(gateway):
    droid = get(gateway, "/species/2?expand=homeworld")
    assert droid["name"] == "Droid" and droid["homeworld"] is None
    assert get(gateway, "/people/3?expand=vehicles")["vehicles"] == []


@pytest.mark.parametrize("value, segment", [
    ("starship", "starship"), ("title", "title"), ("url", "url"), ("starships.pilot", "pilot"), ("starships..pilots", None),
    (".starships", None), ("starships.", None), ("starships,,planets", None), ("starships.films.starships.films.starships", None),
    ("starships%00", None), ("*", None), ("Starships", "Starships"),
])
def test_wrong_expand_names_what_is_allowed(gateway, value, segment):
    body = problem(gateway, "/films/1?expand=" + value)
    if segment:
        assert "expand" in body["parameter"]
        assert segment in json.dumps(body)
        assert "allowed" in body
        if "." not in value:
            assert "starships" in body["allowed"]


def test_fields_keep_only_what_is_named(gateway):
    assert get(gateway, "/films/1?fields=title,episode_id") == {"title": "A New Hope", "episode_id": 4}
    film = get(gateway, "/films/1?expand=starships&fields=title,starships.name,starships.url")
    assert set(film) == {"title", "starships"} and set(film["starships"][0]) == {"name", "url"}
    body = problem(gateway, "/films/1?fields=starships.name")
    assert "fields" in body["parameter"]
    assert get(gateway, "/people?fields=name")["results"][0] == {"name": "Luke Skywalker"}


# -- with an upstream that tells what it was asked


def test_each_link_is_fetched_once_and_side_by_side(galaxy):
    """Nobody is answered before all eight have asked: a gateway that fetches in a row would wait for ever."""
    together = threading.Barrier(8)

    def wait(call):
        if call.path.startswith("/api/starships/"):
            together.wait(10)
    galaxy.before = wait
    film = get(galaxy.gateway, "/films/1?expand=starships")
    assert [ship["name"] for ship in film["starships"]] == [f"Ship {n}" for n in galaxy.STARSHIPS]
    assert galaxy.upstream.peak == 8
    assert Counter(galaxy.upstream.paths()) == Counter(["/api/films/1/"] + [f"/api/starships/{n}/" for n in galaxy.STARSHIPS])


def test_duplicates_are_fetched_once_and_fill_every_slot(galaxy):
    galaxy.instead["/films/1/"] = lambda call: answer({
        "title": "Twice", "starships": [galaxy.link("starships", n) for n in (9, 2, 9, 9)], "url": galaxy.link("films", 1)})
    film = get(galaxy.gateway, "/films/1?expand=starships")
    assert [ship["name"] for ship in film["starships"]] == ["Ship 9", "Ship 2", "Ship 9", "Ship 9"]
    assert Counter(galaxy.upstream.paths())["/api/starships/9/"] == 1


def test_a_cycle_ends_at_the_depth(galaxy):
    film = get(galaxy.gateway, "/films/1?expand=starships.films.starships.films")
    inner = film["starships"][0]["films"][0]["starships"][0]["films"][0]
    assert inner["title"] == "A New Hope" and isinstance(inner["starships"][0], str)
    counts = Counter(galaxy.upstream.paths())
    assert counts.pop("/api/films/1/") <= 2 and set(counts.values()) == {1}, "each link is fetched once, whatever the cycle"


def test_pruned_links_are_not_fetched(galaxy):
    get(galaxy.gateway, "/films/1?expand=starships,characters&fields=title,starships.name")
    assert not [path for path in galaxy.upstream.paths() if "people" in path]


def test_bytes_of_parts_are_the_upstreams(galaxy):
    galaxy.instead["/starships/9/"] = answer(b'{ "name":"\\u0041\\/","n":1.10, "big":123456789012345678901234567890,\n"e":1E5 }')
    body = ask(galaxy.gateway.port, "/films/1?expand=starships").body
    assert b'{ "name":"\\u0041\\/","n":1.10, "big":123456789012345678901234567890,\n"e":1E5 }' in body


def test_a_failed_part_keeps_its_link_and_is_named(galaxy):
    galaxy.instead["/starships/9/"] = answer({"canary": "upstream-words"}, "500 Oops")
    galaxy.instead["/starships/3/"] = answer({}, "404 Not Found")
    galaxy.instead["/starships/5/"] = answer(b"<html>")
    got = ask(galaxy.gateway.port, "/films/1?expand=starships")
    film = json.loads(got.body)
    assert got.status == 200 and got["Sluice-Complete"] == "?0" and "no-store" in got["Cache-Control"]
    base = galaxy.gateway.url
    kinds = [ship if isinstance(ship, str) else ship["name"] for ship in film["starships"]]
    assert kinds[0] == "Ship 2" and kinds[4] == "Ship 10"
    assert [kinds[n].rstrip("/") for n in (1, 2, 3)] == [f"{base}/starships/{n}" for n in (3, 5, 9)]
    errors = {error["pointer"]: error for error in film["_errors"]}
    assert {pointer: error["status"] for pointer, error in errors.items()} == {"/starships/1": 404, "/starships/2": 502, "/starships/3": 502}
    for error in errors.values():
        assert set(error) >= {"pointer", "href", "status", "code", "detail"} and error["href"].startswith(base)
    assert b"upstream-words" not in got.body


def test_strict_handling_refuses_a_partial_answer(galaxy):
    galaxy.instead["/starships/9/"] = answer({}, "500 Oops")
    got = ask(galaxy.gateway.port, "/films/1?expand=starships", "Prefer: handling=strict")
    assert got.status == 502 and got["Content-Type"] == "application/problem+json"
    assert ask(galaxy.gateway.port, "/films/2", "Prefer: handling=strict").status == 404


def test_other_hosts_in_links_are_left_alone(galaxy):
    foreign = ["http://169.254.169.254/latest/", "http://other.test/api/starships/9/", "file:///etc/passwd", "javascript:alert(1)",
               f"http://a@127.0.0.1:{galaxy.upstream.port}/api/starships/9/", f"http://127.1:{galaxy.upstream.port}/api/starships/9/",
               f"http://127.0.0.1:{galaxy.upstream.port}/api/starships/9/../../secret", f"http://127.0.0.1:{galaxy.upstream.port}/other/1/",
               f"http://127.0.0.1:{galaxy.upstream.port}/api/starships/9%2f..%2fsecret/",
               f"http://127.0.0.1:{galaxy.upstream.port}/api/starships/9/?format=wookiee#x", "//127.0.0.1/api/starships/9/"]
    galaxy.instead["/films/1/"] = answer({"title": "Far", "starships": foreign, "url": "http://other.test/api/films/1/"})
    got = ask(galaxy.gateway.port, "/films/1?expand=starships")
    film = json.loads(got.body)
    assert got.status == 200 and len(film["starships"]) == len(foreign)
    for link, found in zip(foreign, film["starships"]):
        if "format=wookiee" not in link:
            assert found == link, "left as it was"
    assert film["url"] == "http://other.test/api/films/1/"
    assert set(galaxy.upstream.paths()) <= {"/api/films/1/", "/api/starships/9/"}
    assert all("wookiee" not in call.target for call in galaxy.upstream.calls)


def test_links_of_the_upstreams_aliases_are_followed(galaxy):
    galaxy.instead["/films/1/"] = answer({"title": "Old", "starships": ["https://swapi.dev/api/starships/9/", "http://swapi.co/api/starships/2/"]})
    film = get(galaxy.gateway, "/films/1")
    assert [link.rstrip("/") for link in film["starships"]] == [f"{galaxy.gateway.url}/starships/{n}" for n in (9, 2)]
    assert [ship["name"] for ship in get(galaxy.gateway, "/films/1?expand=starships")["starships"]] == ["Ship 9", "Ship 2"]


def test_too_many_links_are_refused_before_any_is_fetched(galaxy):
    galaxy.instead["/films/1/"] = answer({"title": "Wide", "starships": [galaxy.link("starships", n) for n in range(1, 2000)]})
    got = ask(galaxy.gateway.port, "/films/1?expand=starships")
    assert got.status == 400 and json.loads(got.body)["code"] == "budget-exceeded"
    assert galaxy.upstream.paths() == ["/api/films/1/"]
    assert ask(galaxy.gateway.port, "/films/1").status == 200


def test_what_reaches_the_upstream(galaxy):
    ask(galaxy.gateway.port, "/people?search=a%26b%3dc%20%25&page=2", "Cookie: a=b", "Authorization: Basic x", "Accept: text/html",
        "X-Forwarded-For: 1.2.3.4", "X-Api-Key: k", "User-Agent: evil", "Referer: http://x.test/", "Accept-Encoding: br")
    call = galaxy.upstream.calls[-1]
    assert call.target in ("/api/people/?search=a%26b%3Dc%20%25&page=2", "/api/people/?page=2&search=a%26b%3Dc%20%25",
                           "/api/people/?search=a%26b%3Dc+%25&page=2", "/api/people/?page=2&search=a%26b%3Dc+%25")
    assert not {"cookie", "authorization", "x-forwarded-for", "x-api-key", "referer"} & set(call.fields)
    assert call.fields["accept"].startswith("application/json")
    assert call.fields["host"] == f"127.0.0.1:{galaxy.upstream.port}"
    assert "evil" not in call.fields.get("user-agent", "") and "br" not in call.fields.get("accept-encoding", "")


def test_statuses_are_handed_on_truthfully(galaxy):
    for number, (status, wanted) in enumerate({"404 Not Found": 404, "410 Gone": 410, "401 Unauthorized": 502, "500 Oops": 502}.items(), 20):
        galaxy.instead[f"/films/{number}/"] = answer({"detail": "x"}, status)
        assert ask(galaxy.gateway.port, f"/films/{number}").status == wanted


def test_one_redirect_to_the_same_upstream_is_followed(galaxy):
    galaxy.instead["/films/7/"] = answer(b"", "301 Moved Permanently", [f"Location: {galaxy.base}/films/1/"])
    got = ask(galaxy.gateway.port, "/films/7")
    assert got.status == 200 and json.loads(got.body)["title"] == "A New Hope"
    galaxy.instead["/films/8/"] = answer(b"", "301 Moved Permanently", [f"Location: {galaxy.base}/films/7/"])
    assert ask(galaxy.gateway.port, "/films/8").status == 502


def test_public_url_begins_every_link():
    with Program("serve", "--sample", "--port", "0", "--workers", "1", "--public-url", "https://films.example/api") as program:
        film = get(program, "/films/1?expand=starships")
        assert film["url"].startswith("https://films.example/api/films/1")
        assert film["starships"][0]["url"].startswith("https://films.example/api/starships/2")
        assert get(program, "/people")["next"].startswith("https://films.example/api/people")
        assert get(program, "/openapi.json")["servers"][0]["url"].startswith("https://films.example/api")


def test_bounded_concurrency_at_the_upstream(galaxy):
    """Forty links, all clients together: never more in flight than the contract allows (16)."""
    galaxy.before = lambda call: time.sleep(0.02)
    galaxy.instead["/films/1/"] = answer({"title": "Wide", "characters": [galaxy.link("people", n) for n in range(1, 41)]})
    clients = [threading.Thread(target=curl, args=(galaxy.gateway.url + "/films/1?expand=characters",)) for _ in range(4)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert 2 < galaxy.upstream.peak <= 16
