"""A table of what an upstream may do wrong, each with the statuses that a gateway may answer.

A row's action is what goes over the wire: bytes (the connection stays open behind them), or a function of the call that sends by itself and
returns more bytes to send, or None to close.
"""
import gzip
import json
import socket
import struct
import time
import zlib

from scripted import answer

GOOD = b'{"ok":true}'
# Stands in whatever must never reach a client.
FOREIGN = b"foreign-canary"
HOLD = 6  # seconds that a dripping or endless case goes on at most
CASES = {}


def add(name, statuses, action, check=None):
    assert name not in CASES
    CASES[name] = (statuses if isinstance(statuses, tuple) else (statuses,), action, check)


def case(name, *statuses):
    return lambda action: add(name, statuses, action) or action


def plain(body=GOOD, *fields, status="200 OK", length=True):
    """An answer whose fields are as they are given, sound or not."""
    lines = [b"HTTP/1.1 " + status.encode(), b"Content-Type: application/json"]
    if length:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([*lines, *fields]) + b"\r\n\r\n" + body


def chunked(body, *fields):
    return plain(body, b"Transfer-Encoding: chunked", *fields, length=False)


def closing(data):
    """Sends and closes."""
    def action(call):
        call.connection.sendall(data)
    return action


def reset(data=b""):
    def action(call):
        if data:
            call.connection.sendall(data)
            time.sleep(0.05)
        call.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        call.connection.close()
    return action


def repeating(first, unit, pause):
    """Sends `first`, then `unit` again and again until the gateway goes away."""
    def action(call):
        call.connection.sendall(first)
        end = time.monotonic() + HOLD
        while time.monotonic() < end:
            call.connection.sendall(unit)
            if pause:
                time.sleep(pause)
    return action


INTRUDER = plain(b'{"who":"' + FOREIGN + b'"}')

# -- the length of an answer
add("length-missing-then-close", 200, closing(plain(length=False)))
add("length-with-more-behind", (200, 502), plain() + INTRUDER)
add("length-with-garbage-behind", (200, 502), plain() + FOREIGN)
add("length-plus", 502, plain(GOOD, b"Content-Length: +11", length=False))
add("length-minus", 502, plain(GOOD, b"Content-Length: -11", length=False))
add("length-hexadecimal", 502, plain(GOOD, b"Content-Length: 0xb", length=False))
add("length-of-words", 502, plain(GOOD, b"Content-Length: eleven", length=False))
add("length-empty", 502, closing(plain(GOOD, b"Content-Length:", length=False)))
add("length-over-64-bits", 502, plain(GOOD, b"Content-Length: 18446744073709551627", length=False))
add("length-of-20-digits", 502, plain(GOOD, b"Content-Length: 99999999999999999999", length=False))
add("length-two-different", 502, plain(GOOD, b"Content-Length: 5"))
add("length-two-different-turned", 502, plain(GOOD, b"Content-Length: 5", b"Content-Length: 11", length=False))
add("length-list-different", 502, plain(GOOD, b"Content-Length: 11, 5", length=False))
add("length-too-long-then-close", 502, closing(plain(GOOD, b"Content-Length: 50", length=False)))
add("length-too-short", 502, closing(plain(GOOD, b"Content-Length: 5", length=False)))
add("length-beside-chunks", 502, plain(b"b\r\n" + GOOD + b"\r\n0\r\n\r\n", b"Content-Length: 11", b"Transfer-Encoding: chunked", length=False))

