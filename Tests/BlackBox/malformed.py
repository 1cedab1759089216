"""Requests that a strict server refuses, and strange ones that it must take, each by its name."""

HOST = b"Host: sluice.test\r\n"
GET = b"GET /healthz HTTP/1.1\r\n" + HOST
POST = b"POST /healthz HTTP/1.1\r\n" + HOST
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"

# name -> (bytes, statuses): one answer with one of the statuses, then the connection closes.
REFUSED = {}


def refuse(group, statuses, rows):
    for name, data in rows.items():
        REFUSED[f"{group}-{name}"] = (data, statuses if isinstance(statuses, tuple) else (statuses,))


def lines(text):
    return text + b"\r\n" + HOST + b"\r\n"


refuse("line", 400, {
    "two-blanks": lines(b"GET  /healthz HTTP/1.1"),
    "two-blanks-before-version": lines(b"GET /healthz  HTTP/1.1"),
    "blank-at-end": lines(b"GET /healthz HTTP/1.1 "),
    "blank-in-target": lines(b"GET /health z HTTP/1.1"),
    "tabs": lines(b"GET\t/healthz\tHTTP/1.1"),
    "no-target": lines(b"GET HTTP/1.1"),
    "relative-target": lines(b"GET healthz HTTP/1.1"),
    "fragment": lines(b"GET /healthz#a HTTP/1.1"),
    "raw-8-bit": lines(b"GET /caf\xe9 HTTP/1.1"),
    "control": lines(b"GET /health\x01z HTTP/1.1"),
    "nul": lines(b"GET /health\0z HTTP/1.1"),
    "delete": lines(b"GET /health\x7fz HTTP/1.1"),
    "half-percent": lines(b"GET /%4 HTTP/1.1"),
    "percent-of-letters": lines(b"GET /%zz HTTP/1.1"),
    "user": lines(b"GET http://a:b@sluice.test/healthz HTTP/1.1"),
    "star-with-get": lines(b"GET * HTTP/1.1"),
    "bare-lf": b"GET /healthz HTTP/1.1\n" + HOST + b"\r\n",
    "bare-cr": b"GET /healthz HTTP/1.1\r" + HOST + b"\r\n",
    "only-lf": b"GET /healthz HTTP/1.1\nHost: sluice.test\n\n",
})
refuse("version", (400, 505), {
    "none": b"GET /healthz\r\n\r\n",
    "lower-case": lines(b"GET /healthz http/1.1"),
    "two-digits": lines(b"GET /healthz HTTP/1.10"),
    "leading-zero": lines(b"GET /healthz HTTP/01.1"),
    "plus": lines(b"GET /healthz HTTP/+1.1"),
    "minus": lines(b"GET /healthz HTTP/-1.1"),
    "overflow": lines(b"GET /healthz HTTP/4294967297.1"),
    "two": lines(b"GET /healthz HTTP/2.0"),
    "zero-nine": lines(b"GET /healthz HTTP/0.9"),
    "other": lines(b"GET /healthz ICAP/1.1"),
    "no-point": lines(b"GET /healthz HTTP/11"),
    "preface-of-2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
})
refuse("method", (400, 501), {
    "brace": lines(b"G{T /healthz HTTP/1.1"),
    "nul": lines(b"G\0T /healthz HTTP/1.1"),
    "none": lines(b" /healthz HTTP/1.1"),
    "lower-case": lines(b"get /healthz HTTP/1.1"),
    "unknown": lines(b"BREW /healthz HTTP/1.1"),
    "trace": lines(b"TRACE /healthz HTTP/1.1"),
    "connect": b"CONNECT sluice.test:80 HTTP/1.1\r\n" + HOST + b"\r\n",
})
refuse("host", 400, {
    "none": b"GET /healthz HTTP/1.1\r\n\r\n",
    "two": GET + b"Host: other.test\r\n\r\n",
    "two-alike": GET + HOST + b"\r\n",
    "two-cases": GET + b"hOsT: other.test\r\n\r\n",
    **{f"value-{n}": b"GET /healthz HTTP/1.1\r\nHost: " + value + b"\r\n\r\n" for n, value in enumerate(
        [b"a, b", b"a b", b"a/b", b"a@b", b"a:80a", b"a:99999999", b"a\\b", b"a?b", b"a#b", b"[::1", b"::1", b"a\x01", b"a%zz", b"<a>"])},
})
refuse("field", 400, {
    "blank-before-colon": GET + b"X-A : b\r\n\r\n",
    "tab-before-colon": GET + b"X-A\t: b\r\n\r\n",
    "empty-name": GET + b": b\r\n\r\n",
    "no-colon": GET + b"strange\r\n\r\n",
    "nul-in-name": GET + b"X\0A: b\r\n\r\n",
    "8-bit-name": GET + b"X\xc3\xa9: b\r\n\r\n",
    "paren-in-name": GET + b"X(A): b\r\n\r\n",
    "nul": GET + b"X-A: a\0b\r\n\r\n",
    "bare-cr": GET + b"X-A: a\rb\r\n\r\n",
    "bare-lf": GET + b"X-A: a\nX-B: b\r\n\r\n",
    "escape": GET + b"X-A: a\x1bb\r\n\r\n",
    "delete": GET + b"X-A: a\x7fb\r\n\r\n",
    "folded": GET + b"X-A: a\r\n b\r\n\r\n",
    "folded-by-tab": GET + b"X-A: a\r\n\tb\r\n\r\n",
    "blank-first": b"GET /healthz HTTP/1.1\r\n X-A: b\r\n" + HOST + b"\r\n",
    "bare-lf-at-end": GET + b"X-A: b\n\r\n",
})
refuse("length", 400, {
    **{f"value-{n}": POST + b"Content-Length: " + value + b"\r\n\r\nhello" for n, value in enumerate(
        [b"", b"+5", b"-5", b"-0", b"0x5", b"5a", b"5 5", b"5,5", b"5, 6", b"5,", b"5.0", b"five", b"\x0b5", b"5\0", b"0b101",
         b"18446744073709551621", b"99999999999999999999999", b'"5"', b"5;a", b"\xd9\xa5"])},
    "two": POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "two-alike": POST + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "blank-before-colon": POST + b"Content-Length : 5\r\n\r\nhello",
    "folded": POST + b"Content-Length:\r\n 5\r\n\r\nhello",
    "beside-chunks": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + LAST,
    "behind-chunks": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + LAST,
})
refuse("coding", (400, 501), {
    **{f"value-{n}": POST + b"Transfer-Encoding: " + value + b"\r\n\r\n5\r\nhello\r\n" + LAST for n, value in enumerate(
        [b"", b"identity", b"gzip", b"gzip, chunked", b"chunked, gzip", b"chunked, chunked", b"xchunked", b"chunkedx", b'"chunked"',
         b"chunked;q=1", b"\x0bchunked", b"chunked\x0c", b"chun ked", b"chunked\0", b"identity, chunked", b"chunked\xa0"])},
    "two": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n" + LAST,
    "two-different": POST + b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n" + LAST,
    "blank-before-colon": POST + b"Transfer-Encoding : chunked\r\n\r\n5\r\nhello\r\n" + LAST,
    "in-1.0": CHUNKED.replace(b"HTTP/1.1", b"HTTP/1.0") + b"5\r\nhello\r\n" + LAST,
})
refuse("chunk", (400, 405, 413, 431), {
    **{f"size-{n}": CHUNKED + value + b"\r\nhello\r\n" + LAST for n, value in enumerate(
        [b"", b"-5", b"+5", b"0x5", b" 5", b"5 ", b"5g", b"g", b"5\0", b"\x0b5", b"0_5", b"5 foo", b"00000000000000005",
         b"10000000000000005", b"ffffffffffffffff", b"7fffffffffffffff"])},
    "bare-lf-behind-size": CHUNKED + b"5\nhello\r\n" + LAST,
    "bare-cr-behind-size": CHUNKED + b"5\rhello\r\n" + LAST,
    "bare-lf-behind-data": CHUNKED + b"5\r\nhello\n" + LAST,
    "nothing-behind-data": CHUNKED + b"5\r\nhello" + LAST,
    "more-than-said": CHUNKED + b"5\r\nhello!\r\n" + LAST,
    "bare-lf-behind-last": CHUNKED + b"5\r\nhello\r\n0\n\r\n",
    "bare-lf-at-end": CHUNKED + b"5\r\nhello\r\n0\r\n\n",
    "nul-in-extension": CHUNKED + b"5;a\0b\r\nhello\r\n" + LAST,
    "lf-in-extension": CHUNKED + b"5;a\nb\r\nhello\r\n" + LAST,
    "long-extension": CHUNKED + b"5;" + b"a" * 100_000 + b"\r\nhello\r\n" + LAST,
    "many-extensions": CHUNKED + (b"1;" + b"a" * 200 + b"\r\nx\r\n") * 1000 + LAST,
    "endless-size": CHUNKED + b"0" * 500_000,
    "trailer-without-colon": CHUNKED + b"5\r\nhello\r\n0\r\nstrange\r\n\r\n",
    "trailer-blank-before-colon": CHUNKED + b"5\r\nhello\r\n0\r\nX-A : b\r\n\r\n",
    "trailer-with-nul": CHUNKED + b"5\r\nhello\r\n0\r\nX-A: a\0b\r\n\r\n",
    "trailer-too-long": CHUNKED + b"5\r\nhello\r\n0\r\n" + b"X-A: b\r\n" * 50_000 + b"\r\n",
})
refuse("limit", (400, 414, 431, 501), {
    "line-of-9000": lines(b"GET /?q=" + b"a" * 9000 + b" HTTP/1.1"),
    "line-of-2-mb": b"GET /" + b"a" * 2_000_000,
    "method-of-10000": lines(b"A" * 10_000 + b" / HTTP/1.1"),
    "field-of-40000": GET + b"X-A: " + b"a" * 40_000 + b"\r\n\r\n",
    "101-fields": GET + b"X-A: b\r\n" * 100 + b"\r\n",
    "fields-of-2-mb": GET + b"X-A: b\r\n" * 250_000,
})
refuse("other", 400, {"greeting-of-tls": bytes.fromhex("16030100c8010000c40303") + b"\x11" * 64 + b"\r\n\r\n"})

