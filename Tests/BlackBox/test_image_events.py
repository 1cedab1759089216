"""What a client that follows its upload is told."""
import json
import time

from image_rig import events, head, read_answer
from imgur import png, raw
from program import curl, free_port


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


def test_no_progress_is_told_twice(rig):
    told = [event for event in events(rig.upload(accept="text/event-stream")[2]) if event[0] == "progress"]
    assert len({event[1]["sent"] for event in told}) == len(told)


def test_log_and_metrics_tell_how_a_followed_upload_ended(rig):
    port = free_port()
    rig.start("--admin-port", port)
    assert events(rig.upload(accept="text/event-stream", x_request_id="good")[2])[-1][0] == "done"
    rig.imgur.upload = lambda call: raw(b"<html>", "500 Internal Server Error")
    name, problem = events(rig.upload(accept="text/event-stream", x_request_id="bad")[2])[-1]
    assert (name, problem["code"], problem["outcome"]) == ("error", "upstream-error", "unknown")
    rig.gateway.wait_for_log('"id":"bad"')
    entries = {entry["id"]: entry for entry in map(json.loads, rig.gateway.log.splitlines()) if "status" in entry}
    assert (entries["good"]["status"], entries["good"]["calls"], entries["good"]["level"]) == (200, 1, "info")
    assert not {"code", "problem"} & set(entries["good"])
    bad = entries["bad"]
    assert (bad["status"], bad["calls"], bad["code"], bad["problem"], bad["level"]) == (200, 1, "upstream-error", 502, "warning")
    assert bad["route"] == "/images" and bad["microseconds"] > 0
    shown = curl(f"http://127.0.0.1:{port}/metrics").decode()
    assert 'code="upstream-error"' in shown and 'sluice_image_uploads_total 1' in shown


def test_a_client_that_takes_too_long_is_told_so_in_its_stream(rig):
    rig.start("--body-deadline", "500ms")
    image = png(50_000)
    with rig.gateway.connect() as connection:
        connection.sendall(head("POST", "/images", image, {"Content-Type": "image/png", "Accept": "text/event-stream", "X-Request-Id": "slow"}) + image[:20_000])
        status, _, content = read_answer(connection)
    name, problem = events(content)[-1]
    assert (status, name, problem["status"], problem["code"]) == (200, "error", 408, "request-timeout") and "outcome" not in problem
    rig.gateway.wait_for_log('"id":"slow"')
    entry = next(json.loads(line) for line in rig.gateway.log.splitlines() if '"id":"slow"' in line)
    assert (entry["code"], entry["problem"]) == ("request-timeout", 408)
    assert not any(call.is_whole for call in rig.imgur.calls) and rig.listed() == []
