"""`sluice serve --mirror`: what RFC 9111 and its neighbours ask of a shared cache, seen from outside."""
import http.client
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from program import Program, eventually
from talk import OLD, STALE, date, reply


# Freshness (RFC 9111, section 4.2)

@pytest.mark.parametrize("fields", [
    ["Cache-Control: max-age=60"],
    ["Cache-Control: s-maxage=60"],
    ["Cache-Control: s-maxage=60, max-age=0"],
    ["Cache-Control: max-age=0, s-maxage=60"],
    ["Cache-Control: MaX-aGe=60"],
    ["Cache-Control: max-age=\"60\""],
    ["Cache-Control: max-age=0060"],
    ["Cache-Control: max-age=99999999999999999999"],
    ["Cache-Control: max-age=2147483648"],
    ["Cache-Control: max-age=60, foo=bar"],
    ["Cache-Control: foo=\"a, max-age=0\", max-age=60"],
    ["Cache-Control: foo=\"a\\\", max-age=0\", max-age=60"],
    ["Cache-Control: foo=\"no-store\", max-age=60"],
    ["Cache-Control: , ,max-age=60,"],
    ["Cache-Control:    max-age=60   "],
    ["Cache-Control: public", "Cache-Control: max-age=60"],
    ["Cache-Control: max-age=60", "Expires: 0"],
    ["Cache-Control: max-age=60", "Expires: " + date(-100)],
    ["Cache-Control: max-age=60, no-transform, immutable"],
    ["Expires: " + date(3600)],
    ["expires: " + date(3600).lower()],
    ["Expires: " + date(3600), "Cache-Control: foo"],
    ["Expires: " + date(3600), "Pragma: no-cache"],
    ["Cache-Control: max-age=60", "Pragma: no-cache"],
    ["Cache-Control: private=\"x-other\", max-age=60"],
    ["Cache-Control: no-cache=\"x-other\", max-age=60"],
    ["Cache-Control: max-age=60, no-storefoo"],
    ["Cache-Control: max-age=60", "Age: 30"],
    ["Cache-Control: max-age=60", "Age: abc"],
    ["Cache-Control: max-age=60", "Age: -7200"],
    ["Cache-Control: max-age=60", "Age: 10.5"],
    ["Cache-Control: max-age=60", "Age: 0, 7200"],
    [OLD],
    ["Cache-Control: public", OLD],
    ["Cache-Control: max-age=60", "Set-Cookie: a=b"],
    ["Cache-Control: max-age=60, must-revalidate"],
    ["Cache-Control: max-age=60, proxy-revalidate"],
    ["Cache-Control: max-age=60, must-understand, no-store"],
    ["Cache-Control: no-store", "CDN-Cache-Control: max-age=60"],
    ["Cache-Control: max-age=0", "CDN-Cache-Control: max-age=60"],
    ["Cache-Control: max-age=60", "CDN-Cache-Control: max-age=foo, no-store="],
    ["Cache-Control: max-age=60", "CDN-Cache-Control: "],
    ["Cache-Control: max-age=60", "CDN-Cache-Control: max-age=0, &&"],
    ["CDN-Cache-Control: max-age=60, foo=(a b);q=1"],
    ["CDN-Cache-Control: no-store=?0, max-age=60"],
    ["Expires: " + date(-100), "CDN-Cache-Control: max-age=60"],
])
def test_fresh(mirror, fields):
    assert mirror().keeps(*fields)


@pytest.mark.parametrize("fields", [
    ["Cache-Control: max-age=0"],
    ["Cache-Control: s-maxage=0, max-age=60"],
    ["Cache-Control: max-age=-60"],
    ["Cache-Control: max-age=60.5"],
    ["Cache-Control: max-age=sixty"],
    ["Cache-Control: max-age"],
    ["Cache-Control: max-age="],
    ["Cache-Control: max-age='60'"],
    ["Cache-Control: max-age=60, no-store"],
    ["Cache-Control: max-age=60", "Cache-Control: no-store"],
    ["Cache-Control: NO-STORE, max-age=60"],
    ["Cache-Control: private, max-age=60"],
    ["Cache-Control: PRIVATE, s-maxage=60"],
    ["Cache-Control: no-cache, max-age=60"],
    ["Cache-Control: no-cache, max-age=60", "ETag: \"a\""],
    ["Cache-Control: max-age=60", "Age: 61"],
    ["Cache-Control: max-age=60", "Age: 99999999999999999999"],
    ["Cache-Control: max-age=60", "Age: 7200, 0"],
    ["Expires: 0"],
    ["Expires: "],
    ["Expires: -1"],
    ["Expires: " + date(-60)],
    ["Expires: " + date(0)],
    ["Expires: " + date(3600).replace("GMT", "UTC")],
    ["Expires: " + date(3600).replace("GMT", "EST")],
    ["Expires: " + date(3600).replace(",", "")],
    ["Expires: " + date(3600).replace(":", ".")],
    ["Expires: " + date(3600).replace(" GMT", "")],
    ["Expires: " + date(3600), "Cache-Control: max-age=0"],
    ["Expires: " + date(3600), "Age: 3700"],
    ["Vary: *", "Cache-Control: max-age=60"],
    ["Vary: X-A, *", "Cache-Control: max-age=60"],
    ["Vary: X-A", "Vary: *", "Cache-Control: max-age=60"],
    [],
    ["Cache-Control: max-age=60", "CDN-Cache-Control: no-store"],
    ["Cache-Control: max-age=60", "CDN-Cache-Control: max-age=0"],
    ["Cache-Control: max-age=60", "CDN-Cache-Control: private"],
    ["Cache-Control: max-age=60", "CDN-Cache-Control: no-cache"],
    ["Cache-Control: max-age=60", "CDN-Cache-Control: max-age=30", "Age: 40"],
])
def test_not_fresh(mirror, fields):
    assert not mirror().keeps(*fields)


