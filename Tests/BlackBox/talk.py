"""One resource behind a mirror: what its origin answers next, what a client asks, what the origin saw."""
import email.utils
import http.client
import itertools
import time

from scripted import Upstream

NUMBERS = itertools.count(1)


def date(seconds=0):
    """A date that many seconds from now, as HTTP writes it."""
    return email.utils.formatdate(time.time() + seconds, usegmt=True)


# What an origin says of an answer.
STALE = ("Cache-Control: max-age=10", "Age: 20")
LIVE = "Cache-Control: max-age=60"
OLD = "Last-Modified: " + date(-100_000_000)
TEN = b"0123456789"


class Answer:
    """What the client got. `is_hit`: the origin wasn't asked."""

    def __init__(self, reply, body, calls):
        self.status, self.lines, self.body, self.calls = reply.status, reply.getheaders(), body, calls
        self.is_hit = not calls

    def __getitem__(self, name):
        """The first value of a field, or None."""
        return next((value for key, value in self.lines if key.lower() == name.lower()), None)

    def all(self, name):
        return [value for key, value in self.lines if key.lower() == name.lower()]

    @property
    def age(self):
        return int(self["Age"]) if self["Age"] is not None else None


class Mirrored:
    """An origin for any number of resources, each under a path of its own."""

    def __init__(self):
        self.answers, self.default = {}, {}
        self.upstream = Upstream(self.handle)

    def handle(self, call):
        path = call.target.split("?")[0]
        queue = self.answers.get(path)
        made = queue.pop(0) if queue else self.default.get(path, None)
        if made is None:
            made = reply(b"nothing more is scripted", "500 Nothing Scripted")
        return made(call) if callable(made) else made

    def close(self):
        self.upstream.close()


def reply(body=b"", status="200 OK", fields=(), when=0, length=True, interim=b""):
    """The bytes of an answer. `when`: seconds from now for `Date`; None leaves it out."""
    lines = [f"HTTP/1.1 {status}"]
    if when is not None:
        lines.append(f"Date: {date(when)}")
    lines += list(fields)
    if length and not status.startswith(("204", "304", "1")):
        lines.append(f"Content-Length: {len(body)}")
    head = "\r\n".join(lines) + "\r\n\r\n"
    return interim + head.encode("latin-1") + body


class Talk:
    """A client and an origin, about one resource."""

    def __init__(self, port, mirrored, path=None, prefix=""):
        self.port, self.mirrored, self.prefix = port, mirrored, prefix
        self.path = path or f"/r{next(NUMBERS)}"
        self.made = 0

    def says(self, *fields, body=None, status="200 OK", when=0, call=None, **more):
        """What the origin answers next. The body tells which of its answers it is."""
        self.made += 1
        body = f"answer {self.made}".encode() if body is None else body

        def made(seen):
            if call:
                call(seen)
            data = reply(body, status, fields, when, **more)
            return data.split(b"\r\n\r\n")[0] + b"\r\n\r\n" if seen.method == "HEAD" else data
        self.mirrored.answers.setdefault(self.path, []).append(made)
        return self

    def sends(self, data):
        """Raw bytes that the origin answers next; None closes the connection."""
        self.mirrored.answers.setdefault(self.path, []).append(lambda seen: data)
        return self

    @property
    def seen(self):
        """The requests for this resource that reached the origin."""
        with self.mirrored.upstream.lock:
            return [call for call in self.mirrored.upstream.calls if call.path == self.path]

    def ask(self, *fields, method="GET", body=None, query=""):
        before = len(self.seen)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.putrequest(method, self.prefix + self.path + query, skip_accept_encoding=True)
        for line in fields:
            name, _, value = line.partition(":")
            connection.putheader(name, value.strip())
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        got = connection.getresponse()
        content = got.read()
        connection.close()
        return Answer(got, content, self.seen[before:])

    def keeps(self, *fields, request=(), again=(), **more):
        """Whether a second request is answered with the first one's answer, and nobody asked."""
        self.says(*fields, **more)
        first = self.ask(*request)
        self.says("Cache-Control: no-store")
        second = self.ask(*again)
        if second.is_hit:
            assert second.body == first.body and second.status == first.status
        return second.is_hit
