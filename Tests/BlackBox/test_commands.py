"""The command line: what goes to stdout, what to stderr, and the exit status."""
import json
import os
import re
import socket
import subprocess

import pytest

from program import BINARY, IS_SANITIZED, PATIENCE, ROOT, Program, environment, free_port, run
from wire import ask

COMMANDS = ("serve", "check", "routes", "get", "sample", "health")


def test_version():
    status, out, err = run("--version")
    assert status == 0 and re.fullmatch(r"sluice \d+\.\d+\.\d+\S*\n", out) and err == ""


def test_help_lists_every_command():
    status, out, err = run("help")
    assert status == 0 and err == ""
    for command in COMMANDS:
        assert re.search(rf"^\s+{command}\b", out, re.M)
    assert run("--help")[:2] == (0, out)
    assert run()[0] == 2, "no command at all is a mistake"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(command):
    status, out, err = run("help", command)
    assert status == 0 and err == "" and out.startswith(f"usage: sluice {command}")
    assert run(command, "--help")[:2] == (0, out)
    for flag in re.findall(r"^  --([a-z-]+)", out, re.M):
        assert "SLUICE_" + flag.upper().replace("-", "_") in out, f"--{flag} has an environment variable"


def test_help_of_nothing():
    status, out, err = run("help", "brew")
    assert status == 2 and out == "" and "brew" in err


@pytest.mark.parametrize("arguments, words", [
    (["brew"], ["brew", "sluice help"]),
    (["serve", "--prot", "80"], ["--prot", "--port"]),
    (["serve", "--port", "x"], ["--port", '"x"', "0 to 65535"]),
    (["serve", "--port", "65536"], ["--port", "65535"]),
    (["serve", "--port"], ["--port", "no value"]),
    (["serve", "--port", "1", "--port", "2"], ["--port", "twice"]),
    (["serve", "--max-head", "1"], ["--max-head", "KiB"]),
    (["serve", "--head-deadline", "10"], ["--head-deadline", "500ms"]),
    (["serve", "--log-level", "loud"], ["--log-level", "debug"]),
    (["get"], ["get", "path"]),
    (["get", "films/1"], ["/"]),
    (["sample", "extra"], ["sample"]),
])
def test_a_wrong_command_line_is_2_and_says_what_is_expected(arguments, words):
    status, out, err = run(*arguments)
    assert status == 2 and out == ""
    for word in words:
        assert word in err, err


def test_every_wrong_flag_is_told_at_once():
    status, _, err = run("serve", "--port", "x", "--workers", "-1", env={"SLUICE_MAX_LINKS": "many"})
    assert status == 2
    for word in ("--port", "--workers", "SLUICE_MAX_LINKS"):
        assert word in err


def test_a_flag_wins_over_its_variable():
    port = free_port()
    with Program("serve", "--sample", "--workers", "1", env={"SLUICE_PORT": str(port)}) as program:
        assert program.port == port
    other = free_port()
    with Program("serve", "--workers", "1", f"--port={other}", env={"SLUICE_PORT": str(port), "SLUICE_SAMPLE": "1"}) as program:
        assert program.port == other
        assert ask(other, "/films/1").status == 200, "SLUICE_SAMPLE counts"


def test_one_line_when_it_is_ready():
    with Program("serve", "--sample", "--port", "0", "--workers", "2") as program:
        assert ask(program.port, "/healthz").status == 200
        assert program.line.count("\n") == 1 and f"http://127.0.0.1:{program.port}" in program.line
    assert program.rest == []


def test_a_taken_port_is_one_clear_sentence(gateway):
    for command in (["serve", "--sample"], ["sample"]):
        status, out, err = run(*command, "--port", gateway.port)
        assert status == 1 and out == ""
        assert str(gateway.port) in err and ("use" in err or "taken" in err), err
        assert "Fatal" not in err and len(err.splitlines()) <= 2
    assert ask(gateway.port, "/healthz").status == 200


def test_an_address_that_is_not_ours():
    status, _, err = run("serve", "--sample", "--host", "192.0.2.1", "--port", "0")
    assert status == 1 and "192.0.2.1" in err


@pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer needs descriptors of its own")
def test_too_few_descriptors_are_told_at_the_start():
    import resource
    done = subprocess.run([BINARY, "serve", "--sample", "--port", "0", "--max-connections", "5000"], env=environment(), cwd=ROOT,
                          capture_output=True, timeout=PATIENCE,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512)))
    assert done.returncode == 1 and b"ulimit" in done.stderr