@pytest.mark.parametrize("when, fields, is_fresh", [
    (-30, ["Cache-Control: max-age=60"], True),
    (-90, ["Cache-Control: max-age=60"], False),
    (-30, ["Cache-Control: max-age=60", "Age: 50"], True),
    (-30, ["Cache-Control: max-age=60", "Age: 70"], False),
    (None, ["Cache-Control: max-age=60"], True),
    (None, ["Expires: " + date(3600)], True),
    # Counted from the origin's own clock, and its age by ours.
    (-3600, ["Expires: " + date(-3000)], False),
    (3600, ["Expires: " + date(7200)], True),
    (3600, ["Expires: " + date(3599)], False),
])
def test_dates_and_ages(mirror, when, fields, is_fresh):
    assert mirror().keeps(*fields, when=when) == is_fresh


@pytest.mark.parametrize("given", [
    "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT",
])
def test_old_forms_of_dates_are_read(mirror, given):
    talk = mirror().says("Cache-Control: max-age=60", f"Last-Modified: {given}")
    talk.ask()
    assert talk.ask(f"If-Modified-Since: {date(-1000)}").status == 304


def test_age_is_the_greater_of_what_is_said_and_what_is_seen(mirror):
    talk = mirror().says("Cache-Control: max-age=3600", "Age: 100", when=-200)
    assert talk.ask().all("Age") == ["100"]
    assert 200 <= talk.ask().age <= 202
    talk = mirror().says("Cache-Control: max-age=3600", "Age: 300", when=-200)
    talk.ask()
    assert 300 <= talk.ask().age <= 302


# Statuses

@pytest.mark.parametrize("code", [200, 203, 204, 299, 300, 301, 302, 303, 307, 308, 400, 404, 405, 410, 414, 451, 499, 500, 501, 502,
                                  503, 504, 599])
def test_statuses_are_kept_where_they_say_how_long(mirror, code):
    body = b"" if code == 204 else b"text"
    assert mirror().keeps("Cache-Control: max-age=60", status=f"{code} Some", body=body)


@pytest.mark.parametrize("code, is_kept", [
    (200, True), (203, True), (204, True), (300, True), (301, True), (308, True), (404, True), (405, True), (410, True), (414, True),
    (501, True), (201, False), (202, False), (302, False), (303, False), (307, False), (400, False), (403, False), (500, False),
    (502, False), (503, False), (504, False), (299, False), (599, False),
])
def test_lives_are_guessed_for_some_statuses_alone(mirror, code, is_kept):
    assert mirror().keeps(OLD, status=f"{code} Some", body=b"") == is_kept


def test_lives_are_guessed_for_what_is_public(mirror):
    assert mirror().keeps(OLD, "Cache-Control: public", status="599 Some")


@pytest.mark.parametrize("code", [206, 416])
def test_parts_are_not_kept_as_the_whole(mirror, code):
    talk = mirror()
    assert not talk.keeps("Cache-Control: max-age=60", "Content-Range: bytes 0-3/10", status=f"{code} Some",
                          request=["Range: bytes=0-3"])


@pytest.mark.parametrize("code", [199 + 1, 201, 299, 301, 404, 418, 499, 500, 503, 599])
def test_any_status_comes_through(mirror, code):
    got = mirror().says("X-Test: 1", status=f"{code} Some").ask()
    assert (got.status, got["X-Test"], len(got.calls)) == (code, "1", 1)


def test_must_understand(mirror):
    assert not mirror().keeps("Cache-Control: max-age=60, must-understand", status="599 Some")
    assert not mirror().keeps("Cache-Control: max-age=60, must-understand, no-store", status="599 Some")


# Request directives (section 5.2.1)

