"""Start, reload, drain and end."""
import json
import signal
import socket
import threading
import time

import pytest

from conftest import log_entries
from program import PATIENCE, ROOT, Program, eventually, run
from scripted import Galaxy, Upstream, answer
from wire import Connection, ask, request

CONTRACT = """openapi: 3.1.0
info: {title: Slow, version: "1"}
x-sluice-upstreams:
  slow: {url: "%s", timeout: 20s}
paths:
  /%s:
    get:
      operationId: getSlow
      x-sluice: {upstream: slow, path: /slow, deadline: 20s}
      responses: {"200": {description: It., content: {application/json: {schema: {type: object}}}}}
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_under_way_is_answered_before_the_end(contract, number):
    release = threading.Event()

    def wait(call):
        release.wait(20)
        return answer({"late": True})
    with Upstream(wait) as upstream:
        program = Program("serve", contract(CONTRACT % (upstream.url, "slow")), "--port", "0", "--workers", "2", "--log-format", "json")
        with Connection(program.port) as busy, Connection(program.port) as idle:
            idle.send(request("/healthz"))
            assert idle.answer().status == 200
            busy.send(request("/slow"))
            assert eventually(lambda: upstream.in_flight == 1)
            program.signal(number)
            program.wait_for_log("draining")
            # For a second it still answers newcomers, and tells them to go elsewhere.
            ready = ask(program.port, "/readyz")
            assert ready.status == 503 and json.loads(ready.body)["status"] == "draining"
            assert idle.ends(), "an idle connection is closed"
            assert program.is_alive
            release.set()
            last = busy.answer()
            assert last.status == 200 and json.loads(last.body) == {"late": True} and last["Connection"] == "close"
            assert busy.ends()
        assert program.wait() == 0
        log_entries(program)


def test_the_end_comes_at_the_drain_limit_at_the_latest(contract):
    with Upstream(lambda call: call.connection.recv(1) and None) as upstream:
        program = Program("serve", contract(CONTRACT % (upstream.url, "slow")), "--port", "0", "--drain-limit", "1s", "--drain-accept", "0s")
        with Connection(program.port) as busy:
            busy.send(request("/slow"))
            assert eventually(lambda: upstream.in_flight == 1)
            start = time.monotonic()
            program.signal(signal.SIGTERM)
            assert program.wait() == 0
            assert time.monotonic() - start < 5


def test_a_second_signal_ends_it_at_once(contract):
    with Upstream(lambda call: call.connection.recv(1) and None) as upstream:
        program = Program("serve", contract(CONTRACT % (upstream.url, "slow")), "--port", "0")
        with Connection(program.port) as busy:
            busy.send(request("/slow"))
            assert eventually(lambda: upstream.in_flight == 1)
            program.signal(signal.SIGTERM)
            program.wait_for_log("draining")
            start = time.monotonic()
            program.signal(signal.SIGTERM)
            assert program.wait() == 0
            assert time.monotonic() - start < 3


def test_nobody_is_turned_away_while_it_drains():
    """Clients that come and go while SIGTERM arrives: each request that was taken gets a whole answer. Only a connection that no worker
    has taken yet when its listener closes is reset by the kernel: there is a moment for that between the last accept(2) and close(2)."""
    program = Program("serve", "--sample", "--port", "0", "--workers", "2")
    broken, answered, untaken, refused = [], [], [], threading.Event()

    def client():
        while not refused.is_set():
            try:
                with Connection(program.port) as connection:
                    connection.send(request("/films/1?expand=starships", "Connection: close"))
                    got = connection.answer()
            except ConnectionRefusedError:
                refused.set()
                return
            except ConnectionResetError as error:
                untaken.append(error)
                continue
            except (OSError, AssertionError) as error:
                broken.append(repr(error))
                return
            if got is None and connection.reset and not connection.data:
                untaken.append(got)
            else:
                (answered if got and got.status == 200 else broken).append(got)
    clients = [threading.Thread(target=client) for _ in range(8)]
    for one in clients:
        one.start()
    assert eventually(lambda: len(answered) > 50)
    program.signal(signal.SIGTERM)
    assert program.wait() == 0
    refused.set()
    for one in clients:
        one.join()
    assert not broken, broken[:3]
    assert len(untaken) <= 4, "a few for each listener at most"


def test_hangup_reads_the_contracts_again(contract):
    with Upstream(lambda call: answer({"path": call.path})) as upstream:
        path = contract(CONTRACT % (upstream.url, "before"))
        with Program("serve", path, "--port", "0", "--workers", "2", "--log-format", "json") as program:
            assert ask(program.port, "/before").status == 200 and ask(program.port, "/after").status == 404

            contract("openapi: [")
            program.signal(signal.SIGHUP)
            program.wait_for_log("the old ones stay")
            assert str(path) in program.log, "it says what is wrong"
            assert ask(program.port, "/before").status == 200

            contract(CONTRACT % (upstream.url, "after"))
            program.signal(signal.SIGHUP)
            program.wait_for_log("read the contracts again")
            assert eventually(lambda: ask(program.port, "/after").status == 200)
            assert eventually(lambda: {ask(program.port, "/before").status for _ in range(8)} == {404})


def test_reloads_lose_no_request():
    with Program("serve", "--sample", "--port", "0", "--workers", "2") as program:
        statuses, done = [], threading.Event()

        def client():
            with Connection(program.port) as connection:
                while not done.is_set():
                    connection.send(request("/films/1?expand=starships"))
                    got = connection.answer()
                    statuses.append(got and got.status)
        clients = [threading.Thread(target=client) for _ in range(4)]
        for one in clients:
            one.start()
        for _ in range(20):
            before = len(statuses)
            program.signal(signal.SIGHUP)
            assert eventually(lambda: len(statuses) > before + 4)
        done.set()
        for one in clients:
            one.join()
        assert set(statuses) == {200}


def test_log_lines_are_json_and_name_routes_only():
    with Galaxy() as galaxy:
        with Program("serve", "--port", "0", "--workers", "1", "--log-format", "json", env={"SWAPI_URL": galaxy.base}) as program:
            ask(program.port, "/films/1?expand=starships", "X-Request-Id: seen-in-the-log")
            ask(program.port, "/people/77?fields=name%0aforged")
            ask(program.port, "/never-%0d%0aforged")
            ask(program.port, "/people?search=private-words")
        entries = log_entries(program)
    for entry in entries:
        assert entry["level"] in ("error", "warning", "info", "debug") and entry["time"].endswith("Z")
    film = next(entry for entry in entries if entry.get("id") == "seen-in-the-log")
    assert film["route"] == "/films/{id}" and film["status"] == 200 and film["calls"] == 9 and film["method"] == "GET"
    assert film["cache"] == "miss" and "path" not in film
    for word in ("forged", "private-words", "77"):
        assert not any(word in str(value) for entry in entries for key, value in entry.items() if key not in ("time", "id", "microseconds"))


def test_log_lines_of_a_plain_mirror_have_its_paths_and_belong_together():
    with Upstream(lambda call: answer({"n": 1}, fields=("Cache-Control: max-age=600",))) as upstream:
        with Program("serve", "--mirror", upstream.url, "--port", "0", "--workers", "1", "--log-level", "debug", "--log-format", "json") as program:
            for query in ("?token=private-words", "?token=private-words", "?n=2"):
                assert ask(program.port, "/a/b%20" + query).status == 200
        entries = log_entries(program)
    lines = [entry for entry in entries if "calls" in entry]
    assert [(entry["path"], entry["cache"], entry["calls"]) for entry in lines] == [("/a/b%20", "miss", 1), ("/a/b%20", "hit", 0), ("/a/b%20", "miss", 1)]
    assert "private-words" not in str(lines) and not any("route" in entry for entry in lines)
    attempts = [entry["id"] for entry in entries if "attempt" in entry]
    assert attempts == [lines[0]["id"], lines[2]["id"]] and all(attempts)


def test_attempts_of_a_mirror_route_belong_to_their_request():
    with Galaxy() as galaxy:
        with Program("serve", "--port", "0", "--workers", "1", "--log-level", "debug", "--log-format", "json", env={"SWAPI_URL": galaxy.base}) as program:
            for _ in range(2):
                assert ask(program.port, "/mirror/swapi/planets/4/").status == 200
        entries = log_entries(program)
    lines = [entry for entry in entries if "calls" in entry]
    assert [(entry["route"], entry["cache"]) for entry in lines] == [("/mirror/swapi/{rest}", "miss"), ("/mirror/swapi/{rest}", "hit")]
    assert [entry["id"] for entry in entries if "attempt" in entry] == [lines[0]["id"]]


def test_more_contracts_than_one(tmp_path):
    """A person adds an API by adding a file."""
    (tmp_path / "openapi").mkdir()
    for file in (ROOT / "openapi").iterdir():
        (tmp_path / "openapi" / file.name).write_text(file.read_text())
    with Upstream(lambda call: answer({"mine": True})) as upstream:
        (tmp_path / "openapi" / "mine.yaml").write_text(CONTRACT % (upstream.url, "mine"))
        with Program("sample", "--port", "0") as sample:
            with Program("serve", "--port", "0", "--workers", "1", cwd=tmp_path, env={"SWAPI_URL": sample.url + "/api"}) as program:
                assert json.loads(ask(program.port, "/mine").body) == {"mine": True}
                assert ask(program.port, "/films/1").status == 200
