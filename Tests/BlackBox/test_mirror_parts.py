"""`sluice serve --mirror`: ranges, and parts that are kept (RFC 9110, sections 14 and 15.3.7; RFC 9111, sections 3.3 and 3.4)."""
import re

import pytest

from talk import LIVE, OLD, STALE, TEN, date


# Ranges (RFC 9110, section 14)

def parts(got):
    """Of a multipart answer: (content range, content type, content) of each."""
    boundary = re.fullmatch(r'multipart/byteranges; *boundary="?([^"]+)"?', got["Content-Type"])[1].encode()
    pieces = got.body.split(b"--" + boundary)
    assert pieces[0] in (b"", b"\r\n") and pieces[-1].startswith(b"--")
    found = []
    for piece in pieces[1:-1]:
        head, _, content = piece.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n"))
        found.append((fields[b"content-range"].decode(), fields.get(b"content-type", b"").decode(), content.removesuffix(b"\r\n")))
    return found


def test_several_ranges_come_in_parts(mirror):
    talk = mirror().says(LIVE, "Content-Type: a/b", "ETag: \"a\"", body=TEN)
    talk.ask()
    got = talk.ask("Range: bytes=0-1, 4-5,-2")
    assert (got.status, got.is_hit, got["Content-Range"], got["ETag"]) == (206, True, None, '"a"')
    assert parts(got) == [("bytes 0-1/10", "a/b", b"01"), ("bytes 4-5/10", "a/b", b"45"), ("bytes 8-9/10", "a/b", b"89")]
    assert got["Content-Length"] == str(len(got.body))


@pytest.mark.parametrize("asked, status, body, range", [
    ("bytes=0-1,50-60", 206, b"01", "bytes 0-1/10"), ("bytes=50-60,70-", 416, b"", "bytes */10"), ("bytes=0-1,", 206, b"01", "bytes 0-1/10"),
    ("bytes=0-5,3-8", 200, TEN, None), ("bytes=0-1,a-b", 200, TEN, None), ("bytes=0-1,5-3", 200, TEN, None), ("bytes=", 200, TEN, None),
    ("bytes=-0", 416, b"", "bytes */10"), ("bytes=0-9", 206, TEN, "bytes 0-9/10"), ("bytes=9-9", 206, b"9", "bytes 9-9/10"),
    ("bytes=0-99999999999999999999999", 206, TEN, "bytes 0-9/10"), ("bytes=99999999999999999999999-", 416, b"", "bytes */10"),
    ("BYTES=0-1", 206, b"01", "bytes 0-1/10"), ("bytes=0", 200, TEN, None), ("bytes=--1", 200, TEN, None), ("bytes 0-1", 200, TEN, None),
    ("bytes=" + ",".join(f"{n}-{n}" for n in range(10)) * 30, 200, TEN, None),
])
def test_ranges_of_the_whole(mirror, asked, status, body, range):
    talk = mirror().says(LIVE, body=TEN)
    talk.ask()
    got = talk.ask(f"Range: {asked}")
    assert (got.is_hit, got.status, got.body, got["Content-Range"]) == (True, status, body, range)


def test_ranges_count_for_get_of_a_success_alone(mirror):
    talk = mirror().says(LIVE, body=TEN)
    talk.ask()
    got = talk.ask("Range: bytes=0-1", method="HEAD")
    assert (got.is_hit, got.status, got["Content-Length"]) == (True, 200, "10")
    talk = mirror().says(LIVE, status="404 None", body=TEN)
    talk.ask()
    assert talk.ask("Range: bytes=0-1").status == 404


def test_conditions_come_before_ranges(mirror):
    talk = mirror().says(LIVE, "ETag: \"a\"", body=TEN)
    talk.ask()
    assert talk.ask("Range: bytes=0-1", "If-None-Match: \"a\"").status == 304
    assert talk.ask("Range: bytes=0-1", "If-None-Match: \"b\"").status == 206
    assert talk.ask("Range: bytes=50-", "If-None-Match: \"a\"").status == 304
    assert talk.ask("Range: bytes=50-", "If-Range: \"b\"").status == 200


def test_if_range_with_an_odd_tag(mirror):
    talk = mirror().says(LIVE, "ETag: abc", body=TEN)
    talk.ask()
    assert talk.ask("Range: bytes=0-1", "If-Range: abc").status == 206
    assert talk.ask("Range: bytes=0-1", "If-Range: abd").status == 200


# Parts (sections 3.3 and 3.4; RFC 9110, section 15.3.7)

def part(talk, first, last, *fields, total=10, body=None):
    return talk.says(LIVE, f"Content-Range: bytes {first}-{last}/{total}", *(fields or ["ETag: \"a\""]), status="206 Partial Content",
                     body=TEN[first:last + 1] if body is None else body)


@pytest.mark.parametrize("asked, body", [
    ("bytes=2-6", b"23456"), ("bytes=3-4", b"34"), ("bytes=6-6", b"6"), ("bytes=-9", None), ("bytes=5-", None), ("bytes=2-7", None),
    ("bytes=0-3", None), ("bytes=2-2,7-7", None),
])
def test_a_part_answers_for_what_lies_in_it(mirror, asked, body):
    talk = part(mirror(), 2, 6)
    first = talk.ask("Range: bytes=2-6")
    assert (first.status, first.body, first["Content-Range"]) == (206, b"23456", "bytes 2-6/10")
    got = talk.says(LIVE, body=TEN).ask(f"Range: {asked}")
    assert got.is_hit == (body is not None)
    if body:
        start = int(body[:1])
        assert (got.status, got.body, got["Content-Range"]) == (206, body, f"bytes {start}-{start + len(body) - 1}/10")