@pytest.mark.parametrize("directive, is_hit", [
    ("Cache-Control: max-age=0", False), ("Cache-Control: max-age=5", False), ("Cache-Control: max-age=100", True),
    ("Cache-Control: min-fresh=100", False), ("Cache-Control: min-fresh=10", True), ("Cache-Control: no-cache", False),
    ("Pragma: no-cache", False), ("Pragma: foo", True), ("Cache-Control: foo", True), ("Cache-Control: no-store", True),
    ("Cache-Control: only-if-cached", True), ("Cache-Control: NO-CACHE", False), ("Cache-Control: max-age=\"5\"", False),
])
def test_request_directives_on_what_is_fresh(mirror, directive, is_hit):
    talk = mirror().says("Cache-Control: max-age=100", "Age: 30")
    talk.ask()
    assert talk.says("Cache-Control: no-store").ask(directive).is_hit == is_hit


@pytest.mark.parametrize("directive, is_hit", [
    ("Cache-Control: max-stale", True), ("Cache-Control: max-stale=100", True), ("Cache-Control: max-stale=5", False),
    ("Cache-Control: max-age=1000", False), ("Cache-Control: max-stale=100, max-age=5", False),
])
def test_request_directives_on_what_is_stale(mirror, directive, is_hit):
    talk = mirror().says(*STALE, OLD)
    talk.ask()
    assert talk.says("Cache-Control: no-store").ask(directive).is_hit == is_hit


@pytest.mark.parametrize("rule", ["must-revalidate", "proxy-revalidate", "s-maxage=10", "no-cache"])
def test_some_are_never_given_stale(mirror, rule):
    talk = mirror().says(f"Cache-Control: max-age=10, {rule}", "Age: 20", OLD)
    talk.ask()
    assert not talk.says("Cache-Control: no-store").ask("Cache-Control: max-stale").is_hit


def test_only_if_cached(mirror):
    talk = mirror()
    got = talk.ask("Cache-Control: only-if-cached")
    assert (got.status, got.is_hit) == (504, True)
    talk.says(*STALE, OLD).ask()
    assert talk.ask("Cache-Control: only-if-cached").status == 504


def test_no_store_in_a_request_keeps_nothing_of_its_answer(mirror):
    assert not mirror().keeps("Cache-Control: max-age=60", request=["Cache-Control: no-store"])


# Authorization (section 3.5)

@pytest.mark.parametrize("directives, is_kept", [
    ("max-age=60", False), ("max-age=60, public", True), ("max-age=60, must-revalidate", True), ("s-maxage=60", True),
])
def test_answers_to_requests_with_credentials(mirror, directives, is_kept):
    talk = mirror()
    assert talk.keeps(f"Cache-Control: {directives}", request=["Authorization: Basic QTpC"],
                      again=["Authorization: Basic QTpC"]) == is_kept
    assert talk.seen[0].fields["authorization"] == "Basic QTpC"


# Vary (section 4.1)

@pytest.mark.parametrize("vary, one, other, is_hit", [
    ("Foo", ["Foo: 1"], ["Foo: 1"], True), ("Foo", ["Foo: 1"], ["Foo: 2"], False), ("Foo", ["Foo: 1"], [], False),
    ("Foo", [], ["Foo: 1"], False), ("Foo", [], [], True), ("foo", ["FOO: 1"], ["foo: 1"], True),
    ("Foo, Bar", ["Foo: 1", "Bar: 2"], ["Bar: 2", "Foo: 1"], True), ("Foo, Bar", ["Foo: 1", "Bar: 2"], ["Foo: 1", "Bar: 3"], False),
    ("Foo", ["Foo: 1, 2"], ["Foo: 1,  2"], True), ("Foo", ["Foo: 1", "Foo: 2"], ["Foo: 1, 2"], True),
    ("Foo", ["Foo: 1, 2"], ["Foo: 2, 1"], False), (" Foo ,, Bar ", ["Foo: 1"], ["Foo: 1"], True),
    ("Accept-Language", ["Accept-Language: en, de"], ["Accept-Language: EN,DE"], True),
    ("Accept-Encoding", ["Accept-Encoding: gzip"], ["Accept-Encoding: br"], False),
    ("Foo", ["Foo: a"], ["Foo: A"], False),
])
def test_vary(mirror, vary, one, other, is_hit):
    assert mirror().keeps("Cache-Control: max-age=60", f"Vary: {vary}", request=one, again=other) == is_hit


def test_several_variants_are_kept_side_by_side(mirror):
    talk = mirror()
    for value in "123":
        talk.says("Cache-Control: max-age=60", "Vary: Foo", body=value.encode()).ask(f"Foo: {value}")
    for value in "321":
        got = talk.ask(f"Foo: {value}")
        assert (got.is_hit, got.body) == (True, value.encode())


