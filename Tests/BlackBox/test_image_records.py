"""What is kept of uploads, whatever happens to the gateway and its folder."""
import socket
import sqlite3
import threading
import time

import pytest

from image_rig import ask, head
from imgur import Imgur, answer, png
from program import PATIENCE, Program, eventually, run


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
    ready = rig.ask("GET", "/readyz")[2]
    assert (ready["upstreams"]["imgur"], ready["handlers"]) == ("ready", {"images": "failing"})
    # The record that is still open would be gone with the next start, whatever was deleted.
    status, _, problem = rig.ask("DELETE", "/images/img0001")
    assert (status, problem["code"]) == (503, "records-unavailable") and rig.imgur.deletions == []


def test_what_a_killed_process_left_is_told_though_another_lives(rig):
    """Where processes are replaced one by one, the folder is never without one."""
    go = threading.Event()
    killed = rig.gateway
    rig.imgur.upload = lambda call: go.wait(PATIENCE) and None
    with killed.connect() as connection:
        connection.sendall(head("POST", "/images", png(3000), {"Content-Type": "image/png"}) + png(3000))
        rig.imgur.wait_for(lambda: rig.imgur.uploads and rig.imgur.uploads[0].is_whole)
        living = rig.start()
        killed.kill()
        go.set()
    assert "ended with an earlier process" not in living.log
    assert "1 upload ended with an earlier process" in rig.start().log
    assert "ended with an earlier process" not in rig.start().log


def test_nothing_is_uploaded_once_the_log_of_the_records_was_deleted(rig):
    assert rig.upload()[0] == 201
    (rig.folder / "images.db-wal").unlink()
    status, _, problem = rig.upload()
    assert (status, problem["code"]) == (503, "records-unavailable") and "moved or deleted" in problem["detail"]
    assert rig.ask("DELETE", "/images/img0001")[0] == 503 and len(rig.imgur.calls) == 1
