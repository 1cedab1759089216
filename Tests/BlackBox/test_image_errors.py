"""What the gateway says when Imgur says no, for every shape in which it has been seen to say so, with the sample behind it."""
import json
import subprocess

import pytest

from program import ROOT, Program

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + b"\x08\x02\0\0\0" + bytes(100)
pytestmark = pytest.mark.skipif(not (ROOT / "openapi/imgur.yaml").exists(), reason="there is no contract of images")
# What Imgur's answers and our requests to it hold, and nobody may see.
HIDDEN = ("legacy-api", "ImgurException", "Exception_", "Banned country", "sample-client-id", "deletehash", "<html", "/3/image")


def serve(folder):
    return Program("serve", "--sample", "--port", "0", "--workers", "1", "--state", folder, "--cors-origin", "http://localhost:3000")


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    with serve(tmp_path_factory.mktemp("images")) as program:
        yield program


@pytest.fixture
def own(tmp_path):
    """A gateway whose limits may be used up."""
    with serve(tmp_path) as program:
        yield program


class Answer:
    def __init__(self, raw):
        head, content = raw.split(b"\r\n\r\n", 1)
        while head.startswith(b"HTTP/1.1 100"):
            head, content = content.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        self.status = int(lines[0].split()[1])
        self.fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
        self.json = json.loads(content) if content else None
        text = raw.decode()
        for word in HIDDEN:
            assert word not in text, word


def ask(gateway, path, *arguments):
    done = subprocess.run(["curl", "-sS", "-i", "--max-time", "20", *arguments, gateway.url + path], input=PNG, capture_output=True, timeout=30)
    assert done.returncode == 0, done.stderr
    return Answer(done.stdout)


def upload(gateway, title, *arguments):
    return ask(gateway, "/images", "-F", "image=@-;filename=a.png;type=image/png", "-F", f"title={title}", *arguments)


def refused(answer, status, code):
    assert (answer.status, answer.json.get("code")) == (status, code), answer.json
    assert answer.fields["content-type"] == "application/problem+json" and answer.json["status"] == status


ERRORS = [
    ("no-image", 502, "upstream-refused"), ("bad-address", 502, "upstream-refused"),
    # I05, I23: an object where a text is elsewhere.
    ("type-400", 415, "not-an-image"), ("type-415", 415, "not-an-image"),
    # I11
    ("size-400", 413, "content-too-large"), ("size-413", 413, "content-too-large"), ("nested-413", 413, "content-too-large"),
    # I12
    ("country", 502, "imgur-refuses-us"), ("forbidden", 502, "imgur-refuses-us"),
    # I18, I21, I24
    *((name, 502, "upstream-denied") for name in ("plain-http", "anonymous", "malformed", "bad-token", "needs-login", "unauthorized")),
    # I07, I08
    ("capacity-500", 503, "imgur-over-capacity"), ("capacity-page-200", 503, "imgur-over-capacity"), ("capacity-page-503", 503, "imgur-over-capacity"),
    # I09, and answers that make no sense here.
    ("method-405", 502, "upstream-error"), ("missing", 502, "upstream-error"), ("missing-page", 502, "upstream-error"),
    # I25: what can't be deleted isn't kept.
    ("no-hash", 502, "upstream-error"),
]


@pytest.mark.parametrize("name, status, code", ERRORS)
def test_an_upload_that_is_refused(gateway, name, status, code):
    refused(upload(gateway, f"fault:{name}"), status, code)
    assert upload(gateway, "afterwards").status == 201


# I01, I02, I03, I06, I10, I27: whatever says that it is a limit is one, and nothing is asked until it is over.
LIMITS = [
    ("capacity-403", "imgur-over-capacity", 3500, 3600), ("day-429", "imgur-limited", 1, 86400), ("day-200", "imgur-limited", 1, 86400),
    ("many-429", "imgur-limited", 3500, 3600), ("errors-429", "imgur-limited", 3500, 3600), ("fast-429", "imgur-limited", 3540, 3600),
    ("fast-400", "imgur-limited", 3540, 3600), ("page-429", "imgur-limited", 1, 3600),
]


@pytest.mark.parametrize("name, code, least, most", LIMITS)
def test_a_limit_is_kept(own, name, code, least, most):
    answer = upload(own, f"fault:{name}")
    refused(answer, 503, code)
    if code == "imgur-limited":
        assert least <= int(answer.fields["retry-after"]) <= most
    answer = upload(own, "afterwards")
    refused(answer, 503, "imgur-limited")
    assert least - 5 <= int(answer.fields["retry-after"]) <= most


DELETIONS = [
    # I26; what is gone already is gone.
    *((name, 204, None) for name in ("missing", "missing-page", "null-data", "html-type", "vendor-type", "slashes", "no-limits")),
    ("unauthorized", 502, "upstream-denied"), ("capacity-500", 503, "imgur-over-capacity"), ("capacity-page-200", 503, "imgur-over-capacity"),
    ("method-405", 502, "upstream-error"), ("country", 502, "imgur-refuses-us"),
]


@pytest.mark.parametrize("name, status, code", DELETIONS)
def test_a_deletion_that_is_refused(gateway, name, status, code):
    made = upload(gateway, f"later:{name}")
    assert made.status == 201, made.json
    path = f"/images/{made.json['id']}"
    if status == 204:
        assert ask(gateway, path, "-X", "DELETE").status == 204
        assert ask(gateway, path, "-X", "DELETE").status == 404 and ask(gateway, path).status == 404
    else:
        for _ in range(2):
            refused(ask(gateway, path, "-X", "DELETE"), status, code)
        assert ask(gateway, path).status == 200, "the record stays until the image is gone"


@pytest.mark.parametrize("name", ["slashes", "old-link", "link", "html-type", "vendor-type", "no-limits", "reset-time"])
def test_a_good_answer_in_another_form(gateway, name):
    answer = upload(gateway, f"fault:{name}")
    assert answer.status == 201, answer.json
    assert (answer.json["width"], answer.json["height"], answer.json["size"], answer.json["type"]) == (640, 480, len(PNG), "image/png")
    if name.endswith("link"):
        # I22
        assert answer.json["link"] == f"https://i.imgur.com/{answer.json['id']}.png"


def test_what_the_client_says_of_itself_stays_here(gateway):
    # I18, I19: the sample refuses calls with these.
    answer = upload(gateway, "T", "-H", "Authorization: Bearer of-nobody", "-H", "Referer: http://localhost:3000/", "-H", "Origin: http://localhost:3000")
    assert answer.status == 201, answer.json
    # I28
    assert ask(gateway, "/images?_fake_status=200").status == 400