def test_a_variant_that_isnt_known_is_asked_for_with_the_tags_of_the_others(mirror):
    talk = mirror()
    for value in "12":
        talk.says("Cache-Control: max-age=60", "Vary: Foo", f"ETag: \"{value}\"", body=value.encode()).ask(f"Foo: {value}")
    talk.says("ETag: \"2\"", "Vary: Foo", "Cache-Control: max-age=60", status="304 Not Modified", body=b"")
    got = talk.ask("Foo: 3")
    assert (got.status, got.body) == (200, b"2")
    assert set(got.calls[0].fields["if-none-match"].replace(" ", "").split(",")) == {'"1"', '"2"'}
    assert talk.ask("Foo: 3").is_hit


# Validation (section 4.3)

def test_a_stale_answer_is_asked_about_with_its_tag_and_its_last_change(mirror):
    talk = mirror().says(*STALE, "ETag: \"a\"", OLD)
    talk.ask()
    talk.says("ETag: \"a\"", "Cache-Control: max-age=60", "X-New: 1", status="304 Not Modified", body=b"")
    got = talk.ask()
    assert (got.status, got.body, got["X-New"]) == (200, b"answer 1", "1")
    call = got.calls[0]
    assert (call.fields["if-none-match"], call.fields["if-modified-since"]) == ('"a"', OLD.split(": ")[1])
    again = talk.ask()
    assert again.is_hit and again["X-New"] == "1" and again.age < 5


def test_a_304_leaves_what_is_about_the_content(mirror):
    talk = mirror().says(*STALE, "ETag: \"a\"", "Content-Type: text/a", "Content-Encoding: x-a", "X-Old: 1", "X-Both: 1", body=b"12345")
    talk.ask()
    talk.says("ETag: \"a\"", "Cache-Control: max-age=60", "Content-Encoding: x-b", "Content-Length: 99", "Content-Range: bytes 0-1/2",
              "X-Both: 2", "X-Both: 3", status="304 Not Modified", body=b"")
    for got in (talk.ask(), talk.ask()):
        assert (got.body, got["Content-Length"], got["Content-Encoding"], got["Content-Range"]) == (b"12345", "5", "x-a", None)
        assert (got["X-Old"], got.all("X-Both"), got["Content-Type"]) == ("1", ["2", "3"], "text/a")
    assert got.is_hit


def test_a_new_answer_takes_the_place_of_the_stale_one(mirror):
    talk = mirror().says(*STALE, "ETag: \"a\"")
    talk.ask()
    talk.says("Cache-Control: max-age=60", "ETag: \"b\"")
    assert talk.ask().body == b"answer 2"
    got = talk.ask()
    assert (got.is_hit, got.body) == (True, b"answer 2")


def test_a_304_about_something_else_is_asked_again(mirror):
    talk = mirror().says(*STALE, "ETag: \"a\"")
    talk.ask()
    talk.says("ETag: \"b\"", status="304 Not Modified", body=b"").says("Cache-Control: max-age=60", "ETag: \"c\"")
    got = talk.ask()
    assert (got.status, got.body, len(got.calls)) == (200, b"answer 3", 2)
    assert "if-none-match" not in got.calls[1].fields


def test_no_cache_is_asked_about_each_time(mirror):
    talk = mirror().says("Cache-Control: no-cache, max-age=60", "ETag: \"a\"")
    talk.ask()
    for _ in range(2):
        talk.says("ETag: \"a\"", status="304 Not Modified", body=b"")
        got = talk.ask()
        assert (got.body, len(got.calls)) == (b"answer 1", 1)


@pytest.mark.parametrize("tag, asked, status", [
    ('"a"', '"a"', 304), ('"a"', 'W/"a"', 304), ('W/"a"', '"a"', 304), ('W/"a"', 'W/"a"', 304), ('"a"', '"b"', 200),
    ('"a"', '"b", "a"', 304), ('"a"', '"b","a","c"', 304), ('"a"', '*', 304), ('"a,b"', '"a,b"', 304), ('"a"', '"A"', 200),
    ('"a"', 'a', 200), ('""', '""', 304), ('"a\\"', '"a\\"', 304), ('"a"', 'w/"a"', 200),
])
def test_a_clients_tags_are_judged_here(mirror, tag, asked, status):
    talk = mirror().says("Cache-Control: max-age=60", f"ETag: {tag}", "Content-Type: text/a", "X-A: 1", "Expires: " + date(60), "Vary: Foo")
    talk.ask()
    got = talk.ask(f"If-None-Match: {asked}")
    assert (got.status, got.is_hit, got["ETag"]) == (status, True, tag)
    if status == 304:
        assert got.body == b"" and got["Cache-Control"] and got["Expires"] and got["Vary"] and got["Date"] and got.age is not None


@pytest.mark.parametrize("fields, since, status", [
    ([OLD], 0, 304), ([OLD], -200_000_000, 200), ([], 100, 304), ([], -1000, 200), ([OLD], None, 200),
])
def test_a_clients_dates_are_judged_here(mirror, fields, since, status):
    talk = mirror().says("Cache-Control: max-age=60", *fields)
    talk.ask()
    got = talk.ask("If-Modified-Since: " + ("nonsense" if since is None else date(since)))
    assert (got.status, got.is_hit) == (status, True)


