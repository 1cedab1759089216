"""`sluice serve --mirror`, sentence by sentence: what RFC 9111 and the cache's parts of RFC 9110 ask beyond test_mirror_rules.py."""
import re
import time

import pytest

from talk import LIVE, OLD, STALE, TEN, date

RFC850 = time.strftime("%A, %d-%b-%y %H:%M:%S GMT", time.gmtime(time.time() + 3600))
ASCTIME = time.strftime("%a %b %e %H:%M:%S %Y", time.gmtime(time.time() + 3600))


# Freshness (RFC 9111, sections 4.2, 5.2.2 and 5.3; RFC 9213)

@pytest.mark.parametrize("fields, is_fresh", [
    (["Cache-Control: max-age=3,max-age=60"], True),
    (["Cache-Control: max-age=60", "Cache-Control: max-age=0"], True),
    (["Cache-Control: max-age=60;foo"], False),
    (["Cache-Control: max-age=60 foo"], False),
    (["Cache-Control: max-age= 60"], False),
    (["Cache-Control: max-age =60"], False),
    (["Cache-Control: max-age = 60"], False),
    (["Cache-Control: max-age=+60"], False),
    (["Cache-Control: max-age=60s"], False),
    (["Cache-Control: max-age=0x60"], False),
    (["Cache-Control: max-age=\"60"], False),
    (["Cache-Control: max-age=\"\""], False),
    (["Cache-Control: max-age=1e3"], False),
    (["Cache-Control: max-age=60\u00a0"], False),
    (["Cache-Control: s-maxage=foo, max-age=60"], False),
    (["Cache-Control: s-maxage=-1, max-age=60"], False),
    (["Cache-Control: s-maxage=\"60\", max-age=0"], True),
    (["Cache-Control: S-MAXAGE=60"], True),
    (["Cache-Control: max-age=9223372036854775808"], True),
    (["Cache-Control: max-age=9223372036854775807"], True),
    (["Cache-Control: max-age=4294967297"], True),
    (["Cache-Control: max-age=4294967296, foo"], True),
    (["Cache-Control: max-age=00000000000000000000000060"], True),
    (["Cache-Control: max-age=60,foo=\"bar"], True),
    (["Cache-Control: max-age=60, =, =1, foo=, \"x\""], True),
    (["Cache-Control: max-age=60, private=\"\""], False),
    (["Cache-Control: max-age=60, no-cache=\"\""], False),
    (["Cache-Control: max-age=60, no-store=\"x\""], False),
    (["Cache-Control: max-age=60,public,proxy-revalidate,must-revalidate,immutable"], True),
    (["Cache-Control: max-age=60", "Cache-Control: "], True),
    (["Cache-Control: max-age=60 , foo"], True),
    (["Cache-Control:\tmax-age=60\t,\tfoo"], True),
    (["Cache-Control: xmax-age=0, max-age=60"], True),
    (["Cache-Control: max-age=60", "Surrogate-Control: no-store"], True),
    (["Cache-Control: max-age=60", "Warning: 110 - \"Response is Stale\""], True),
    (["Cache-Control: max-age=60", "Expires: 0", "Expires: 0"], True),
    (["Expires: " + RFC850], True),
    (["Expires: " + ASCTIME], True),
    (["Expires: " + RFC850.replace("GMT", "UTC")], False),
    (["Expires: Fri, 31 Dec 9999 23:59:59 GMT"], True),
    (["Expires: Tue, 19 Jan 2038 03:14:09 GMT"], True),
    (["Expires: Thu, 01 Jan 1970 00:00:00 GMT"], False),
    (["Expires: Mon, 01 Jan 0001 00:00:00 GMT"], False),
    (["Expires: never"], False),
    (["Expires: 60"], False),
    (["Expires: 4000000000"], False),
    (["Expires: 2050-01-01T00:00:00Z"], False),
    (["Expires: Tue, 32 Jan 2050 00:00:00 GMT"], False),
    (["Expires: Tue, 18 Jan 2050 25:00:00 GMT"], False),
    (["Expires: Tue, 18 Jan 2050 2:01:18 GMT"], False),
    (["Expires: Tue, 18 Jan 50 02:01:18 GMT"], False),
    (["Expires: Tue, 18-Jan-2050 02:01:18 GMT"], False),
    (["Expires: Tue, 18 Jan 2050 02:01:18 +0000"], False),
    (["Expires: Tue,  18 Jan 2050 02:01:18 GMT"], False),
    (["Expires: Tue, 18 Foo 2050 02:01:18 GMT"], False),
    (["Expires: 18 Jan 2050 02:01:18 GMT"], False),
    (["Expires: tue, 18 jan 2050 02:01:18 gmt"], True),
    (["Expires: TUE, 18 JAN 2050 02:01:18 GMT"], True),
    (["Expires: 0", "Expires: " + date(3600)], False),
    (["Expires: " + date(3600), "Cache-Control: max-age=foo"], False),
    (["Expires: " + date(3600), "Cache-Control: s-maxage=0"], False),
    (["Expires: " + date(3600), "Cache-Control: public"], True),
    (["Cache-Control: max-age=60", "Age: 59"], True),
    (["Cache-Control: max-age=60", "Age: 60"], False),
    (["Cache-Control: max-age=60", "Age: 2147483648"], False),
    (["Cache-Control: max-age=60", "Age: 9223372036854775808"], False),
    (["Cache-Control: max-age=60", "Age: 4294967296"], False),
    (["Cache-Control: max-age=60", "Age: 0", "Age: 7200"], True),
    (["Cache-Control: max-age=60", "Age: 7200", "Age: 0"], False),
    (["Cache-Control: max-age=60", "Age: 7200 foo"], True),
    (["Cache-Control: max-age=60", "Age: \"7200\""], True),
    (["Cache-Control: max-age=60", "Age: "], True),
    (["Cache-Control: max-age=60", "Age: 0070"], False),
    (["Cache-Control: max-age=99999999999", "Age: 100"], True),
    ([OLD, "Cache-Control: foo"], True),
    ([OLD, "Cache-Control: must-revalidate"], True),
    ([OLD, "Cache-Control: no-cache"], False),
    ([OLD, "Expires: 0"], False),
    ([OLD, "Cache-Control: max-age=0"], False),
    (["Last-Modified: " + date(3600)], False),
    (["Last-Modified: nonsense"], False),
    (["CDN-Cache-Control: max-age=60"], True),
    (["CDN-Cache-Control: max-age=60", "Cache-Control: private, no-cache"], True),
    (["CDN-Cache-Control: s-maxage=60, max-age=0"], True),
    (["CDN-Cache-Control: max-age=0, max-age=60"], True),
    (["CDN-Cache-Control: max-age=60, max-age=0", LIVE], False),
    (["CDN-Cache-Control: max-age=60;x=1;y=\"a\"", "Cache-Control: max-age=0"], True),
    (["CDN-Cache-Control: max-age=60", "CDN-Cache-Control: foo"], True),
    (["CDN-Cache-Control: max-age=0", "CDN-Cache-Control: max-age=60", "Cache-Control: max-age=0"], True),
    (["CDN-Cache-Control: MAX-AGE=0", LIVE], True),
    (["CDN-Cache-Control: max-age=\"60\"", LIVE], False),
    (["CDN-Cache-Control: max-age=60.0", LIVE], False),
    (["CDN-Cache-Control: max-age=foo", LIVE], False),
    (["CDN-Cache-Control: max-age=-1", LIVE], False),
    (["CDN-Cache-Control: max-age", LIVE], False),
    (["CDN-Cache-Control: max-age=0,", LIVE], True),
    (["CDN-Cache-Control: max-age= 0", LIVE], True),
    (["CDN-Cache-Control: max-age =0", LIVE], True),
    (["CDN-Cache-Control: max-age=0, ,foo", LIVE], True),
    (["CDN-Cache-Control: max-age=9999999999999999", LIVE], True),
    (["CDN-Cache-Control: no-store=?1, max-age=60", LIVE], False),
    (["CDN-Cache-Control: none", LIVE], False),
    (["CDN-Cache-Control: max-age=60", "Expires: 0"], True),
    (["CDN-Cache-Control: max-age=0", "Expires: " + date(3600)], False),
    (["CDN-Cache-Control: foo", "Expires: " + date(3600)], False),
])
def test_freshness(mirror, fields, is_fresh):
    assert mirror().keeps(*fields) == is_fresh


