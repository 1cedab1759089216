"""Requests that change something: sent once, checked by the contract, refused while they are still being sent."""
import json
import socket
import threading
import time

import pytest

from program import PATIENCE, Program, curl, eventually
from scripted import Upstream, answer

CONTRACT = """
openapi: 3.1.0
info: {title: Shelf, version: "1"}
x-sluice-upstreams:
  shelf: {url: "${SHELF_URL}", retries: 3, cache: {ttl: 1h}}
x-sluice: {upstream: shelf}
paths:
  /books:
    post:
      operationId: addBook
      requestBody: {required: true, content: {application/json: {}}}
      x-sluice: {limits: {body: 4KiB}}
      responses:
        "201": {content: {application/json: {schema: {$ref: "#/components/schemas/Book"}}}}
  /books/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: getBook
      responses:
        "200": {content: {application/json: {schema: {$ref: "#/components/schemas/Book"}}}}
    put:
      operationId: replaceBook
      requestBody: {content: {application/json: {}}}
      x-sluice: {deadline: 1s}
    delete: {operationId: deleteBook}
  /covers/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    put:
      operationId: putCover
      requestBody: {required: true, content: {image/*: {}}}
      x-sluice: {body: stream, limits: {body: 8MiB}}
components:
  schemas:
    Book: {type: object, properties: {self: {type: string, x-sluice-link: {to: getBook, expand: false}}}}
"""


class Shelf:
    """An upstream that keeps what it is sent, and a gateway in front of it."""

    def __init__(self, contract):
        self.instead = None
        self.upstream = Upstream(self.handle)
        self.gateway = Program("serve", contract(CONTRACT), "--port", "0", "--workers", "1",
                               env={"SHELF_URL": self.upstream.url})

    def handle(self, call):
        if self.instead:
            return self.instead(call)
        if call.method == "POST":
            book = {"self": f"{self.upstream.url}/books/7", **json.loads(call.body)}
            return answer(book, "201 Created", ["Location: /books/7"])
        if call.method == "DELETE":
            return b"HTTP/1.1 204 No Content\r\n\r\n"
        return answer({"self": f"{self.upstream.url}{call.path}", "bytes": len(call.body)})

    def __enter__(self):
        self.gateway.__enter__()
        return self

    def __exit__(self, *error):
        self.upstream.close()
        self.gateway.__exit__(*error)

    def calls(self, method=None):
        with self.upstream.lock:
            return [call for call in self.upstream.calls if method in (None, call.method)]


@pytest.fixture
def shelf(contract):
    with Shelf(contract) as shelf:
        yield shelf


def read_all(connection):
    """What comes until the end; a reset fails."""
    data = b""
    while True:
        more = connection.recv(65536)
        if not more:
            return data
        data += more


def head(method, path, *fields):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: gateway", *fields, "", ""]).encode()


def test_a_write_is_passed_on_with_its_content(shelf):
    out = curl("-i", "-H", "Content-Type: application/json", "-d", '{"title":"One"}', shelf.gateway.url + "/books").decode()
    assert out.startswith("HTTP/1.1 201 Created\r\n"), out
    assert f"Location: {shelf.gateway.url}/books/7\r\n" in out
    assert out.endswith(f'{{"self":"{shelf.gateway.url}/books/7","title":"One"}}')
    [call] = shelf.calls()
    assert call.body == b'{"title":"One"}' and call.fields["content-type"] == "application/json"
    assert curl("-o", "/dev/null", "-w", "%{http_code}", "-X", "DELETE", shelf.gateway.url + "/books/7") == b"204"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_write_is_never_sent_twice(shelf, method):
    shelf.instead = lambda call: None
    path = "/books" if method == "POST" else "/books/7"
    arguments = [] if method == "DELETE" else ["-H", "Content-Type: application/json", "-d", "{}"]
    problem = json.loads(curl("-X", method, *arguments, shelf.gateway.url + path))
    assert problem["status"] == 502 and problem["outcome"] == "unknown", problem
    assert len(shelf.calls(method)) == 1


def test_what_is_kept_of_a_changed_address_is_dropped(shelf):
    url = shelf.gateway.url + "/books/7"
    for _ in range(2):
        curl(url)
    assert len(shelf.calls("GET")) == 1
    curl("-X", "PUT", "-H", "Content-Type: application/json", "-d", "{}", url)
    curl(url)
    assert len(shelf.calls("GET")) == 2
    # The answer to a POST elsewhere names the address in Location.
    curl("-H", "Content-Type: application/json", "-d", "{}", shelf.gateway.url + "/books")
    curl(url)
    assert len(shelf.calls("GET")) == 3


@pytest.mark.parametrize("size", [5 << 20, 12 << 20])
def test_content_that_is_too_large_is_refused_and_the_answer_is_read_whole(shelf, size):
    """Also by a client that reads only when it has sent everything; within and over what any route takes."""
    with shelf.gateway.connect() as client:
        client.sendall(head("POST", "/books", "Content-Type: application/json", f"Content-Length: {size}"))
        client.sendall(b" " * size)
        out = read_all(client)
    assert out.startswith(b"HTTP/1.1 413 ") and b"Connection: close" in out, out[:200]
    assert json.loads(out.split(b"\r\n\r\n", 1)[1])["code"] == "content-too-large"
    assert shelf.calls() == []


