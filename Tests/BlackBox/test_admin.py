"""The admin port: who may use it, and what it drops."""
import json
import signal
import threading
import urllib.parse

import pytest

from program import Program, eventually, free_port, run
from scripted import Galaxy, Upstream, answer
from wire import Connection, ask, request

KEY = "an-admin-key-0123456789"


class Operated:
    """A scripted SWAPI and a gateway for it with an admin port."""

    def __init__(self, *arguments, **env):
        self.galaxy = Galaxy()
        self.admin = free_port()
        self.program = Program("serve", "--port", "0", "--workers", "2", "--admin-port", self.admin, "--drain-accept", "0s",
                               *arguments,
                               env={"SWAPI_URL": self.galaxy.base, **env})

    def get(self, target):
        return ask(self.program.port, target)

    def drop(self, **query):
        text = "?" + urllib.parse.urlencode(query) if query else ""
        answer = ask(self.admin, "/cache" + text, method="DELETE", host=f"127.0.0.1:{self.admin}")
        assert answer.status == 200 and answer["Content-Type"] == "application/json" and answer["Cache-Control"] == "no-store"
        return json.loads(answer.body)["dropped"]

    def refused(self, **query):
        answer = ask(self.admin, "/cache?" + urllib.parse.urlencode(query), method="DELETE", host="127.0.0.1")
        problem = json.loads(answer.body)
        assert answer.status == problem.get("status") == 400 and problem["code"].endswith("-parameter"), (query, problem)
        return problem

    @property
    def asked(self):
        return len(self.galaxy.upstream.calls)

    def __enter__(self):
        self.program.__enter__()
        return self

    def __exit__(self, *error):
        self.program.__exit__(*error)
        self.galaxy.upstream.close()


def test_there_is_none_unless_it_is_asked_for():
    with Program("serve", "--sample", "--port", "0", "--workers", "1") as program:
        assert "admin" not in program.line
        assert ask(program.port, "/metrics").status == 404
        assert ask(program.port, "/cache", method="DELETE").status == 404


def test_each_way_of_dropping():
    with Operated() as it:
        def fill():
            for target in ("/films/1?expand=starships", "/people/1", "/people/4", "/planets/1"):
                assert it.get(target).status == 200
            return it.asked
        before = fill()
        assert fill() == before, "all of it is kept"
        for query, count in [
                ({"url": "/films/1"}, 1), ({"url": "/films/1/"}, 1), ({"url": f"{it.program.url}/films/1"}, 1),
                ({"url": f"{it.program.url}/films/1?expand=starships&fields=title"}, 1),
                ({"url": it.galaxy.link("starships", 2)}, 1), ({"url": "http://swapi.dev/api/people/4/"}, 1),
                ({"url": "HTTPS://SWAPI.co/api/people/4/"}, 1), ({"url": f"http://localhost:{it.program.port}/films/1"}, 1),
                ({"route": "/people/{id}"}, 2), ({"route": "/starships/{id}"}, 8), ({"tag": "swapi"}, 12), ({}, 12)]:
            assert it.drop(**query) == count, query
            asked = it.asked
            fill()
            assert it.asked == asked + count, query
        for nothing in [{"url": "/films/99"}, {"route": "/films"}, {"tag": "marvel"}, {"url": it.galaxy.base + "/films/1"}]:
            assert it.drop(**nothing) == 0, nothing
        for typo, word in [
                ({"tag": "nosuch"}, "marvel-images"), ({"tag": "/films/{id}"}, "swapi"), ({"route": "/film/{id}"}, "/films/{id}"),
                ({"route": "GET /films/{id}"}, "/films/{id}"), ({"route": "swapi"}, "/films/{id}"),
                ({"url": "https://elsewhere.example/films/1"}, it.program.url), ({"url": it.galaxy.upstream.url + "/apis/films/1"}, "http://swapi.dev"),
                ({"url": it.galaxy.base.replace("127.0.0.1", "127.0.0.2")}, "nor one below"), ({"url": "/film/1"}, "No GET"),
                ({"url": "/nowhere"}, "No GET"), ({"url": "/healthz"}, "made here"), ({"url": "/comics/1/card"}, "made here"),
                ({"url": "/films/1?page=2"}, "page")]:
            problem = it.refused(**typo)
            assert word in json.dumps(problem) and problem["allowed"] and "unset.invalid" not in str(problem), (typo, problem)
        asked = it.asked
        fill()
        assert it.asked == asked