@pytest.mark.parametrize("given, is_fresh", [("nonsense", True), ("0", True), ("", True), (date(-7200).replace("GMT", "UTC"), True)])
def test_a_broken_date_is_the_time_of_coming(mirror, given, is_fresh):
    assert mirror().keeps(LIVE, f"Date: {given}", when=None) == is_fresh


@pytest.mark.parametrize(
    "form", ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y", "%a, %d %b %Y %H:%M:%S GMT"], ids=["rfc850", "asctime", "fixdate"])
def test_the_three_forms_of_dates_in_date(mirror, form):
    """An answer from the future is as old as its way was long; its `Expires` counts from its own date."""
    ahead = time.strftime(form, time.gmtime(time.time() + 3600))
    assert mirror().keeps(f"Date: {ahead}", "Expires: " + date(3700), when=None)
    assert not mirror().keeps(f"Date: {ahead}", "Expires: " + date(3500), when=None)


def test_a_life_is_exact(mirror):
    talks = [mirror().says("Cache-Control: max-age=3", "Age: 0") for _ in range(6)]
    begun = time.time()
    for talk in talks:
        talk.ask()
        talk.says("Cache-Control: no-store")
    while time.time() < begun + 1.5:
        time.sleep(0.1)
    assert all(talk.ask().is_hit for talk in talks) or time.time() > begun + 2
    while time.time() < begun + 4:
        time.sleep(0.1)
    assert not any(talk.ask().is_hit for talk in talks)


def test_a_date_is_given_to_what_has_none(mirror):
    talk = mirror().says(LIVE, when=None)
    first, again = talk.ask(), talk.ask()
    assert first["Date"] and again.is_hit and again["Date"] and len(again.all("Date")) == 1


def test_an_answer_of_the_origin_has_no_age_but_its_own(mirror):
    assert mirror().says(LIVE).ask().age in (None, 0)
    assert mirror().says(LIVE, "Age: 7").ask().all("Age") == ["7"]
    assert mirror().says(STALE[0], "Age: 7").ask().all("Age") == ["7"]


# Storing (section 3)

@pytest.mark.parametrize("fields, request_fields, is_kept", [
    ([LIVE, "Set-Cookie: a=b", "Set-Cookie: c=d"], [], True),
    ([LIVE], ["Cookie: a=b"], True),
    ([LIVE, "Content-Location: /other"], [], True),
    ([LIVE, "Content-Disposition: inline"], [], True),
    (["Cache-Control: max-age=60, must-revalidate"], ["Authorization: A b"], True),
    (["Cache-Control: s-maxage=60, max-age=0"], ["Authorization: A b"], True),
    (["Cache-Control: public", "Expires: " + date(3600)], ["Authorization: A b"], True),
    (["Cache-Control: max-age=60, proxy-revalidate"], ["Authorization: A b"], False),
    (["Expires: " + date(3600)], ["Authorization: A b"], False),
    ([OLD], ["Authorization: A b"], False),
    (["CDN-Cache-Control: public, max-age=60"], ["Authorization: A b"], True),
    (["Cache-Control: max-age=60, private=\"authorization\""], [], True),
    ([LIVE], ["Cache-Control: no-store"], False),
    ([LIVE], ["Cache-Control: foo, NO-STORE"], False),
    ([LIVE], ["Cache-Control: max-age=0"], True),
    ([LIVE], ["Cache-Control: no-cache"], True),
    ([LIVE], ["Pragma: no-cache"], True),
    ([LIVE], ["Pragma: no-store"], True),
    ([LIVE], ["Range: lines=0-1"], True),
    ([LIVE], ["Expect: 100-continue"], True),
    ([LIVE, "Vary: "], [], True),
    ([LIVE, "Vary: ,"], [], True),
])
def test_what_is_kept(mirror, fields, request_fields, is_kept):
    again = [line for line in request_fields if line.startswith("Auth")]
    assert mirror().keeps(*fields, request=request_fields, again=again) == is_kept


@pytest.mark.parametrize("code", [201, 202, 205, 206, 226, 299, 305, 306, 399, 401, 402, 403, 406, 407, 409, 411, 412, 413, 415, 416, 417, 418,
                                  421, 422, 425, 426, 428, 429, 431, 499, 505, 506, 507, 508, 510, 511, 598])
def test_any_final_status_is_kept_where_it_says_how_long(mirror, code):
    """But a part, which isn't the whole."""
    assert mirror().keeps(LIVE, status=f"{code} Some", body=b"" if code == 205 else b"text") == (code != 206)


@pytest.mark.parametrize("status, asked", [
    ("412 Failed", "If-Match: \"z\""), ("416 Range", "Range: bytes=50-"), ("412 Failed", "If-None-Match: \"z\""),
])
def test_what_only_a_clients_own_wish_has_brought_is_not_kept(mirror, status, asked):
    assert not mirror().keeps(LIVE, status=status, request=[asked])


def test_an_error_that_says_how_long_is_given_again(mirror):
    talk = mirror().says(LIVE, "X-A: 1", status="503 Away")
    assert talk.ask().status == 503
    got = talk.ask()
    assert (got.is_hit, got.status, got["X-A"]) == (True, 503, "1")


@pytest.mark.parametrize("fields", [["Cache-Control: max-age=60, must-understand"], ["Cache-Control: no-store, must-understand, max-age=60"]])
@pytest.mark.parametrize("code, is_kept", [(200, True), (404, True), (301, True), (599, False), (299, False)])
def test_must_understand(mirror, fields, code, is_kept):
    assert mirror().keeps(*fields, status=f"{code} Some") == is_kept


def test_fields_come_again_as_they_came(mirror):
    lines = ["X-UPPER: MiXed  CaSe", "x-quote: \"a, b\" ; c", "Content-Type: Text/Plain;Charset=UTF-8", "ETag: \"aBc\"", "X-Latin: caf\u00e9",
             "X-Empty:", "Server: Some/1.0", "Warning: 199 - \"x\"", "X-Cache: MISS", "Accept-Ranges: bytes", "X-Frame-Options: DENY"]
    talk = mirror().says(LIVE, *lines)
    first, again = talk.ask(), talk.ask()
    for got in (first, again):
        for line in lines:
            name, _, value = line.partition(":")
            assert got[name] == value.strip(), name
            assert name in [key for key, _ in got.lines], name
    assert again.is_hit and again.all("Server") == ["Some/1.0"]


def test_nothing_is_added_but_what_a_cache_adds(mirror):
    talk = mirror().says(LIVE)
    talk.ask()
    assert sorted({key.lower() for key, _ in talk.ask().lines}) == [
        "age", "cache-control", "cache-status", "content-length", "date", "via"]


def test_fields_named_by_connection_are_not_kept(mirror):
    talk = mirror().says(LIVE, "Connection: a, X-B", "Connection: x-c", "A: 1", "X-B: 1", "X-C: 1", "X-D: 1", "Proxy-Authenticate: Basic",
                         "Proxy-Authentication-Info: x")
    talk.ask()
    got = talk.ask()
    assert got.is_hit and [got[name] for name in ("A", "X-B", "X-C", "X-D", "Proxy-Authenticate", "Proxy-Authentication-Info")] == [
        None, None, None, "1", None, None]


# Keys (section 2)

def test_the_key_is_the_whole_target(mirror):
    talk = mirror()
    for query in ("?a=1&b=2", "?b=2&a=1", "?a=1", "?A=1", "?a=%31", "?a=1&"):
        talk.says(LIVE)
        assert not talk.ask(query=query).is_hit, query
    assert talk.ask(query="?a=1&b=2").is_hit


# Several answers for one URL (section 4.1)

@pytest.mark.parametrize("vary, one, other, is_hit", [
    ("Foo", ["Foo:"], [], False), ("Foo", [], ["Foo:"], False), ("Foo", ["Foo:"], ["Foo:"], True),
    ("Foo", ["Foo: 1", "Foo: 2"], ["Foo: 2", "Foo: 1"], False), ("Foo", ["Foo: 1"], ["Foo:  1  "], True),
    ("Foo, foo, FOO", ["Foo: 1"], ["Foo: 1"], True), ("Foo", ["Foo: 1"], ["Foo: 1", "Foo: 1"], False),
    ("Foo", ["Bar: 1"], ["Bar: 2"], True), ("Foo,Bar", ["Foo: 1"], ["Foo: 1", "Bar: 1"], False),
    ("Foo", ["Foo: 1,2"], ["Foo: 1 , 2"], True), ("Foo", ["Foo: \"a,b\""], ["Foo: \"a, b\""], False),
    ("Accept-Encoding", ["Accept-Encoding: gzip, br"], ["Accept-Encoding: br,GZIP"], True),
    ("Accept-Encoding", ["Accept-Encoding: gzip"], [], False), ("Accept-Encoding", ["Accept-Encoding: gzip;q=0"], ["Accept-Encoding: gzip"], False),
    ("Accept", ["Accept: a/b, c/d"], ["Accept: c/d, a/b"], False), ("User-Agent", ["User-Agent: a b"], ["User-Agent: a  b"], False),
    ("Cookie", ["Cookie: a=1"], ["Cookie: a=2"], False), ("Cookie", ["Cookie: a=1; b=2"], ["Cookie: a=1; b=2"], True),
    ("Host", [], [], True), ("Accept-Language", ["Accept-Language: en, de"], ["Accept-Language: de, en"], False),
    ("not a name, Foo", ["Foo: 1"], ["Foo: 1"], True), ("\"*\"", [], [], True), ("Foo, *", ["Foo: 1"], ["Foo: 1"], False),
    ("*, Foo", ["Foo: 1"], ["Foo: 1"], False), ("**", [], [], True), (" * ", [], [], False),
])
def test_vary(mirror, vary, one, other, is_hit):
    assert mirror().keeps(LIVE, f"Vary: {vary}", request=one, again=other) == is_hit


def test_vary_of_several_lines_is_one(mirror):
    fields = [LIVE, "Vary: Foo", "Vary: Bar"]
    assert mirror().keeps(*fields, request=["Foo: 1", "Bar: 1"], again=["Bar: 1", "Foo: 1"])
    assert not mirror().keeps(*fields, request=["Foo: 1", "Bar: 1"], again=["Foo: 1", "Bar: 2"])
    assert not mirror().keeps(*fields, request=["Foo: 1", "Bar: 1"], again=["Foo: 2", "Bar: 1"])


def test_an_answer_with_vary_wins_over_one_without(mirror):
    """Some forget `Vary` where a request says nothing (section 4.1)."""
    talk = mirror().says(LIVE, "Vary: Foo", body=b"one")
    talk.ask("Foo: 1")
    talk.says(LIVE, body=b"default").ask()
    assert [talk.ask(*fields).body for fields in (["Foo: 1"], [], ["Foo: 1"])] == [b"one", b"default", b"one"]
    assert len(talk.seen) == 2


def test_an_older_answer_without_vary_is_not_given_where_a_newer_one_has_it(mirror):
    talk = mirror().says(LIVE, body=b"default", when=-5)
    talk.ask()
    talk.says(LIVE, "Vary: Foo", body=b"one").ask("Foo: 1", "Cache-Control: no-cache")
    assert talk.says(LIVE, "Vary: Foo", body=b"two").ask("Foo: 2").body == b"two"
    assert talk.ask("Foo: 1").body == b"one"


def test_what_stops_to_vary_takes_the_place_of_what_did(mirror):
    talk = mirror().says(*STALE, "Vary: Foo", OLD, body=b"old")
    talk.ask("Foo: 1")
    talk.says(LIVE, body=b"new").ask("Foo: 1")
    got = talk.ask("Foo: 1")
    assert (got.is_hit, got.body) == (True, b"new")


def test_the_latest_of_those_that_fit_is_given(mirror):
    talk = mirror().says(LIVE, "Vary: Foo", body=b"foo", when=-10)
    talk.ask("Foo: 1", "Bar: 1")
    talk.says(LIVE, "Vary: Bar", body=b"bar", when=-5).ask("Foo: 2", "Bar: 1")
    got = talk.ask("Foo: 1", "Bar: 1")
    assert (got.is_hit, got.body) == (True, b"bar")


def test_a_304_to_one_variant_leaves_the_others(mirror):
    talk = mirror()
    for value in "12":
        talk.says(*STALE, "Vary: Foo", f"ETag: \"{value}\"", body=value.encode()).ask(f"Foo: {value}")
    talk.says("ETag: \"1\"", LIVE, "Vary: Foo", status="304 Not Modified", body=b"").ask("Foo: 1")
    assert talk.ask("Foo: 1").is_hit
    assert not talk.says(LIVE, "Vary: Foo", body=b"new").ask("Foo: 2").is_hit


# Validation (section 4.3)

@pytest.mark.parametrize("tag", ["abc", "abc def", "'a'", "\"a", "a\"", "W/abc", "w/\"a\"", "a,b", "\"a\"b\"", "*a"])
def test_odd_tags_are_sent_as_they_are(mirror, tag):
    talk = mirror().says(*STALE, f"ETag: {tag}")
    talk.ask()
    talk.says(f"ETag: {tag}", LIVE, status="304 Not Modified", body=b"")
    got = talk.ask()
    assert (got.body, got.calls[0].fields.get("if-none-match"), got["ETag"]) == (b"answer 1", tag, tag)
    assert talk.ask().is_hit


@pytest.mark.parametrize("tag, asked, status", [
    ("abc", "abc", 304), ("abc", "\"x\", abc", 304), ("abc", "abc, \"x\"", 304), ("abc", "abd", 200), ("abc", "ABC", 200), ("a b", "a b", 304),
    ("abc", "\"abc\"", 200), ("\"abc\"", "abc", 200), ("abc", "*", 304), ("a,b", "a,b", 304), ("\"a", "\"a", 304), ("'a'", "'a'", 304),
    ("\"a b\"", "\"a b\"", 304), ("W/\"a\"", "\"b\", W/\"a\"", 304), ("\"a\"", "\"b\" , \"a\"", 304), ("\"a\"", ",\"a\",", 304),
    ("\"a\"", "\"b\"\t,\t\"a\"", 304), ("\"a\"", "\"aa\"", 200), ("\"a\"", "", 200), ("\"*\"", "\"*\"", 304), ("\"a\"", "\"*\"", 200),
    ("\"W/a\"", "W/\"a\"", 200), ("\"caf\u00e9\"", "\"caf\u00e9\"", 304),
])
def test_tags_are_compared_byte_by_byte(mirror, tag, asked, status):
    talk = mirror().says(LIVE, f"ETag: {tag}")
    talk.ask()
    got = talk.ask(f"If-None-Match: {asked}")
    assert (got.status, got.is_hit) == (status, True)


def test_several_lines_of_if_none_match(mirror):
    talk = mirror().says(LIVE, "ETag: \"c\"")
    talk.ask()
    assert talk.ask("If-None-Match: \"a\", \"b\"", "If-None-Match: \"c\"").status == 304


@pytest.mark.parametrize("since, status", [
    ("Sunday, 06-Nov-94 08:49:37 GMT", 304), ("Sun Nov  6 08:49:37 1994", 304), ("Sun, 06 Nov 1994 08:49:37 GMT", 304),
    ("Sun, 06 Nov 1994 08:49:36 GMT", 200), ("Sun, 06 Nov 1994 08:49:38 GMT", 304), ("Sun, 06 Nov 1994 08:49:37 UTC", 200),
    ("sun, 06 nov 1994 08:49:37 gmt", 304), ("0", 200), ("", 200), (date(3600), 304),
])
def test_dates_of_conditions(mirror, since, status):
    talk = mirror().says(LIVE, "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT")
    talk.ask()
    got = talk.ask(f"If-Modified-Since: {since}")
    assert (got.status, got.is_hit) == (status, True)


def test_conditions_are_for_success_alone(mirror):
    """RFC 9110, section 13.2.1."""
    talk = mirror().says(LIVE, "ETag: \"a\"", OLD, status="404 Not Found")
    talk.ask()
    for line in ("If-None-Match: \"a\"", "If-None-Match: *", f"If-Modified-Since: {date()}"):
        got = talk.ask(line)
        assert (got.status, got.is_hit) == (404, True)


def test_a_304_has_no_content_and_the_fields_that_caches_need(mirror):
    talk = mirror().says(LIVE, "ETag: \"a\"", OLD, "Vary: Foo", "Expires: " + date(60), "Content-Location: /x", "Content-Type: a/b", body=TEN)
    talk.ask()
    got = talk.ask("If-None-Match: \"a\"")
    assert got.status == 304 and got.body == b"" and got["Content-Length"] in (None, "10")
    assert all(got[name] for name in ("ETag", "Vary", "Expires", "Cache-Control", "Date", "Content-Location", "Age"))
    assert talk.ask(method="HEAD", *["If-None-Match: \"a\""]).status == 304


@pytest.mark.parametrize("line", ["If-Match: \"a\"", f"If-Unmodified-Since: {date()}", "If-Match: *"])
def test_conditions_for_the_origin_go_there(mirror, line):
    talk = mirror().says(LIVE, "ETag: \"a\"")
    talk.ask()
    got = talk.says(LIVE).ask(line)
    name, _, value = line.partition(": ")
    assert len(got.calls) == 1 and got.calls[0].fields[name.lower()] == value


def test_a_clients_tag_that_the_origin_knows(mirror):
    """Ours is old, the client's isn't: it need not load it again."""
    talk = mirror().says(*STALE, "ETag: \"a\"")
    talk.ask()
    talk.says(LIVE, "ETag: \"b\"")
    got = talk.ask("If-None-Match: \"b\"")
    assert (got.status, got.body) == (304, b"")
    assert talk.ask().body == b"answer 2"


def test_a_304_about_a_date_renews(mirror):
    talk = mirror().says(*STALE, OLD)
    talk.ask()
    talk.says(LIVE, OLD, status="304 Not Modified", body=b"")
    got = talk.ask()
    assert (got.body, got.calls[0].fields["if-modified-since"], "if-none-match" in got.calls[0].fields) == (
        b"answer 1", OLD.partition(": ")[2], False)
    assert talk.ask().is_hit


def test_a_304_may_bring_a_tag(mirror):
    talk = mirror().says(*STALE, OLD)
    talk.ask()
    talk.says(LIVE, OLD, "ETag: \"new\"", status="304 Not Modified", body=b"")
    assert len(talk.ask().calls) == 1
    got = talk.ask()
    assert (got.is_hit, got.body, got["ETag"]) == (True, b"answer 1", "\"new\"")


def test_a_304_without_a_validator_renews_the_only_answer(mirror):
    talk = mirror().says(*STALE, "ETag: \"a\"")
    talk.ask()
    talk.says(LIVE, status="304 Not Modified", body=b"")
    assert talk.ask().body == b"answer 1" and talk.ask().is_hit


@pytest.mark.parametrize("line, changes", [
    ("Cache-Control: max-age=70", True), ("Expires: " + date(900), True), ("X-Any: 2", True), ("Content-Type: b/c", True),
    ("Content-Language: de", True), ("Content-Location: /b", True), ("Link: </b>", True), ("Set-Cookie: b=2", True),
    ("Content-Disposition: b", True), ("Content-Security-Policy: b", True), ("Server: b", True), ("Vary: B", True), ("Location: /b", True),
    ("Content-Length: 99", False), ("Content-Range: bytes 0-1/2", False), ("Content-Encoding: x-b", False), ("Transfer-Encoding: chunked", False),
    ("Connection: x", False), ("Keep-Alive: 1", False), ("Proxy-Authenticate: b", False), ("Upgrade: b", False), ("Trailer: b", False),
])
def test_which_fields_a_304_changes(mirror, line, changes):
    name, _, value = line.partition(": ")
    talk = mirror().says("Cache-Control: max-age=1", "Age: 30", "ETag: \"a\"", *([f"{name}: old"] if changes and name != "Cache-Control" else []))
    talk.ask()
    talk.says("ETag: \"a\"", *([] if name == "Cache-Control" else [LIVE]), line, status="304 Not Modified", body=b"")
    for got in (talk.ask(), talk.ask()):
        assert got.body == b"answer 1" and got.status == 200
        assert (got[name] == value) == changes
    assert got.is_hit


def test_a_304_that_forbids_to_keep_it(mirror):
    talk = mirror().says(*STALE, "ETag: \"a\"")
    talk.ask()
    talk.says("Cache-Control: no-store", "ETag: \"a\"", status="304 Not Modified", body=b"")
    assert talk.ask().body == b"answer 1"
    got = talk.says(LIVE).ask()
    assert (got.body, "if-none-match" in got.calls[0].fields) == (b"answer 3", False)


@pytest.mark.parametrize("status", ["404 Not Found", "410 Gone", "200 OK"])
def test_a_newer_answer_that_is_not_kept_outdates_the_older(mirror, status):
    talk = mirror().says(LIVE, "ETag: \"a\"")
    talk.ask()
    talk.says("Cache-Control: no-store", status=status).ask("Cache-Control: no-cache")
    assert not talk.says(LIVE).ask().is_hit


def test_a_5xx_while_asking_is_passed_on_and_not_kept(mirror):
    talk = mirror().says(*STALE, "ETag: \"a\"")
    talk.ask()
    assert talk.says(status="500 Broken").ask().status == 500
    talk.says("ETag: \"a\"", LIVE, status="304 Not Modified", body=b"")
    assert talk.ask().body == b"answer 1"


def test_latin_bytes_survive_a_renewal(mirror):
    talk = mirror().says(*STALE, "ETag: \"a\"", "X-Latin: caf\u00e9")
    talk.ask()
    talk.says(LIVE, "ETag: \"a\"", "X-New: na\u00efve", status="304 Not Modified", body=b"").ask()
    got = talk.ask()
    assert (got.is_hit, got["X-Latin"], got["X-New"]) == (True, "caf\u00e9", "na\u00efve")


# HEAD (sections 4 and 4.3.5; RFC 9110, section 9.3.2)

@pytest.mark.parametrize("fields, body, is_hit", [
    (["ETag: \"a\""], b"12345", True), ([], b"12345", True), (["ETag: \"b\""], b"12345", False), (["ETag: \"a\""], b"123", False),
    (["ETag: \"a\"", "Last-Modified: " + date(-5)], b"12345", False),
])
def test_an_answer_to_head_renews_or_outdates(mirror, fields, body, is_hit):
    talk = mirror().says(*STALE, "ETag: \"a\"", body=b"12345")
    talk.ask()
    talk.says(LIVE, "X-New: 1", *fields, body=body).ask(method="HEAD")
    got = talk.says(LIVE).ask()
    assert got.is_hit == is_hit and (not is_hit or got["X-New"] == "1")


def test_an_answer_to_head_is_kept_for_head(mirror):
    talk = mirror().says(LIVE, "X-A: 1", body=TEN)
    talk.ask(method="HEAD")
    got = talk.ask(method="HEAD")
    assert (got.is_hit, got.status, got["Content-Length"], got["X-A"], got.body) == (True, 200, "10", "1", b"")
    assert not talk.says(LIVE, body=TEN).ask().is_hit


def test_a_write_drops_answers_to_head(mirror):
    talk = mirror().says(LIVE)
    talk.ask(method="HEAD")
    talk.says().ask(method="PUT", body=b"x")
    assert not talk.says(LIVE).ask(method="HEAD").is_hit


def test_variants_of_answers_to_head(mirror):
    talk = mirror().says(LIVE, "Vary: Foo")
    talk.ask("Foo: 1", method="HEAD")
    assert talk.ask("Foo: 1", method="HEAD").is_hit
    assert not talk.says(LIVE).ask("Foo: 2", method="HEAD").is_hit


def test_a_failed_head_leaves_what_is_kept(mirror):
    talk = mirror().says(LIVE, "ETag: \"a\"")
    talk.ask()
    talk.says(status="500 Broken").ask("Cache-Control: no-cache", method="HEAD")
    assert talk.ask().is_hit


# Invalidation (section 4.4)

@pytest.mark.parametrize("method, status, drops", [
    ("POST", "200 OK", True), ("POST", "201 Created", True), ("POST", "204 None", True), ("POST", "303 See", True), ("POST", "302 Found", True),
    ("PUT", "204 None", True), ("DELETE", "202 Later", True), ("PATCH", "200 OK", True), ("FOO", "200 OK", True), ("M-SEARCH", "204 None", True),
    ("POST", "400 Bad", False), ("PUT", "412 Failed", False), ("DELETE", "404 None", False), ("FOO", "500 Broken", False),
    ("OPTIONS", "200 OK", False), ("PROPFIND", "207 Multi", False), ("SEARCH", "200 OK", False), ("REPORT", "200 OK", False),
])
def test_what_drops(mirror, method, status, drops):
    talk = mirror().says(LIVE)
    talk.ask()
    talk.says(status=status, body=b"").ask(method=method, body=b"x")
    assert talk.says(LIVE).ask().is_hit != drops


@pytest.mark.parametrize("name", ["Location", "Content-Location"])
@pytest.mark.parametrize("form, drops", [
    ("{path}", True), ("http://{host}{path}", True), ("//{host}{path}", True), ("HTTP://{host}{path}", True), ("{name}", True),
    ("./{name}", True), ("/x/..{path}", True), ("{path}#frag", True), ("http://{host}{path}?q", False), ("http://other.example{path}", False),
    ("https://{host}{path}", False), ("http://user@{host}{path}", False), ("http://localhost:1{path}", False), ("", False),
])
@pytest.mark.parametrize("asked", ["of us", "of the origin"])
def test_what_answers_to_writes_name(mirror, name, form, drops, asked):
    """The address that the client knows, or that the origin has."""
    other = mirror().says(LIVE)
    other.ask()
    host = f"127.0.0.1:{other.port}" if asked == "of us" else other.mirrored.upstream.url.removeprefix("http://")
    value = form.format(path=other.path, name=other.path[1:], host=host)
    mirror().says(f"{name}: {value}", status="201 Created").ask(method="POST", body=b"")
    assert other.says(LIVE).ask().is_hit != drops


def test_all_variants_are_dropped(mirror):
    talk = mirror()
    for value in "12":
        talk.says(LIVE, "Vary: Foo").ask(f"Foo: {value}")
    talk.says().ask(method="DELETE")
    assert [talk.says(LIVE, "Vary: Foo").ask(f"Foo: {value}").is_hit for value in "12"] == [False, False]


# POST (RFC 9110, section 9.3.3)

@pytest.mark.parametrize("fields, is_kept", [
    ([LIVE, "Content-Location: {path}"], True), (["Expires: " + date(900), "Content-Location: {url}{path}"], True),
    ([LIVE], False), (["Content-Location: {path}", OLD], False), ([LIVE, "Content-Location: /other"], False),
    (["Cache-Control: no-store", "Content-Location: {path}"], False), (["Cache-Control: max-age=60, private", "Content-Location: {path}"], False),
])
def test_an_answer_to_post_may_be_one_to_get(mirror, fields, is_kept):
    talk = mirror()
    talk.says(*[line.format(path=talk.path, url=talk.mirrored.upstream.url) for line in fields])
    talk.ask(method="POST", body=b"x")
    got = talk.says().ask()
    assert got.is_hit == is_kept and (not is_kept or got.body == b"answer 1")
    assert not talk.says().ask(method="POST", body=b"x").is_hit


# Requests' directives (section 5.2.1)

@pytest.mark.parametrize("line, is_hit", [
    ("Cache-Control: max-age=foo", False), ("Cache-Control: min-fresh=foo", True), ("Cache-Control: max-stale", True),
    ("Cache-Control: max-age=9223372036854775808", True), ("Cache-Control: foo=\"no-cache\"", True), ("Cache-Control: no-cache=foo", False),
    ("Cache-Control: foo, no-cache", False), ("Cache-Control: max-age=31, foo", True), ("Cache-Control: min-fresh=71", False),
    ("Cache-Control: min-fresh=60", True), ("Cache-Control: no-transform", True), ("Cache-Control: only-if-cached, no-transform", True),
    ("Cache-Control: private", True), ("Pragma: NO-CACHE", False), ("Pragma: foo, no-cache", False), ("Cache-Control: max-age=0, max-stale", False),
])
def test_request_directives(mirror, line, is_hit):
    talk = mirror().says("Cache-Control: max-age=100", "Age: 30")
    talk.ask()
    assert talk.says("Cache-Control: no-store").ask(line).is_hit == is_hit


def test_pragma_counts_only_without_cache_control(mirror):
    talk = mirror().says(LIVE)
    talk.ask()
    assert talk.ask("Pragma: no-cache", "Cache-Control: max-stale=1").is_hit


def test_an_immutable_answer_is_kept_and_asked_about_when_it_is_old(mirror):
    talk = mirror().says("Cache-Control: max-age=10, immutable", "Age: 20", "ETag: \"a\"")
    talk.ask()
    talk.says(LIVE, "ETag: \"a\"", status="304 Not Modified", body=b"")
    assert talk.ask().calls[0].fields["if-none-match"] == '"a"'


# Stale answers (section 4.2.4)

@pytest.mark.parametrize("directives, is_given", [
    ("max-age=10", True), ("max-age=10, must-revalidate", False), ("max-age=10, proxy-revalidate", False), ("s-maxage=10", False),
    ("max-age=10, no-cache", False), ("s-maxage=10, stale-if-error=60", False), ("max-age=10, stale-if-error=5", False),
])
def test_a_stale_answer_stands_in_where_nobody_answers(mirror, directives, is_given):
    talk = mirror().says(f"Cache-Control: {directives}", "Age: 20", "ETag: \"a\"")
    talk.ask()
    got = talk.sends(None).sends(None).ask()
    assert (got.status, got.body == b"answer 1") == ((200, True) if is_given else (502, False))
    assert not is_given or got.age >= 20


@pytest.mark.parametrize("line, is_given", [("Cache-Control: max-age=5", False), ("Cache-Control: min-fresh=5", False),
                                            ("Cache-Control: no-cache", False), ("Cache-Control: foo", True)])
def test_who_wants_a_young_answer_gets_no_old_one(mirror, line, is_given):
    talk = mirror().says(*STALE, "ETag: \"a\"")
    talk.ask()
    assert talk.sends(None).sends(None).ask(line).status == (200 if is_given else 502)


def test_shared_lives_are_never_outlived(mirror):
    talk = mirror().says("Cache-Control: s-maxage=10, stale-while-revalidate=60", "Age: 20")
    talk.ask()
    assert talk.says(LIVE).ask().body == b"answer 2"


# What is passed on (RFC 9110, section 7.6)

def test_requests_are_passed_on_with_their_fields(mirror):
    talk = mirror().says()
    lines = ["X-A: MiXed", "Accept: a/b;q=0.5, */*", "Cookie: a=b; c", "Cache-Control: foo, max-age=5", "Pragma: bar", "If-None-Match: \"q\"",
             "Referer: http://x/", "User-Agent: y z", "From: a@b"]
    call = talk.ask(*lines).calls[0]
    for line in lines:
        name, _, value = line.partition(": ")
        assert call.fields[name.lower()] == value
    assert call.fields["via"] == "1.1 sluice"


def test_via_grows(mirror):
    talk = mirror().says(LIVE, "Via: 1.0 near")
    got = talk.ask("Via: 1.1 far")
    assert ", ".join(got.all("Via")) == "1.0 near, 1.1 sluice"
    assert [line.partition(": ")[2] for line in got.calls[0].lines if line.lower().startswith("via:")] == ["1.1 far", "1.1 sluice"]
    assert ", ".join(talk.ask().all("Via")) == "1.0 near, 1.1 sluice"


@pytest.mark.parametrize("status", ["304 Not Modified", "206 Partial Content"])
def test_what_nobody_asked_for_is_the_origins_own_affair(mirror, status):
    talk = mirror().says(LIVE, "X-A: 1", "Content-Range: bytes 0-3/10", status=status, body=b"" if status[0] == "3" else b"0123")
    got = talk.ask()
    assert (got.status, got["X-A"]) == (int(status[:3]), "1")
    assert talk.says(LIVE).ask().status == 200


# Cache-Status (RFC 9211)

def status_of(got):
    return got.all("Cache-Status")[-1]


def test_cache_status(mirror):
    talk = mirror().says(LIVE, "Vary: Foo", "ETag: \"a\"")
    assert re.fullmatch(r"sluice; fwd=uri-miss; fwd-status=200; ttl=(60|59); stored", status_of(talk.ask("Foo: 1")))
    assert re.fullmatch(r"sluice; hit; ttl=(60|59|58)", status_of(talk.ask("Foo: 1")))
    assert status_of(talk.says(LIVE, "Vary: Foo").ask("Foo: 2")).startswith("sluice; fwd=vary-miss; fwd-status=200")
    assert status_of(talk.says(LIVE, "Vary: Foo", "ETag: \"a\"", status="304 No", body=b"").ask("Foo: 1", "Cache-Control: no-cache")).startswith(
        "sluice; fwd=request; fwd-status=304")
    assert status_of(talk.says().ask(method="POST", body=b"")).startswith("sluice; fwd=method; fwd-status=200")
    stale = mirror().says(*STALE, "ETag: \"a\"")
    stale.ask()
    assert status_of(stale.says(LIVE, status="304 No", body=b"").ask()).startswith("sluice; fwd=stale; fwd-status=304")
