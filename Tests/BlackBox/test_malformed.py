"""A strict server: what is malformed gets one answer and a closed connection, what is only strange is served, and a cut at any byte changes
nothing."""
import concurrent.futures
import json
import random
import socket
import time
import urllib.parse
from collections import Counter

import pytest

import malformed
from program import PATIENCE, Program, eventually
from scripted import Upstream, answer
from wire import Connection, ask, request

CANARY = b"GET /smuggled-canary HTTP/1.1\r\nHost: sluice.test\r\n\r\n"


def refusal(port, data):
    """The answers to `data` with a request behind it, up to the end of the connection."""
    with Connection(port, PATIENCE) as connection:
        connection.send(data + CANARY)
        connection.finish()
        answers = []
        while (answer := connection.answer()) is not None:
            answers.append(answer)
        return answers


@pytest.mark.parametrize("name", malformed.REFUSED)
def test_refused(gateway, name):
    data, statuses = malformed.REFUSED[name]
    answers = refusal(gateway.port, data)
    assert [answer.status in statuses for answer in answers] == [True], answers
    answer = answers[0]
    assert answer["Connection"] == "close"
    assert answer["Content-Type"] == "application/problem+json"
    assert json.loads(answer.body)["status"] == answer.status
    if answer.status in (405, 501) and "Allow" not in [name for name, _ in answer.fields]:
        assert answer.status == 501
    assert gateway.is_alive


def in_step(port, data, pieces):
    with Connection(port, PATIENCE) as connection:
        for piece in pieces:
            connection.send(piece)
        connection.send(request("/healthz", "Connection: close", "X-Request-Id: behind"))
        answers = []
        while (answer := connection.answer()) is not None:
            answers.append(answer)
        return answers


@pytest.mark.parametrize("name", malformed.TAKEN)
def test_taken(gateway, name):
    data, statuses = malformed.TAKEN[name]
    answers = in_step(gateway.port, data, [data])
    assert [answer.status for answer in answers] == statuses + [200], answers
    assert answers[-1]["X-Request-Id"] == "behind"


def test_cuts_change_nothing(gateway):
    """Byte by byte, and in random pieces."""
    chance = random.Random(11)

    def same(name):
        data, statuses = malformed.TAKEN[name]
        whole = [data[n:n + 1] for n in range(len(data))] if len(data) < 400 else [data]
        cuts = sorted(chance.sample(range(1, len(data)), min(6, len(data) - 1)))
        pieces = [data[a:b] for a, b in zip([0] + cuts, cuts + [len(data)])]
        for way in (whole, pieces):
            answers = in_step(gateway.port, data, way)
            assert [answer.status for answer in answers] == statuses + [200], (name, answers)

    def refused(name):
        data, statuses = malformed.REFUSED[name]
        if len(data) > 2000:
            return
        with Connection(gateway.port, PATIENCE) as connection:
            for n in range(len(data)):
                connection.send(data[n:n + 1])
            connection.finish()
            answer = connection.answer()
            assert answer is not None and answer.status in statuses, (name, answer)
            assert connection.answer() is None
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(same, malformed.TAKEN))
        list(pool.map(refused, malformed.REFUSED))


@pytest.mark.parametrize("path", malformed.PATHS)
def test_strange_path(gateway, path):
    answer = ask(gateway.port, path)
    assert answer.status in (400, 404), answer
    assert b"<script" not in answer.body and answer["X"] is None
    json.loads(answer.body)


def test_an_address_of_another_host_is_not_fetched(gateway):
    answer = ask(gateway.port, "http://127.0.0.1:1/healthz")
    assert answer.status in (400, 421)


def test_head_and_its_pipeline(gateway):
    with Connection(gateway.port) as connection:
        connection.send(request("/films/1", method="HEAD") + request("/nothing", method="HEAD") + request("/films/1"))
        head, missing, whole = connection.answer("HEAD"), connection.answer("HEAD"), connection.answer()
    assert (head.status, missing.status, whole.status) == (200, 404, 200)
    assert head["Content-Length"] == whole["Content-Length"] == str(len(whole.body))
    assert head["ETag"] == whole["ETag"]


