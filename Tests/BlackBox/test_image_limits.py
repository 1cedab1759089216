"""What becomes of Imgur's refusals and limits."""
import socket
import time

import pytest

from imgur import answer, raw
from program import curl, eventually, free_port


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


@pytest.mark.parametrize("number", ["-9223372036854775808", "9223372036854775807", "9223372036854775808", "1e999", '"9223372036854775807"', "1" * 4000])
def test_no_number_of_imgurs_does_harm(rig, number):
    """In content and fields, of good answers and of bad ones, more than once: what is counted is summed up too."""
    def good(call):
        rig.imgur.count += 1
        data = f'{{"id":"n{rig.imgur.count}","deletehash":"canaryhash{rig.imgur.count}","link":"https://i.imgur.com/x.png","width":{number},"height":{number},"size":{number}}}'
        return raw(f'{{"data":{data},"success":true,"status":{number}}}'.encode())
    rig.imgur.upload = good
    for _ in range(3):
        status, _, shown = rig.upload()
        assert status == 201 and (shown["width"], shown["height"], shown["size"]) == (None, None, 3000)
    text = number.strip('"')
    for field in ["X-RateLimit-ClientLimit", "X-RateLimit-ClientRemaining", "X-RateLimit-ClientReset", "X-Post-Rate-Limit-Reset", "Retry-After"]:
        fields = ["X-RateLimit-ClientRemaining: 5", "X-Post-Rate-Limit-Remaining: 7", f"{field}: {text}"]
        body = f'{{"data":{{"error":{{"code":{number},"message":"wait {text} minutes"}}}},"success":false,"status":{number}}}'.encode()
        for status in ["200 OK", "400 Bad Request", "503 Service Unavailable"]:
            rig.imgur.upload = lambda call: raw(body, status, fields)
            assert rig.upload()[0] >= 500
    assert rig.ask("GET", "/images")[2]["count"] == 3


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


def test_only_what_was_sent_may_have_been_done(rig):
    """One rule for every change: without a connection nothing was done, after it nobody knows, unless Imgur says no."""
    assert rig.upload()[0] == 201
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}/3"
    for url, code in [(nobody, "upstream-refused"), ("http://nowhere.invalid/3", "upstream-unresolved")]:
        rig.start(env={"IMGUR_URL": url})
        for problem in [rig.upload()[2], rig.ask("DELETE", "/images/img0001")[2]]:
            assert problem["code"] == code and "outcome" not in problem, problem
        assert "may be at Imgur" not in rig.gateway.log
    # A connection that takes the request and ends.
    rig.start()
    rig.imgur.upload = rig.imgur.delete = lambda call: None
    for problem in [rig.upload()[2], rig.ask("DELETE", "/images/img0001")[2]]:
        assert (problem["code"], problem["outcome"]) == ("upstream-closed", "unknown")


def test_readiness_and_metrics_tell_that_uploads_fail(rig):
    port = free_port()
    rig.start("--admin-port", port)

    def readiness():
        ready = rig.ask("GET", "/readyz")[2]
        return ready["upstreams"]["imgur"], ready.get("handlers")
    assert readiness() == ("ready", None)
    rig.imgur.fields = ["X-Post-Rate-Limit-Limit: 1250", "X-Post-Rate-Limit-Remaining: 0", "X-Post-Rate-Limit-Reset: 600"]
    assert rig.upload()[0] == 201 and readiness() == ("failing", {"images": "failing"})
    assert [rig.upload()[0], rig.upload(accept="text/event-stream")[0]] == [503, 503]
    shown = curl(f"http://127.0.0.1:{port}/metrics").decode()
    assert 'sluice_image_upload_errors_total{code="imgur-limited"} 2\n' in shown
    pause = next(line for line in shown.splitlines() if line.startswith('sluice_upstream_pause_seconds{upstream="imgur"}'))
    assert 500 <= float(pause.split()[1]) <= 600
