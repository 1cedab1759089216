"""Client keys: who may change things and who may read, and that no key goes any further."""
import json
import re
import shlex
import signal

import pytest

from program import ROOT, Program, curl, run
from scripted import Upstream, answer

KEY = "canary-4f9c2b7a1d8e6053"
OTHER = "second-0a1b2c3d4e5f6789"

CONTRACT = """
openapi: 3.1.0
info: {title: Notes, version: "1"}
x-sluice-upstreams:
  notes: {url: "${NOTES_URL}", pass: [Authorization, X-API-Key, Accept-Language], cache: {ttl: 1h}}
x-sluice: {upstream: notes}
paths:
  /notes:
    get: {operationId: listNotes}
    post:
      operationId: addNote
      requestBody: {content: {text/plain: {}}}
"""


@pytest.fixture
def notes():
    # Whatever reaches the upstream is in its answer.
    with Upstream(lambda call: answer({"lines": call.lines, "body": call.body.decode()})) as upstream:
        yield upstream


def serve(contract, upstream, *arguments, **environment):
    return Program("serve", contract(CONTRACT), "--port", "0", "--workers", "1", "--log-level", "debug", *arguments,
                   env={"NOTES_URL": upstream.url, **environment})


def status(*arguments):
    return int(curl("-o", "/dev/null", "-w", "%{http_code}", *arguments))


POST = ("-H", "Content-Type: text/plain", "-d", "note")
BEARER = ("-H", f"Authorization: Bearer {KEY}")
FIELD = ("-H", f"X-API-Key: {KEY}")


def test_a_key_opens_changes_and_goes_no_further(contract, notes):
    with serve(contract, notes, SLUICE_CLIENT_KEYS=f"{KEY},{OTHER}") as gateway:
        url = gateway.url + "/notes"
        assert status(*POST, url) == 401
        out = curl("-i", *POST, "-H", "X-API-Key: canary-wrong-wrong-wrong", url).decode()
        assert out.startswith("HTTP/1.1 401 ") and 'WWW-Authenticate: Bearer realm="sluice", error="invalid_token"' in out
        assert json.loads(out.split("\r\n\r\n", 1)[1])["code"] == "wrong-key"
        answers = [curl("-i", *key, *POST, url).decode() for key in (BEARER, FIELD)]
        assert all(text.startswith("HTTP/1.1 200 ") for text in answers), answers
        # Reading is open, a kept answer is the same with a key and without, and a wrong key is never taken for none.
        first, second = curl("-i", *BEARER, url).decode(), curl("-i", url).decode()
        assert "sluice; hit" in second
        assert status("-H", "X-API-Key: nonsense", url) == 401
        # A token for the upstream comes through beside X-API-Key.
        assert "Bearer theirs" in curl(*FIELD, "-H", "Authorization: Bearer theirs", *POST, url).decode()
        everything = answers + [first, second, curl(gateway.url + "/openapi.json").decode(), gateway.log]
    with notes.lock:
        everything += ["\n".join(call.lines) + call.target for call in notes.calls]
    for text in everything:
        assert "canary" not in text and OTHER not in text, text


def test_without_keys_other_machines_change_nothing(contract, notes):
    with serve(contract, notes, "--host", "0.0.0.0") as gateway:
        url = f"http://127.0.0.1:{gateway.port}/notes"
        problem = json.loads(curl(*POST, url))
        assert problem["status"] == 403 and problem["code"] == "writes-closed"
        assert "SLUICE_CLIENT_KEYS" in problem["detail"] and "--open-writes" in problem["detail"]
        assert "SLUICE_CLIENT_KEYS" in gateway.log
        assert status(url) == 200
        # A body that nobody wants is read, and the connection stays usable.
        out = curl(*POST, url, "--next", "-o", "/dev/null", "-w", "%{num_connects}", url).decode()
        assert out.endswith("0"), out
    assert [call.method for call in notes.calls] == ["GET"]
    with serve(contract, notes, "--host", "0.0.0.0", "--open-writes") as gateway:
        assert status(*POST, f"http://127.0.0.1:{gateway.port}/notes") == 200
        assert "everybody" in gateway.log
    with serve(contract, notes) as gateway:
        assert status(*POST, gateway.url + "/notes") == 200
        assert status(*POST, "-H", "Origin: https://evil.example", gateway.url + "/notes") == 403


