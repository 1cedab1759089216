"""Every error of the upstreams' contracts, on every route, with the query repeated wherever an upstream can repeat it: no answer, field, link or log
line shows a key, a digest or the private key. How values spell them is in test_canary_spellings.py."""
import concurrent.futures
import hashlib
import json
import re
import time
import urllib.parse

import pytest

from canary import PRIVATE, PUBLIC, WEATHER, Echo, Shown, secrets_of
from program import ROOT, Program, run
from scripted import answer
from wire import ask

# {n} is a number of its own for each request, so that none is answered from the gateway's store.
ROUTES = ["/comics?offset={n}", "/comics/{n}", "/comics/{n}/characters", "/characters?offset={n}", "/characters/{n}", "/characters/{n}/comics",
          "/series/{n}", "/creators/{n}", "/comics?title=t{n}&all=true", "/comics/{n}?expand=characters,series,creators,variants,collections",
          "/comics?offset={n}&expand=characters.comics", "/characters/{n}?expand=comics,series&fields=name,urls.url,comics.title,series.title",
          "/series/{n}?expand=comics.creators,next", "/creators/{n}?expand=comics,series",
          "/weather?query=q{n}", "/weather?lat=1&lon=2.{n}", "/weather/locations?query=q{n}", "/weather/locations?query=q{n}&expand=", "/films/{n}?expand=characters"]


# -- what is answered
def echoes(call, here):
    """Fields that repeat the query."""
    return [f"X-Echo: {call.target}", f"Link: <{here}>; rel=next", f'ETag: "{call.target}"', f'Warning: 199 x "{here}"', f"Set-Cookie: a={call.target}",
            f"Content-Location: {here}", f"Cache-Control: max-age=0, x=\"{call.target}\"", f"Server-Timing: a;desc=\"{call.target}\"", f"X-Request-Id: {call.target}",
            f"Via: 1.1 {call.target}", f"Age: {call.target}", f"Vary: {call.target}", f"Last-Modified: {call.target}", f"Expires: {call.target}",
            f"WWW-Authenticate: Basic realm=\"{here}\"", f"Content-Language: {call.target}", f"Date: {call.target}"]


def refusal(status, body, type="application/json", *more):
    """Told with the query in the reason, in fields and, where `body` has %s, in the body."""
    def make(call, here):
        content = body(call, here) if callable(body) else body.replace("%s", call.target)
        return answer(content.encode() if isinstance(content, str) else content, f"{status} Oops {call.target}", [*echoes(call, here), *more], type)
    return make


def weathery(message):
    return json.dumps({"data": {"error": [{"msg": message}]}})


def spelt(message, name="code"):
    return json.dumps({"code": name, "message": message})


def good(call, here):
    """An object with links that expand follows, each with the query that it was asked with."""
    base, _, query = here.partition("?")
    origin = base.split("/v1/public")[0].split("/premium")[0]
    number = int(hashlib.md5(here.encode()).hexdigest()[:6], 16) + 1
    if "premium" in call.path:
        if "search" in call.path:
            return answer({"search_api": {"result": [{"areaName": [{"value": "Fine"}], "country": [{"value": here}], "latitude": "1", "longitude": f"3.{number}",
                                                      "weatherUrl": [{"value": here}]}]}}, fields=echoes(call, here))
        return answer({"data": {"request": [{"query": here}], "nearest_area": [{"areaName": [{"value": "Fine"}]}],
                                "weather": [{"date": "2026-04-04", "hourly": [{"time": "0", "weatherIconUrl": [{"value": here}]}]}]}}, fields=echoes(call, here))
    if "/api" in call.path:
        return answer({"title": "Fine", "characters": [f"{origin}/api/people/1/"]}, fields=echoes(call, here))

    def link(kind):
        return {"resourceURI": f"{origin}/v1/public/{kind}/{number}?{query}", "name": "Fine", "role": here}

    def links(kind):
        return {"available": 1, "items": [link(kind)], "collectionURI": here}
    thing = {"id": 1, "title": "Fine", "name": "Fine", "description": here, "urls": [{"type": "detail", "url": here}], "resourceURI": here,
             "thumbnail": {"path": here, "extension": "jpg"}, "characters": links("characters"), "creators": links("creators"), "variants": [link("comics")],
             "collections": [link("comics")], "comics": links("comics"), "next": link("series"), "previous": {"resourceURI": here}}
    thing["series"] = link("series") if "/comics" in call.path else links("series")
    return answer({"code": 200, "attributionText": here, "etag": here, "data": {"total": 1, "count": 1, "results": [thing]}}, fields=echoes(call, here))


