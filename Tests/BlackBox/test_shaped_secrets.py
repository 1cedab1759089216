"""Marvel and the weather write the keys that they are asked with into their answers; nobody ever sees them there."""
import hashlib
import json
import urllib.parse

from program import Program
from scripted import Upstream, answer
from test_secrets import forms
from wire import ask

KEYS = {"MARVEL_PUBLIC_KEY": "canaryPublic0123456789abcdef0001", "MARVEL_PRIVATE_KEY": "canaryPrivate0123456789abcdef02", "WWO_KEY": "canary wwo/key+3&4"}
ROUTES = {
    "marvel": ["/comics", "/comics/1", "/comics/1/characters", "/characters", "/characters/1", "/characters/1/comics", "/series/1", "/creators/1",
               "/comics?all=true", "/comics/1?expand=characters,series,creators,variants", "/comics?fields=title,urls.url", "/comics/1?expand=characters.comics"],
    "weather": ["/weather?query=Hanoi", "/weather?lat=1&lon=2", "/weather/locations?query=Hanoi", "/weather/locations?query=Hanoi&expand="],
}
CASES = ["good", "error", "ok error", "denied", "missing", "conflict", "limit", "garbage", "html", "redirect", "elsewhere", "closed"]


def marvel(call, base):
    """An object with the whole request in every text, address and name of it."""
    here = f"{base}{call.target}"
    link = {"resourceURI": f"{here.split('?')[0].rsplit('/', 1)[0]}/2?{here.split('?')[1]}", "name": here, "role": here}
    thing = {"id": 1, "title": "Fine", "name": "Fine", "fullName": call.lines[0], "lastName": "Fine", "description": here, "isbn": f"key {KEYS['MARVEL_PUBLIC_KEY']}", here: here,
             "urls": [{"type": "detail", "url": f"http://marvel.com/x?utm_campaign=apiRef&utm_source={KEYS['MARVEL_PUBLIC_KEY']}"}, {"type": here, "url": here}],
             "resourceURI": here, "thumbnail": {"path": here, "extension": "jpg"}, "images": [{"path": "http://i.test/a", "extension": "jpg?" + here.split("?")[1]}],
             "series": {**link, "resourceURI": f"{base}/v1/public/series/2?{here.split('?')[1]}"},
             "characters": {"available": 1, "items": [{**link, "resourceURI": f"{base}/v1/public/characters/2?{here.split('?')[1]}"}]},
             "creators": {"available": 1, "items": [{**link, "resourceURI": f"{base}/v1/public/creators/2"}]},
             "variants": [{"resourceURI": f"{base}/v1/public/comics/2?{here.split('?')[1]}", "name": "Fine"}],
             "dates": [{"type": "onsaleDate", "date": here}]}
    return {"code": 200, "attributionText": here, "etag": here, "data": {"total": 3, "count": 1, "results": [thing], here: here}}


def weather(call, base):
    here = f"{base}{call.target}"
    if "search" in call.path:
        return {"search_api": {"result": [{"areaName": [{"value": "Fine"}], "country": [{"value": here}], "latitude": "1", "longitude": "2", "weatherUrl": [{"value": here}]}]}}
    return {"data": {"request": [{"query": here}], "nearest_area": [{"areaName": [{"value": "Fine"}], "country": [{"value": KEYS["WWO_KEY"]}]}],
                     "weather": [{"date": "2026-04-04", "hourly": [{"time": "0", "weatherIconUrl": [{"value": here}], "weatherDesc": [{"value": call.lines[0]}]}]}]}}


def test_keys_in_answers_are_never_shown():
    state = {"case": "good"}

    def misbehave(call):
        here = f"{upstream.url}{call.target}"
        echo = {"line": call.lines[0], "fields": call.lines[1:], "code": "X", "message": f"{here} does not exist", "data": {"error": [{"msg": here}]}}
        fields = [f"X-Echo: {call.target}", f"Link: <{here}>; rel=next", f"ETag: \"{call.target}\"", f"Warning: 199 x \"{here}\""]
        return {
            "good": lambda: answer((marvel if "/v1/public" in call.path else weather)(call, upstream.url), fields=fields),
            "error": lambda: answer(echo, "500 " + call.target, fields), "ok error": lambda: answer(echo, fields=fields),
            "denied": lambda: answer(echo, "401 Unauthorized", fields), "missing": lambda: answer(echo, "404 Not Found", fields),
            "conflict": lambda: answer(echo, "409 Conflict", fields), "limit": lambda: answer(echo, "429 Slow", [*fields, "Retry-After: 0"]),
            "garbage": lambda: answer(json.dumps(echo).encode() + b"]", fields=fields), "html": lambda: answer(f"<html>{here}</html>".encode(), type="text/html"),
            "redirect": lambda: answer(b"", "302 Found", [f"Location: {call.target}"]),
            "elsewhere": lambda: answer(b"", "302 Found", [f"Location: http://other.test{call.target}"]), "closed": lambda: None,
        }[state["case"]]()

    with Upstream(misbehave) as upstream:
        env = {**KEYS, "MARVEL_URL": upstream.url + "/v1/public", "WWO_URL": upstream.url + "/premium/v1"}
        shown, good = [], 0
        with Program("serve", "--port", "0", "--workers", "1", "--log-level", "debug", "--log-format", "json", env=env) as program:
            for case in CASES:
                state["case"] = case
                for target in [target for targets in ROUTES.values() for target in targets]:
                    got = ask(program.port, target)
                    shown += [got.body, repr(got.fields).encode()]
                    if got.status == 200:
                        assert b"Fine" in got.body, (case, target, got.body[:500])
                        good += 1
            for target in ("/", "/openapi.json", "/readyz", "/healthz", "/metrics"):
                got = ask(program.port, target)
                shown += [got.body, repr(got.fields).encode()]
            state["case"] = "good"
            calls = list(upstream.calls)
        shown += [program.log.encode(), program.line.encode(), *program.rest]
    assert good >= sum(map(len, ROUTES.values()))
    everything = b"\n".join(shown)
    for name, secret in KEYS.items():
        for form in forms(secret):
            assert form not in everything, f"{name} was shown as {form!r}"
            assert form[:10] not in everything, f"{name} was shown in part, {form[:10]!r}"
    digests = set()
    for call in calls:
        query = {key: values[0] for key, values in urllib.parse.parse_qs(call.target.split("?")[1]).items()}
        if "/v1/public" in call.path:
            text = query["ts"] + KEYS["MARVEL_PRIVATE_KEY"] + KEYS["MARVEL_PUBLIC_KEY"]
            assert query["hash"] == hashlib.md5(text.encode()).hexdigest()
            digests.add(query["hash"].encode())
        else:
            assert query["key"] == KEYS["WWO_KEY"]
    assert len(digests) > 10
    for digest in digests:
        assert digest not in everything and digest[:16] not in everything