# -- chunks
add("chunks-sound", 200, chunked(b"5;a=b\r\n" + GOOD[:5] + b"\r\n6\r\n" + GOOD[5:] + b"\r\n0\r\nX-Trailer: " + FOREIGN + b"\r\n\r\n"))
add("chunks-without-the-last", 502, closing(chunked(b"b\r\n" + GOOD + b"\r\n")))
add("chunks-cut-inside", 502, closing(chunked(b"ff\r\n" + GOOD)))
add("chunks-size-of-words", 502, chunked(b"zz\r\n" + GOOD + b"\r\n0\r\n\r\n"))
add("chunks-size-minus", 502, chunked(b"-b\r\n" + GOOD + b"\r\n0\r\n\r\n"))
add("chunks-size-plus", 502, chunked(b"+b\r\n" + GOOD + b"\r\n0\r\n\r\n"))
add("chunks-size-0x", 502, chunked(b"0xb\r\n" + GOOD + b"\r\n0\r\n\r\n"))
add("chunks-size-empty", 502, chunked(b"\r\n" + GOOD + b"\r\n0\r\n\r\n"))
add("chunks-size-over-64-bits", 502, chunked(b"1000000000000000b\r\n" + GOOD + b"\r\n0\r\n\r\n"))
add("chunks-size-bare-lf", 502, chunked(b"b\n" + GOOD + b"\r\n0\r\n\r\n"))
add("chunks-no-line-end-behind-data", 502, chunked(b"b\r\n" + GOOD + b"0\r\n\r\n"))
add("chunks-endless-size-line", 502, repeating(chunked(b""), b"0" * 4096, 0))
add("chunks-endless-extension", 502, repeating(chunked(b"b;"), b"x" * 4096, 0))
add("chunks-endless-trailer", (200, 502), repeating(chunked(b"b\r\n" + GOOD + b"\r\n0\r\n"), b"X-T: " + b"t" * 1000 + b"\r\n", 0))
add("coding-unknown-transfer", 502, plain(GOOD, b"Transfer-Encoding: chonked", length=False))
add("coding-transfer-twice", 502, plain(b"b\r\n" + GOOD + b"\r\n0\r\n\r\n", b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked", length=False))
add("coding-transfer-xchunked", 502, plain(b"b\r\n" + GOOD + b"\r\n0\r\n\r\n", b"Transfer-Encoding: xchunked", length=False))

# -- status line and fields
add("status-of-letters", 502, b"HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n")
add("status-of-two-digits", 502, b"HTTP/1.1 20 OK\r\nContent-Length: 11\r\n\r\n" + GOOD)
add("status-of-four-digits", 502, b"HTTP/1.1 2000 OK\r\nContent-Length: 11\r\n\r\n" + GOOD)
add("status-999", 502, plain(status="999 Strange"))
add("status-099", 502, plain(status="099 Strange"))
add("version-9", 502, plain().replace(b"HTTP/1.1", b"HTTP/9.9"))
add("version-none", 502, closing(GOOD))
add("version-of-another-protocol", 502, plain().replace(b"HTTP/1.1", b"ICY"))
add("banner-of-ssh", 502, closing(b"SSH-2.0-OpenSSH_9.2\r\n"))
add("field-with-nul", (200, 502), plain(GOOD, b"X-A: a\0" + FOREIGN))
add("field-with-bare-cr", (200, 502), plain(GOOD, b"X-A: a\rSet-Cookie: " + FOREIGN))
add("field-folded", (200, 502), plain(GOOD, b"X-A: a\r\n Set-Cookie: " + FOREIGN))
add("field-without-colon", (200, 502), plain(GOOD, b"strange"))
add("field-blank-before-colon", 502, plain(GOOD, b"Content-Length : 5"))
add("field-of-1-mb", 502, plain(GOOD, b"X-A: " + b"a" * 1_000_000))
add("fields-100000", 502, plain(GOOD, *[b"X-A: b"] * 100_000))
add("fields-endless", 502, repeating(b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"b" * 4000 + b"\r\n", 0))
add("fields-not-for-clients", 200, plain(
    GOOD, b"Set-Cookie: " + FOREIGN, b"Connection: keep-alive, X-Hop", b"X-Hop: " + FOREIGN, b"Keep-Alive: timeout=9",
    b"Server: " + FOREIGN, b"X-Powered-By: " + FOREIGN, b"Access-Control-Allow-Origin: *", b"Strict-Transport-Security: max-age=9"))
add("interim-endless", 502, repeating(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 50, 0.002))
add("interim-103-then-good", 200, b"HTTP/1.1 103 Early Hints\r\nLink: </" + FOREIGN + b">\r\n\r\n" + plain())
add("switching-unasked", 502, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n" + INTRUDER)
add("no-content-with-content", (200, 204, 502), b"HTTP/1.1 204 No Content\r\nContent-Length: %d\r\n\r\n" % len(INTRUDER) + INTRUDER)
add("not-modified-unasked", 502, b"HTTP/1.1 304 Not Modified\r\n\r\n")
add("partial-unasked", 502, plain(GOOD, b"Content-Range: bytes 0-10/50", status="206 Partial Content"))

# -- the connection
add("closed-at-once", 502, lambda call: None)
add("closed-in-status-line", 502, closing(b"HTTP/1."))
add("closed-in-head", 502, closing(b"HTTP/1.1 200 OK\r\nContent-Ty"))
add("closed-in-body", 502, closing(plain()[:-4]))
add("reset-at-once", 502, reset())
add("reset-in-head", 502, reset(b"HTTP/1.1 200 OK\r\nContent-Ty"))
add("reset-in-body", 502, reset(plain()[:-4]))


@case("late-second-answer", 200)
def late_second_answer(call):
    call.connection.sendall(plain())
    time.sleep(0.15)
    return INTRUDER


# -- time
@case("silent", 504)
def silent(call):
    call.connection.settimeout(HOLD)
    call.connection.recv(1)


@case("silent-in-body", 502, 504)
def silent_in_body(call):
    call.connection.sendall(plain()[:-4])
    silent(call)


add("drips-head", (502, 504), repeating(b"HTTP/1.1 200 OK\r\nX-A: ", b"a", 0.1))
add("drips-body", (502, 504), repeating(plain(b"", b"Content-Length: 100000", length=False), b" ", 0.1))
add("drips-chunks", (502, 504), repeating(chunked(b""), b"1\r\n \r\n", 0.1))


@case("slow-by-200-ms", 200)
def slow(call):
    time.sleep(0.2)
    return plain()


# -- size
add("body-endless", 502, repeating(plain(b"", length=False), b" " * 65536, 0))
add("body-endless-chunks", 502, repeating(chunked(b""), b"10000\r\n" + b" " * 65536 + b"\r\n", 0))
add("body-of-9-mb", 502, plain(b'{"a":"' + b"x" * 9_000_000 + b'"}'))
add("body-of-5-mb", 200, plain(b'{"a":"' + b"x" * 5_000_000 + b'"}'))

# -- redirects
for name, location in {
    "to-another-host": b"http://other.test/", "to-a-name-of-loopback": b"http://127.1/", "to-gopher": b"gopher://127.0.0.1:25/_x",
    "to-a-file": b"file:///etc/passwd", "to-metadata": b"http://169.254.169.254/latest/", "with-a-user": b"http://a:b@127.0.0.1/",
    "to-nowhere": b"", "to-itself": b"/case/redirect-to-itself", "with-line-ends": b"/case/good%0d%0aX: y", "to-data": b"data:,x",
}.items():
    add("redirect-" + name, 502, plain(b"", b"Location: " + location, status="302 Found"))
add("redirect-without-location", 502, plain(b"", status="301 Moved Permanently"))
add("redirect-of-many-choices", 502, plain(b"", status="300 Multiple Choices"))

# -- content codings
packed = gzip.compress(GOOD)
add("gzip-sound", 200, plain(packed, b"Content-Encoding: gzip"))
add("gzip-cut", 502, closing(plain(gzip.compress(json.dumps(list(range(5000))).encode())[:-300], b"Content-Encoding: gzip")))
add("gzip-corrupt", 502, plain(packed[:12] + b"\xff\xff\xff" + packed[15:], b"Content-Encoding: gzip"))
add("gzip-wrong-checksum", 502, plain(packed[:-8] + b"\0\0\0\0" + packed[-4:], b"Content-Encoding: gzip"))
add("gzip-not-at-all", 502, plain(GOOD, b"Content-Encoding: gzip"))
add("gzip-garbage-behind", (200, 502), plain(packed + FOREIGN, b"Content-Encoding: gzip"))
packer = zlib.compressobj(9, zlib.DEFLATED, 31)
bomb = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(200)) + packer.flush()  # 200 MiB of blanks in 200 kB
add("gzip-bomb", 502, plain(bomb, b"Content-Encoding: gzip"))
add("gzip-in-gzip", (200, 502), plain(gzip.compress(packed), b"Content-Encoding: gzip, gzip"))
add("gzip-20-times", 502, plain(packed, b"Content-Encoding: " + b", ".join([b"gzip"] * 20)))
add("coding-unknown-content", 502, plain(GOOD, b"Content-Encoding: snappy"))


# -- JSON
def text(name, statuses, body, *fields, check=None):
    add("json-" + name, statuses, plain(body, *fields), check)


text("deep-arrays", 502, b"[" * 100_000 + b"]" * 100_000)
text("deep-objects", 502, b'{"a":' * 100_000 + b"1" + b"}" * 100_000)
text("deep-unclosed", 502, b"[" * 1_000_000)
text("65-levels", 502, b"[" * 65 + b"]" * 65)
text("300000-values", 502, b"[" + b",".join([b"0"] * 300_000) + b"]")
text("comma-at-the-end", 502, b'{"a":[1,],}')
text("comma-at-the-end-of-an-object", 502, b'{"a":1,}')
text("not-a-number", 502, b'{"a":NaN}')
text("infinity", 502, b'{"a":-Infinity}')
text("leading-zero", 502, b'{"a":01}')
text("leading-plus", 502, b'{"a":+1}')
text("point-alone", 502, b'{"a":1.}')
text("single-quotes", 502, b"{'a':1}")
text("comment", 502, b'{"a":1}//x')
text("cut", 502, b'{"a":[1,2')
text("empty", 502, b"")
text("blanks", 502, b" \r\n\t ")
text("page", 502, b"<!doctype html><title>oops</title>")
text("two-values", 502, b'{"a":1}{"b":2}')
text("nul-behind", 502, b'{"a":1}\0')
text("control-in-text", 502, b'{"a":"x\ny"}')
text("wrong-escape", 502, b'{"a":"\\x41"}')
text("cut-escape", 502, b'{"a":"\\u12"}')
text("no-utf-8", 502, b'{"a":"\xff\xfe"}')
text("overlong-utf-8", 502, b'{"a":"\xc0\xaf"}')
text("utf-16", 502, '{"a":1}'.encode("utf-16"))
text("surrogate-alone", (200, 502), b'{"a":"\\ud800"}')
text("mark-in-front", (200, 502), b"\xef\xbb\xbf" + GOOD)
text("key-twice", (200, 502), b'{"a":1,"a":2}')
text("strange-keys", 200, b'{"__proto__":1,"a\\u0022b":2,"":3,"\\u0000":4}', check=lambda body: body == b'{"__proto__":1,"a\\u0022b":2,"":3,"\\u0000":4}')
text("numbers-kept", 200, b'{"a":123456789012345678901234567890,"b":1.10,"c":1e400,"d":-0.0}',
     check=lambda body: body == b'{"a":123456789012345678901234567890,"b":1.10,"c":1e400,"d":-0.0}')
text("a-number-alone", 200, b"17")
text("null-alone", 200, b"null")
add("type-of-text-with-json", (200, 502), answer(GOOD, type="text/plain"))
add("type-none", (200, 502), b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n" + GOOD)

# -- statuses
for code, status in {400: 502, 401: 502, 402: 502, 403: 502, 404: 404, 405: 502, 409: 502, 410: 410, 418: 502, 422: 502, 451: 502,
                     500: 502, 501: 502, 502: 502, 503: 503, 504: 502, 505: 502}.items():
    # 503 and 504 of an upstream may be handed on as what they mean to the client.
    wanted = (502, 503) if code == 503 else (502, 504) if code == 504 else (status,)
    add(f"status-{code}", wanted, plain(b'{"secret":"' + FOREIGN + b'"}', b"X-A: " + FOREIGN, status=f"{code} Strange"))

add("good", 200, plain())
