"""What is kept of upstreams' answers: who is asked, and what the client is told of it."""
import json
import re
import resource
import threading
import time
from email.utils import formatdate

import pytest

from program import Program, eventually
from scripted import Galaxy, Upstream, answer
from wire import Connection, ask, request

CONTRACT = """
openapi: 3.1.0
info: {title: Things, version: "1"}
x-sluice-upstreams:
  things:
    url: "%s/api"
    timeout: 5s
    retries: 0
    CACHE
    auth: {type: query, name: key, value: "${THINGS_KEY}"}
paths:
  /things/{id}:
    get:
      operationId: getThing
      x-sluice: {upstream: things}
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: A thing., content: {application/json: {schema: {type: object}}}}}
"""
SECRET = "k3y-that-nobody-sees"


class Things:
    """One upstream that answers as it is told, and a gateway for it."""

    def __init__(self, contract, *arguments, cache="cache: {ttl: 1h}"):
        self.made = answer({"n": 1})
        self.upstream = Upstream(lambda call: self.made(call) if callable(self.made) else self.made)
        text = CONTRACT.replace("CACHE", cache) % self.upstream.url
        self.program = Program(
            "serve", contract(text), "--port", "0", "--workers", "2", *arguments, env={"THINGS_KEY": SECRET})

    def get(self, target="/things/1", *fields, **more):
        return ask(self.program.port, target, *fields, **more)

    @property
    def asked(self):
        return len(self.upstream.calls)

    def __enter__(self):
        self.program.__enter__()
        return self

    def __exit__(self, *error):
        self.program.__exit__(*error)
        self.upstream.close()


def test_a_second_request_is_a_hit_and_asks_nobody(contract):
    with Things(contract) as things:
        first, second = things.get(), things.get()
        assert first.body == second.body == b'{"n":1}' and things.asked == 1
        assert first["Cache-Status"] == "sluice; fwd=uri-miss; stored"
        assert second["Cache-Status"].startswith("sluice; hit; ttl=") and int(second["Age"]) >= 0
        assert "1 request" in first["Server-Timing"] and "request" not in second["Server-Timing"]
        assert first["ETag"] == second["ETag"]
        for got in (first, second):
            assert SECRET not in repr(got.fields) and SECRET.encode() not in got.body
        assert "key=" + SECRET in things.upstream.calls[0].target


def test_off_asks_each_time(contract):
    with Things(contract, "--cache", "off") as things:
        assert [things.get()["Cache-Status"] for _ in range(3)] == ["sluice; fwd=bypass"] * 3
        assert things.asked == 3


@pytest.mark.parametrize("field", ["Cache-Control: no-store", "Cache-Control: private, max-age=60", "Set-Cookie: a=b"])
def test_what_may_not_be_kept_is_asked_for_each_time(contract, field):
    with Things(contract) as things:
        things.made = answer({"n": 1}, fields=[field])
        got = [things.get() for _ in range(3)]
        assert things.asked == 3
        assert all("hit" not in one["Cache-Status"] and "stored" not in one["Cache-Status"] for one in got)


@pytest.mark.parametrize("status", ["201 Created", "202 Accepted", "299 Fine"])
def test_every_success_of_an_upstream_with_content_is_200(contract, status):
    with Things(contract) as things:
        things.made = answer({"n": 1}, status)
        got = things.get()
        assert got.status == 200 and got.body == b'{"n":1}'


@pytest.mark.parametrize("field", ["Vary: *", "Vary: Accept, *", "Set-Cookie: a=b", "Cache-Control: private"])
@pytest.mark.parametrize("cache", ["all", "upstream", "off"])
def test_what_is_for_one_client_is_so_for_caches_behind_too(contract, field, cache):
    with Things(contract, "--cache", cache) as things:
        things.made = answer({"n": 1}, fields=["Cache-Control: max-age=60", field])
        for got in (things.get(), things.get()):
            assert got["Cache-Control"] == "no-store" and got["Set-Cookie"] is None
        assert things.asked == 2


@pytest.mark.parametrize("field, age", [
    (lambda: "Date: " + formatdate(time.time() - 3600, usegmt=True), 3600),
    (lambda: "Date: Thu, 01 Jan 1970 00:00:00 GMT", 1_700_000_000), (lambda: "Age: 99999999999999999999", 1 << 31),
    (lambda: "Age: 1000", 1000), (lambda: "Age: 20", 20)])