# -- check and routes


def test_the_contracts_here_have_no_mistakes():
    status, out, err = run("check")
    assert status == 0 and "no mistakes" in out and err == ""
    assert run("check", "openapi/swapi.yaml")[0] == 0


WRONG = """openapi: 3.1.0
info: {title: Wrong, version: "1"}
x-sluice-upstreams:
  one: {url: "http://127.0.0.1:1", timeout: soon}
paths:
  /a/{id}:
    get:
      operationId: getA
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      x-sluice: {upstream: two, path: "/a/{id}", colour: red}
      responses: {"200": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}}
  /a/{name}:
    get:
      operationId: getB
      parameters: [{name: name, in: path, required: true, schema: {type: string}}]
      x-sluice: {upstream: one, path: "/b/{name}"}
      responses: {"200": {description: It.}}
components:
  schemas:
    Thing:
      type: object
      properties:
        url: {type: string, x-sluice-link: {to: getNothing}}
"""


def test_every_mistake_of_a_contract_is_told_at_once(contract):
    path = contract(WRONG)
    for command in ("check", "routes", "serve"):
        status, out, err = run(command, path)
        assert status == 1 and out == ""
        lines = {int(number): rest for number, rest in re.findall(rf"^{re.escape(str(path))}:(\d+):\d+: (.*)$", err, re.M)}
        assert {4, 10, 23} <= set(lines), err
        assert "soon" in lines[4] and "/x-sluice-upstreams/one/timeout" in lines[4] and "expected" in lines[4]
        assert any("two" in line and "one" in line for line in err.splitlines())
        assert "colour" in err and "getNothing" in lines[23]
        assert re.search(r"/a/\{name\}|/a/\{id\}", err), "the routes that collide"
        for line in err.splitlines():
            assert ": found " in line and ", expected " in line, line


@pytest.mark.parametrize("text, words", [
    ("\topenapi: 3.1.0\n", ["tab"]), ("openapi: [3.1.0\n", [":1:", ":2:"]), ("", ["expected"]), ("- a\n", ["expected"]),
    ("openapi: 2.0.0\ninfo: {title: a, version: '1'}\n", ["3.1"]), ("\x00", ["expected"]),
    ("openapi: 3.1.0\nopenapi: 3.1.0\ninfo: {title: a, version: '1'}\n", [":2:"]),
])
def test_what_is_no_contract_is_told(contract, text, words):
    path = contract(text)
    status, out, err = run("check", path)
    assert status == 1 and str(path) in err
    assert any(word in err for word in words), err


@pytest.mark.parametrize("command", [["serve"], ["get", "/films/1"]])
def test_a_wrong_contract_beside_running_samples(contract, command):
    status, out, err = run(*command, "--sample", "--contracts", contract(WRONG))
    assert status == 1 and out == "" and ": found " in err


def test_a_missing_file_is_told():
    status, _, err = run("check", "/nowhere/at-all.yaml")
    assert status == 1 and err == (
        "/nowhere/at-all.yaml:1:1: found nothing that can be read (No such file or directory), "
        "expected an OpenAPI document, or a folder of them\n")


def test_check_says_nothing_of_writes_since_they_are_passed_on(contract):
    path = contract("""openapi: 3.1.0
info: {title: Books, version: "1"}
x-sluice-upstreams: {shelf: {url: "http://127.0.0.1:1"}}
paths:
  /books:
    post:
      operationId: addBook
      x-sluice: {upstream: shelf}
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: It.}}
""")
    status, out, err = run("check", path)
    assert (status, out, err) == (0, "1 operation, 1 upstream, no mistakes.\n", "")


@pytest.mark.parametrize("command", ["check", "serve"])
def test_authorities_that_are_not_there_are_told(contract, command):
    path = contract(WRONG.replace("timeout: soon", "authorities: /nope.pem"))
    status, out, err = run(command, path)
    assert status == 1 and out == ""
    assert f'{path}:4:49: /x-sluice-upstreams/one/authorities: found "/nope.pem" (No such file or directory), expected a file of certificates in PEM' in err


