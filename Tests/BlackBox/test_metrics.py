"""The numbers on the admin port: their form, and that they are true."""
import json
import threading

import pytest

from conftest import log_entries
from prometheus import Metrics
from program import Program, eventually, free_port, run
from scripted import Galaxy, Upstream, answer
from wire import Connection, ask, request

SECRET = "k3y-that-nobody-sees"
OPEN = "Accept: application/openmetrics-text; version=1.0.0, text/plain;q=0.5"


def scrape(port, *fields):
    answer = ask(port, "/metrics", *fields, host="127.0.0.1")
    assert answer.status == 200
    return Metrics(answer.body.decode())


@pytest.fixture
def operated():
    """A scripted SWAPI and a gateway for it with an admin port."""
    admin = free_port()
    with Galaxy() as galaxy, Program(
            "serve", "--port", "0", "--workers", "2", "--log-format", "json", "--log-level", "debug", "--admin-port", admin,
            "--drain-accept", "0s",
            env={"SWAPI_URL": galaxy.base, "MARVEL_PRIVATE_KEY": SECRET, "MARVEL_PUBLIC_KEY": SECRET}) as program:
        galaxy.gateway, galaxy.admin = program, admin
        yield galaxy


def test_both_forms_are_sound_and_say_the_same(gateway):
    ask(gateway.port, "/films/1?expand=starships")
    plain, open = scrape(gateway.admin_port), scrape(gateway.admin_port, OPEN)
    assert not plain.is_open and open.is_open
    assert set(kind.removesuffix("_total") for kind in plain.kinds) == set(open.kinds)
    answer = ask(gateway.admin_port, "/metrics", OPEN, host="127.0.0.1")
    assert answer["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")


def test_requests_are_counted_by_route_method_and_status(operated):
    port, admin = operated.gateway.port, operated.admin
    for _ in range(3):
        assert ask(port, "/films/1?expand=starships").status == 200
    ask(port, "/films/1", method="HEAD")
    assert [ask(port, path).status for path in ("/films/99", "/nowhere/secret-path", "/films/1?expand=oops")] == [404, 404, 400]
    ask(port, "/films/1", method="PATCH")
    found = scrape(admin)
    total = lambda **labels: found("sluice_requests_total", **labels)  # noqa: E731
    assert total(route="/films/{id}", method="GET", code="200") == 3
    assert total(route="/films/{id}", method="HEAD", code="200") == 1
    assert total(route="/films/{id}", method="GET", code="404") == 1
    assert total(route="/films/{id}", method="GET", code="400") == 1
    assert total(route="-", method="GET", code="404") == 1
    assert found("sluice_request_errors_total", code="no-route") == 1
    assert found("sluice_request_duration_seconds_count", route="/films/{id}") == 6
    assert found("sluice_connections_total") >= 8 and found("sluice_received_bytes_total") > 300
    assert found("sluice_sent_bytes_total") > 3000
    # 9 for the film with its ships; the missing one.
    assert found("sluice_upstream_requests_total", upstream="swapi", code="200") == 9
    assert found("sluice_upstream_requests_total", upstream="swapi", code="404") == 1
    assert found("sluice_upstream_received_bytes_total", upstream="swapi") > 1000
    assert found("sluice_cache_requests_total", layer="upstream", result="miss") == 10
    assert found("sluice_cache_requests_total", layer="upstream", result="hit") == 1
    # The film with its ships twice; that film alone and the missing one had to be composed.
    assert found("sluice_cache_requests_total", layer="composed", result="hit") == 2
    assert found("sluice_cache_requests_total", layer="composed", result="miss") == 3
    assert 0 < found("sluice_cache_hit_ratio", layer="upstream") < 1
    assert found("sluice_cache_entries", layer="upstream") >= 9
    assert found("sluice_cache_entries", layer="composed") == 3
    assert found("process_resident_memory_bytes") > 1 << 20 and found("process_open_fds") > 5
    body = ask(admin, "/metrics", host="127.0.0.1").body
    for leak in (SECRET, "secret-path", "oops", operated.upstream.url, "127.0.0.1"):
        assert leak.encode() not in body


