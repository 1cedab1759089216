"""The sample Imgur over the wire: uploads as clients send them, and what is said about too much of it."""
import json
import re
import subprocess

import pytest

from program import Program

CLIENT = "Authorization: Client-ID sample-client-id"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + b"\x08\x02\0\0\0" + bytes(range(256)) * 400


@pytest.fixture(scope="module")
def sample():
    with Program("sample", "--port", "0") as program:
        yield program


def curl(sample, *arguments, path="/3/image", client=CLIENT):
    """Status, fields in small letters, content."""
    done = subprocess.run(["curl", "-sS", "-i", "--max-time", "20", "-H", client, *arguments, sample.url + path], capture_output=True, timeout=30)
    assert done.returncode == 0, done.stderr
    head, content = done.stdout.split(b"\r\n\r\n", 1)
    while head.startswith(b"HTTP/1.1 100"):
        head, content = content.split(b"\r\n\r\n", 1)
    lines = head.decode().split("\r\n")
    return int(lines[0].split()[1]), {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}, content


@pytest.mark.parametrize("extra", [(), ("-H", "Transfer-Encoding: chunked"), ("-H", "Expect: 100-continue"), ("-H", "Expect:"), ("--http1.0",)])
def test_a_picture_goes_there_and_back(sample, tmp_path, extra):
    file = tmp_path / "a.png"
    file.write_bytes(PNG)
    status, fields, content = curl(sample, "-F", f"image=@{file}", "-F", "title=Häuser", *extra)
    assert status == 200, content
    data = json.loads(content)["data"]
    assert (data["title"], data["width"], data["height"], data["size"], data["type"]) == ("Häuser", 640, 480, len(PNG), "image/png")
    assert re.fullmatch("[A-Za-z0-9]{7}", data["id"]) and re.fullmatch("[A-Za-z0-9]{15}", data["deletehash"])
    assert data["link"] == f"{sample.url}/{data['id']}.png"
    assert int(fields["x-ratelimit-clientremaining"]) < 12500 and int(fields["x-post-rate-limit-remaining"]) < 1250
    status, fields, picture = curl(sample, path=f"/{data['id']}.png")
    assert (status, fields["content-type"]) == (200, "image/png") and picture == PNG
    assert json.loads(curl(sample, "-X", "DELETE", path=f"/3/image/{data['deletehash']}")[2]) == {"data": True, "success": True, "status": 200}
    assert curl(sample, path=f"/{data['id']}.png")[0] == 404
    assert curl(sample, "-X", "DELETE", path=f"/3/image/{data['deletehash']}")[0] == 404


@pytest.mark.parametrize("extra", [(), ("-H", "Transfer-Encoding: chunked")])
@pytest.mark.parametrize("size, status", [(11 << 20, 400), (30 << 20, 413)])
def test_too_much_is_refused_in_its_words(sample, tmp_path, size, status, extra):
    file = tmp_path / "large"
    file.write_bytes(PNG + bytes(size))
    got, fields, content = curl(sample, "-F", f"image=@{file}", *extra)
    assert got == status and fields["content-type"] == "application/json"
    assert b"over the size limit" in content and json.loads(content)["success"] is False


def test_who_asks_without_a_client_is_refused_before_the_picture_came(sample, tmp_path):
    file = tmp_path / "large"
    file.write_bytes(bytes(20 << 20))
    status, _, content = curl(sample, "-F", f"image=@{file}", client="Authorization: Client-ID other")
    assert status == 403 and json.loads(content)["data"] == {"error": "Unauthorized", "request": "/3/image", "method": "POST"}


def test_errors_are_had_by_name(sample):
    status, fields, content = curl(sample, "-F", "title=fault:errors-429", "--compressed")
    assert (status, fields["content-type"], fields["content-encoding"]) == (429, "application/vnd.imgur.v1+json", "gzip")
    assert json.loads(content)["errors"][0]["code"] == "429"
