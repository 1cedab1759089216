"""Whatever an upstream does, a client gets a sound answer in time, nothing of it reaches anyone else, and the program lives on."""
import json
import time

import pytest

import hostile
from program import IS_SANITIZED, PATIENCE, Program, eventually
from scripted import Upstream
from wire import Connection, ask, request

DEADLINE = 1.0  # seconds, of the route
CONTRACT = """
openapi: 3.1.0
info: {title: Hostile, version: "1"}
x-sluice-upstreams:
  hostile: {url: "%s", timeout: 800ms, retries: 0}
paths:
  /case/{name}:
    get:
      operationId: getCase
      parameters:
        - {name: name, in: path, required: true, schema: {type: string}}
      x-sluice: {upstream: hostile, path: "/case/{name}", deadline: 1s}
      responses: {"200": {description: It., content: {application/json: {schema: {type: object}}}}}
"""


@pytest.fixture(scope="module")
def upstream():
    def act(call):
        action = hostile.CASES[call.path.removeprefix("/case/")][1]
        return action(call) if callable(action) else action
    with Upstream(act) as upstream:
        yield upstream


@pytest.fixture(scope="module")
def gateway(upstream, tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "hostile.yaml"
    path.write_text(CONTRACT % upstream.url)
    with Program("serve", path, "--port", "0", "--workers", "1", "--log-format", "json") as program:
        ask(program.port, "/case/good")
        program.first_memory = program.memory
        yield program
        # 9 MB answers may be held for a moment, bombs and endless ones never.
        if not IS_SANITIZED:
            assert program.memory < program.first_memory + (96 << 20)
        for line in program.log.splitlines():
            json.loads(line)
        assert hostile.FOREIGN.decode() not in program.log


@pytest.mark.parametrize("name", hostile.CASES)
def test_upstream_misbehaves(gateway, name):
    statuses, _, check = hostile.CASES[name]
    with Connection(gateway.port, PATIENCE) as client:
        start = time.monotonic()
        client.send(request("/case/" + name))
        answer = client.answer()
        took = time.monotonic() - start
        assert answer is not None, "closed without an answer"
        assert answer.status in statuses, answer
        assert took < (DEADLINE + 0.5) * (5 if IS_SANITIZED else 1), f"answered after {took:.2f} s"
        assert hostile.FOREIGN not in answer.body
        for field, value in answer.fields:
            assert hostile.FOREIGN.decode() not in value, field
            assert field.lower() not in ("set-cookie", "access-control-allow-origin", "strict-transport-security", "x-powered-by")
        if answer.status >= 400:
            problem = json.loads(answer.body)
            assert answer["Content-Type"] == "application/problem+json"
            assert problem["status"] == answer.status and problem["code"] and problem["detail"]
            assert answer["Cache-Control"] == "no-store"
        elif check:
            assert check(answer.body), answer.body[:200]
        elif answer.status == 200:
            json.loads(answer.body)
        if name == "late-second-answer":
            time.sleep(0.3)  # until the second answer lies there unasked
        # The same client's next request, then another client's, get their own answers.
        client.send(request("/case/good"))
        following = client.answer()
        assert following is not None and following.status == 200 and following.body == hostile.GOOD, following
    other = ask(gateway.port, "/case/good")
    assert other.status == 200 and other.body == hostile.GOOD
    assert gateway.is_alive


def test_nothing_is_held_when_all_is_over(gateway):
    assert eventually(lambda: gateway.descriptors < 60), gateway.descriptors


def paused(answer_bytes, contract):
    """What two requests get from an upstream that asks to be left alone, and how many reached it."""
    with Upstream(lambda call: answer_bytes) as upstream:
        with Program("serve", contract(CONTRACT % upstream.url), "--port", "0", "--workers", "1") as program:
            return ask(program.port, "/case/a"), ask(program.port, "/case/b"), len(upstream.calls)


def test_too_many_requests_is_handed_on_with_its_pause(contract):
    first, second, calls = paused(hostile.plain(b"{}", b"Retry-After: 7", status="429 Too Many Requests"), contract)
    assert first.status == 503 and first["Retry-After"] == "7"
    assert second.status == 503 and int(second["Retry-After"]) in range(1, 8)
    assert calls == 1, "the upstream was asked again in its pause"


def test_a_pause_of_a_length_that_nobody_waits_is_a_pause(contract):
    first, second, calls = paused(
        hostile.plain(b"{}", b"Retry-After: 99999999999999999999", status="429 Too Many Requests"), contract)
    assert first.status == 503 and first["Retry-After"] == "31536000"
    assert second.status == 503 and int(second["Retry-After"]) in range(86_000, 86_401) and calls == 1


def test_refused_connections_are_502_and_soon_503(contract):
    with Upstream(lambda call: None) as upstream:
        pass
    with Program("serve", contract(CONTRACT % upstream.url), "--port", "0", "--workers", "1") as program:
        answers = [ask(program.port, "/case/good") for _ in range(12)]
        assert answers[0].status == 502
        assert answers[-1].status == 503 and int(answers[-1]["Retry-After"]) >= 1
        assert json.loads(answers[-1].body)["upstream"] == "hostile"
        assert ask(program.port, "/healthz").status == 200


def test_a_failed_get_is_tried_once_more_and_never_twice(contract):
    text = CONTRACT.replace("retries: 0", "retries: 1")
    with Upstream(lambda call: None) as upstream:
        with Program("serve", contract(text % upstream.url), "--port", "0", "--workers", "1") as program:
            assert ask(program.port, "/case/good").status == 502
            assert len(upstream.calls) == 2

    def flaky(call):
        return None if len(upstream.calls) == 1 else hostile.plain()
    with Upstream(flaky) as upstream:
        with Program("serve", contract(text % upstream.url), "--port", "0", "--workers", "1") as program:
            assert ask(program.port, "/case/good").status == 200
            assert len(upstream.calls) == 2


def test_a_client_that_goes_away_ends_its_upstream_request(contract):
    gone = []

    def wait_for_end(call):
        call.connection.settimeout(10)
        gone.append(call.connection.recv(1) == b"")
    text = CONTRACT.replace("800ms", "9s").replace("deadline: 1s", "deadline: 9s")
    with Upstream(wait_for_end) as upstream:
        with Program("serve", contract(text % upstream.url), "--port", "0", "--workers", "1", "--cache", "off") as program:
            clients = [program.connect() for _ in range(10)]
            for client in clients:
                client.sendall(request("/case/good"))
            assert eventually(lambda: upstream.in_flight == 10)
            for client in clients:
                client.setsockopt(hostile.socket.SOL_SOCKET, hostile.socket.SO_LINGER, hostile.struct.pack("ii", 1, 0))
                client.close()
            assert eventually(lambda: gone == [True] * 10), gone
            assert program.is_alive
