"""Uploads through the gateway to an Imgur that does what each test says."""
import base64
import json
import os
import resource
import socket
import sqlite3
import threading
import time

import pytest

from imgur import Imgur, answer, png, raw
from program import BINARY, IS_SANITIZED, PATIENCE, Program, curl, environment, eventually, free_port, run

import subprocess


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
        self.imgur.socket.close()


@pytest.fixture
def rig(tmp_path):
    rig = Rig(tmp_path / "state")
    yield rig
    rig.close()


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


def test_progress_is_told_while_the_upload_goes_on(rig):
    image = png(400_000)
    with rig.gateway.connect() as connection:
        connection.sendall(head("POST", "/images", image, {"Content-Type": "image/png", "Accept": "text/event-stream"}))
        file = connection.makefile("rb")
        assert file.readline() == b"HTTP/1.1 200 OK\r\n"
        for start in range(0, len(image), 40_000):
            connection.sendall(image[start:start + 40_000])
            time.sleep(0.03)
        content = file.read()
        lines = [json.loads(line[6:]) for line in content.split(b"\r\n") + content.split(b"\n") if line.startswith(b"data: ") and line.endswith(b"}")]
        assert b"event: done\n" in content and b"canaryhash" not in content
    sent = [line["sent"] for line in lines if "sent" in line]
    assert sent == sorted(sent) and sent[0] == 0 and sent[-1] == 400_000 and 3 <= len(set(sent)) <= 9
    assert all(line["total"] == 400_000 for line in lines if "sent" in line)
    assert lines[-1]["id"] == "img0001" and rig.listed() == ["img0001"]


def test_a_failure_on_the_way_is_an_event_too(rig):
    rig.imgur.upload = lambda call: raw(b"<title>Imgur overloaded</title>", "503 Service Unavailable", type="text/html")
    status, fields, content = rig.upload(accept="text/event-stream")
    assert status == 200 and fields["content-type"] == "text/event-stream"
    name, problem = events(content)[-1]
    assert name == "error" and (problem["status"], problem["code"], problem["upstream"]) == (503, "imgur-over-capacity", "imgur")
    # What the head tells is no stream yet.
    assert rig.upload(type="text/plain", accept="text/event-stream")[0] == 415
    content = events(rig.upload(b"no image at all", accept="text/event-stream")[2])
    assert content[-1][0] == "error" and content[-1][1]["status"] == 415


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


@pytest.mark.parametrize("reply, status, code", [
    (answer({"error": {"code": 1003, "message": "File type invalid (1)"}}, "400 Bad Request", False), 415, "not-an-image"),
    (answer({"error": "file is over the size limit"}, "413 Payload Too Large", False), 413, "content-too-large"),
    (answer({"error": {"code": 1016, "message": "Banned country attempt (XX)"}}, "400 Bad Request", False), 502, "imgur-refuses-us"),
    (answer({"error": "Malformed auth header"}, "403 Forbidden", False), 502, "upstream-denied"),
    (raw(b"<html>405", "405 Not Allowed", type="text/html"), 502, "upstream-error"), (raw(b"<html>https://i.imgur.com/x.png", type="text/html"), 502, "upstream-error"),
    (answer({"error": "x"}, "500 Internal Server Error", False), 502, "upstream-error"), (raw(b"{", "200 OK"), 502, "upstream-error"),
    (raw(b"", "504 Gateway Timeout"), 502, "upstream-error"), (answer({"id": "x"}), 502, "upstream-error"), (None, 502, "upstream-closed"), (raw(b"", "429 Too Many Requests"), 503, "imgur-limited"),
])
def test_every_shape_of_refusal_is_one_problem(rig, reply, status, code):
    rig.imgur.upload = lambda call: reply
    found = rig.upload()
    assert (found[0], found[2]["code"], found[2]["status"]) == (status, code, status)
    assert found[1]["content-type"] == "application/problem+json" and len(rig.imgur.uploads) == 1
    # Where no clear answer came nobody knows whether Imgur has the image, and it isn't sent again.
    is_unknown = reply is None or reply.startswith(b"HTTP/1.1 200") or b" 50" in reply[:12]
    assert found[2].get("outcome") == ("unknown" if is_unknown else None)
    assert eventually(lambda: ("an image may be at Imgur" in rig.gateway.log) == is_unknown)
    assert rig.listed() == []