@pytest.mark.parametrize("framing, first", [
    (f"Content-Length: {5 << 20}", b"{"), ("Transfer-Encoding: chunked", b"2000\r\n" + b" " * 0x2000 + b"\r\n"),
])
def test_content_that_is_too_large_is_refused_while_it_is_being_sent(shelf, framing, first):
    with shelf.gateway.connect() as client:
        client.sendall(head("POST", "/books", "Content-Type: application/json", framing) + first)
        # Nothing more is sent: the answer comes all the same.
        assert client.recv(65536).startswith(b"HTTP/1.1 413 ")
    assert shelf.calls() == []


def test_curl_gets_the_answer_to_a_large_upload(shelf, tmp_path):
    (tmp_path / "large.json").write_bytes(b" " * (6 << 20))
    for extra in [[], ["-H", "Transfer-Encoding: chunked"], ["-H", "Expect:"], ["-H", "Expect: 100-continue"]]:
        out = curl("-H", "Content-Type: application/json", *extra, "--data-binary", f"@{tmp_path}/large.json",
                   shelf.gateway.url + "/books")
        assert json.loads(out)["status"] == 413


def test_a_client_that_waits_is_told_to_go_on_only_for_what_is_taken(shelf):
    expect = "Expect: 100-continue"
    with shelf.gateway.connect() as client:
        client.sendall(head("POST", "/books", "Content-Type: text/plain", "Content-Length: 2", expect))
        assert read_all(client).startswith(b"HTTP/1.1 415 ")
    with shelf.gateway.connect() as client:
        client.sendall(head("POST", "/books", "Content-Type: application/json", "Content-Length: 2", expect))
        assert client.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"{}")
        assert client.recv(65536).startswith(b"HTTP/1.1 201 ")


def test_chunks_are_read_whole_and_sent_with_their_length(shelf):
    with shelf.gateway.connect() as client:
        client.sendall(head("POST", "/books", "Content-Type: application/json", "Transfer-Encoding: chunked") + b"1\r\n{\r\n")
        # As long as it isn't whole the upstream hears nothing of it.
        assert not eventually(lambda: shelf.upstream.connections, 0.2)
        client.sendall(b"1\r\n}\r\n0\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 201 ")
    [call] = shelf.calls()
    assert call.body == b"{}" and call.fields["content-length"] == "2"


def test_the_time_of_a_write_begins_when_its_content_is_there(shelf):
    """Its deadline is one second; what the client takes longer is not held against the upstream."""
    with shelf.gateway.connect() as client:
        client.sendall(head("PUT", "/books/7", "Content-Type: application/json", "Content-Length: 2") + b"{")
        time.sleep(1.3)
        client.sendall(b"}")
        assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
    assert len(shelf.calls("PUT")) == 1


def test_no_content_where_some_is_needed(shelf):
    for extra in [["Content-Length: 0"], ["Transfer-Encoding: chunked"]]:
        with shelf.gateway.connect() as client:
            end = b"0\r\n\r\n" if "chunked" in extra[0] else b""
            client.sendall(head("POST", "/books", "Content-Type: application/json", *extra) + end)
            out = client.recv(65536)
            assert out.startswith(b"HTTP/1.1 400 ") and b"missing-content" in out, out
    assert shelf.calls() == []


@pytest.mark.parametrize("framing", ["length", "chunks"])
def test_a_stream_reaches_the_upstream_while_it_comes(contract, framing):
    half, seen, ended = b"x" * 100_000, threading.Event(), threading.Event()
    received = bytearray()

    def serve():
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(PATIENCE)
            while received.count(b"x") < 2 * len(half):
                received.extend(connection.recv(65536))
                if received.count(b"x") >= len(half) - 1000:
                    seen.set()
            connection.sendall(answer({"ok": True}))
            ended.wait(PATIENCE)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        with Program("serve", contract(CONTRACT), "--port", "0", "--workers", "1",
                     env={"SHELF_URL": f"http://127.0.0.1:{listener.getsockname()[1]}"}) as gateway:
            with gateway.connect() as client:
                length = f"Content-Length: {2 * len(half)}" if framing == "length" else "Transfer-Encoding: chunked"

                def part(data):
                    return data if framing == "length" else b"%x\r\n%s\r\n" % (len(data), data)

                client.sendall(head("PUT", "/covers/1", "Content-Type: image/png", length) + part(half))
                assert seen.wait(PATIENCE), "the first half did not arrive"
                client.sendall(part(half) + (b"" if framing == "length" else b"0\r\n\r\n"))
                assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
            ended.set()
    lines = bytes(received).split(b"\r\n\r\n")[0].lower()
    assert (b"content-length: 200000" in lines) == (framing == "length"), lines
    assert b"image/png" in lines


def test_a_stream_that_the_client_gives_up_is_given_up(shelf):
    with shelf.gateway.connect() as client:
        client.sendall(head("PUT", "/covers/1", "Content-Type: image/png", "Content-Length: 1000000") + b"x" * 100_000)
        assert eventually(lambda: len(shelf.upstream.open) == 1)
    assert eventually(lambda: len(shelf.upstream.open) == 0)
    assert shelf.calls() == []