def cut_at(length):
    def make(call, here):
        whole = good(call, here)
        head, _, body = whole.partition(b"\r\n\r\n")
        call.connection.sendall(head + b"\r\n\r\n" + body[:int(len(body) * length)])
    return make


def without_sense(*lines):
    """A head that breaks HTTP, with the query in it."""
    def make(call, here):
        text = "\r\n".join(lines).replace("%s", call.target).replace("%k", secrets_of(call)[0] if secrets_of(call) else "none")
        call.connection.sendall((text + "\r\n\r\n{}").encode("latin-1"))
    return make


def redirect(status, location):
    def make(call, here):
        key = urllib.parse.quote(secrets_of(call)[0] if secrets_of(call) else "none", safe="")
        return answer(b"", f"{status} Found", ["Location: " + location.replace("%s", call.target).replace("%h", here).replace("%k", key)])
    return make


WRONG_ROUTE = spelt("%s does not exist", "ResourceNotFound")
KEY_ERROR = '{"meta":{"version":1,"status_code":403},"results":{"error":{"type":"KeyError","message":"\'%s\' is not a valid key"}}}'
CASES = {
    "401 key": refusal(401, spelt("The passed API key is invalid. %s", "InvalidCredentials")),
    "401 hash": refusal(401, spelt("That hash, timestamp and key combination is invalid. %s", "InvalidCredentials")),
    "403 json": refusal(403, KEY_ERROR), "403 page": refusal(403, "<html><h2>%s has no access</h2></html>", "text/html", "Cache-Control: public, max-age=120"),
    "200 key error": refusal(200, KEY_ERROR), "404 route": refusal(404, WRONG_ROUTE), "404 comic": refusal(404, '{"code":404,"status":"We couldn\'t find that comic_issue %s"}'),
    "405": refusal(405, "Method Not Allowed: %s", "text/plain"),
    "409 spelt": refusal(409, spelt("You must provide a user key. %s", "MissingParameter")), "409 number": refusal(409, '{"code":409,"status":"We don\'t recognize the parameter %s"}'),
    "410": refusal(410, WRONG_ROUTE), "429 spelt": refusal(429, spelt("%s went over the rate limit", "RequestThrottled"), "application/json", "Retry-After: 0"),
    "429 with the key to wait for": lambda call, here: refusal(429, "{}", "application/json", f"Retry-After: {call.target}")(call, here),
    "500 json": refusal(500, '{"error":"%s"}'), "500 page": refusal(500, "<html>%s</html>", "text/html"), "503": refusal(503, "%s", "text/plain"),
    "200 page": refusal(200, "<html><a href='%s'>x</a></html>", "text/html"), "200 sentence": refusal(200, "Something went wrong with %s", "text/plain"),
    "200 xml": refusal(200, '<?xml version="1.0"?><data><error><msg>%s</msg></error></data>', "text/xml"),
    "200 suspended": refusal(200, weathery("User account is in suspended mode. %s")), "200 api key": refusal(200, weathery("API key %s is wrong")),
    "200 no match": refusal(200, weathery("Unable to find any matching weather location to the query %s submitted!")), "200 other error": refusal(200, weathery("%s")),
    "200 scalar": refusal(200, lambda call, here: json.dumps(here)), "200 array": refusal(200, lambda call, here: json.dumps([here] * 3)),
    "200 names": refusal(200, lambda call, here: json.dumps({here: {here: here}, "data": {here: 1, "results": here}})),
    "200 wrong coding": lambda call, here: refusal(200, "{}", "application/json", f"Content-Encoding: {secrets_of(call)[0] if secrets_of(call) else 'x'}")(call, here),
    "200 type": lambda call, here: refusal(200, '{"a":"%s"}', f"application/json; x={call.target}")(call, here),
    "301 in itself": redirect(301, "%s"), "302 elsewhere": redirect(302, "http://other.test%s"), "302 host": redirect(302, "http://%k.test/"), "307 user": redirect(307, "http://%k@127.0.0.1:1/"),
    "302 no address": redirect(302, "://%s"), "302 below": redirect(302, "/v1/public/%k"), "302 scheme": redirect(302, "file://%s"),
    "cut early": cut_at(0.1), "cut late": cut_at(0.9), "closed": lambda call, here: None, "garbage": refusal(200, '{"a":"%s"]'), "deep": refusal(200, "[" * 200 + '"%s"'),
    "no http": without_sense("%s"), "status": without_sense("HTTP/1.1 %s OK"), "status key": without_sense("HTTP/1.1 %k"), "line": without_sense("HTTP/1.1 200 OK", "%s"),
    "length": without_sense("HTTP/1.1 200 OK", "Content-Length: %k"), "transfer": without_sense("HTTP/1.1 200 OK", "Transfer-Encoding: %k"),
    "chunk": without_sense("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "%k"), "version": without_sense("HTTP/%k 200 OK"),
    "name": without_sense("HTTP/1.1 200 OK", "%k é: x", "Content-Length: 2"),
    "good": good,
}


def ask_all(program, upstream, shown, name, case, numbers, routes):
    for position, route in enumerate(routes):
        if position % 5 == 0:
            # Answers that are well keep the breaker from opening, so that each route meets the error itself.
            upstream.case = good
            for healthy in ("/series/%d", "/weather?query=well%d"):
                assert ask(program.port, healthy % next(numbers)).status == 200
        upstream.case = case
        target = route.replace("{n}", str(next(numbers)))
        got = ask(program.port, target)
        shown.add(f"{name}: {target}", got.body)
        shown.add(f"{name}: fields of {target}", repr(got.fields))
        yield route, got


def own_pages(program, shown):
    for target in ("/", "/openapi.json", "/readyz", "/healthz", "/metrics", f"/nothing?apikey={PUBLIC[:3]}"):
        for accept in ("application/json", "text/html"):
            got = ask(program.port, target, f"Accept: {accept}")
            shown.add(target, got.body)
            shown.add("fields of " + target, repr(got.fields))


@pytest.mark.parametrize("form", ["text", "json"])
def test_each_error_on_each_route_shows_no_credential(form):
    shown, numbers = Shown(), iter(range(1, 1_000_000))
    codes = set()
    with Echo(good) as upstream:
        with Program("serve", "--port", "0", "--workers", "1", "--log-level", "debug", "--log-format", form, env=upstream.env) as program:
            for position, (name, case) in enumerate(CASES.items()):
                # The two logs tell the same in other forms; between them they see each error on each route.
                routes = ROUTES[(position + (form == "json")) % 2::2]
                for route, got in ask_all(program, upstream, shown, name, case, numbers, routes):
                    assert got.status in (200, 404, 410, 502, 503, 504), (name, route, got)
                    if got.status >= 400:
                        codes.add(json.loads(got.body)["code"])
                    if name == "good":
                        assert got.status == 200 and b"Fine" in got.body, (route, got.body)
                own_pages(program, shown)
        shown.add("log", program.log)
        shown.add("stdout", program.line + "".join(map(str, program.rest)))
    # Not only the breaker's own words.
    assert {"upstream-denied", "upstream-rejected", "upstream-failed", "upstream-limit", "upstream-not-json", "upstream-redirect", "upstream-shape", "upstream-framing",
            "upstream-closed", "not-found", "gone"} <= codes, codes
    assert len(upstream.digests) > 100 and program.log.count("\n") > 100
    shown.check(upstream.secrets)


def test_time_outs_show_no_credential(tmp_path):
    """Contracts with short times: nothing comes, a head without its end, a body without its end."""
    for file in (ROOT / "openapi").iterdir():
        text = re.sub(r"timeout: \d+s", "timeout: 300ms", file.read_text())
        (tmp_path / file.name).write_text(re.sub(r"deadline: \d+s", "deadline: 500ms", text))
    shown, numbers = Shown(), iter(range(1, 1_000_000))

    def silent(call, here):
        time.sleep(1.5)

    def half(call, here):
        call.connection.sendall(f"HTTP/1.1 200 OK\r\nX-Echo: {call.target}\r\n".encode())
        time.sleep(1.5)

    def slow(call, here):
        call.connection.sendall(good(call, here)[:-10])
        time.sleep(1.5)
    with Echo(good) as upstream:
        for case in (silent, half, slow):
            with Program("serve", tmp_path, "--port", "0", "--workers", "1", "--log-level", "debug", "--log-format", "json", env=upstream.env) as program:
                upstream.case = case
                with concurrent.futures.ThreadPoolExecutor(len(ROUTES)) as pool:
                    targets = [route.replace("{n}", str(next(numbers))) for route in ROUTES]
                    for target, got in zip(targets, pool.map(lambda target: ask(program.port, target), targets)):
                        assert got.status in (502, 503, 504), (target, got)
                        shown.add(f"{case.__name__}: {target}", got.body + repr(got.fields).encode())
                own_pages(program, shown)
            shown.add("log of " + case.__name__, program.log)
    shown.check(upstream.secrets)


QUOTAS = ["API key has reached calls per day allowed limit. %s", "Queries per second exceeded %s", "Queries per day exceeded %s"]


def limited(message, status, is_json, weather):
    """What a gateway shows whose upstream is at its limit: texts with where."""
    shown = Shown()
    with Echo(good) as upstream:
        upstream.case = refusal(status, weathery(message) if is_json else message, "application/json" if is_json else "text/plain", "Retry-After: 60")
        with Program("serve", "--port", "0", "--workers", "1", "--log-level", "debug", env=upstream.env) as program:
            for route in (weather, weather, "/comics/1", "/comics?expand=characters"):
                got = ask(program.port, route)
                assert got.status in (502, 503), (route, got)
                if "weather" in route:
                    assert got.status == 503 and int(got["Retry-After"]) > 0, (message, status, got)
                shown.add(f"{message} {status} {route}", got.body + repr(got.fields).encode())
        shown.add("log", program.log)
        shown.check(upstream.secrets)


def test_limits_that_make_the_gateway_wait_show_no_credential():
    cases = [(message, status, is_json, weather) for message in QUOTAS for status in (200, 429) for is_json in (True, False)
             for weather in ("/weather?query=q", "/weather/locations?query=q")]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(limited, *case) for case in cases]:
            done.result()


