"""An Imgur of our own: takes uploads and deletions, and does with each what a test says."""
import json
import time

from listening import Listening

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def png(size):
    """A file of so many bytes that begins like an image."""
    block = bytes(range(256)) * 64
    return (PNG + block * (size // len(block) + 1))[:size]


def answer(data, status="200 OK", success=True, fields=()):
    body = json.dumps({"data": data, "success": success, "status": int(status.split()[0])}).encode()
    return raw(body, status, fields)


def raw(body, status="200 OK", fields=(), type="application/json"):
    head = [f"HTTP/1.1 {status}", f"Content-Type: {type}", f"Content-Length: {len(body)}", *fields]
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


class Call:
    def __init__(self, line, fields):
        self.method, self.path, _ = line.split(" ", 2)
        self.fields, self.body, self.is_whole = fields, b"", False

    @property
    def parts(self):
        """The form's parts by name."""
        boundary = b"--" + self.fields["content-type"].split("boundary=")[1].encode()
        parts = {}
        for part in self.body.split(boundary)[1:-1]:
            head, content = part.split(b"\r\n\r\n", 1)
            name = head.split(b'name="')[1].split(b'"')[0].decode()
            parts[name] = content[:-2]
        return parts


class Imgur(Listening):
    """`upload(call)` and `delete(call)` give the answer's bytes, or None for a closed connection. `head(call)` is called before the content is
    read, and `piece(call)` after each piece of it."""

    def __init__(self, fields=()):
        self.calls, self.count, self.fields = [], 0, fields
        self.upload, self.delete = self.good_upload, self.good_delete
        self.head = self.piece = lambda call: None
        super().__init__()
        self.env = {"IMGUR_URL": f"http://127.0.0.1:{self.port}/3", "IMGUR_CLIENT_ID": "canary-client-id"}

    def good_upload(self, call):
        with self.lock:
            self.count += 1
            number = self.count
        return answer({"id": f"img{number:04}", "deletehash": f"canaryhash{number:04}", "type": "image/png", "width": 3,
                       "height": 4, "size": len(call.parts["image"]), "link": f"http://i.imgur.com/img{number:04}.png"},
                      fields=self.fields)

    def good_delete(self, call):
        return answer(True, fields=self.fields)

    @property
    def uploads(self):
        return [call for call in self.calls if call.method == "POST"]

    @property
    def deletions(self):
        return [call.path for call in self.calls if call.method == "DELETE"]

    def wait_for(self, condition, timeout=15):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, [vars(call).keys() for call in self.calls]
            time.sleep(0.01)

    def serve(self, connection):
        with connection.makefile("rb") as file:
            while line := file.readline().decode().strip():
                fields = {}
                while field := file.readline().decode().strip():
                    name, _, value = field.partition(":")
                    fields[name.lower()] = value.strip()
                call = Call(line, fields)
                self.calls.append(call)
                self.head(call)
                for piece in self._content(file, fields):
                    call.body += piece
                    self.piece(call)
                call.is_whole = True
                reply = (self.upload if call.method == "POST" else self.delete)(call)
                if reply is None:
                    return
                connection.sendall(reply)

    @staticmethod
    def _content(file, fields):
        if fields.get("transfer-encoding") == "chunked":
            while size := int(file.readline(), 16):
                piece = file.read(size)
                if len(piece) < size or file.readline() != b"\r\n":
                    raise OSError("cut")
                yield piece
            file.readline()
            return
        left = int(fields.get("content-length", 0))
        while left:
            piece = file.read1(min(left, 65536))
            if not piece:
                raise OSError("cut")
            left -= len(piece)
            yield piece