def test_a_missing_credential_is_no_mistake(contract):
    text = """openapi: 3.1.0
info: {title: Keyed, version: "1"}
x-sluice-upstreams:
  keyed: {url: "http://127.0.0.1:1", auth: {type: header, name: X-Key, value: "${BLACKBOX_KEY}"}}
paths:
  /keyed:
    get:
      operationId: getKeyed
      x-sluice: {upstream: keyed, path: /keyed}
      responses: {"200": {description: It.}}
"""
    path = contract(text)
    status, out, _ = run("check", path)
    assert status == 0 and "BLACKBOX_KEY" in out
    with Program("serve", path, "--port", "0", "--workers", "1") as program:
        answer = ask(program.port, "/keyed")
        assert answer.status == 503 and "BLACKBOX_KEY" in json.loads(answer.body)["detail"]
        assert ask(program.port, "/healthz").status == 200
        assert json.loads(ask(program.port, "/readyz").body)["upstreams"] == {"keyed": "credential-missing"}


def test_routes_is_a_table():
    status, out, err = run("routes")
    assert status == 0 and err == ""
    rows = [re.split(r"\s{2,}", line) for line in out.splitlines()]
    assert [word.upper() for word in rows[0]] == ["METHOD", "PATH", "UPSTREAM", "EXPAND", "CACHE"]
    film = next(row for row in rows if row[1] == "/films/{id}")
    assert film[0] == "GET" and film[2] == "swapi" and "starships" in film[3] and re.fullmatch(r"\d+(ms|s|m|h|d)|-", film[4])
    assert len(rows) >= 13


# -- get, sample, health


def test_get_prints_the_content_and_tells_the_rest_on_stderr():
    status, out, err = run("get", "--sample", "/films/1?expand=starships")
    film = json.loads(out)
    assert status == 0 and len(film["starships"]) == 8 and film["starships"][0]["name"] == "CR90 corvette"
    assert err.startswith("200 OK") and err.count("\n") == 1, err


def test_get_of_something_that_is_not_there():
    status, out, err = run("get", "--sample", "/films/99")
    assert status == 1 and json.loads(out)["status"] == 404 and err.startswith("404 ")
    status, out, err = run("get", "--sample", "/films/1?expand=starship")
    assert status == 1 and json.loads(out)["status"] == 400 and "starships" in json.loads(out)["allowed"]


def test_get_gives_what_the_server_gives():
    port = free_port()
    with Program("serve", "--sample", "--port", port, "--workers", "1") as program:
        served = ask(port, "/films/1?expand=starships").body
    _, out, _ = run("get", "--sample", "--public-url", program.url, "/films/1?expand=starships")
    assert out.encode() == served


def test_get_shows_progress_on_a_terminal():
    import pty
    leader, follower = pty.openpty()
    process = subprocess.Popen([BINARY, "get", "--sample", "/films/1?expand=starships"], env=environment({"TERM": "xterm"}), cwd=ROOT,
                               stdout=subprocess.PIPE, stderr=follower, stdin=subprocess.DEVNULL)
    os.close(follower)
    out = process.communicate(timeout=PATIENCE)[0]
    shown = b""
    while True:
        try:
            more = os.read(leader, 4096)
        except OSError:
            break
        if not more:
            break
        shown += more
    os.close(leader)
    assert process.returncode == 0 and json.loads(out)["title"] == "A New Hope"
    assert b"\r" in shown and b"200 OK" in shown


def test_get_into_a_closed_pipe_is_no_crash():
    done = subprocess.run(["bash", "-c", f"'{BINARY}' get --sample '/people?all=true' | head -c 10 >/dev/null; echo ${{PIPESTATUS[0]}}"],
                          env=environment(), cwd=ROOT, capture_output=True, timeout=PATIENCE)
    assert int(done.stdout) in (0, 1), done.stderr


def test_sample_runs_alone_and_serves_a_gateway():
    with Program("sample", "--port", "0") as sample:
        film = ask(sample.port, "/api/films/1/", host=f"127.0.0.1:{sample.port}")
        assert film.status == 200
        assert json.loads(film.body)["starships"][0] == f"{sample.url}/api/starships/2/"
        assert ask(sample.port, "/api/films/1").status == 301
        with Program("serve", "--port", "0", "--workers", "1", env={"SWAPI_URL": sample.url + "/api"}) as program:
            film = json.loads(ask(program.port, "/films/1?expand=starships").body)
            assert [ship["name"] for ship in film["starships"]][4] == "Millennium Falcon"


def test_health(gateway):
    assert run("health", "--port", gateway.port)[:2] == (0, "healthy\n")
    assert run("health", env={"SLUICE_PORT": str(gateway.port)})[0] == 0
    status, out, err = run("health", "--port", free_port())
    assert status == 1 and out == "" and err
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        assert run("health", "--port", silent.getsockname()[1])[0] == 1
