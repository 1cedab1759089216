"""`sluice upload`."""
import json
import os
import subprocess

from imgur import answer, png
from program import BINARY, PATIENCE, environment, run


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