@pytest.mark.parametrize("cache", ["all", "upstream", "off"])
def test_no_cache_behind_is_told_a_longer_life_than_is_left(contract, field, age, cache):
    with Things(contract, "--cache", cache) as things:
        things.made = answer({"n": 1}, fields=["Cache-Control: max-age=60", field()])
        for _ in range(2):
            got = things.get()
            told = int(re.match(r"max-age=(\d+)", got["Cache-Control"])[1])
            assert int(got["Age"]) >= age and told - int(got["Age"]) <= max(0, 60 - age) and told <= 60
        if age > 60:
            assert things.asked == 2


def test_a_stale_answer_is_renewed_by_its_tag(contract):
    with Things(contract) as things:
        def made(call):
            if call.fields.get("if-none-match") == '"one"':
                return b'HTTP/1.1 304 Not Modified\r\nETag: "one"\r\nCache-Control: max-age=0\r\n\r\n'
            return answer({"n": 1}, fields=['ETag: "one"', "Cache-Control: max-age=0"])
        things.made = made
        first, second, third = things.get(), things.get(), things.get()
        assert first.body == second.body == third.body == b'{"n":1}' and things.asked == 3
        assert ["if-none-match" in call.fields for call in things.upstream.calls] == [False, True, True]
        assert second["Cache-Status"] == "sluice; fwd=stale; stored"
        assert second["Cache-Control"].startswith("max-age=0")


def test_an_old_answer_stands_in_for_a_failing_upstream(contract):
    with Things(contract, cache="cache: {ttl: 1h, stale-if-error: 1h}") as things:
        things.made = answer({"n": 1}, fields=["Cache-Control: max-age=0"])
        assert things.get().status == 200
        things.made = answer({"error": "down"}, "500 Internal Server Error")
        failed = things.get()
        assert failed.status == 200 and failed.body == b'{"n":1}'
        assert failed["Cache-Status"] == "sluice; fwd=stale; detail=stale-if-error"
        things.upstream.close()
        down = things.get()
        assert down.status == 200 and down.body == b'{"n":1}'
        assert down["Cache-Status"] == "sluice; fwd=stale; detail=stale-if-error"
        assert things.get("/things/2").status == 502


def test_errors_are_never_kept_but_404_is_for_seconds(contract):
    with Things(contract) as things:
        things.made = answer({"error": "down"}, "500 Internal Server Error", fields=["Cache-Control: max-age=60"])
        assert [things.get().status for _ in range(2)] == [502, 502] and things.asked == 2
        things.made = answer({"n": 1})
        assert things.get().status == 200
        things.upstream.reset()
        things.made = answer({"detail": "none"}, "404 Not Found", fields=["Cache-Control: max-age=3600"])
        assert [things.get("/things/404").status for _ in range(2)] == [404, 404] and things.asked == 1


def test_what_is_no_json_is_never_kept(contract):
    with Things(contract) as things:
        things.made = answer(b'{"n":', fields=["Cache-Control: max-age=3600"])
        assert [things.get().status for _ in range(2)] == [502, 502] and things.asked == 2
        things.made = answer({"n": 2}, fields=["Cache-Control: max-age=3600"])
        assert things.get().body == things.get().body == b'{"n":2}' and things.asked == 3


def test_a_redirect_elsewhere_is_never_kept(contract):
    with Things(contract) as things:
        things.made = answer(b"", "301 Moved Permanently", fields=["Location: http://other.test/", "Cache-Control: max-age=60"])
        assert [things.get().status for _ in range(2)] == [502, 502] and things.asked == 2


def test_kept_parts_count_as_bytes_that_were_read(contract):
    with Things(contract, "--max-upstream-bytes", "2KB") as things:
        things.made = answer({"text": "a" * 1900})
        assert [things.get().status for _ in range(3)] == [200, 200, 200] and things.asked == 1


def test_ages_and_lives_are_the_clients_own(contract):
    with Things(contract) as things:
        things.made = answer({"n": 1}, fields=["Cache-Control: max-age=1000", "Age: 400"])
        things.get()
        hit = things.get()
        life = int(hit["Cache-Control"].split(",")[0].removeprefix("max-age="))
        assert int(hit["Age"]) >= 400 and 0 < life - int(hit["Age"]) <= 600


def test_new_contracts_begin_with_nothing_kept(contract):
    with Things(contract) as things:
        things.get()
        things.program.signal(1)
        assert eventually(lambda: things.get() and things.asked >= 2)


