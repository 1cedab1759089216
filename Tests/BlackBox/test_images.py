"""Uploads through the gateway to an Imgur that does what each test says."""
import base64
import json
import time

import pytest

from image_rig import form, read_answer
from imgur import answer, png, raw
from program import curl, eventually, run


def test_every_form_of_upload_arrives_as_one_and_the_same(rig):
    image = png(100_000)
    body, type = form(("title", b"A ship"), ("image", image, '; filename="C:\\\\x.png"'))
    late, _ = form(("image", image, "; filename=x.png"), ("title", b"A ship"))
    text = json.dumps({"title": "A ship", "base64": base64.b64encode(image).decode()}).encode()
    for body, type, path, is_measured in [
            (body, type, "/images", False), (late, type, "/images", False), (text, "application/json", "/images", False),
            (image, "image/png", "/images?title=A%20ship", True)]:
        status, fields, shown = rig.upload(body, type, path, authorization="Bearer of-the-client", origin="http://localhost", referer="http://localhost/")
        number = len(rig.imgur.calls)
        assert status == 201 and fields["location"] == f"{rig.gateway.url}/images/img{number:04}"
        assert shown == {"id": f"img{number:04}", "link": f"https://i.imgur.com/img{number:04}.png", "width": 3, "height": 4,
                         "type": "image/png", "size": 100_000, "title": "A ship", "uploaded": shown["uploaded"]}
        assert abs(time.time() - time.mktime(time.strptime(shown["uploaded"], "%Y-%m-%dT%H:%M:%SZ")) + time.timezone) < 60
        call = rig.imgur.calls[-1]
        assert (call.method, call.path, call.fields["authorization"]) == ("POST", "/3/image", "Client-ID canary-client-id")
        assert call.parts == {"image": image, "title": b"A ship", "type": b"file"}
        assert ("content-length" in call.fields) == is_measured
        assert not {"origin", "referer", "expect", "cookie"} & set(call.fields)
        assert "b0undary" not in call.fields["content-type"]


def test_an_address_is_handed_on(rig):
    status, _, shown = rig.upload(b'{"url": "https://a.example/b.png"}', "application/json")
    assert status == 201 and shown["title"] is None
    assert rig.imgur.calls[0].parts == {"image": b"https://a.example/b.png", "type": b"URL"}
    rig.imgur.upload = lambda call: answer({"error": "Bad URL"}, "400 Bad Request", False)
    assert rig.upload(b'{"url": "https://a.example/b.png"}', "application/json")[0] == 400


def test_what_can_be_seen_to_be_wrong_reaches_nobody(rig):
    image = png(2000)
    broken = form(("image", image))[0].replace(b"--b0undary--", b"--b0undary-x")
    multipart = "multipart/form-data; boundary=b0undary"
    for body, type, status, code in [
            (b"<html>" + image, "image/png", 415, "not-an-image"), (b"GIF", "image/gif", 415, "not-an-image"), (image, "text/plain", 415, "unsupported-media-type"),
            (image, "multipart/form-data", 400, "bad-boundary"), (form(("title", b"x"))[0], multipart, 400, "missing-image"),
            (form(("image", b"plain text, no image"))[0], multipart, 415, "not-an-image"), (form(("picture", image))[0], multipart, 400, "unknown-part"),
            (form(("title", b"x" * 600), ("image", image))[0], multipart, 400, "text-too-long"), (b"", "image/png", 400, "missing-content"),
            (b'{"base64": "!"}', "application/json", 400, "bad-base64"), (b'{"url": "ftp://x"}', "application/json", 400, "bad-url"),
            (b'{"urll": "x"}', "application/json", 400, "unknown-member"), (b"[", "application/json", 400, "bad-json")]:
        found = rig.upload(body, type)
        assert (found[0], found[2]["code"]) == (status, code), found
    assert rig.imgur.calls == []
    for body, code in [(broken, "bad-form"), (form(("image", image), ("image", image))[0], "repeated-part")]:
        found = rig.upload(body, multipart)
        assert (found[0], found[2]["code"]) == (400, code)
    # What showed only later was never a whole form to Imgur.
    assert eventually(lambda: all(not call.is_whole for call in rig.imgur.calls))
    assert rig.listed() == []


def test_too_large_an_image_is_refused_while_it_is_sent(rig):
    with rig.gateway.connect() as connection:
        connection.sendall(b"POST /images HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\nContent-Length: 12000000\r\n\r\n" + png(1000))
        status, _, problem = read_answer(connection)
        assert (status, problem["code"]) == (413, "content-too-large")
    assert rig.imgur.calls == []
    # Without a length it shows on the way; curl gets the answer although it is still sending.
    body, type = form(("image", png(10_000_001)))
    (path := rig.folder / "large").write_bytes(body)
    found = curl("-o", "/dev/null", "-w", "%{http_code}", "-H", f"Content-Type: {type}", "-H", "Transfer-Encoding: chunked", "-T", str(path), "-X", "POST", rig.gateway.url + "/images")
    assert found == b"413"
    assert eventually(lambda: len(rig.imgur.calls) == 1) and not rig.imgur.calls[0].is_whole
    body, type = form(("image", png(10_000_000)))
    assert rig.upload(body, type, expect="100-continue")[0] == 201