def test_several_ranges_of_a_part(mirror):
    talk = part(mirror(), 2, 6)
    talk.ask("Range: bytes=2-6")
    got = talk.ask("Range: bytes=6-6,2-3")
    assert got.is_hit and [(range, content) for range, _, content in parts(got)] == [("bytes 6-6/10", b"6"), ("bytes 2-3/10", b"23")]


def test_a_part_at_the_end_answers_for_the_end(mirror):
    talk = part(mirror(), 5, 9)
    talk.ask("Range: bytes=-5")
    assert [talk.ask(f"Range: bytes={asked}").body for asked in ("-5", "-2", "7-", "5-99")] == [b"56789", b"89", b"789", b"56789"]
    assert len(talk.seen) == 1


def test_a_part_never_answers_for_the_whole(mirror):
    talk = part(mirror(), 0, 9)
    talk.ask("Range: bytes=0-")
    talk = part(mirror(), 0, 4)
    talk.ask("Range: bytes=0-4")
    for method in ("HEAD", "GET"):
        got = talk.says(LIVE, body=TEN).ask(method=method)
        assert (got.status, len(got.calls), "range" in got.calls[0].fields) == (200, 1, False)
    assert talk.ask("Range: bytes=5-6").is_hit


def test_parts_with_one_strong_tag_are_put_together(mirror):
    talk = part(part(mirror(), 0, 3), 4, 9)
    talk.ask("Range: bytes=0-3")
    talk.ask("Range: bytes=4-9")
    got = talk.ask("Range: bytes=2-7")
    assert (got.is_hit, got.status, got.body) == (True, 206, b"234567")
    got = talk.ask()
    assert (got.is_hit, got.status, got.body, got["Content-Range"], got["Content-Length"]) == (True, 200, TEN, None, "10")


@pytest.mark.parametrize("one, other", [
    (["ETag: \"a\""], ["ETag: \"b\""]), (["ETag: W/\"a\""], ["ETag: W/\"a\""]), (["X-A: 1"], ["X-A: 1"]), ([OLD], [OLD]),
], ids=["other tag", "weak", "none", "date"])
def test_other_parts_are_not_put_together(mirror, one, other):
    talk = part(part(mirror(), 0, 3, *one), 4, 9, *other)
    talk.ask("Range: bytes=0-3")
    talk.ask("Range: bytes=4-9")
    assert not talk.says().ask("Range: bytes=2-7").is_hit
    assert not talk.says().ask().is_hit


@pytest.mark.parametrize("range", ["bytes 2-6/*", "bytes 6-2/10", "bytes 2-6/5", "bytes 2-9/10", "lines 2-6/10", "nonsense", "bytes */10"])
def test_odd_parts_are_passed_on_and_not_kept_or_of_unknown_length(mirror, range):
    talk = mirror().says(LIVE, f"Content-Range: {range}", status="206 Partial Content", body=b"23456")
    got = talk.ask("Range: bytes=2-6")
    assert (got.status, got.body, got["Content-Range"]) == (206, b"23456", range)
    assert not talk.says(LIVE, body=TEN).ask("Range: bytes=-5").is_hit


def test_a_part_that_may_not_be_kept(mirror):
    talk = mirror().says("Cache-Control: no-store", "Content-Range: bytes 0-3/10", status="206 Partial Content", body=b"0123")
    talk.ask("Range: bytes=0-3")
    assert not talk.says(LIVE).ask("Range: bytes=0-3").is_hit


def test_a_stale_part_is_asked_for_again(mirror):
    talk = mirror().says(*STALE, "ETag: \"a\"", "Content-Range: bytes 0-3/10", status="206 Partial Content", body=b"0123")
    talk.ask("Range: bytes=0-3")
    got = part(talk, 0, 3, "ETag: \"b\"", body=b"abcd").ask("Range: bytes=0-3")
    assert (got.status, got.body) == (206, b"abcd")
    assert talk.ask("Range: bytes=1-2").body == b"bc"


def test_conditions_on_a_part(mirror):
    talk = part(mirror(), 0, 3)
    talk.ask("Range: bytes=0-3")
    assert talk.ask("Range: bytes=0-3", "If-None-Match: \"a\"").status == 304
    assert talk.ask("Range: bytes=0-3", "If-Range: \"a\"").is_hit
    got = talk.says(LIVE, body=TEN).ask("Range: bytes=0-3", "If-Range: \"b\"")
    assert (got.status, len(got.calls)) == (200, 1)


def test_a_write_drops_parts(mirror):
    talk = part(mirror(), 0, 3)
    talk.ask("Range: bytes=0-3")
    talk.says().ask(method="PUT", body=b"x")
    assert not part(talk, 0, 3).ask("Range: bytes=0-3").is_hit


def test_variants_of_parts(mirror):
    talk = part(mirror(), 0, 3, "Vary: Foo", "ETag: \"a\"")
    talk.ask("Range: bytes=0-3", "Foo: 1")
    assert talk.ask("Range: bytes=0-3", "Foo: 1").is_hit
    assert not part(talk, 0, 3).ask("Range: bytes=0-3", "Foo: 2").is_hit


def test_a_whole_answer_takes_the_place_of_a_part(mirror):
    talk = part(mirror(), 0, 3)
    talk.ask("Range: bytes=0-3")
    talk.says(LIVE, "ETag: \"b\"", body=b"abcdefghij").ask()
    assert talk.ask("Range: bytes=0-3").body == b"abcd"
    assert talk.ask().is_hit


def test_cache_status_of_a_part(mirror):
    talk = part(mirror(), 0, 3)
    talk.ask("Range: bytes=0-3")
    assert talk.says(LIVE, body=TEN).ask()["Cache-Status"].startswith("sluice; fwd=partial; fwd-status=200")
