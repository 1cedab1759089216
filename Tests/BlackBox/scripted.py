"""Upstreams of our own: a server whose every answer a test decides, and a small galaxy behind it."""
import json

from listening import Listening


class Call:
    """One request as it reached the upstream."""

    def __init__(self, head, body, connection):
        self.lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = (self.lines[0] + "  ").split(" ", 2)
        self.path = self.target.split("?")[0]
        self.fields = {}
        for line in self.lines[1:]:
            name, _, value = line.partition(":")
            self.fields.setdefault(name.lower(), value.strip())
        self.body, self.connection = body, connection


def answer(body=b"{}", status="200 OK", fields=(), type="application/json"):
    if not isinstance(body, bytes):
        body = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
    head = [f"HTTP/1.1 {status}", f"Content-Type: {type}", f"Content-Length: {len(body)}", *fields]
    return ("\r\n".join(head) + "\r\n\r\n").encode("latin-1") + body


class Upstream(Listening):
    """Answers each request with `handler(call)`: bytes keep the connection, None closes it."""

    def __init__(self, handler, backlog=1024):
        self.handler = handler
        self.calls, self.in_flight, self.peak = [], 0, 0
        super().__init__(backlog)
        self.url = f"http://127.0.0.1:{self.port}"

    def serve(self, connection):
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                more = connection.recv(65536)
                if not more:
                    return
                data += more
            head, data = data.split(b"\r\n\r\n", 1)
            call = Call(head, b"", connection)
            length = int(call.fields.get("content-length", "0"))
            while len(data) < length:
                more = connection.recv(65536)
                if not more:
                    return
                data += more
            call.body, data = data[:length], data[length:]
            if call.fields.get("transfer-encoding", "").lower() == "chunked":
                call.body, data = self._chunks(connection, data)
            with self.lock:
                self.calls.append(call)
                self.in_flight += 1
                self.peak = max(self.peak, self.in_flight)
            try:
                reply = self.handler(call)
            finally:
                with self.lock:
                    self.in_flight -= 1
            if reply is None:
                return
            connection.sendall(reply)

    @staticmethod
    def _chunks(connection, data):
        """Content in chunks, and what comes behind it."""
        body = b""
        while True:
            while b"\r\n" not in data:
                data += connection.recv(65536) or b"0\r\n\r\n"
            line, data = data.split(b"\r\n", 1)
            size = int(line, 16)
            while len(data) < size + 2:
                more = connection.recv(65536)
                if not more:
                    raise OSError("cut inside a chunk")
                data += more
            body, data = body + data[:size], data[size + 2:]
            if size == 0:
                return body, data

    def paths(self):
        with self.lock:
            return [call.path for call in self.calls]

    def reset(self):
        with self.lock:
            self.calls, self.peak = [], 0


class Galaxy:
    """A few resources with SWAPI's names and links: film 1 has 8 starships; each starship of a few has pilots, and so on."""

    STARSHIPS = (2, 3, 5, 9, 10, 11, 12, 13)
    PILOTS = {10: (13, 14), 12: (1, 9), 13: (4,)}

    def __init__(self):
        # path below /api -> bytes to answer in place of the resource, or a function of the call.
        self.instead = {}
        # called with each call before it is answered.
        self.before = None
        self.upstream = Upstream(self.handle)
        self.base = self.upstream.url + "/api"

    def link(self, kind, id):
        return f"{self.base}/{kind}/{id}/"

    def resource(self, kind, id):
        link = self.link
        if kind == "films" and id == 1:
            return {"title": "A New Hope", "episode_id": 4, "starships": [link("starships", n) for n in self.STARSHIPS],
                    "characters": [link("people", n) for n in (1, 4, 9, 13, 14)], "planets": [], "vehicles": [], "species": [],
                    "url": link("films", 1)}
        if kind == "starships" and id in self.STARSHIPS:
            return {"name": f"Ship {id}", "pilots": [link("people", n) for n in self.PILOTS.get(id, ())],
                    "films": [link("films", 1)], "url": link("starships", id)}
        if kind == "people" and id in (1, 4, 9, 13, 14):
            return {"name": f"Person {id}", "homeworld": link("planets", id), "films": [link("films", 1)], "species": [],
                    "vehicles": [], "starships": [], "url": link("people", id)}
        if kind == "planets" and id in (1, 4, 9, 13, 14):
            return {"name": f"Planet {id}", "residents": [link("people", id)], "films": [], "url": link("planets", id)}
        return None

    def handle(self, call):
        if self.before:
            self.before(call)
        path = call.path.removeprefix("/api")
        if path in self.instead:
            made = self.instead[path]
            return made(call) if callable(made) else made
        parts = path.strip("/").split("/")
        found = self.resource(parts[0], int(parts[1])) if len(parts) == 2 and parts[1].isdigit() else None
        return answer(found) if found else answer({"detail": "Not found"}, "404 Not Found")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.upstream.close()