def test_tags_win_over_dates(mirror):
    talk = mirror().says("Cache-Control: max-age=60", "ETag: \"a\"", OLD)
    talk.ask()
    assert talk.ask("If-None-Match: \"b\"", f"If-Modified-Since: {date()}").status == 200
    assert talk.ask("If-None-Match: \"a\"", f"If-Modified-Since: {date(-200_000_000)}").status == 304


def test_conditions_go_to_the_origin_where_nothing_is_kept(mirror):
    talk = mirror().says("ETag: \"a\"", status="304 Not Modified", body=b"")
    got = talk.ask("If-None-Match: \"a\"")
    assert (got.status, got.calls[0].fields["if-none-match"]) == (304, '"a"')


def test_conditions_that_only_the_origin_can_judge(mirror):
    talk = mirror().says("Cache-Control: max-age=60", "ETag: \"a\"")
    talk.ask()
    got = talk.says(status="412 Precondition Failed").ask("If-Match: \"b\"")
    assert (got.status, len(got.calls)) == (412, 1)


# HEAD (sections 4 and 4.3.5)

def test_head_is_answered_from_get(mirror):
    talk = mirror().says("Cache-Control: max-age=60", body=b"12345")
    talk.ask()
    got = talk.ask(method="HEAD")
    assert (got.is_hit, got.status, got["Content-Length"], got.body) == (True, 200, "5", b"")


def test_head_is_not_kept_for_get(mirror):
    talk = mirror().says("Cache-Control: max-age=60", body=b"12345")
    assert talk.ask(method="HEAD")["Content-Length"] == "5"
    assert not talk.says().ask().is_hit


def test_head_renews_what_is_kept(mirror):
    talk = mirror().says(*STALE, "ETag: \"a\"", "X-A: 1", body=b"12345")
    talk.ask()
    talk.says("Cache-Control: max-age=60", "ETag: \"a\"", "X-A: 2", body=b"12345").ask(method="HEAD")
    got = talk.ask()
    assert (got.is_hit, got["X-A"], got.body) == (True, "2", b"12345")


@pytest.mark.parametrize("fields, body", [(["ETag: \"b\""], b"12345"), (["ETag: \"a\""], b"123")])
def test_head_outdates_what_has_changed(mirror, fields, body):
    talk = mirror().says("Cache-Control: max-age=60", "ETag: \"a\"", body=b"12345")
    talk.ask()
    talk.says("Cache-Control: max-age=60", *fields, body=body).ask("Cache-Control: no-cache", method="HEAD")
    assert not talk.says().ask().is_hit


# Ranges (RFC 9110, section 14)

@pytest.mark.parametrize("asked, status, body, range", [
    ("bytes=0-3", 206, b"0123", "bytes 0-3/10"), ("bytes=5-", 206, b"56789", "bytes 5-9/10"), ("bytes=-2", 206, b"89", "bytes 8-9/10"),
    ("bytes=0-99", 206, b"0123456789", "bytes 0-9/10"), ("bytes=-99", 206, b"0123456789", "bytes 0-9/10"), ("bytes=10-", 416, b"", "bytes */10"),
    ("bytes=5-3", 200, b"0123456789", None), ("lines=0-3", 200, b"0123456789", None), ("bytes=a-b", 200, b"0123456789", None),
])
def test_ranges_of_what_is_kept(mirror, asked, status, body, range):
    talk = mirror().says("Cache-Control: max-age=60", body=b"0123456789")
    talk.ask()
    got = talk.ask(f"Range: {asked}")
    assert (got.is_hit, got.status, got.body, got["Content-Range"]) == (True, status, body, range)


@pytest.mark.parametrize("value, status", [
    ('"a"', 206), ('"b"', 200), ('W/"a"', 200), (OLD.split(": ")[1], 206), (date(-1000), 200),
], ids=["its tag", "another", "weak", "its date", "another date"])
def test_if_range(mirror, value, status):
    talk = mirror().says("Cache-Control: max-age=60", "ETag: \"a\"", OLD, body=b"0123456789")
    talk.ask()
    assert talk.ask("Range: bytes=0-3", f"If-Range: {value}").status == status


def test_ranges_go_to_the_origin_where_nothing_is_kept(mirror):
    talk = mirror().says("Cache-Control: max-age=60", "Content-Range: bytes 0-3/10", status="206 Partial Content", body=b"0123")
    got = talk.ask("Range: bytes=0-3")
    assert (got.status, got.body, got.calls[0].fields["range"]) == (206, b"0123", "bytes=0-3")


# Invalidation (section 4.4)