@pytest.mark.parametrize("base, host", [("", "127.0.0.1"), ("/app", "0.0.0.0")])
def test_each_way_of_dropping_from_a_plain_mirror(base, host):
    admin = free_port()

    def page(call):
        return answer({"n": 1}, fields=("Cache-Control: max-age=600", "Vary: Accept-Language"))
    with Upstream(page) as upstream, Program("serve", "--mirror", upstream.url + base, "--host", host, "--port", "0", "--workers", "2", "--admin-port", admin) as program:
        def fill():
            for target in ("/page?a=1&b", "/other"):
                for language in ("de", "en"):
                    assert ask(program.port, target, "Accept-Language: " + language).status == 200
            return len(upstream.calls)

        def drop(**query):
            got = ask(admin, "/cache?" + urllib.parse.urlencode(query), method="DELETE", host="127.0.0.1")
            return got.status, json.loads(got.body)
        fill()
        for query, asked in [({"url": "/page?a=1&b"}, 2), ({"url": f"http://127.0.0.1:{program.port}/page?a=1&b"}, 2), ({"url": upstream.url + base + "/page?a=1&b"}, 2),
                             ({"tag": "mirror"}, 4), ({"url": "/page"}, 0), ({"url": "/page?b&a=1"}, 0), ({"url": "/never"}, 0)]:
            before = fill()
            status, told = drop(**query)
            assert status == 200 and told == {"dropped": asked // 2}, (query, told)
            assert fill() == before + asked, query
        for typo in ({"route": "/"}, {"tag": "swapi"}, {"url": "https://elsewhere.example/page"}):
            status, problem = drop(**typo)
            assert status == 400 and problem["allowed"], problem


def test_what_is_on_its_way_is_not_kept_after_a_drop():
    with Operated() as it:
        go = threading.Event()
        it.galaxy.before = lambda call: go.wait(20)
        with Connection(it.program.port) as client:
            client.send(request("/planets/1"))
            assert eventually(lambda: it.galaxy.upstream.in_flight == 1)
            it.drop()
            go.set()
            assert client.answer().status == 200
        asked = it.asked
        assert it.get("/planets/1").status == 200 and it.asked == asked + 1


@pytest.mark.parametrize("target, method, status, words", [
    ("/cache?urls=/films/1", "DELETE", 400, ["urls", "allowed"]), ("/cache?url=", "DELETE", 400, ["url"]),
    ("/cache?url=films", "DELETE", 400, ["http://"]), ("/cache?url=/films/%0A", "DELETE", 400, []),
    ("/cache?url=/a%20b", "DELETE", 400, ["url"]), ("/cache?url=/a&url=/b", "DELETE", 400, ["url", "%26"]),
    ("/cache?url=/films/1%3Fexpnad%3Dx", "DELETE", 400, ["expnad"]),
    ("/cache?url=ftp%3A%2F%2Fa%2Fb", "DELETE", 400, []), ("/cache", "GET", 405, ["DELETE"]), ("/metrics", "DELETE", 405, ["GET"]),
    ("/films/1", "GET", 404, []), ("/", "GET", 404, ["/metrics"]), ("/cache/", "DELETE", 404, []),
])
def test_what_the_port_refuses(gateway, target, method, status, words):
    got = ask(gateway.admin_port, target, method=method, host="127.0.0.1")
    problem = json.loads(got.body)
    assert got.status == problem["status"] == status and got["Content-Type"] == "application/problem+json"
    assert (got["Allow"] is not None) == (status == 405)
    for word in words:
        assert word.encode() in got.body


def test_pages_in_a_browser_are_refused(gateway):
    for host in ("evil.example", f"evil.example:{gateway.admin_port}"):
        assert ask(gateway.admin_port, "/metrics", host=host).status == 421
        assert ask(gateway.admin_port, "/cache", method="DELETE", host=host).status == 421
    for field in ("Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"):
        assert ask(gateway.admin_port, "/cache", field, method="DELETE", host="127.0.0.1").status == 403
    assert ask(gateway.admin_port, "/metrics", host="localhost").status == 200


def test_with_a_key_nothing_but_health_is_open(tmp_path):
    file = tmp_path / "key"
    file.write_text(KEY + "\n")
    for env in ({"SLUICE_ADMIN_KEY": KEY}, {"SLUICE_ADMIN_KEY_FILE": str(file)}):
        with Operated("--admin-host", "0.0.0.0", **env) as it:
            right = "Authorization: Bearer " + KEY
            for field in ("X-Nothing: a", "Authorization: Bearer wrong", f"Authorization: Bearer {KEY}x", f"Authorization: {KEY}"):
                got = ask(it.admin, "/cache", field, method="DELETE", host="sluice:9090")
                assert got.status == 401 and got["WWW-Authenticate"].startswith("Bearer") and KEY.encode() not in got.body
            assert ask(it.admin, "/cache", right, method="DELETE", host="sluice:9090").status == 200
            assert ask(it.admin, "/metrics", right, host="sluice:9090").status == 200
            assert ask(it.admin, "/metrics", host="127.0.0.1").status == 401
            assert ask(it.admin, "/healthz", host="sluice:9090").status == 200
            assert KEY not in it.program.log and KEY not in it.program.line


@pytest.mark.parametrize("arguments, env, words", [
    (["--admin-host", "0.0.0.0"], {}, ["--admin-host", "SLUICE_ADMIN_KEY"]),
    (["--admin-host", "::"], {}, ["--admin-host", "SLUICE_ADMIN_KEY"]),
    ([], {"SLUICE_ADMIN_KEY": "short-key"}, ["SLUICE_ADMIN_KEY", "16"]),
    ([], {"SLUICE_ADMIN_KEY_FILE": "/nowhere/key"}, ["SLUICE_ADMIN_KEY_FILE", "/nowhere/key"]),
    (["--admin-host", "192.0.2.1"], {"SLUICE_ADMIN_KEY": KEY}, ["192.0.2.1"]),
])
def test_a_port_that_may_not_open_is_told_at_the_start(arguments, env, words):
    status, out, err = run("serve", "--sample", "--port", "0", "--admin-port", free_port(), *arguments, env=env)
    assert status == 1 and out == "" and len(err.splitlines()) == 1
    for word in words:
        assert word in err
    assert "short-key" not in err and KEY not in err


def test_a_taken_admin_port_is_told(gateway):
    status, out, err = run("serve", "--sample", "--port", "0", "--admin-port", gateway.admin_port)
    assert status == 1 and out == "" and str(gateway.admin_port) in err and "--admin-port" in err


def test_it_answers_while_the_program_drains(contract):
    text = """openapi: 3.1.0
info: {title: Slow, version: "1"}
x-sluice-upstreams: {slow: {url: "%s", timeout: 20s}}
paths:
  /slow:
    get:
      operationId: getSlow
      x-sluice: {upstream: slow, deadline: 20s}
      responses: {"200": {description: It., content: {application/json: {schema: {type: object}}}}}
"""
    go, admin = threading.Event(), free_port()
    with Upstream(lambda call: go.wait(20) and answer({"n": 1})) as upstream:
        program = Program("serve", contract(text % upstream.url), "--port", "0", "--workers", "1", "--admin-port", admin, "--drain-accept", "0s")
        with Connection(program.port) as busy:
            busy.send(request("/slow"))
            assert eventually(lambda: upstream.in_flight == 1)
            program.signal(signal.SIGTERM)
            program.wait_for_log("draining")
            assert ask(admin, "/readyz", host="127.0.0.1").status == 503
            assert b"sluice_requests_in_flight 1\n" in ask(admin, "/metrics", host="127.0.0.1").body
            go.set()
            assert busy.answer().status == 200
        assert program.wait() == 0


def test_a_reload_goes_on_with_the_new_contracts(contract):
    text = """openapi: 3.1.0
info: {title: Things, version: "1"}
x-sluice-upstreams: {things: {url: "%s", cache: {ttl: 1h}}}
paths:
  /%s:
    get:
      operationId: getThing
      x-sluice: {upstream: things, path: /thing}
      responses: {"200": {description: It., content: {application/json: {schema: {type: object}}}}}
"""
    admin = free_port()
    with Upstream(lambda call: answer({"n": 1})) as upstream:
        path = contract(text % (upstream.url, "old"))
        with Program("serve", path, "--port", "0", "--workers", "2", "--admin-port", admin) as program:
            assert ask(program.port, "/old").status == 200
            contract(text % (upstream.url, "new"))
            program.signal(signal.SIGHUP)
            program.wait_for_log("again")
            assert eventually(lambda: ask(program.port, "/new").status == 200)
            dropped = ask(admin, "/cache?route=/new", method="DELETE", host="127.0.0.1")
            assert json.loads(dropped.body) == {"dropped": 1}
            metrics = ask(admin, "/metrics", host="127.0.0.1").body
            assert b'route="/old"' in metrics and b'route="/new"' in metrics
