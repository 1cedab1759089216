"""Noise through a mirror: whatever a client and an upstream may say to each other arrives byte for byte, and nothing else does."""
import random
import socket

from program import Program
from scripted import Upstream

TOKEN = b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
PATH = b"!$&'()*+,-./0123456789:;=@ABCXYZ[]^_`abcxyz{|}~\"<>\\"
VALUE = bytes(range(0x21, 0x7F)) + bytes(range(0x80, 0x100))
# What ends at a gateway, or is its own.
HOP = {b"connection", b"te", b"upgrade", b"trailer", b"keep-alive", b"host", b"via", b"expect", b"content-length", b"range", b"age", b"date",
       b"transfer-encoding", b"cache-control", b"if-range", b"if-match", b"vary", b"etag", b"expires", b"pragma", b"forwarded"}


def some(random, alphabet, least, most):
    return bytes(random.choice(alphabet) for _ in range(random.randint(least, most)))


def fields(random):
    lines = []
    for _ in range(random.randint(0, 6)):
        name = some(random, TOKEN, 1, 12)
        # A blank inside a value is kept; those around it aren't part of it.
        value = b" ".join(some(random, VALUE, 1, 9) for _ in range(random.randint(0, 3)))
        if name.lower() not in HOP:
            lines.append((name, value))
    return lines


def path(random):
    text = b""
    for _ in range(random.randint(0, 12)):
        if random.random() < 0.03:
            text += random.choice([b"../", b"/..", b"/%2e%2E/", b"/%252e/", b"..;a/", b"%2f..%2f", b"\\..\\", b"%5c.%5c", b"..a/", b"%2e.x"])
        text += some(random, PATH, 1, 1) if random.random() < 0.8 else b"%%%02X" % random.randrange(256)
    return text


def climbs(text):
    """Whether a segment is a dot or two, for anybody who decodes as often as they like."""
    for _ in range(5):
        parts = text.replace(b"\\", b"/").split(b"/")
        if any(part.split(b";")[0] in (b".", b"..") for part in parts):
            return True
        once = b""
        while text:
            if text[:1] == b"%" and len(text) > 2 and all(digit in b"0123456789abcdefABCDEF" for digit in text[1:3]):
                once, text = once + bytes([int(text[1:3], 16)]), text[3:]
            else:
                once, text = once + text[:1], text[1:]
        text = once
    return False


def read_answer(client, data):
    while b"\r\n\r\n" not in data:
        more = client.recv(65536)
        assert more, data
        data += more
    head, data = data.split(b"\r\n\r\n", 1)
    lines = [tuple(line.split(b": ", 1)) for line in head.split(b"\r\n")[1:]]
    length = int(next(value for name, value in lines if name == b"Content-Length"))
    while len(data) < length:
        data += client.recv(65536)
    return int(head.split()[1]), lines, data[:length], data[length:]


def test_noise_arrives_as_it_was_made(tmp_path):
    noise = random.Random(4711)
    said = []

    def handler(call):
        lines = fields(noise)
        said.append(lines)
        body = some(noise, bytes(range(256)), 0, 40)
        said.append(body)
        head = b"".join(b"%s:%s\r\n" % (name, value) for name, value in lines)
        return b"HTTP/1.1 %d X\r\nCache-Control: no-store\r\n" % noise.choice([200, 201, 299, 404, 418, 500, 599]) + head \
            + b"Content-Length: %d\r\n\r\n" % len(body) + body
    contract = tmp_path / "noise.yaml"
    contract.write_text("""
openapi: 3.1.0
info: {title: Noise, version: "1"}
x-sluice-upstreams: {noise: {url: "${NOISE_URL}/base/er"}}
paths:
  /m/{rest}:
    x-sluice: {upstream: noise, mirror: true}
    parameters: [{name: rest, in: path, required: true, schema: {type: string}}]
    get: {operationId: noise, responses: {default: {description: Anything.}}}
""")
    with Upstream(handler) as upstream, Program("serve", str(contract), "--port", "0", "--workers", "1", "--log-level", "error",
                                                env={"NOISE_URL": upstream.url}) as program:
        with socket.create_connection(("127.0.0.1", program.port), 30) as client:
            left, refused, passed = b"", 0, 0
            for _ in range(400):
                rest, lines, before = path(noise), fields(noise), len(upstream.calls)
                query = noise.choice([b"", b"?", b"?" + path(noise)])
                head = b"".join(b"%s: %s\r\n" % line for line in lines)
                client.sendall(b"GET /m/%s%s HTTP/1.1\r\nHost: a\r\n%s\r\n" % (rest, query, head))
                status, got, body, left = read_answer(client, left)
                assert left == b""
                if climbs(rest):
                    assert (status, len(upstream.calls)) == (400, before), rest
                    refused += 1
                    continue
                passed += 1
                call = upstream.calls[-1]
                assert len(upstream.calls) == before + 1
                assert call.target.encode("latin-1") == b"/base/er/" + rest + query
                seen = [tuple(part.encode("latin-1") for part in line.split(":", 1)) for line in call.lines[1:]]
                own = {b"host", b"via"}
                assert [(name, value.strip(b" ")) for name, value in seen if name.lower() not in own] == lines
                theirs = {b"via", b"cache-status", b"date", b"cache-control", b"content-length", b"x-request-id", b"server-timing", b"age"}
                assert [line for line in got if line[0].lower() not in theirs] == said[-2] and body == said[-1]
            assert refused > 10 and passed > 200