def test_a_hundred_pipelined_requests_are_answered_in_order(gateway):
    with Connection(gateway.port) as connection:
        connection.send(b"".join(request(f"/films/{n % 6 + 1}?fields=episode_id", f"X-Request-Id: n{n}") for n in range(100)))
        for n in range(100):
            answer = connection.answer()
            assert answer.status == 200 and answer["X-Request-Id"] == f"n{n}"
            assert json.loads(answer.body) == {"episode_id": [4, 5, 6, 1, 2, 3][n % 6]}


def test_http_1_0_is_answered_and_closed(gateway):
    with Connection(gateway.port) as connection:
        connection.send(b"GET /films/1 HTTP/1.0\r\n\r\n")
        answer = connection.answer()
        assert answer.status == 200 and answer["Transfer-Encoding"] is None
        assert connection.ends()


def test_content_is_asked_for_by_100_continue(gateway):
    with Connection(gateway.port) as connection:
        connection.send(request("/healthz", "Content-Length: 5", "Expect: 100-continue"))
        interim = connection.answer(interim=True)
        if interim.status == 100:
            connection.send(b"hello")
            interim = connection.answer()
        assert interim.status == 200


def test_too_much_content_is_refused_before_it_is_sent(gateway):
    with Connection(gateway.port) as connection:
        connection.send(request("/healthz", "Content-Length: 100000000", "Expect: 100-continue"))
        answer = connection.answer(interim=True)
        assert answer.status in (413, 417)
        assert connection.ends()


