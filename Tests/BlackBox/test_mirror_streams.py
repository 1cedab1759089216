"""`sluice serve --mirror`: content that is handed on while it comes."""
import socket
import threading
import time

import pytest

from program import IS_SANITIZED, PATIENCE, Program, eventually
from talk import Mirrored, Talk

KEPT = b"Cache-Control: max-age=60\r\n"
BIG = 50 << 20


@pytest.fixture(scope="module")
def program():
    mirrored = Mirrored()
    with Program("serve", "--mirror", mirrored.upstream.url, "--port", "0", "--workers", "2", "--max-body", "64MB",
                 "--mirror-silence", "4s", "--log-level", "warning") as program:
        program.mirrored = mirrored
        yield program
    mirrored.close()


class Origin:
    """One resource whose content a test sends in its own time."""

    def __init__(self, program, head=b"", chunked=True, length=None):
        self.talk = Talk(program.port, program.mirrored)
        self.go, self.head, self.pieces, self.asked = threading.Semaphore(0), head, [], threading.Semaphore(0)
        self.chunked = chunked and length is None
        framing = b"Transfer-Encoding: chunked\r\n" if self.chunked else (
            b"Content-Length: %d\r\n" % length if length is not None else b"Connection: close\r\n")
        self.start = b"HTTP/1.1 200 OK\r\n" + head + framing + b"\r\n"
        program.mirrored.default[self.talk.path] = self.serve

    def serve(self, call):
        call.connection.sendall(self.start)
        self.asked.release()
        place = 0
        while True:
            if not self.go.acquire(timeout=PATIENCE):
                return None
            piece = self.pieces[place]
            place += 1
            if piece is None:
                return b"0\r\n\r\n" if self.chunked else b""
            if piece is Ellipsis:
                return None
            call.connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if self.chunked else piece)

    def send(self, *pieces, requests=1):
        for piece in pieces:
            self.pieces.append(piece)
            self.go.release(requests)


class Reader:
    """A client that reads in its own time."""

    def __init__(self, program, path, *lines, version="1.1", method="GET"):
        self.socket = socket.create_connection(("127.0.0.1", program.port), timeout=PATIENCE)
        head = [f"{method} {path} HTTP/{version}", "Host: a", *lines]
        self.socket.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")

    def status(self):
        line = self.file.readline()
        self.fields = {}
        while (field := self.file.readline()) not in (b"\r\n", b""):
            name, _, value = field.decode().partition(":")
            self.fields[name.lower()] = value.strip()
        return int(line.split()[1]) if line else None

    def chunk(self):
        """One chunk; b"" is the last, None a content that broke off."""
        try:
            line = self.file.readline()
            if not line:
                return None
            piece = self.file.read(int(line, 16))
            return piece if self.file.readline() == b"\r\n" else None
        except ConnectionError:
            return None

    def rest(self):
        """All chunks, or None."""
        whole = b""
        while piece := self.chunk():
            whole += piece
        return None if piece is None else whole

    def read(self, count):
        try:
            return self.file.read(count)
        except ConnectionError:
            return None

    def close(self):
        self.file.close()
        self.socket.close()


@pytest.mark.parametrize("head", [KEPT, b"Cache-Control: no-store\r\nContent-Type: text/event-stream\r\n"])
def test_head_and_content_come_at_once(program, head):
    origin = Origin(program, head)
    reader = Reader(program, origin.talk.path)
    assert reader.status() == 200
    for number in range(3):
        origin.send(b"event %d" % number)
        assert reader.chunk() == b"event %d" % number
    origin.send(None)
    assert reader.chunk() == b""
    assert origin.talk.ask().is_hit if head == KEPT else True


@pytest.mark.parametrize("more", [{"length": 12}, {"chunked": False}, {}])
def test_what_was_handed_on_is_kept_at_its_end(program, more):
    origin = Origin(program, KEPT, **more)
    reader = Reader(program, origin.talk.path)
    assert reader.status() == 200
    origin.send(b"first ")
    if "length" in more:
        assert (reader.read(6), reader.fields["content-length"]) == (b"first ", "12")
    else:
        assert reader.chunk() == b"first "
    origin.send(b"second", Ellipsis if more == {"chunked": False} else None)
    assert (reader.read(6) if "length" in more else reader.rest()) == b"second"
    got = origin.talk.ask()
    assert (got.is_hit, got.body) == (True, b"first second")


def test_who_comes_meanwhile_reads_along(program):
    origin = Origin(program, KEPT)
    first = Reader(program, origin.talk.path)
    assert first.status() == 200
    origin.send(b"a")
    assert first.chunk() == b"a"
    others = [Reader(program, origin.talk.path) for _ in range(10)]
    for other in others:
        assert other.status() == 200 and other.chunk() == b"a"
        assert other.fields["cache-status"].endswith("collapsed")
    origin.send(b"b")
    assert [reader.chunk() for reader in [first, *others]] == [b"b"] * 11
    origin.send(None)
    assert [reader.chunk() for reader in [first, *others]] == [b""] * 11
    assert len(origin.talk.seen) == 1


def test_those_who_wait_for_the_head_share_one_request(program):
    held = threading.Event()
    origin = Origin(program, KEPT, length=6)
    serve = origin.serve
    program.mirrored.default[origin.talk.path] = lambda call: (held.wait(PATIENCE), serve(call))[1]
    readers = [Reader(program, origin.talk.path) for _ in range(30)]
    eventually(lambda: len(origin.talk.seen) == 1)
    time.sleep(0.2)
    held.set()
    origin.send(b"abc")
    for reader in readers:
        assert reader.status() == 200 and reader.read(3) == b"abc"
    origin.send(b"def", None)
    assert [reader.read(3) for reader in readers] == [b"def"] * 30 and len(origin.talk.seen) == 1


