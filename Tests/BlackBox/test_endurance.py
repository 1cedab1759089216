"""Many of everything: memory, descriptors and time stay within bounds."""
import concurrent.futures
import contextlib
import json
import resource
import threading
import time

import pytest

from program import IS_SANITIZED, PATIENCE, Program, eventually
from scripted import Galaxy, Upstream, answer
from wire import Connection, ask, request

unsanitized = pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer's own memory hides the program's")


def exchanges(port, count, targets):
    """`count` requests on a few connections that are kept and sometimes dropped."""
    def client(number):
        done = 0
        while done < count // 4:
            with Connection(port, PATIENCE) as connection:
                for _ in range(100):
                    connection.send(request(targets[(number + done) % len(targets)]))
                    got = connection.answer()
                    assert got is not None and got.status in (200, 400, 404), got
                    done += 1
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(client, range(4)))


TARGETS = ["/films/1?expand=starships", "/people?page=2", "/films/1", "/nothing", "/films/1?expand=x", "/people/1?expand=films,homeworld",
           "/films?expand=starships.pilots&fields=title,starships.name", "/people/999"]


def test_ten_thousand_exchanges_leave_nothing_behind():
    count = 1000 if IS_SANITIZED else 10_000
    with Program("serve", "--sample", "--port", "0", "--workers", "2", "--log-level", "error") as program:
        # Of each worker: 16 connections to the upstream at most, with both ends in this program.
        most = program.descriptors + 2 * 16 * 2
        exchanges(program.port, count // 2, TARGETS)  # pools, caches and the allocator's arenas fill
        memory = program.memory
        exchanges(program.port, count, TARGETS)
        assert eventually(lambda: program.descriptors <= most), (most, program.descriptors)
        if not IS_SANITIZED:
            growth = program.memory - memory
            assert growth < 6 << 20, f"{growth >> 10} KiB more after {count} exchanges"


@unsanitized
def test_a_thousand_idle_connections_are_cheap():
    # Where fewer descriptors are allowed, as many as both sides may open.
    count = min(1000, resource.getrlimit(resource.RLIMIT_NOFILE)[1] - 250)
    with Program("serve", "--sample", "--port", "0", "--workers", "2") as program, contextlib.ExitStack() as clients:
        exchanges(program.port, 400, TARGETS)
        before, held = program.memory, []
        for _ in range(count):
            client = clients.enter_context(program.connect())
            client.sendall(request("/healthz"))
            held.append(client)
        for client in held:
            assert client.recv(65536).startswith(b"HTTP/1.1 200")
        each = (program.memory - before) / count
        assert each < 24 << 10, f"{each / 1024:.1f} KiB for each idle connection"
        busy = program.cpu
        time.sleep(1)
        assert program.cpu - busy < 0.2, "idle connections take no time"
        clients.close()
        assert eventually(lambda: program.descriptors < 120)


@unsanitized
@pytest.mark.parametrize("first, unit", [
    (b"GET /", b"a" * 4096), (b"GET / HTTP/1.1\r\nHost: a\r\nX: ", b"a" * 4096),
    (request("/healthz", "Transfer-Encoding: chunked"), b"0" * 4096),
    (request("/healthz", "Transfer-Encoding: chunked") + b"1;", b"a" * 4096),
    (b"", request("/people?all=true") * 40),
], ids=["line", "field", "chunk-size", "chunk-extension", "pipelines-unread"])
def test_what_never_ends_takes_bounded_memory_and_time(gateway, first, unit):
    memory, busy = gateway.memory, gateway.cpu
    clients = [gateway.connect() for _ in range(20)]
    for client in clients:
        client.settimeout(0.2)
        try:
            client.sendall(first)
            for _ in range(64):
                client.sendall(unit)
        except OSError:
            pass
    assert gateway.memory - memory < 64 << 20
    for client in clients:
        client.close()
    assert ask(gateway.port, "/healthz").status == 200
    assert gateway.cpu - busy < 3


def test_a_stampede_is_answered():
    """300 clients at once for one thing."""
    with Program("serve", "--sample", "--port", "0", "--workers", "2", "--log-level", "error") as program:
        size = 60 if IS_SANITIZED else 300
        start, statuses, lock = threading.Barrier(size), [], threading.Lock()

        def client():
            with Connection(program.port, 60) as connection:
                start.wait(60)
                connection.send(request("/films/1?expand=starships", "Connection: close"))
                got = connection.answer()
                with lock:
                    statuses.append((got.status, len(json.loads(got.body).get("starships", []))) if got else None)
        clients = [threading.Thread(target=client) for _ in range(size)]
        for one in clients:
            one.start()
        for one in clients:
            one.join()
        assert statuses == [(200, 8)] * size, {status for status in statuses}
        assert eventually(lambda: program.descriptors < 120)


def test_nobody_gets_anothers_answer(contract):
    """64 clients, each with a word of its own in its path; the upstream answers in a wild order and sometimes closes."""
    text = """openapi: 3.1.0
info: {title: Echo, version: "1"}
x-sluice-upstreams:
  echo: {url: "%s", timeout: 5s}
paths:
  /echo/{word}:
    get:
      operationId: getEcho
      parameters: [{name: word, in: path, required: true, schema: {type: string}}]
      x-sluice: {upstream: echo, path: "/echo/{word}"}
      responses: {"200": {description: It., content: {application/json: {schema: {type: object}}}}}
"""
    def echo(call):
        word = call.path.rsplit("/", 1)[1]
        number = int(word.split("-")[1])
        time.sleep((number * 7 % 5) / 1000)
        fields = ["Connection: close"] if number % 11 == 0 else []
        call.connection.sendall(answer({"word": word}, fields=fields))
        return None if fields else b""
    with Upstream(echo) as upstream:
        with Program("serve", contract(text % upstream.url), "--port", "0", "--workers", "2", "--log-level", "error") as program:
            def client(name):
                with Connection(program.port, 60) as connection:
                    for number in range(10 if IS_SANITIZED else 40):
                        word = f"w{name}-{number}"
                        connection.send(request("/echo/" + word))
                        got = connection.answer()
                        assert got.status == 200 and json.loads(got.body) == {"word": word}, got
            with concurrent.futures.ThreadPoolExecutor(64) as pool:
                list(pool.map(client, range(64)))


@unsanitized
def test_used_up_descriptors_cost_no_processor_time():
    with Program("serve", "--sample", "--port", "0", "--workers", "1", "--log-level", "warning", "--max-connections", "50",
                 limits=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))) as program:
        held = [Connection(program.port) for _ in range(40)]
        for one in held:
            one.send(request("/healthz"))
            assert one.answer().status == 200
        more = [program.connect() for _ in range(200)]
        time.sleep(0.3)
        busy, lines = program.cpu, len(program.log.splitlines())
        time.sleep(1.5)
        assert program.cpu - busy < 0.15
        assert len(program.log.splitlines()) - lines <= 4
        # Those that wait longest without a request make room for one who has one.
        assert ask(program.port, "/films/1").status == 200
        for one in more:
            one.close()
        for one in held:
            one.close()
        assert eventually(lambda: ask(program.port, "/healthz").status == 200)