@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "FOO"])
def test_writes_drop_what_is_kept(mirror, method):
    talk = mirror().says("Cache-Control: max-age=60")
    talk.ask()
    got = talk.says().ask(method=method, body=b"content")
    assert (got.status, got.calls[0].method, got.calls[0].body) == (200, method, b"content")
    assert not talk.says().ask().is_hit


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD"])
def test_reads_leave_what_is_kept(mirror, method):
    talk = mirror().says("Cache-Control: max-age=60")
    talk.ask()
    talk.says().ask(method=method)
    assert talk.ask().is_hit


@pytest.mark.parametrize("status", ["400 Bad Request", "404 Not Found", "500 Error"])
def test_failed_writes_leave_what_is_kept(mirror, status):
    talk = mirror().says("Cache-Control: max-age=60")
    talk.ask()
    talk.says(status=status).ask(method="POST", body=b"")
    assert talk.ask().is_hit


@pytest.mark.parametrize("name", ["Location", "Content-Location"])
@pytest.mark.parametrize("form", ["{path}", "{url}{path}", "..{path}", "{url}{path}#x"])
def test_writes_drop_what_their_answers_name(mirror, name, form):
    other = mirror().says("Cache-Control: max-age=60")
    other.ask()
    value = form.format(path=other.path, url=other.mirrored.upstream.url)
    mirror().says(f"{name}: {value}", status="201 Created").ask(method="POST", body=b"")
    assert not other.says().ask().is_hit


def test_other_sites_answers_are_not_dropped(mirror):
    other = mirror().says("Cache-Control: max-age=60")
    other.ask()
    mirror().says(f"Location: http://elsewhere.example{other.path}", status="201 Created").ask(method="POST", body=b"")
    assert other.ask().is_hit


def test_answers_to_writes_are_not_kept(mirror):
    talk = mirror().says("Cache-Control: max-age=60")
    talk.ask(method="POST", body=b"")
    assert not talk.says().ask().is_hit


def test_a_get_with_content_is_kept_from_the_cache(mirror):
    talk = mirror().says("Cache-Control: max-age=60")
    talk.ask()
    got = talk.says("Cache-Control: max-age=60").ask(body=b"content")
    assert (got.calls[0].method, got.calls[0].body, got.body) == ("GET", b"content", b"answer 2")
    assert talk.ask().body == b"answer 1"


# Stale answers (section 4.2.4; RFC 5861)

def test_stale_while_revalidate(mirror):
    talk = mirror().says("Cache-Control: max-age=10, stale-while-revalidate=60", "Age: 20")
    talk.ask()
    talk.says("Cache-Control: max-age=60")
    got = talk.ask()
    assert (got.body, got.age >= 20) == (b"answer 1", True)
    assert eventually(lambda: talk.ask().body == b"answer 2")


@pytest.mark.parametrize("directives", [
    "max-age=10, stale-while-revalidate=5", "max-age=10, stale-while-revalidate=60, must-revalidate",
    "max-age=10, stale-while-revalidate=60, no-cache",
])
def test_stale_while_revalidate_has_an_end(mirror, directives):
    talk = mirror().says(f"Cache-Control: {directives}", "Age: 20")
    talk.ask()
    assert talk.says().ask().body == b"answer 2"


@pytest.mark.parametrize("status", ["500 E", "502 E", "503 E", "504 E", None])
def test_stale_if_error(mirror, status):
    talk = mirror().says("Cache-Control: max-age=10, stale-if-error=60", "Age: 20")
    talk.ask()
    got = (talk.says(status=status) if status else talk.sends(None).sends(None)).ask()
    assert (got.status, got.body) == (200, b"answer 1")


@pytest.mark.parametrize("directives, status, expected", [
    ("max-age=10", "503 E", 503), ("max-age=10, stale-if-error=5", "503 E", 503), ("max-age=10, stale-if-error=60", "404 E", 404),
    ("max-age=10, stale-if-error=60, must-revalidate", "503 E", 503), ("max-age=10, must-revalidate", None, 502),
    ("max-age=10, s-maxage=10", None, 502), ("max-age=10, no-cache", None, 502), ("max-age=10, proxy-revalidate", None, 502),
])
def test_stale_if_error_has_an_end(mirror, directives, status, expected):
    talk = mirror().says(f"Cache-Control: {directives}", "Age: 20", "ETag: \"a\"")
    talk.ask()
    got = (talk.says(status=status) if status else talk.sends(None).sends(None)).ask()
    assert got.status == expected


# Fields (section 3.1)

def test_what_belongs_to_a_connection_goes_no_further(mirror):
    talk = mirror().says("Cache-Control: max-age=60", "Connection: X-Hop, close", "X-Hop: 1", "Keep-Alive: timeout=5", "X-End: 1",
                         "Proxy-Connection: x", "Trailer: X-Late", "Upgrade: foo")
    for got in (talk.ask("Connection: X-Mine", "X-Mine: 1", "X-Other: 1", "TE: trailers", "Keep-Alive: 5"), talk.ask()):
        assert got["X-End"] == "1"
        for name in ("X-Hop", "Keep-Alive", "Proxy-Connection", "Trailer", "Upgrade", "Connection"):
            assert got[name] is None, name
    fields = talk.seen[0].fields
    assert fields["x-other"] == "1" and not {"x-mine", "te", "keep-alive", "connection"} & set(fields)