def test_reading_can_need_a_key(contract, notes):
    with serve(contract, notes, "--require-key", SLUICE_CLIENT_KEYS=KEY) as gateway:
        for path in ("/notes", "/", "/openapi.json", "/nowhere"):
            assert status(gateway.url + path) == 401, path
        assert status(gateway.url + "/healthz") == status(gateway.url + "/readyz") == 200
        out = curl("-i", *FIELD, gateway.url + "/notes").decode()
        assert "\r\nCache-Control: private, max-age=" in out and "\r\nVary: Authorization, X-API-Key\r\n" in out
        assert status(*FIELD, gateway.url + "/nowhere") == 404


def test_a_file_of_keys_is_read_again_on_sighup(contract, notes, tmp_path):
    file = tmp_path / "keys"
    file.write_text(f"# phone\n{KEY}\n")
    with serve(contract, notes, "--client-keys-file", file) as gateway:
        url, other = gateway.url + "/notes", ("-H", f"X-API-Key: {OTHER}")

        def reload(text, words):
            file.write_text(text)
            before = len(gateway.log)
            gateway.signal(signal.SIGHUP)
            gateway.wait_for_log(words, before)

        assert (status(*FIELD, *POST, url), status(*other, *POST, url)) == (200, 401)
        reload(f"{OTHER}\n", "read the contracts again")
        for _ in range(100):
            if status(*other, *POST, url) == 200:
                break
        assert (status(*FIELD, *POST, url), status(*other, *POST, url)) == (401, 200)
        reload("short\n", "the client keys are wrong")
        assert (status(*FIELD, *POST, url), status(*other, *POST, url)) == (401, 200)
        assert "short" not in gateway.log.replace("shorter", "")


@pytest.mark.parametrize("arguments, environment, words", [
    ((), {"SLUICE_CLIENT_KEYS": "short-secret"}, "SLUICE_CLIENT_KEYS: found key 1 of 12 characters, expected 16 to 512"),
    ((), {"SLUICE_CLIENT_KEYS": f"{KEY},"}, "key 2 without a character"),
    ((), {"SLUICE_CLIENT_KEYS": f"{KEY}, {OTHER}"}, "key 2 with a blank"),
    ((), {"SLUICE_CLIENT_KEYS": f"{KEY},{KEY}"}, "key 2, which is key 1 again"),
    (("--require-key",), {}, "--require-key: found no client keys"),
    (("--open-writes",), {"SLUICE_CLIENT_KEYS": KEY}, "--open-writes: found client keys beside it"),
    (("--client-keys-file", "/nowhere/keys"), {}, "/nowhere/keys: No such file"),
    (("--client-keys-file", "/dev/null"), {}, "no key in it"),
    (("--client-keys-file", "/dev/null"), {"SLUICE_CLIENT_KEYS": KEY}, "expected one of the two"),
    (("--client-keys-file", "/"), {}, "Is a directory"),
    (("--cors-origin", "*"), {}, '--cors-origin: found "*", expected the origins of the pages themselves'),
    (("--cors-origin", "https://films.example/app"), {}, "expected the origin alone: https://films.example"),
])
def test_settings_that_cannot_be_meant_end_the_start(arguments, environment, words):
    code, out, errors = run("serve", "--sample", "--port", "0", *arguments, env=environment)
    assert code == 1 and out == "" and words in errors, errors
    assert KEY not in errors and "secret" not in errors