@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_a_large_upload_is_told_what_is_wrong_with_it(rig, framing):
    """Not that it is too large, where it isn't."""
    size = 5_000_000

    def upload(body, type):
        extra = ["-H", "Transfer-Encoding: chunked"] if framing == "chunked" else []
        (path := rig.folder / "large").write_bytes(body)
        out = curl("-w", "\n%{http_code}", "-H", f"Content-Type: {type}", *extra, "--data-binary", f"@{path}", rig.gateway.url + "/images")
        problem, status = out.rsplit(b"\n", 1)
        return int(status), json.loads(problem)["code"]
    text, type = form(("title", b"a" * size), ("image", png(100)))
    stranger, _ = form(("other", b"a" * size))
    assert upload(b"BM" + b"a" * size, "image/bmp") == (415, "not-an-image")
    assert upload(text, type) == (400, "text-too-long")
    assert upload(stranger, type) == (400, "unknown-part")
    assert upload(b'{"base64": "' + b"!" * size + b'"}', "application/json") == (400, "bad-base64")
    assert upload(png(size), "text/plain") == (415, "unsupported-media-type")
    assert rig.imgur.calls == []
    refusal = answer({"error": "too fast, please wait 5 more minutes"}, "429 Too Many Requests", False)
    rig.imgur.upload = lambda call: refusal
    # The first is refused by Imgur, the second by what is known of it.
    assert [upload(png(size), "image/png") for _ in range(2)] == [(503, "imgur-limited")] * 2


def test_what_was_uploaded_is_listed_shown_and_deleted(rig):
    for _ in range(3):
        assert rig.upload()[0] == 201
    status, fields, first = rig.ask("GET", "/images?limit=2")
    assert (status, first["count"], first["previous"]) == (200, 3, None)
    assert [image["id"] for image in first["results"]] == ["img0003", "img0002"]
    assert first["next"] == f"{rig.gateway.url}/images?limit=2&offset=2"
    status, _, second = rig.ask("GET", first["next"].removeprefix(rig.gateway.url))
    assert [image["id"] for image in second["results"]] == ["img0001"] and second["next"] is None
    assert second["previous"] == f"{rig.gateway.url}/images?limit=2&offset=0"
    assert rig.ask("GET", "/images", if_none_match=rig.ask("GET", "/images")[1]["etag"])[0] == 304
    assert rig.ask("GET", "/images/img0002")[2] == first["results"][1]
    for bad in ["/images?limit=0", "/images?limit=101", "/images?offset=-1", "/images?page=1"]:
        assert rig.ask("GET", bad)[0] == 400
    assert rig.ask("DELETE", "/images/img0002")[0] == 204
    assert rig.imgur.deletions == ["/3/image/canaryhash0002"]
    for method in ["DELETE", "GET"]:
        assert rig.ask(method, "/images/img0002")[0] == 404
        assert rig.ask(method, "/images/canaryhash0001")[0] == 404
    assert rig.imgur.deletions == ["/3/image/canaryhash0002"] and rig.listed() == ["img0003", "img0001"]


@pytest.mark.parametrize("reply, status, stays", [
    (answer({"error": "Not found"}, "404 Not Found", False), 204, False), (raw(b"<html>404", "404 Not Found", type="text/html"), 204, False),
    (answer({"error": "x"}, "200 OK", False).replace(b'"status": 200', b'"status": 404'), 204, False), (answer(False, "200 OK", False), 204, False),
    (answer(None), 204, False), (raw(b"<html>", "500 Internal Server Error"), 502, True), (None, 502, True), (raw(b"{", "200 OK"), 502, True),
    (answer({"error": "Unauthorized"}, "403 Forbidden", False), 502, True),
    (answer({"error": "Imgur is temporarily over capacity."}, "403 Forbidden", False), 503, True),
])
def test_deleting_what_is_gone_forgets_it_and_a_failure_does_not(rig, reply, status, stays):
    assert rig.upload()[0] == 201
    rig.imgur.delete = lambda call: reply
    found = rig.ask("DELETE", "/images/img0001")
    assert found[0] == status
    assert rig.listed() == (["img0001"] if stays else [])
    is_refused = reply is not None and reply.startswith(b"HTTP/1.1 4")
    if stays:
        assert found[2].get("outcome") == (None if is_refused else "unknown")