def test_named_fields_are_not_given_again(mirror):
    talk = mirror().says("Cache-Control: max-age=60, private=\"x-a\", no-cache=\"X-B, x-c\"", "X-A: 1", "X-B: 1", "X-C: 1", "X-D: 1")
    first = talk.ask()
    assert [first[name] for name in ("X-A", "X-B", "X-C", "X-D")] == ["1"] * 4
    again = talk.ask()
    assert again.is_hit and [again[name] for name in ("X-A", "X-B", "X-C", "X-D")] == [None, None, None, "1"]


def test_repeated_fields_stay_apart_and_in_order(mirror):
    talk = mirror().says("Cache-Control: max-age=60", "Set-Cookie: a=1; Path=/", "X-A: 1", "Set-Cookie: b=2", "X-A:", "x-A: 3")
    for got in (talk.ask(), talk.ask()):
        assert got.all("Set-Cookie") == ["a=1; Path=/", "b=2"] and got.all("X-A") == ["1", "", "3"]
    assert got.is_hit


def test_codings_come_as_they_are(mirror):
    talk = mirror().says("Cache-Control: max-age=60", "Content-Encoding: gzip, x-own", "Vary: Accept-Encoding", body=b"\x1f\x8b\x00\xff")
    for got in (talk.ask("Accept-Encoding: br;q=0.5, gzip"), talk.ask("Accept-Encoding: gzip,br;q=0.5")):
        assert (got.body, got["Content-Encoding"]) == (b"\x1f\x8b\x00\xff", "gzip, x-own")
    assert got.is_hit and talk.seen[0].fields["accept-encoding"] == "br;q=0.5, gzip"


def test_nothing_is_asked_for_that_the_client_didnt(mirror):
    talk = mirror().says()
    talk.ask("Foo: 1")
    assert set(talk.seen[0].fields) == {"host", "foo", "via"}


def test_nothing_is_said_that_the_origin_didnt(mirror):
    got = mirror().says("X-A: 1").ask()
    assert sorted(key.lower() for key, _ in got.lines) == ["cache-status", "content-length", "date", "via", "x-a"]


@pytest.mark.parametrize("framing", [b"Content-Length: 100\r\n\r\npart", b"Transfer-Encoding: chunked\r\n\r\n5\r\nab"])
def test_cut_answers_are_broken_off_and_not_kept(mirror, framing):
    talk = mirror()

    def cut(seen):
        seen.connection.sendall(b"HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n" + framing)
    talk.mirrored.answers[talk.path] = [cut]
    try:
        # The upstream's end may come together with the head; then nothing has been told to the client yet.
        assert talk.ask().status == 502
    except (http.client.IncompleteRead, ConnectionError):
        pass
    assert not talk.says().ask().is_hit


def test_trailers_are_dropped(mirror):
    talk = mirror().sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nCache-Control: max-age=60\r\n\r\n"
                          b"3\r\nabc\r\n0\r\nX-Late: 1\r\nCache-Control: no-store\r\n\r\n")
    for got in (talk.ask(), talk.ask()):
        assert (got.body, got["X-Late"], got["Cache-Control"]) == (b"abc", None, "max-age=60")
    assert got.is_hit


def test_what_the_cache_did_is_said_behind_what_others_did(mirror):
    talk = mirror().says("Cache-Control: max-age=60", "Cache-Status: near; hit")
    first, again = talk.ask(), talk.ask()
    assert first.all("Cache-Status") == ["near; hit", first.all("Cache-Status")[1]]
    assert first.all("Cache-Status")[1].startswith("sluice; fwd=uri-miss")
    assert again.all("Cache-Status")[0] == "near; hit" and again.all("Cache-Status")[1].startswith("sluice; hit; ttl=")


def test_queries_are_told_apart(mirror):
    talk = mirror().says("Cache-Control: max-age=60").says("Cache-Control: max-age=60").says("Cache-Control: max-age=60")
    assert [talk.ask(query=query).body for query in ("", "?", "?a=%2f", "?a=%2f", "")] == [
        b"answer 1", b"answer 2", b"answer 3", b"answer 3", b"answer 1"]
    assert [call.target[len(talk.path):] for call in talk.seen] == ["", "?", "?a=%2f"]


# A client's conditions beside ours

