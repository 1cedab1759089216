"""A real redis-server of our own, and one that does what a test says."""
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

from listening import Listening
from program import eventually, free_port

PASSWORD = "r3dis:p@ss/word"


class Redis:
    """`redis-server` on a free port, with nothing on disk."""

    def __init__(self, *arguments):
        self.folder = tempfile.mkdtemp(prefix="sluice-redis-")
        self.port = free_port()
        self.arguments = arguments
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", self.folder,
             "--requirepass", PASSWORD, *self.arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        assert eventually(lambda: self.command("PING") == b"+PONG\r\n"), "redis-server doesn't start"

    @property
    def url(self):
        return f"redis://:r3dis%3Ap%40ss%2Fword@127.0.0.1:{self.port}/1"

    def command(self, *words):
        """One command in database 1; the reply as it comes, up to 1 MiB."""
        def text(words):
            words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
            return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
        try:
            with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
                connection.sendall(text(["AUTH", PASSWORD]) + text(["SELECT", 1]) + text(words) + text(["ECHO", "the-end"]))
                data = b""
                while not data.endswith(b"$7\r\nthe-end\r\n"):
                    more = connection.recv(1 << 20)
                    if not more:
                        return None
                    data += more
                return data.removeprefix(b"+OK\r\n+OK\r\n").removesuffix(b"$7\r\nthe-end\r\n")
        except OSError:
            return None

    def keys(self, pattern="sluice:1:e:*"):
        lines = self.command("KEYS", pattern).split(b"\r\n")
        return [line for line in lines if line.startswith(b"sluice")]

    def stop(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder)


class FakeRedis(Listening):
    """Listens; `reply(words)` is what each command gets: bytes, None to close, or `...` for silence. The first commands (AUTH, SELECT, SUBSCRIBE and
    what reads the state) are answered as Redis does unless `rude`."""

    def __init__(self, reply, rude=False):
        self.reply, self.rude, self.commands = reply, rude, []
        super().__init__()
        self.url = f"redis://127.0.0.1:{self.port}"

    @staticmethod
    def _usual(words):
        if words[0] == b"SUBSCRIBE":
            return b"*3\r\n$9\r\nsubscribe\r\n$%d\r\n%s\r\n:1\r\n" % (len(words[1]), words[1])
        if words[0] == b"HGETALL":
            return b"*4\r\n$2\r\nid\r\n$1\r\n7\r\n$1\r\nn\r\n$1\r\n0\r\n"
        if words[0] == b"HMGET":
            return b"*2\r\n$1\r\n7\r\n$1\r\n0\r\n"
        if words[0] == b"PING":
            return b"*2\r\n$4\r\npong\r\n$0\r\n\r\n"
        return None

    def serve(self, connection):
        with connection.makefile("rb") as file:
            while line := file.readline():
                words = []
                for _ in range(int(line[1:])):
                    size = int(file.readline()[1:])
                    words.append(file.read(size + 2)[:-2])
                self.commands.append(words)
                answer = None if self.rude else self._usual(words)
                if answer is None:
                    answer = self.reply(words)
                if answer is None:
                    return
                if answer is not ...:
                    connection.sendall(answer)


class Proxy:
    """In front of a Redis, with faults that can be changed at any time: `delay` seconds before each piece of a reply, `is_hung`: nothing goes either
    way, `cut`: the connection is reset after so many bytes of replies, `is_closed`: connections are refused."""

    def __init__(self, redis):
        self.redis, self.delay, self.is_hung, self.cut, self.is_closed = redis, 0, False, None, False
        self.open, self.count = [], 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.url = redis.url.replace(f":{redis.port}/", f":{self.port}/")
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            self.count += 1
            try:
                if self.is_closed:
                    raise OSError
                server = socket.create_connection(("127.0.0.1", self.redis.port))
            except OSError:
                client.close()
                continue
            self.open += [client, server]
            threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _pass(self, source, target, is_reply):
        passed = 0
        try:
            while data := source.recv(65536):
                while self.is_hung:
                    time.sleep(0.005)
                if is_reply:
                    time.sleep(self.delay)
                    if self.cut is not None and passed + len(data) >= self.cut:
                        target.sendall(data[:max(0, self.cut - passed)])
                        target.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        break
                passed += len(data)
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def break_all(self):
        for end in self.open:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.open = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_hung, self.is_closed = False, True
        self.socket.close()
        self.break_all()