def test_limits_are_shown_and_heeded_by_all_workers(rig):
    rig.imgur.fields = ["X-RateLimit-UserLimit: 500", "X-RateLimit-UserRemaining: 499", f"X-RateLimit-UserReset: {int(time.time()) + 100}",
                        "X-Post-Rate-Limit-Limit: 1250", "X-Post-Rate-Limit-Remaining: 0", "X-Post-Rate-Limit-Reset: 60"]
    status, fields, _ = rig.upload()
    assert status == 201 and '"imgur-post";r=0;t=60' in fields["ratelimit"] and '"imgur-user";r=499;t=' in fields["ratelimit"]
    assert '"imgur-post";q=1250;w=3600' in fields["ratelimit-policy"]
    for _ in range(6):
        status, fields, problem = rig.upload()
        assert (status, problem["code"]) == (503, "imgur-limited") and 50 <= int(fields["retry-after"]) <= 60
    assert len(rig.imgur.uploads) == 1
    # Deletions have no such limit.
    assert rig.ask("DELETE", "/images/img0001")[0] == 204


def test_what_was_done_with_images_is_in_the_metrics(rig):
    port = free_port()
    rig.start("--admin-port", port)
    rig.imgur.fields = ["X-RateLimit-UserLimit: 500", "X-RateLimit-UserRemaining: 417", "X-RateLimit-UserReset: 60"]
    assert rig.upload()[0] == 201 and rig.upload(b"no image")[0] == 415 and rig.ask("DELETE", "/images/img0001")[0] == 204
    shown = curl(f"http://127.0.0.1:{port}/metrics").decode()
    for line in ["sluice_image_uploads_total 1", "sluice_image_uploaded_bytes_total 3000", "sluice_image_deletions_total 1", "sluice_image_losses_total 0",
                 'sluice_image_upload_errors_total{code="not-an-image"} 1', 'sluice_imgur_limit_remaining{limit="user"} 417']:
        assert line + "\n" in shown, line
    assert "canaryhash" not in shown


def test_a_wait_that_imgur_asks_for_is_passed_on(rig):
    rig.imgur.upload = lambda call: answer(
        {"error": {"code": 429, "message": "You are uploading too fast. Please wait 59 more minutes."}}, "429 Too Many Requests", False)
    for _ in range(3):
        status, fields, _ = rig.upload()
        assert status == 503 and 3500 < int(fields["retry-after"]) <= 3540
    assert len(rig.imgur.uploads) == 1


def test_a_client_that_leaves_early_uploads_nothing(rig):
    with rig.gateway.connect() as connection:
        connection.sendall(head("POST", "/images", png(1_000_000), {"Content-Type": "image/png"}) + png(200_000))
        rig.imgur.wait_for(lambda: rig.imgur.calls)
    time.sleep(0.2)
    assert not rig.imgur.calls[0].is_whole and rig.listed() == []
    assert rig.upload()[0] == 201


def test_the_record_of_a_whole_upload_is_written_though_its_client_has_gone(rig):
    go = threading.Event()
    good = rig.imgur.good_upload

    def late(call):
        go.wait(PATIENCE)
        return good(call)
    rig.imgur.upload = late
    for accept in ["application/json", "text/event-stream"]:
        count = len(rig.imgur.uploads)
        with rig.gateway.connect() as connection:
            connection.sendall(head("POST", "/images", png(300_000), {"Content-Type": "image/png", "Accept": accept}) + png(300_000))
            rig.imgur.wait_for(lambda: len(rig.imgur.uploads) > count and rig.imgur.uploads[-1].is_whole)
            # A reset, as of a client that is killed.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        time.sleep(0.1)
        go.set()
        assert eventually(lambda: len(rig.listed()) == count + 1)
        go.clear()