@pytest.mark.parametrize("asked, status, body", [('"a"', 304, b""), ('"b"', 200, b"answer 1"), ("*", 304, b"")])
def test_conditions_of_a_client_where_we_have_to_ask(mirror, asked, status, body):
    talk = mirror().says(*STALE, "ETag: \"a\"")
    talk.ask()
    talk.says("ETag: \"a\"", "Cache-Control: max-age=60", status="304 Not Modified", body=b"")
    got = talk.ask(f"If-None-Match: {asked}")
    assert (got.status, got.body, got.calls[0].fields["if-none-match"]) == (status, body, '"a"')
    assert talk.ask().is_hit


@pytest.mark.parametrize("asked, status", [('"a"', 200), ('"b"', 304)])
def test_conditions_of_a_client_on_a_new_answer(mirror, asked, status):
    talk = mirror().says(*STALE, "ETag: \"a\"")
    talk.ask()
    talk.says("ETag: \"b\"", "Cache-Control: max-age=60")
    assert talk.ask(f"If-None-Match: {asked}").status == status
    got = talk.ask()
    assert (got.is_hit, got.body) == (True, b"answer 2")


@pytest.mark.parametrize("asked", ["If-None-Match: \"x\"", "If-Modified-Since: " + date(-1000), "Range: bytes=0-1"], ids=["tag", "date", "range"])
def test_the_whole_answer_to_a_request_for_less_is_kept(mirror, asked):
    assert mirror().keeps("Cache-Control: max-age=60", "ETag: \"a\"", request=[asked])


def test_a_range_of_what_is_stale_is_cut_after_asking(mirror):
    talk = mirror().says(*STALE, "ETag: \"a\"", body=b"0123456789")
    talk.ask()
    talk.says("ETag: \"a\"", "Cache-Control: max-age=60", status="304 Not Modified", body=b"")
    got = talk.ask("Range: bytes=2-3")
    assert (got.status, got.body, "range" in got.calls[0].fields) == (206, b"23", False)


# Framing

@pytest.mark.parametrize("data", [
    b"HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nConnection: close\r\n\r\nuntil the end",
    b"HTTP/1.0 200 OK\r\nCache-Control: max-age=60\r\n\r\nuntil the end",
    b"HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nuntil\r\n8\r\n the end\r\n0\r\n\r\n",
    b"HTTP/1.1 200 Something else altogether\r\nCACHE-control:max-age=60\r\nContent-Length:13\r\n\r\nuntil the end",
])
def test_content_is_the_same_however_it_comes(mirror, data):
    def send(seen):
        seen.connection.sendall(data)
    talk = mirror()
    talk.mirrored.answers[talk.path] = [send]
    for got in (talk.ask(), talk.ask()):
        assert (got.status, got.body) == (200, b"until the end")
    assert got.is_hit


@pytest.mark.parametrize("data", [
    b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde", 
    b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"HTTP/1.1 101 Over\r\nUpgrade: x\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.1 2000 OK\r\n\r\n", b"nonsense\r\n\r\n",
])
def test_broken_answers_are_told(mirror, data):
    def send(seen):
        seen.connection.sendall(data)
    talk = mirror()
    talk.mirrored.answers[talk.path] = [send]
    got = talk.ask()
    assert (got.status, got["Content-Type"], got["Cache-Control"]) == (502, "application/problem+json", "no-store")
    assert got.all("Cache-Status") == ["sluice; fwd=miss"]


def test_a_failing_upstream_is_asked_each_time(mirror):
    """Nothing stands between: no breaker, no pause."""
    talk = mirror()
    for _ in range(30):
        talk.says("Retry-After: 60", status="429 Too Many")
        talk.says(status="500 E")
    assert [talk.ask().status for _ in range(60)] == [429, 500] * 30


# Many at a time

def at_once(ask, count):
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(lambda number: ask(number), range(count)))


def test_many_who_want_the_same_ask_once(mirror):
    talk = mirror().says("Cache-Control: max-age=60", call=lambda seen: time.sleep(0.3))
    got = at_once(lambda number: talk.ask(), 40)
    assert {(answer.status, answer.body) for answer in got} == {(200, b"answer 1")} and len(talk.seen) == 1


def test_what_cant_be_shared_is_asked_for_by_each(mirror):
    talk = mirror()
    for _ in range(20):
        talk.says("Cache-Control: private, max-age=60")
    got = at_once(lambda number: talk.ask(), 20)
    assert sorted(answer.body for answer in got) == sorted(b"answer %d" % number for number in range(1, 21))


def test_variants_and_writes_of_many_never_mix(mirror):
    talk = mirror()
    talk.mirrored.default[talk.path] = lambda seen: reply(
        seen.fields.get("foo", "none").encode(), "200 OK", ["Cache-Control: max-age=60", "Vary: Foo"])

    def ask(number):
        if number % 10 == 9:
            return talk.ask(method="PUT", body=b"x", *[f"Foo: {number}"]).body == str(number).encode()
        return talk.ask(f"Foo: {number % 3}").body == str(number % 3).encode()
    assert all(at_once(ask, 60))