def test_what_is_in_flight_and_what_was_refused(operated):
    go = threading.Event()
    operated.before = lambda call: go.wait(20)
    with Connection(operated.gateway.port) as busy:
        busy.send(request("/films/1"))
        assert eventually(lambda: operated.upstream.in_flight == 1)
        found = scrape(operated.admin)
        assert found("sluice_requests_in_flight") == 1 and found("sluice_upstream_in_flight", upstream="swapi") == 1
        assert found("sluice_open_connections") == 1
        go.set()
        assert busy.answer().status == 200
    with Connection(operated.gateway.port) as broken:
        broken.send(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        assert broken.answer().status == 400
    assert scrape(operated.admin)("sluice_requests_refused_total", code="400") == 1
    assert eventually(lambda: scrape(operated.admin)("sluice_open_connections") == 0)


def test_an_upstream_that_is_down_shows(operated):
    operated.before = lambda call: call.connection.close()
    operated.upstream.close()
    numbers = iter(range(100, 1000))
    assert eventually(lambda: ask(operated.gateway.port, f"/people/{next(numbers)}").status == 503)
    found = scrape(operated.admin)
    assert found("sluice_upstream_requests_total", upstream="swapi", code="none") >= 4
    assert found("sluice_upstream_errors_total", upstream="swapi", code="upstream-refused") >= 4
    assert found("sluice_upstream_breaker_open", upstream="swapi") == 1
    assert found("sluice_upstream_breaker_open", upstream="marvel") == 0
    ready = json.loads(ask(operated.admin, "/readyz", host="127.0.0.1").body)
    assert ready["upstreams"]["swapi"] == "failing" and ready["upstreams"]["weather"] == "credential-missing"


QUOTA = """openapi: 3.1.0
info: {title: Counted, version: "1"}
x-sluice-upstreams:
  counted: {url: "%s", quota: 3/day, auth: {type: query, name: key, value: "${COUNTED_KEY}"}}
paths:
  /counted/{id}:
    get:
      operationId: getCounted
      x-sluice: {upstream: counted, path: "/counted/{id}"}
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: It., content: {application/json: {schema: {type: object}}}}}
"""


def test_a_quota_and_a_pause_show_and_debug_lines_are_unsigned(contract):
    admin, tired = free_port(), threading.Event()

    def handle(call):
        return answer({}, "429 Too Many Requests", ["Retry-After: 100"]) if tired.is_set() else answer({"n": 1})
    with Upstream(handle) as upstream:
        with Program("serve", contract(QUOTA % upstream.url), "--port", "0", "--workers", "1", "--admin-port", admin, "--log-format",
                     "json", "--log-level", "debug", env={"COUNTED_KEY": SECRET}) as program:
            assert scrape(admin)("sluice_upstream_quota_left", upstream="counted") == 3
            assert ask(program.port, "/counted/1").status == 200
            assert scrape(admin)("sluice_upstream_quota_left", upstream="counted") == 2
            states = [lambda port=port: json.loads(ask(port, "/readyz", host="127.0.0.1").body)["upstreams"] for port in (program.port, admin)]
            assert [state() for state in states] == [{"counted": "ready"}] * 2
            tired.set()
            assert ask(program.port, "/counted/2").status == 503
            assert [state() for state in states] == [{"counted": "failing"}] * 2, "it isn't asked for now"
            assert 90 < scrape(admin)("sluice_upstream_pause_seconds", upstream="counted") <= 100
            program.wait_for_log("counted/2")
            lines = [entry for entry in log_entries(program) if entry["level"] == "debug"]
        first = lines[0]
        assert first["url"] == upstream.url + "/counted/1" and first["method"] == "GET" and first["upstream"] == "counted"
        assert first["status"] == 200 and first["bytes"] == 7 and first["attempt"] == 1 and first["microseconds"] > 0 and first["id"]
        assert lines[1]["status"] == 429
        assert SECRET not in program.log and SECRET in upstream.calls[0].target


def test_get_verbose_shows_each_part():
    with Galaxy() as galaxy:
        status, out, err = run("get", "-v", "/films/1?expand=starships", env={"SWAPI_URL": galaxy.base})
        lines = err.splitlines()
        assert status == 0 and json.loads(out)["title"] == "A New Hope" and len(lines) == 10
        assert lines[0].startswith(f"miss {galaxy.base}/films/1/ (swapi): 200, ") and lines[0].endswith(" ms")
        assert {line.split()[1] for line in lines[1:9]} == {galaxy.link("starships", n) for n in galaxy.STARSHIPS}
    status, _, err = run("get", "--verbose", "/films/1", env={"SWAPI_URL": f"http://127.0.0.1:{free_port()}/api"})
    assert status == 1 and err.startswith("failed http://127.0.0.1:") and "(swapi): upstream-refused, " in err


def test_a_log_that_nobody_reads_delays_nobody():
    import os
    import subprocess
    from program import BINARY, ROOT, environment
    admin, port = free_port(), free_port()
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [BINARY, "serve", "--sample", "--port", str(port), "--workers", "1", "--admin-port", str(admin), "--cache", "off"],
        env=environment(), cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer)
    os.close(writer)
    try:
        process.stdout.readline()
        # A pipe holds 64 KiB; a line has some 90 bytes.
        with Connection(port) as client:
            for _ in range(20):
                client.send(request("/healthz") * 100)
                assert all(client.answer().status == 200 for _ in range(100))
        assert scrape(admin)("sluice_requests_total", route="/healthz", method="GET", code="200") == 2000
        process.terminate()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(reader)
        process.stdout.close()
