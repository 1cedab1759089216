"""Records that can't be written any more, when an upload begins or when it is at Imgur already."""
import contextlib
import ctypes
import os
import resource
import signal
import sqlite3
import subprocess
import threading

import pytest

from program import IS_SANITIZED, PATIENCE, eventually

limited = pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer keeps its own memory in files, which the limit forbids")


def limit_files(rig, size):
    """Lets the gateway's files grow to `size` bytes: what a full disk does, without one. None: without limit."""
    resource.prlimit(rig.gateway.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY if size is None else size, resource.RLIM_INFINITY))


@contextlib.contextmanager
def locked(rig):
    """Another process that doesn't end its transaction."""
    other = sqlite3.connect(rig.folder / "images.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.execute("ROLLBACK")
    other.close()


class Late:
    """An upload that is whole at Imgur, which waits with its answer."""

    def __init__(self, rig):
        self.reached, self.go, self.found = threading.Event(), threading.Event(), []
        good = rig.imgur.good_upload

        def late(call):
            self.reached.set()
            self.go.wait(PATIENCE)
            return good(call)
        rig.imgur.upload = late

        def ask():
            with contextlib.suppress(OSError, ValueError, IndexError):
                self.found.append(rig.upload())
        self.thread = threading.Thread(target=ask)
        self.thread.start()
        assert self.reached.wait(PATIENCE)

    def end(self):
        self.go.set()
        self.thread.join(PATIENCE + 10)
        return self.found[0] if self.found else None


def left(rig):
    """The files of uploads under way."""
    return list((rig.folder / "uploads").iterdir())


@limited
@pytest.mark.parametrize("size, remedy", [(0, "room must be made"), (4096, "room must be made"), (12_000, "a limit of the process")])
def test_where_records_cannot_be_written_nothing_is_uploaded(rig, size, remedy):
    assert rig.upload()[0] == 201
    limit_files(rig, size)
    for _ in range(3):
        status, fields, problem = rig.upload()
        assert (status, problem["code"]) == (503, "records-unavailable") and "retry-after" in fields
        assert "--state" in problem["detail"] and remedy in problem["detail"]
    assert len(rig.imgur.uploads) == 1 and rig.listed() == ["img0001"]
    assert rig.ask("GET", "/images/img0001")[0] == 200 and rig.ask("DELETE", "/images/img0001")[0] == 503 and rig.imgur.deletions == []
    # Once there is room again, all goes on.
    limit_files(rig, None)
    assert rig.upload()[0] == 201 and rig.ask("DELETE", "/images/img0001")[0] == 204 and rig.listed() == ["img0002"]
    assert left(rig) == []


@limited
def test_a_disk_that_fills_up_loses_nothing(rig):
    assert rig.upload()[0] == 201
    # Enough for an upload or two.
    limit_files(rig, (rig.folder / "images.db-wal").stat().st_size + 30_000)
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


@limited
@pytest.mark.parametrize("is_killed", [True, False])
def test_a_full_disk_and_an_imgur_that_takes_nothing_back_lose_no_delete_hash(rig, is_killed):
    assert rig.upload()[0] == 201
    rig.imgur.delete = lambda call: None
    upload = Late(rig)
    limit_files(rig, 4096)
    status, fields, problem = upload.end()
    assert (status, problem["code"], problem["outcome"]) == (503, "records-unavailable", "unknown") and "retry-after" not in fields
    assert eventually(lambda: "the record is written" in rig.gateway.log)
    assert "can't be deleted from here" not in rig.gateway.log and len(left(rig)) == 1
    if is_killed:
        rig.gateway.kill()
    else:
        limit_files(rig, None)
        rig.gateway.stop()
    rig.start()
    # Either way it was written before anything else: at the end, or at this start.
    assert rig.listed() == ["img0002", "img0001"] and left(rig) == []
    assert ("1 upload of an earlier process" in rig.gateway.log) == is_killed and "ended with an earlier process" not in rig.gateway.log
    rig.imgur.delete = rig.imgur.good_delete
    assert rig.ask("DELETE", "/images/img0002")[0] == 204 and rig.imgur.deletions[-1] == "/3/image/canaryhash0002"


@pytest.mark.parametrize("is_taken_back", [True, False])
def test_a_record_that_can_not_be_written_after_all_takes_the_image_back(rig, is_taken_back):
    if not is_taken_back:
        rig.imgur.delete = lambda call: None
    upload = Late(rig)
    with locked(rig):
        status, _, problem = upload.end()
        assert (status, problem["code"]) == (503, "records-unavailable")
        assert problem.get("outcome") == (None if is_taken_back else "unknown")
        assert rig.imgur.deletions == ["/3/image/canaryhash0001"]
        # Killed before anything could be written: what was taken back is not told of, and what was not is known.
        rig.gateway.kill()
    rig.start()
    assert rig.listed() == ([] if is_taken_back else ["img0001"]) and left(rig) == []
    assert "ended with an earlier process" not in rig.gateway.log


def test_killed_while_an_image_is_taken_back_its_record_is_there_at_the_next_start(rig):
    reached, go = threading.Event(), threading.Event()

    def stuck(call):
        reached.set()
        go.wait(PATIENCE)
    rig.imgur.delete = stuck
    upload = Late(rig)
    with locked(rig):
        upload.go.set()
        assert reached.wait(PATIENCE)
        rig.gateway.process.send_signal(signal.SIGKILL)
        rig.gateway.process.wait()
    go.set()
    upload.end()
    rig.start()
    assert rig.listed() == ["img0001"] and left(rig) == []
    assert "1 upload of an earlier process" in rig.gateway.log and "ended with an earlier process" not in rig.gateway.log
    rig.imgur.delete = rig.imgur.good_delete
    assert rig.ask("DELETE", "/images/img0001")[0] == 204


def test_where_another_process_holds_the_records_nothing_is_deleted(rig):
    assert rig.upload()[0] == 201
    with locked(rig):
        status, _, problem = rig.ask("DELETE", "/images/img0001")
        assert (status, problem["code"]) == (503, "records-unavailable") and rig.imgur.deletions == []
    assert rig.upload()[0] == 201 and rig.ask("DELETE", "/images/img0001")[0] == 204


def may_mount():
    return subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True).returncode == 0