def test_commands_show_no_credential(tmp_path):
    shown = Shown()
    with Echo(good) as upstream:
        for name in ("good", "401 key", "403 json", "404 route", "409 spelt", "500 json", "302 elsewhere", "garbage", "no http", "cut late", "closed"):
            upstream.case = CASES[name]
            for target in ("/comics", "/comics/1?expand=characters,series", "/weather/locations?query=x"):
                for text in run("get", target, env=upstream.env)[1:]:
                    shown.add(f"get {target} at {name}", text)
        for command in (["check"], ["routes"], ["check", "--log-level", "debug"], ["help"], ["get", f"/comics?apikey={WEATHER[:2]}"]):
            for text in run(*command, env=upstream.env)[1:]:
                shown.add(" ".join(command), text)
        # Values that nothing can be done with.
        (tmp_path / "key").write_text(PRIVATE + "\n" + PRIVATE + "\n")
        for wrong in ({"MARVEL_URL": f"http://127.0.0.1:1/?apikey={PUBLIC}"}, {"MARVEL_URL": PUBLIC}, {"MARVEL_PUBLIC_KEY": PUBLIC + "\x01\n" + PUBLIC},
                      {"WWO_KEY": PUBLIC + "é\t"}, {"MARVEL_QUOTA": PUBLIC}, {"MARVEL_PRIVATE_KEY": "", "MARVEL_PRIVATE_KEY_FILE": str(tmp_path / "key")},
                      {"WWO_URL": f"http://{PUBLIC}:{PRIVATE}@127.0.0.1:1/"}):
            for command in (["check"], ["get", "/comics"], ["get", "/weather?query=x"]):
                for text in run(*command, env={**upstream.env, **wrong})[1:]:
                    if not {"MARVEL_QUOTA"} & set(wrong):  # a setting of the wrong kind is told as it was given
                        shown.add(f"{command} with {list(wrong)}", text)
    shown.check(upstream.secrets)
