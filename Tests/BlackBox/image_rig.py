"""A scripted Imgur with a gateway in front of it, and what tests need to talk to the two."""
import json

from imgur import Imgur, png
from program import PATIENCE, Program


class Rig:
    """A scripted Imgur and a gateway for it, which can be started again with what it kept."""

    def __init__(self, folder):
        self.imgur, self.folder, self.gateways = Imgur(), folder, []
        self.start()

    def start(self, *arguments, limits=None, env=None):
        self.gateway = Program("serve", "--port", "0", "--workers", "2", "--state", self.folder, "--log-format", "json", "--cors-origin", "http://localhost",
                               *arguments, env=self.imgur.env | (env or {}), limits=limits)
        self.gateways.append(self.gateway)
        return self.gateway

    def ask(self, method, path, body=None, **fields):
        return ask(self.gateway, method, path, body, **fields)

    def upload(self, body=None, type="image/png", path="/images", **fields):
        return self.ask("POST", path, png(3000) if body is None else body, content_type=type, **fields)

    def listed(self):
        return [image["id"] for image in self.ask("GET", "/images")[2]["results"]]

    def close(self):
        for gateway in self.gateways:
            if gateway.is_alive:
                assert gateway.stop() == 0, gateway.log[-2000:]
            assert "canaryhash" not in gateway.log and "canary-client-id" not in gateway.log
        self.imgur.close()


def head(method, path, body, fields):
    lines = [f"{method} {path} HTTP/1.1", "Host: a", f"Content-Length: {len(body or b'')}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def read_answer(connection):
    """(status, fields, content): content is decoded where it is JSON."""
    file = connection.makefile("rb")
    status = int(file.readline().split()[1])
    fields = {}
    while line := file.readline().decode().strip():
        name, _, value = line.partition(":")
        fields[name.lower()] = value.strip()
    if status == 100:
        return read_answer(connection)
    if fields.get("transfer-encoding") == "chunked":
        content = b""
        while size := int(file.readline(), 16):
            content += file.read(size)
            file.readline()
    else:
        content = file.read(int(fields.get("content-length", 0)))
    assert b"canaryhash" not in content and b"canary-client" not in content
    if "json" in fields.get("content-type", ""):
        content = json.loads(content)
    return status, fields, content


def ask(gateway, method, path, body=None, **fields):
    with gateway.connect(PATIENCE) as connection:
        connection.sendall(head(method, path, body, fields) + (body or b""))
        return read_answer(connection)


def form(*parts, boundary="b0undary"):
    """Each part: (name, content, further parameters of its disposition)."""
    body = b""
    for name, content, *rest in parts:
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{"".join(rest)}\r\n\r\n'.encode() + content + b"\r\n"
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def events(content):
    found = []
    for event in content.decode().split("\n\n")[:-1]:
        name, data = event.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found