def test_too_much_content_is_refused_while_it_is_sent(gateway):
    with Connection(gateway.port) as connection:
        connection.send(request("/healthz", "Transfer-Encoding: chunked"))
        for _ in range(40):
            connection.send(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        assert connection.answer().status == 413
        assert connection.ends()


def test_a_half_closed_client_gets_its_answer(gateway):
    with Connection(gateway.port) as connection:
        connection.send(request("/films/1?expand=starships"))
        connection.finish()
        assert connection.answer().status == 200
        assert connection.ends()


def test_slow_clients_are_cut_off():
    """With short deadlines: silent ones, a head and a body that drip, a reader that reads nothing."""
    with Program("serve", "--sample", "--port", "0", "--workers", "1", "--head-deadline", "1s", "--idle-timeout", "1s",
                 "--body-deadline", "2s", "--body-grace", "1s", "--write-stall", "1s") as program:
        def silent():
            with Connection(program.port, PATIENCE) as connection:
                answer = connection.answer()
                assert answer is None or answer.status == 408

        def dripping(first, unit):
            with Connection(program.port, PATIENCE) as connection:
                connection.send(first)
                end = time.monotonic() + 8
                connection.socket.settimeout(0.2)
                while time.monotonic() < end:
                    try:
                        if not connection.socket.recv(65536):
                            return
                    except socket.timeout:
                        connection.send(unit)
                    except OSError:
                        return
                raise AssertionError("still connected after 8 s")

        def idle():
            with Connection(program.port, PATIENCE) as connection:
                connection.send(request("/healthz"))
                assert connection.answer().status == 200
                assert connection.ends()

        def reading_nothing():
            with socket.socket() as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                client.connect(("127.0.0.1", program.port))
                client.sendall(request("/people?all=true&expand=films") * 20)
                time.sleep(4)
                client.settimeout(0.5)
                with pytest.raises(ConnectionResetError):
                    while client.recv(1 << 20):
                        pass
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            waiting = [
                pool.submit(silent), pool.submit(idle), pool.submit(reading_nothing),
                pool.submit(dripping, b"GET /", b"a"),
                pool.submit(dripping, b"GET / HTTP/1.1\r\nHost: a\r\nX-A: ", b"a"),
                pool.submit(dripping, request("/healthz", "Content-Length: 1000"), b"a"),
                pool.submit(dripping, request("/healthz", "Transfer-Encoding: chunked"), b"1\r\na\r\n"),
            ]
            for one in waiting:
                one.result()
        assert ask(program.port, "/healthz").status == 200


def test_a_flood_of_half_requests_keeps_nobody_waiting(gateway):
    before = gateway.descriptors
    held = []
    try:
        for _ in range(400):
            client = gateway.connect()
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: slu")
            held.append(client)
        start = time.monotonic()
        assert ask(gateway.port, "/films/1").status == 200
        assert time.monotonic() - start < 2
    finally:
        for client in held:
            client.close()
    assert eventually(lambda: gateway.descriptors <= before + 8)


def test_aborts_leave_nothing_behind(gateway):
    before = gateway.descriptors
    for data in (b"GET /hea", request("/healthz", "Content-Length: 100") + b"hello", request("/people?all=true") * 50,
                 request("/films/1?expand=starships") * 50):
        for _ in range(50):
            client = gateway.connect()
            client.sendall(data)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.close()
    assert eventually(lambda: gateway.descriptors <= before + 40), gateway.descriptors
    assert ask(gateway.port, "/films/1").status == 200


def test_nothing_is_smuggled_to_the_upstream(galaxy):
    """As many requests reach the upstream as clients got answers from it."""
    answered = 0
    for name, (data, _) in {**malformed.REFUSED, **malformed.TAKEN}.items():
        if len(data) < 5000:
            answers = refusal(galaxy.gateway.port, data.replace(b"/healthz", b"/films/1"))
            answered += sum(answer.status == 200 for answer in answers)
    assert answered > 10
    assert Counter(galaxy.upstream.paths()) == Counter({"/api/films/1/": answered})


ECHO = """openapi: 3.1.0
info: {title: Echo, version: "1"}
x-sluice-upstreams:
  echo: {url: "%s/base"}
paths:
  /echo/{word}:
    get:
      operationId: getEcho
      parameters: [{name: word, in: path, required: true, schema: {type: string}}, {name: q, in: query, schema: {type: string}}]
      x-sluice: {upstream: echo, path: "/echo/{word}/end"}
      responses: {"200": {description: It., content: {application/json: {schema: {type: object}}}}}
"""


def test_a_parameter_stays_one_segment_and_one_value(contract):
    """Whatever is in it: it reaches the upstream as it was meant, or not at all."""
    values = ["a", "café", "100%", "a b", "a+b", "a&b=c", "a;b", "a=b", "a:b@c", "%2f", "%2e%2e", "~", "😀", "a'b\"c", "{x}", "a,b"]
    refused = ["a/b", "..", ".", "a\0b", "a\r\nX: y", "a\\b", "../../secret", "..;x"]
    with Upstream(lambda call: answer({"target": call.target})) as upstream:
        with Program("serve", contract(ECHO % upstream.url), "--port", "0", "--workers", "1") as program:
            for value in values + refused:
                quoted = urllib.parse.quote(value, safe="").replace(".", "%2E")
                got = ask(program.port, f"/echo/{quoted}?q={quoted}")
                if value in refused:
                    assert got.status in (400, 404), (value, got)
                else:
                    assert got.status == 200, (value, got)
            for call in upstream.calls:
                path, _, query = call.target.partition("?")
                assert path.startswith("/base/echo/") and path.count("/") == 4 and path.endswith("/end"), call.target
                value = urllib.parse.unquote(path.split("/")[3])
                assert value in values and urllib.parse.parse_qsl(query) == [("q", value)], call.target
            assert len(upstream.calls) == len(values)
            for raw in (b"\xc0\xaf", b"\xed\xa0\x80", b"\xff"):
                assert ask(program.port, "/echo/" + urllib.parse.quote_from_bytes(raw)).status in (400, 404)
