"""A strict reader of HTTP/1.1 answers (RFC 9112): whatever a server may not send is an error, so that every answer that a test reads is
checked for its form too."""
import re
import socket

TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
STATUS = re.compile(rb"HTTP/1\.1 ([1-5][0-9]{2}) ([\t \x21-\x7e\x80-\xff]*)\Z")


class Malformed(AssertionError):
    pass


class Incomplete(Exception):
    """The bytes end inside an answer."""


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def __getitem__(self, name):
        values = [value for key, value in self.fields if key.lower() == name.lower()]
        return ", ".join(values) if values else None

    def __repr__(self):
        return f"<{self.status} {self.body[:80]!r}>"


def line(data, at):
    end = data.find(b"\r\n", at)
    if end < 0:
        raise Incomplete
    found = data[at:end]
    if b"\n" in found or b"\r" in found or b"\0" in found:
        raise Malformed(f"a bare CR, LF or NUL in {found[:80]!r}")
    return found, end + 2


def read_one(data, at, method, closed):
    """One answer at `at`, interim ones among them: (answer, where the next begins)."""
    first, at = line(data, at)
    match = STATUS.match(first)
    if not match:
        raise Malformed(f"a wrong status line: {first[:80]!r}")
    status, fields = int(match.group(1)), []
    while True:
        text, at = line(data, at)
        if not text:
            break
        name, colon, value = text.partition(b":")
        if not colon or not TOKEN.match(name) or re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", value):
            raise Malformed(f"a wrong field line: {text[:80]!r}")
        fields.append((name.decode(), value.strip(b" \t").decode("latin-1")))
    answer = Answer(status, fields, b"")
    lengths = [value for key, value in fields if key.lower() == "content-length"]
    coding = answer["Transfer-Encoding"]
    if len(lengths) > 1 or (lengths and coding) or any(not re.fullmatch(r"\d+", value) for value in lengths):
        raise Malformed(f"wrong framing: {fields}")
    if (status < 200 or status == 204) and (lengths or coding):
        raise Malformed(f"a length on a {status}")
    if method == "HEAD" or status < 200 or status in (204, 304):
        return answer, at
    if coding:
        if coding.lower() != "chunked":
            raise Malformed(f"an unknown transfer coding: {coding}")
        while True:
            size, at = line(data, at)
            if not re.fullmatch(rb"[0-9A-Fa-f]{1,16}", size):
                raise Malformed(f"a wrong chunk size: {size[:40]!r}")
            count = int(size, 16)
            if count == 0:
                blank, at = line(data, at)
                if blank:
                    raise Malformed("a trailer")
                return answer, at
            if len(data) < at + count + 2:
                raise Incomplete
            answer.body += data[at:at + count]
            if data[at + count:at + count + 2] != b"\r\n":
                raise Malformed("no line end behind a chunk")
            at += count + 2
    if not lengths:
        if not closed:
            raise Incomplete
        answer.body = data[at:]
        return answer, len(data)
    end = at + int(lengths[0])
    if len(data) < end:
        raise Incomplete
    answer.body = data[at:end]
    return answer, end


class Connection:
    """A raw connection: bytes out, checked answers in."""

    def __init__(self, port, timeout=15):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.data, self.at, self.closed, self.reset = b"", 0, False, False

    def send(self, data):
        """Sends, or finds that the other side has closed."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            self.reset = True

    def finish(self):
        """Sends no more, but still reads."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # closed by the other side already

    def _more(self):
        try:
            got = self.socket.recv(1 << 17)
        except ConnectionResetError:
            got, self.reset = b"", True
        self.closed = not got
        self.data += got

    def answer(self, method="GET", interim=False):
        """The next final answer (or any, with `interim`); None where the connection ends first."""
        while True:
            try:
                answer, self.at = read_one(self.data, self.at, method, self.closed)
                if answer.status >= 200 or interim:
                    return answer
            except Incomplete:
                if self.closed:
                    if self.at != len(self.data):
                        raise Malformed(f"an answer that was cut: {self.data[self.at:][:200]!r}")
                    return None
                self._more()

    def ends(self):
        """Whether the other side closes without another byte."""
        while not self.closed:
            self._more()
        return self.at == len(self.data)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def request(target, *fields, method="GET", host="sluice.test", body=b"", version="HTTP/1.1"):
    """A sound request as bytes."""
    lines = [f"{method} {target} {version}", f"Host: {host}", *fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def ask(port, target, *fields, method="GET", host="sluice.test", body=b""):
    """One request on its own connection."""
    with Connection(port) as connection:
        connection.send(request(target, "Connection: close", *fields, method=method, host=host, body=body))
        answer = connection.answer(method)
        assert answer is not None, "closed without an answer"
        assert connection.ends(), "bytes behind the answer"
        return answer