def test_what_isnt_for_all_is_asked_for_by_each(program):
    origin = Origin(program, b"Content-Type: text/event-stream\r\n")
    readers = []
    for count in range(1, 4):
        readers.append(Reader(program, origin.talk.path))
        assert readers[-1].status() == 200 and len(origin.talk.seen) == count
    origin.send(b"x", None, requests=3)
    assert [reader.rest() for reader in readers] == [b"x"] * 3


@pytest.mark.parametrize("more", [{}, {"length": 100}])
def test_content_that_breaks_off_is_broken_for_the_client_and_not_kept(program, more):
    origin = Origin(program, KEPT, **more)
    reader = Reader(program, origin.talk.path)
    assert reader.status() == 200
    origin.send(b"part")
    assert (reader.read(4) if more else reader.chunk()) == b"part"
    origin.send(Ellipsis)
    assert (reader.read(96) in (b"", None)) if more else reader.chunk() is None
    del origin.pieces[:]
    again = Reader(program, origin.talk.path)
    assert again.status() == 200 and "fwd=uri-miss" in again.fields["cache-status"]
    again.close()


def test_silence_has_an_end(program):
    origin = Origin(program, b"Cache-Control: no-store\r\n")
    reader = Reader(program, origin.talk.path)
    assert reader.status() == 200
    origin.send(b"x")
    assert (reader.chunk(), reader.chunk()) == (b"x", None)


def flood(program, head, length=BIG):
    """A resource of much content, told as it is sent."""
    talk = Talk(program.port, program.mirrored)
    talk.sent = 0

    def serve(call):
        call.connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n" % length + head + b"\r\n")
        piece = bytes(range(256)) * 256
        for _ in range(length // len(piece)):
            call.connection.sendall(piece)
            talk.sent += len(piece)
        return b""
    program.mirrored.default[talk.path] = serve
    return talk


def test_a_slow_reader_holds_back_the_upstream(program):
    talk = flood(program, KEPT)
    readers = [Reader(program, talk.path) for _ in range(20)]
    assert [reader.status() for reader in readers] == [200] * 20
    before = -1
    while talk.sent != before:
        before = talk.sent
        time.sleep(0.5)
    # What the kernel keeps for two connections each is most of it.
    assert talk.sent < 20 * (20 << 20)
    if not IS_SANITIZED:
        assert program.memory < 100 << 20
    fast = Reader(program, talk.path)
    assert fast.status() == 200
    whole = fast.read(BIG)
    assert len(whole) == BIG and whole[:65536] == whole[-65536:] == bytes(range(256)) * 256
    for reader in readers:
        reader.close()


def test_a_slow_reader_holds_nobody_back_who_shares(program):
    size = 6 << 20
    talk = flood(program, KEPT, size)
    slow = Reader(program, talk.path)
    assert slow.status() == 200
    assert all(len(talk.ask().body) == size for _ in range(3))
    assert len(talk.seen) == 1
    assert len(slow.read(size)) == size


def test_a_client_that_leaves_spoils_nothing(program):
    origin = Origin(program, KEPT, length=10)
    first = Reader(program, origin.talk.path)
    assert first.status() == 200
    other = Reader(program, origin.talk.path)
    assert other.status() == 200
    first.close()
    origin.send(b"01234")
    assert other.read(5) == b"01234"
    other.close()
    origin.send(b"56789", None)
    assert eventually(lambda: origin.talk.ask("Cache-Control: only-if-cached").body == b"0123456789")
    assert len(origin.talk.seen) == 1


def test_large_content_that_nobody_wants_is_let_go(program):
    talk = flood(program, KEPT.replace(b"max-age=60", b"no-store"), 1 << 30)
    reader = Reader(program, talk.path)
    assert reader.status() == 200
    reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    reader.close()
    eventually(lambda: not any(call.connection.fileno() != -1 for call in talk.seen))
    assert talk.sent < 1 << 29


def test_an_old_client_gets_it_until_the_end(program):
    origin = Origin(program, b"Cache-Control: no-store\r\n")
    reader = Reader(program, origin.talk.path, version="1.0")
    assert reader.status() == 200 and "transfer-encoding" not in reader.fields
    origin.send(b"abc", b"def", None)
    assert reader.read(100) == b"abcdef"


def test_an_upload_goes_on_while_its_answer_comes(program):
    """The origin answers each piece as it comes, like an echo."""
    talk = Talk(program.port, program.mirrored)
    listener = socket.create_server(("127.0.0.1", 0))
    with Program("serve", "--mirror", f"http://127.0.0.1:{listener.getsockname()[1]}", "--port", "0",
                 "--log-level", "warning") as own:
        client = Reader(own, talk.path, "Content-Length: 6", method="POST")
        origin, _ = listener.accept()
        file = origin.makefile("rb")
        while file.readline() not in (b"\r\n", b""):
            pass
        client.socket.sendall(b"abc")
        assert file.read(3) == b"abc"
        origin.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nABC\r\n")
        assert client.status() == 200 and client.chunk() == b"ABC"
        client.socket.sendall(b"def")
        assert file.read(3) == b"def"
        origin.sendall(b"3\r\nDEF\r\n0\r\n\r\n")
        assert (client.chunk(), client.chunk()) == (b"DEF", b"")
    listener.close()