@pytest.mark.parametrize("step", ["head", "piece", "whole", "answered"])
def test_killed_at_any_step_it_knows_all_that_it_answered(rig, step):
    assert rig.upload()[0] == 201
    reached, go = threading.Event(), threading.Event()

    def stop(call):
        reached.set()
        go.wait(PATIENCE)
    if step == "whole":
        rig.imgur.upload = lambda call: stop(call)
    elif step != "answered":
        setattr(rig.imgur, step, stop)
    answers = []

    def client():
        try:
            answers.append(rig.upload(png(500_000)))
        except (OSError, ValueError, IndexError):
            pass
    thread = threading.Thread(target=client)
    thread.start()
    if step == "answered":
        thread.join()
    else:
        assert reached.wait(PATIENCE)
    rig.gateway.kill()
    go.set()
    thread.join()
    rig.start()
    expected = ["img0002", "img0001"] if step == "answered" else ["img0001"]
    assert (len(answers) == 1) == (step == "answered") and rig.listed() == expected
    warns = "ended with an earlier process" in rig.gateway.log
    assert warns == (step != "answered")
    assert rig.ask("DELETE", "/images/img0001")[0] == 204 and rig.imgur.deletions == ["/3/image/canaryhash0001"]


def test_killed_right_after_imgur_answers_an_image_is_known_or_told_of(rig):
    """Between Imgur's answer and the commit nothing can be promised; but then the next start says so."""
    for round in range(4):
        good = rig.imgur.good_upload

        def kill_soon(call, good=good, delay=round * 0.0007):
            threading.Timer(delay, rig.gateway.process.kill).start()
            return good(call)
        rig.imgur.upload = kill_soon
        before = len(rig.listed())
        try:
            rig.upload()
            answered = True
        except (OSError, ValueError, IndexError):
            answered = False
        rig.gateway.process.wait()
        rig.start()
        is_known = len(rig.listed()) == before + 1
        warns = "ended with an earlier process" in rig.gateway.log
        assert is_known != warns and (is_known or not answered)


@pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer keeps its own memory in files, which the limit forbids")
def test_where_records_cannot_be_written_nothing_is_uploaded(rig):
    assert rig.upload()[0] == 201
    rig.gateway.stop()
    # Enough to start, and for an upload or two.
    rig.start(limits=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)))
    outcomes = []
    for _ in range(60):
        outcomes.append(rig.upload())
        if outcomes[-1][0] == 503:
            break
    status, fields, problem = outcomes[-1]
    assert (status, problem["code"]) == (503, "records-unavailable") and "retry-after" in fields
    # None of them is at Imgur without a record: those that were refused late were taken back.
    assert len(rig.imgur.uploads) == len(rig.listed()) + len(rig.imgur.deletions)
    count = len(rig.imgur.uploads)
    assert rig.upload()[0] == 503 and len(rig.imgur.uploads) == count
    assert rig.ask("GET", "/images/img0001")[0] == 200