# name -> (bytes, statuses of all answers): the connection stays in step, so that the plain request behind it is answered too.
PLAIN = GET + b"\r\n"
TAKEN = {
    "empty-line-first": (b"\r\n" + PLAIN, [200]),
    "blanks-around-a-value": (GET + b"X-A: \t b \t\r\n\r\n", [200]),
    "empty-value": (GET + b"X-A:\r\n\r\n", [200]),
    "8-bit-value": (GET + b"X-A: caf\xe9\r\n\r\n", [200]),
    "field-of-7000": (GET + b"X-A: " + b"a" * 7000 + b"\r\n\r\n", [200]),
    "99-fields": (GET + b"X-A: b\r\n" * 99 + b"\r\n", [200]),
    "version-1.2": (PLAIN.replace(b"HTTP/1.1", b"HTTP/1.2"), [200]),
    "whole-address": (PLAIN.replace(b"GET /", b"GET http://sluice.test/"), [200]),
    "host-of-v6": (b"GET /healthz HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", [200]),
    "host-empty-port": (b"GET /healthz HTTP/1.1\r\nHost: sluice.test:\r\n\r\n", [200]),
    "options-star": (b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", [204]),
    "content-on-get": (GET + b"Content-Length: 5\r\n\r\nhello", [200]),
    "content-on-get-that-is-a-request": (GET + b"Content-Length: %d\r\n\r\n" % len(PLAIN) + PLAIN, [200]),
    "chunks-on-get": (GET + b"Transfer-Encoding: cHuNkEd\r\n\r\n5\r\nhello\r\n" + LAST, [200]),
    "chunks-with-extensions": (GET + b'Transfer-Encoding: chunked\r\n\r\n005;a=b;c="d;e"\r\nhello\r\n0;f\r\n\r\n', [200]),
    "chunks-with-trailer": (GET + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nContent-Length: 50\r\nHost: b\r\n\r\n", [200]),
    "upgrade": (GET + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", [200]),
    "three-in-a-row": (PLAIN * 3, [200, 200, 200]),
    "underscore": (GET + b"Transfer_Encoding: chunked\r\nContent_Length: 5\r\n\r\n", [200]),
    "unknown-path": (PLAIN.replace(b"/healthz", b"/nothing"), [404]),
    "not-allowed": (PLAIN.replace(b"GET", b"DELETE"), [405]),
    "many-ranges": (GET + b"Range: bytes=" + b"0-," * 500 + b"0-\r\n\r\n", [200]),
    "thousand-parameters": (PLAIN.replace(b"/healthz", b"/films?" + b"&".join(b"a%d=1" % n for n in range(900))), [400]),
}

# Paths that lead nowhere, and never to anything else.
PATHS = [
    "/films/1%00", "/films/%31%00", "/films/..%2f..%2fetc%2fpasswd", "/films/1/../1", "/films/%2e%2e/people/1", "/films/..;/people/1",
    "/films/1%2f", "/films/%2f1", "/films/1;a=b", "/films/1%3fsearch=x", "/films/1%23", "/films/%5c1", "/films/%ff", "/films/%c0%ae",
    "/films/%ed%a0%80", "/films//1", "//films/1", "/films/1//", "/films/-1", "/films/0", "/films/1.0", "/films/1e0", "/films/0x1",
    "/films/%0d%0aX:%20y", "/films/9223372036854775808", "/films/99999999999999999999999999", "/films/%F0%9F%98%80", "/films/+1",
    "/films/%201", "/FILMS/1", "/openapi.json/x", "/healthz/x", "/%66ilms/nothing",
]