@pytest.mark.parametrize("layers, crowd", [("all", 1000), ("upstream", 200)])
def test_a_crowd_on_a_cold_film_asks_for_each_thing_once(layers, crowd):
    got = []
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft = max(soft, min(hard, 4096))
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    # Some machines let a process have no more than 1,024 sockets.
    crowd = min(crowd, soft - 200)
    with Galaxy() as galaxy, Program(
            "serve", "--port", "0", "--workers", "3", "--cache", layers, env={"SWAPI_URL": galaxy.base}) as program:
        come = threading.Semaphore(0)
        # The first request is held until every client has sent its own: nobody comes late.
        galaxy.before = lambda call: come.acquire(timeout=30) and come.release()
        sockets = [program.connect() for _ in range(crowd)]
        for one in sockets:
            one.sendall(b"GET /films/1?expand=starships HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        come.release()
        for one in sockets:
            data = b""
            while more := one.recv(65536):
                data += more
            one.close()
            got.append(data)
        assert all(data.startswith(b"HTTP/1.1 200 ") and b"Sluice-Complete: ?1" in data for data in got)
        assert len({data.split(b"\r\n\r\n", 1)[1] for data in got}) == 1
        assert len(galaxy.upstream.calls) == 9, sorted(galaxy.upstream.paths())


def test_parts_that_were_kept_are_told_from_parts_that_were_asked_for():
    with Galaxy() as galaxy, Program("serve", "--port", "0", "--workers", "2", env={"SWAPI_URL": galaxy.base}) as program:
        assert ask(program.port, "/films/1")["Cache-Status"] == "sluice; fwd=uri-miss; stored"
        mixed = ask(program.port, "/films/1?expand=starships")
        assert mixed["Cache-Status"] == "sluice; fwd=uri-miss; stored; detail=partly-hit"
        assert "8 requests" in mixed["Server-Timing"]
        whole = ask(program.port, "/films/1?expand=starships")
        assert whole["Cache-Status"].startswith("sluice; hit") and whole.body == mixed.body
        assert len(json.loads(whole.body)["starships"]) == 8 and len(galaxy.upstream.calls) == 9


def test_hits_and_misses_on_one_connection_are_answered_in_order(contract):
    with Things(contract, "--log-format", "json") as things:
        things.made = lambda call: answer({"path": call.target.split("?")[0]})
        assert things.get("/things/hit").status == 200
        things.upstream.reset()
        with Connection(things.program.port) as client:
            names = ["hit", "a", "hit", "b", "hit", "hit", "c"]
            client.send(b"".join(request(f"/things/{name}", "X-Request-Id: n%d" % number) for number, name in enumerate(names)))
            for number, name in enumerate(names):
                got = client.answer()
                assert json.loads(got.body)["path"] == f"/api/things/{name}" and got["X-Request-Id"] == "n%d" % number
                assert got["Cache-Status"].startswith("sluice; hit") == (name == "hit")
            client.send(request("/things/hit", method="HEAD") + request("/things/hit", "If-None-Match: " + got["ETag"])
                        + request("/things/hit", "Connection: close"))
            head = client.answer("HEAD")
            whole = client.answer()
            assert head.status == 200 and head["ETag"] == whole["ETag"] and head["Content-Length"] == whole["Content-Length"]
            assert client.answer()["Connection"] == "close"
        assert things.asked == 3
        assert eventually(lambda: things.program.log.count('"/things/{id}"') == 11), things.program.log


def test_what_clients_want_of_caches_is_heeded(contract):
    with Things(contract) as things:
        missing = things.get("/things/1", "Cache-Control: only-if-cached")
        assert missing.status == 504 and things.asked == 0 and json.loads(missing.body)["code"] == "only-if-cached"
        things.get()
        kept = things.get("/things/1", "Cache-Control: only-if-cached")
        assert kept.status == 200 and kept["Cache-Status"].startswith("sluice; hit")
        fresh = things.get("/things/1", "Cache-Control: no-cache")
        assert fresh["Cache-Status"] == "sluice; fwd=request; stored" and things.asked == 2
        assert all("cache-control" not in call.fields for call in things.upstream.calls)


def test_an_answer_that_is_no_json_leaves_the_kept_one_where_it_is(contract):
    with Things(contract, cache="cache: {ttl: 1h, stale-if-error: 1h}") as things:
        things.made = answer({"n": 1}, fields=["Cache-Control: max-age=0"])
        assert things.get().status == 200
        things.made = answer(b'{"n":', fields=["Cache-Control: max-age=60"])
        for _ in range(2):
            assert things.get().body == b'{"n":1}'
            assert things.get()["Cache-Status"] == "sluice; fwd=stale; detail=stale-if-error"


def test_every_encoding_is_kept_with_its_tag(contract):
    with Things(contract) as things:
        things.made = answer({"text": "abc" * 1000})
        tags = {}
        for _ in range(2):
            for coding in ("identity", "gzip", "br"):
                got = things.get("/things/1", f"Accept-Encoding: {coding}")
                assert (got["Content-Encoding"] or "identity") == coding
                assert tags.setdefault(coding, (got["ETag"], got.body)) == (got["ETag"], got.body)
        assert things.asked == 1 and len(set(tags.values())) == 3