@pytest.mark.parametrize("is_taken_back", [True, False])
def test_a_record_that_can_not_be_written_after_all_takes_the_image_back(rig, is_taken_back):
    if not is_taken_back:
        rig.imgur.delete = lambda call: None
    go, reached = threading.Event(), threading.Event()
    good = rig.imgur.good_upload

    def late(call):
        reached.set()
        go.wait(PATIENCE)
        return good(call)
    rig.imgur.upload = late
    found = []
    thread = threading.Thread(target=lambda: found.append(rig.upload()))
    thread.start()
    assert reached.wait(PATIENCE)
    # Another process that never ends its transaction.
    other = sqlite3.connect(rig.folder / "images.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    go.set()
    thread.join(PATIENCE + 10)
    assert (found[0][0], found[0][2]["code"]) == (503, "records-unavailable")
    assert found[0][2].get("outcome") == (None if is_taken_back else "unknown")
    assert rig.imgur.deletions == ["/3/image/canaryhash0001"]
    other.execute("ROLLBACK")
    other.close()
    assert rig.listed() == []
    rig.gateway.stop()
    assert ("an image may be at Imgur" in rig.gateway.log) != is_taken_back
    rig.start()
    # Only an image that may be there is told of again.
    assert ("ended with an earlier process" in rig.gateway.log) != is_taken_back


def test_where_records_cannot_be_written_nothing_is_deleted(rig):
    assert rig.upload()[0] == 201
    other = sqlite3.connect(rig.folder / "images.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    status, _, problem = rig.ask("DELETE", "/images/img0001")
    assert (status, problem["code"]) == (503, "records-unavailable") and rig.imgur.deletions == []
    other.execute("ROLLBACK")
    other.close()
    assert rig.upload()[0] == 201 and rig.ask("DELETE", "/images/img0001")[0] == 204


def test_records_that_can_not_be_used_stop_the_start_and_say_what_to_do(tmp_path):
    def start(folder):
        return run("serve", "--port", "0", "--state", folder, env={"IMGUR_CLIENT_ID": "x"})
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "images.db").write_bytes(b"A" * 9000)
    status, _, errors = start(damaged)
    assert status == 1 and "--state" in errors and "is damaged" in errors and "move it away" in errors
    newer = tmp_path / "newer"
    newer.mkdir()
    with sqlite3.connect(newer / "images.db") as database:
        database.execute("PRAGMA user_version = 99")
    status, _, errors = start(newer)
    assert status == 1 and "schema 99" in errors
    status, _, errors = start("/proc/nowhere")
    assert status == 1 and "--state: /proc/nowhere can't be made" in errors


def test_without_a_folder_images_are_503_and_the_rest_serves(tmp_path):
    with Imgur() as imgur, Program("serve", "--port", "0", env=imgur.env) as gateway:
        status, _, problem = ask(gateway, "POST", "/images", png(100), content_type="image/png")
        assert (status, problem["code"]) == (503, "records-unavailable") and "--state" in problem["detail"]
        assert imgur.calls == [] and "name a folder with --state" in gateway.log
    with Imgur() as imgur, Program("serve", "--port", "0", env=imgur.env | {"HOME": str(tmp_path)}) as gateway:
        assert ask(gateway, "POST", "/images", png(100), content_type="image/png")[0] == 201
        kept = tmp_path / ".local/state/sluice/images.db"
        assert oct(kept.stat().st_mode)[-3:] == "600" and oct(kept.parent.stat().st_mode)[-3:] == "700"


def test_two_gateways_share_what_was_uploaded(rig):
    first = rig.gateway
    assert rig.upload()[0] == 201
    rig.start()
    assert rig.listed() == ["img0001"] and rig.upload()[0] == 201
    assert ask(first, "DELETE", "/images/img0002")[0] == 204 and rig.listed() == ["img0001"]


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


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers keep what is freed")
def test_large_uploads_take_little_memory(rig):
    image = png(10_000_000)
    assert rig.upload(image)[0] == 201
    before = rig.gateway.memory
    threads = [threading.Thread(target=rig.upload, args=(image,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    peak = 0
    while any(thread.is_alive() for thread in threads):
        peak = max(peak, rig.gateway.memory)
        time.sleep(0.01)
    assert len(rig.listed()) == 9
    assert peak - before < 6_000_000, f"{(peak - before) / 8:.0f} bytes an upload"


def test_a_slow_imgur_holds_the_client_back(rig):
    go = threading.Event()
    rig.imgur.head = lambda call: go.wait(PATIENCE)
    image, sent = png(9_000_000), 0
    with rig.gateway.connect() as connection:
        connection.sendall(head("POST", "/images", image, {"Content-Type": "image/png"}))
        connection.settimeout(1)
        try:
            while sent < len(image):
                sent += connection.send(image[sent:sent + 65536])
        except TimeoutError:
            pass
        assert sent < len(image), "it is somewhere in memory"
        go.set()
        connection.settimeout(PATIENCE)
        connection.sendall(image[sent:])
        assert read_answer(connection)[0] == 201
    assert rig.imgur.calls[0].parts["image"] == image


def test_the_command_uploads_and_shows_how_far_it_is(rig, tmp_path):
    (tmp_path / "a.png").write_bytes(png(700_000))
    url = ["--url", rig.gateway.url]
    status, out, errors = run("upload", tmp_path / "a.png", "--title", "A & B", *url)
    assert status == 0 and json.loads(out)["title"] == "A & B" and rig.imgur.calls[0].parts["title"] == b"A & B"
    assert errors.startswith("0 of 700000 bytes\n") and errors.endswith("700000 of 700000 bytes\n")
    (tmp_path / "a.txt").write_text("text")
    for arguments, words in [((tmp_path / "a.txt",), "no JPEG, PNG"), ((tmp_path / "none",), "No such file"), ((tmp_path,), "is no file")]:
        status, out, errors = run("upload", *arguments, *url)
        assert status == 1 and out == "" and words in errors
    assert run("upload")[0] == 2 and run("upload", "a", "b")[0] == 2
    status, _, errors = run("upload", tmp_path / "a.png", "--url", "http://127.0.0.1:1")
    assert status == 1 and "nothing answers" in errors
    assert "curl speaks https" in run("upload", tmp_path / "a.png", "--url", "https://x")[2]
    rig.imgur.upload = lambda call: answer({"error": "Malformed auth header"}, "403 Forbidden", False)
    status, out, errors = run("upload", tmp_path / "a.png", *url)
    assert status == 1 and out == "" and "IMGUR_CLIENT_ID" in errors


def test_the_command_draws_a_bar_on_a_terminal(rig, tmp_path):
    (tmp_path / "a.png").write_bytes(png(700_000))
    ours, theirs = os.openpty()
    done = subprocess.run([BINARY, "upload", tmp_path / "a.png", "--url", rig.gateway.url], env=environment(), stderr=theirs,
                          stdout=subprocess.PIPE, timeout=PATIENCE)
    os.close(theirs)
    shown = ""
    try:
        while more := os.read(ours, 1 << 16):
            shown += more.decode()
    except OSError:
        # The other end is closed and everything was read.
        pass
    os.close(ours)
    assert done.returncode == 0 and json.loads(done.stdout)["id"] == "img0001"
    assert "[..............................] 0 %, 0.0 MB of 0.7 MB" in shown and "[##############################] 100 %" in shown


def test_how_long_imgur_wants_us_to_wait_is_passed_on(rig):
    rig.imgur.upload = lambda call: raw(b"<html>", "503 Service Unavailable", ["Retry-After: 7"])
    status, fields, problem = rig.upload()
    assert (status, problem["code"], fields["retry-after"]) == (503, "upstream-unavailable", "7")
    rig.imgur.upload = lambda call: answer({"error": "Too Many Requests"}, "429 Too Many Requests", False, ["Retry-After: 99999999999999999999"])
    status, fields, problem = rig.upload()
    assert (status, problem["code"], fields["retry-after"]) == (503, "imgur-limited", "86400")
    count = len(rig.imgur.uploads)
    status, fields, problem = rig.upload()
    assert (status, problem["code"]) == (503, "imgur-limited") and 86_000 < int(fields["retry-after"]) <= 86_400
    assert len(rig.imgur.uploads) == count


def test_an_id_that_is_known_is_not_taken_for_another_image(rig):
    assert rig.upload(path="/images?title=first")[0] == 201
    rig.imgur.upload = lambda call: answer({"id": "img0001", "deletehash": "canaryhash9", "link": "https://i.imgur.com/img0001.png"})
    status, _, problem = rig.upload()
    assert (status, problem["code"]) == (502, "upstream-error")
    assert [call.path for call in rig.imgur.calls if call.method == "DELETE"] == ["/3/image/canaryhash9"]
    assert rig.ask("GET", "/images/img0001")[2]["title"] == "first"
    assert rig.ask("DELETE", "/images/img0001")[0] == 204
    assert rig.imgur.calls[-1].path == "/3/image/canaryhash0001"


def test_nothing_is_uploaded_once_the_records_were_deleted(rig):
    assert rig.upload()[0] == 201
    for file in rig.folder.glob("images.db*"):
        file.unlink()
    status, _, problem = rig.upload()
    assert (status, problem["code"]) == (503, "records-unavailable") and "deleted" in problem["detail"]
    rig.gateway.wait_for_log("was moved or deleted")
    assert len(rig.imgur.uploads) == 1


def test_the_end_of_a_followed_upload_is_in_the_log_and_no_progress_is_told_twice(rig):
    told = [event for event in events(rig.upload(accept="text/event-stream")[2]) if event[0] == "progress"]
    assert len({event[1]["sent"] for event in told}) == len(told)
    rig.imgur.upload = lambda call: raw(b"<html>", "500 Internal Server Error")
    rig.upload(accept="text/event-stream")
    rig.gateway.wait_for_log("an upload that was followed failed: 502 upstream-error")