@pytest.mark.parametrize("arguments, keys, needing", [
    (("--host", "127.0.0.1"), None, []), (("--host", "127.0.0.1"), KEY, ["post"]), (("--host", "0.0.0.0"), None, ["post"]),
    (("--host", "0.0.0.0", "--open-writes"), None, []), (("--require-key",), KEY, ["get", "post"]),
])
def test_the_document_says_what_needs_a_key(contract, notes, arguments, keys, needing):
    with serve(contract, notes, *arguments, **({"SLUICE_CLIENT_KEYS": keys} if keys else {})) as gateway:
        document = json.loads(curl(*(FIELD if keys else ()), f"http://127.0.0.1:{gateway.port}/openapi.json"))
    operations = document["paths"]["/notes"]
    assert [name for name in ("get", "post") if "security" in operations[name]] == needing
    for name in needing:
        assert operations[name]["security"] == [{"clientKey": []}, {"clientKeyField": []}]
    schemes = document["components"].get("securitySchemes", {})
    assert {name: scheme["type"] for name, scheme in schemes.items()} == (
        {"clientKey": "http", "clientKeyField": "apiKey"} if needing else {})


MIRROR = CONTRACT + """
  /mirror/notes/{rest}:
    x-sluice: {mirror: true}
    parameters: [{name: rest, in: path, required: true, schema: {type: string}}]
    get: {operationId: mirrorNotes}
"""


def test_a_mirror_lets_nobody_change_things_without_a_key(contract, notes):
    with Program("serve", contract(MIRROR), "--port", "0", "--workers", "1", "--host", "0.0.0.0",
                 env={"NOTES_URL": notes.url}) as gateway:
        url = f"http://127.0.0.1:{gateway.port}/mirror/notes/a"
        assert (status(url), status(*POST, url), status("-X", "DELETE", url)) == (200, 403, 403)
    with Program("serve", contract(MIRROR), "--port", "0", "--workers", "1", "--cors-origin", "https://films.example",
                 env={"NOTES_URL": notes.url, "SLUICE_CLIENT_KEYS": KEY}) as gateway:
        url = gateway.url + "/mirror/notes/a"
        assert (status(*POST, url), status(*BEARER, *POST, url)) == (401, 200)
        assert "canary" not in curl(*FIELD, *POST, url).decode()
        page = ("-H", "Origin: https://films.example")
        out = curl("-i", "-X", "OPTIONS", *page, "-H", "Access-Control-Request-Method: PUT", url).decode()
        assert out.startswith("HTTP/1.1 204 ") and "Access-Control-Allow-Origin: https://films.example" in out
        assert "Access-Control-Allow-Origin: https://films.example" in curl("-i", *page, url).decode()
    with notes.lock:
        for call in notes.calls:
            assert "canary" not in "\n".join(call.lines)


def test_a_plain_mirror_asks_for_keys_where_there_are_some(notes):
    arguments = ["serve", "--mirror", notes.url, "--port", "0", "--workers", "1"]
    with Program(*arguments, "--host", "0.0.0.0") as gateway:
        url = f"http://127.0.0.1:{gateway.port}/a"
        assert (status(url), status(*POST, url)) == (200, 200), "it adds no credential, so its upstream decides"
    with Program(*arguments, env={"SLUICE_CLIENT_KEYS": KEY}) as gateway:
        assert (status(gateway.url + "/a"), status(*POST, gateway.url + "/a")) == (200, 401)
    with Program(*arguments, "--require-key", env={"SLUICE_CLIENT_KEYS": KEY}) as gateway:
        assert (status(gateway.url + "/a"), status(gateway.url + "/healthz"), status(*FIELD, gateway.url + "/b")) == (401, 401, 200)
        assert "canary" not in curl(*FIELD, gateway.url + "/c").decode()


def test_the_commands_of_the_page_work(contract, notes):
    page = (ROOT / "docs/writes.md").read_text()
    commands = re.findall(r"^curl .*$", page, re.MULTILINE)
    assert len(commands) == 2
    text = CONTRACT.replace("/notes:", "/books:").replace("text/plain", "application/json") + """
  /books/{id}:
    delete:
      operationId: deleteBook
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
"""
    with Program("serve", contract(text), "--port", "0", "--workers", "1",
                 env={"NOTES_URL": notes.url, "SLUICE_CLIENT_KEYS": KEY}) as gateway:
        for command in commands:
            words = shlex.split(command.replace("http://127.0.0.1:8080", gateway.url).replace("$KEY", KEY))
            assert status(*words[1:]) == 200, command
