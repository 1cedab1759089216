"""`sluice serve --mirror`: interim answers (RFC 9110, section 15.2)."""
import socket

import pytest

from program import PATIENCE, Program
from talk import reply

KEPT = ("Cache-Control: max-age=60",)
HINT = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nLink: </b.js>\r\nConnection: X-Hop\r\nX-Hop: 1\r\n\r\n"


def heads(talk, version="1.1", *lines):
    """All that comes, cut at the ends of heads."""
    with socket.create_connection(("127.0.0.1", talk.port), timeout=PATIENCE) as client:
        head = [f"GET {talk.path} HTTP/{version}", "Host: a", "Connection: close", *lines]
        client.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
        data = b""
        while more := client.recv(65536):
            data += more
    return data.split(b"\r\n\r\n")


def test_hints_come_before_the_answer_and_are_not_kept(mirror):
    talk = mirror().says(*KEPT, interim=HINT)
    hint, head, body = heads(talk)
    line, *fields = hint.split(b"\r\n")
    assert line.startswith(b"HTTP/1.1 103 ")
    assert fields == [b"Link: </a.css>; rel=preload", b"Link: </b.js>", b"Via: 1.1 sluice"]
    assert head.startswith(b"HTTP/1.1 200 OK\r\n") and b"Link" not in head and body == b"answer 1"
    assert talk.ask().is_hit and len(heads(talk)) == 2


def test_several_pass_in_order_and_100_ends_here(mirror):
    interim = b"HTTP/1.1 100 Continue\r\n\r\n" + b"HTTP/1.1 102 Processing\r\n\r\n" + HINT + b"HTTP/1.1 199 Odd\r\nX-A:\r\n\r\n"
    got = [head.split(b" ")[1] for head in heads(mirror().says(interim=interim))[:-1]]
    assert got == [b"102", b"103", b"199", b"200"]


def test_hints_come_while_the_answer_is_made(mirror):
    talk = mirror()

    def slow(seen):
        seen.connection.sendall(HINT)
        # Goes on once the client has the hint.
        assert talk.told.recv(10) == b"go"
        return reply(b"done")
    here, talk.told = socket.socketpair()
    talk.mirrored.answers[talk.path] = [slow]
    with socket.create_connection(("127.0.0.1", talk.port), timeout=PATIENCE) as client:
        client.sendall(f"GET {talk.path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        file = client.makefile("rb")
        assert file.readline().startswith(b"HTTP/1.1 103 ")
        here.sendall(b"go")
        while file.readline() != b"\r\n":
            pass
        assert file.readline().startswith(b"HTTP/1.1 200 ")


def test_old_clients_get_none(mirror):
    assert len(heads(mirror().says(interim=HINT), "1.0")) == 2


@pytest.mark.parametrize("interim", [HINT * 9, b"HTTP/1.1 103 E\r\nX: " + b"x" * 33000 + b"\r\n\r\n", b"HTTP/1.1 103 E\r\nContent-Length: 1\r\n\r\n"],
                         ids=["many", "large", "content"])
def test_they_are_bounded(mirror, interim):
    final = heads(mirror().says(interim=interim))[-2]
    assert final.startswith(b"HTTP/1.1 502 ")


def test_what_is_malformed_in_one_is_refused(mirror):
    assert heads(mirror().says(interim=b"HTTP/1.1 103 E\r\nX-A: a\0b\r\n\r\n"))[0].startswith(b"HTTP/1.1 502 ")