def test_delete_hashes_are_not_in_debug_lines(rig):
    rig.start("--log-level", "debug")
    rig.imgur.delete = lambda call: None
    assert rig.upload()[0] == 201 and rig.ask("DELETE", "/images/img0001")[0] == 502
    rig.imgur.delete = rig.imgur.good_delete
    assert rig.ask("DELETE", "/images/img0001")[0] == 204
    assert eventually(lambda: rig.gateway.log.count("/3/image/…") == 2), rig.gateway.log
    assert len(rig.imgur.deletions) == 2 and "canaryhash" not in rig.gateway.log


@pytest.mark.parametrize("name", ["a/b", "..", "x" * 5000, 7, None, "a"])
def test_an_image_without_a_usable_name_is_taken_back(rig, name):
    data = {"deletehash": "canaryhash0001", "link": "https://i.imgur.com/a.png" if name != "a" else "javascript:x"} | ({"id": name} if name else {})
    rig.imgur.upload = lambda call: answer(data)
    status, _, problem = rig.upload()
    assert (status, problem["code"]) == (502, "upstream-error") and "outcome" not in problem
    assert rig.imgur.deletions == ["/3/image/canaryhash0001"] and rig.listed() == []
    # Where that fails it can be deleted later.
    rig.imgur.delete = lambda call: None
    assert rig.upload()[2]["outcome"] == "unknown" and eventually(lambda: "may be at Imgur" in rig.gateway.log)
    rig.imgur.delete = rig.imgur.good_delete
    left, = rig.listed()
    assert f"/images/{left} " in rig.gateway.log and rig.ask("DELETE", f"/images/{left}")[0] == 204
    assert rig.imgur.deletions == ["/3/image/canaryhash0001"] * 3 and rig.listed() == []


def test_images_belong_to_the_key_that_uploaded_them(rig, tmp_path):
    assert rig.upload()[0] == 201
    one, two = "the-first-clients-key", "the-second-clients-key"
    rig.start(env={"SLUICE_CLIENT_KEYS": f"{one},{two}"})
    mine, theirs = {"authorization": f"Bearer {one}"}, {"x_api_key": two}
    assert rig.upload()[0] == 401 and rig.upload(**mine)[0] == 201 and rig.upload(**theirs)[0] == 201
    (tmp_path / "a.png").write_bytes(png(100))
    assert run("upload", tmp_path / "a.png", "--url", rig.gateway.url)[0] == 1
    status, out, _ = run("upload", tmp_path / "a.png", "--url", rig.gateway.url, env={"SLUICE_KEY": one})
    assert status == 0 and json.loads(out)["id"] == "img0004"

    def ids(**key):
        return [image["id"] for image in rig.ask("GET", "/images", **key)[2]["results"]]
    # What was made before there were keys belongs to all keys.
    assert (ids(**mine), ids(**theirs), ids()) == (["img0004", "img0002", "img0001"], ["img0003", "img0001"], [])
    for key in [theirs, {}]:
        assert rig.ask("GET", "/images/img0002", **key)[0] == 404
    assert rig.ask("DELETE", "/images/img0002", **theirs)[0] == 404 and rig.ask("DELETE", "/images/img0002")[0] == 401
    assert rig.imgur.deletions == []
    assert rig.ask("DELETE", "/images/img0002", **mine)[0] == 204 and rig.ask("DELETE", "/images/img0001", **theirs)[0] == 204
    assert all(key not in json.dumps(call.fields) for call in rig.imgur.calls for key in (one, two))


def test_what_an_image_is_declared_to_be_counts_for_nothing(rig):
    image = png(2000)
    body, multipart = form(("image", image, '; filename="p.txt"\r\nContent-Type: text/plain'))
    assert rig.upload(body, multipart)[0] == rig.upload(image, "application/octet-stream")[0] == rig.upload(image, "image/gif")[0] == 201
    assert rig.ask("POST", "/images", image)[0] == 201
    assert {call.parts["image"] for call in rig.imgur.uploads} == {image}
    assert rig.ask("POST", "/images", b"no image")[2]["code"] == "not-an-image"
    found = rig.upload(image, "application/x-www-form-urlencoded")
    assert found[0] == 415 and "-H 'Content-Type: image/png'" in found[2]["detail"]


def test_an_error_names_what_is_wrong(rig):
    image = png(100)
    for parts, detail in [([("file", image)], 'a part "file"'), ([("x" * 100, image)], f'a part "{"x" * 64}"'), ([("title", b"a"), ("title", b"b")], 'the part "title" twice')]:
        assert detail in rig.upload(*form(*parts))[2]["detail"]
    assert 'a member "urll"' in rig.upload(b'{"urll": "x"}', "application/json")[2]["detail"]


def test_images_may_be_larger_than_the_contract_foresees(rig):
    rig.start("--max-image", "15MB")
    assert rig.upload(png(15_000_000))[0] == 201
    found = rig.upload(png(15_000_001), expect="100-continue")
    assert found[0] == 413 and "15000000" in found[2]["detail"]