def with_small_disk(folder):
    """What a new process does to have a file system of 3 MiB at `folder`, seen by itself alone."""
    libc, path = ctypes.CDLL(None, use_errno=True), os.fsencode(folder)

    def mount():
        # CLONE_NEWNS; MS_REC | MS_PRIVATE.
        if libc.unshare(0x20000) or libc.mount(b"none", b"/", None, 0x44000, None) or libc.mount(b"tmpfs", path, b"tmpfs", 0, b"size=3m"):
            os._exit(1)
    return mount


@pytest.mark.skipif(not may_mount(), reason="nothing can be mounted here")
@pytest.mark.parametrize("is_taken_back", [True, False])
def test_on_a_disk_that_is_really_full_nothing_is_lost(rig, is_taken_back):
    rig.start(limits=with_small_disk(rig.folder))
    disk = f"/proc/{rig.gateway.pid}/root{rig.folder}"
    assert rig.upload()[0] == 201

    def fill():
        with open(disk + "/other", "wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(bytes(4096)):
                pass
    fill()
    status, _, problem = rig.upload()
    assert (status, problem["code"]) == (503, "records-unavailable") and "its disk is full" in problem["detail"]
    assert rig.ask("DELETE", "/images/img0001")[0] == 503 and rig.listed() == ["img0001"]
    assert len(rig.imgur.calls) == 1 and os.listdir(disk + "/uploads") == []
    # And one that becomes full while the upload is at Imgur.
    os.unlink(disk + "/other")
    if not is_taken_back:
        rig.imgur.delete = lambda call: None
    upload = Late(rig)
    fill()
    status, _, problem = upload.end()
    assert (status, problem["code"]) == (503, "records-unavailable") and problem.get("outcome") == (None if is_taken_back else "unknown")
    assert rig.imgur.deletions == ["/3/image/canaryhash0002"]
    notes = [open(f"{disk}/uploads/{name}", "rb").read() for name in os.listdir(disk + "/uploads")]
    assert [b"canaryhash0002" in note for note in notes] == ([] if is_taken_back else [True])
    os.unlink(disk + "/other")
    rig.imgur.delete = rig.imgur.good_delete
    assert rig.ask("DELETE", "/images/img0001")[0] == 204
