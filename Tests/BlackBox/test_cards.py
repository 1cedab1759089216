"""Cards of comics: pictures that are drawn in processes of their own, and covers that want to do harm."""
import concurrent.futures
import http.client
import json
import os
import re
import shutil
import struct
import threading
import time
import zlib

import pytest

from imgur import Imgur, answer as imgur_answer
from program import IS_SANITIZED, PATIENCE, ROOT, Program, curl, eventually
from scripted import Upstream, answer


def get(program, path, method="GET", **fields):
    connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=PATIENCE + 30)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in fields.items()})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    found = {}
    for name, value in response.getheaders():
        found[name.lower()] = f"{found[name.lower()]}, {value}" if name.lower() in found else value
    return response.status, found, content


def size(content):
    """(type, width, height) of a picture."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return ("image/png", *struct.unpack(">II", content[16:24]))
    assert content.startswith(b"\xff\xd8\xff") and content.endswith(b"\xff\xd9"), content[:100]
    place = 2
    while content[place + 1] not in (0xC0, 0xC2):
        place += 2 + struct.unpack(">H", content[place + 2:place + 4])[0]
    height, width = struct.unpack(">HH", content[place + 5:place + 9])
    return "image/jpeg", width, height


def png(width, height, data=None):
    """A grey PNG; `data` in place of its pixels."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    if data is None:
        data = zlib.compress((b"\0" + b"\x66" * width) * height)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + chunk(b"IDAT", data)
            + chunk(b"IEND", b""))


def children(program):
    """The processes that the gateway has started and that still run."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    if int(file.read().rsplit(")", 1)[1].split()[1]) == program.pid:
                        found.append(int(entry))
            except OSError:
                pass
    return found


@pytest.fixture(scope="module")
def comic(gateway):
    """The id of a comic of the sample that has a cover."""
    _, _, content = get(gateway, "/comics?limit=20&fields=id,thumbnail")
    return re.search(rb'"id":(\d+),"thumbnail":"https', content).group(1).decode()


@pytest.mark.parametrize("accept, type", [("*/*", "image/jpeg"), ("image/png", "image/png"), ("image/png;q=0.5, image/jpeg;q=0.4", "image/png")])
@pytest.mark.parametrize("width, height", [(320, 533), (600, 315), (1600, 840)])
def test_a_card_has_the_width_and_the_type_that_were_asked_for(gateway, comic, width, height, accept, type):
    status, fields, content = get(gateway, f"/comics/{comic}/card?width={width}", Accept=accept)
    assert status == 200
    assert size(content) == (type, width, height)
    assert fields["content-type"] == type and "content-encoding" not in fields
    assert "accept" in [name.strip() for name in fields["vary"].lower().split(",")]
    assert re.match(r"max-age=[1-9]", fields["cache-control"]), fields
    assert fields["x-content-type-options"] == "nosniff"


def test_a_card_is_800_wide_where_nobody_says_anything(gateway, comic):
    assert size(get(gateway, f"/comics/{comic}/card")[2]) == ("image/jpeg", 800, 420)


def test_a_card_that_the_client_has_is_not_sent_again(gateway, comic):
    path = f"/comics/{comic}/card?width=700"
    status, fields, content = get(gateway, path)
    assert status == 200 and fields["etag"].startswith('"')
    status, head, nothing = get(gateway, path, "HEAD")
    assert (status, nothing) == (200, b"")
    assert head["etag"] == fields["etag"] and head["content-length"] == str(len(content))
    status, same, nothing = get(gateway, path, If_None_Match=fields["etag"])
    assert (status, nothing) == (304, b"") and same["etag"] == fields["etag"]
    other = get(gateway, path, Accept="image/png", If_None_Match=fields["etag"])
    assert other[0] == 200 and other[1]["etag"] != fields["etag"]


@pytest.mark.parametrize("query, code", [
    ("width=319", "bad-parameter"), ("width=1601", "bad-parameter"), ("width=", "bad-parameter"), ("width=x", "bad-parameter"),
    ("width=99999999999999999999", "bad-parameter"), ("width=400&width=500", "repeated-parameter"), ("height=400", "unknown-parameter")])
def test_a_wrong_parameter_is_refused(gateway, comic, query, code):
    status, fields, content = get(gateway, f"/comics/{comic}/card?{query}")
    assert status == 400 and fields["content-type"] == "application/problem+json"
    assert f'"code":"{code}"'.encode() in content


def test_a_client_that_takes_no_picture_gets_406(gateway, comic):
    status, fields, content = get(gateway, f"/comics/{comic}/card", Accept="text/html, image/webp")
    assert status == 406 and fields["content-type"] == "application/problem+json"
    assert b"image/jpeg" in content and b"image/png" in content


def test_a_comic_that_is_not_there_has_no_card(gateway):
    status, fields, content = get(gateway, "/comics/99999999/card")
    assert status == 404 and b'"code":"not-found"' in content and b'"upstream":"marvel"' in content
    assert get(gateway, "/comics/x/card")[0] in (400, 404)


class Shop:
    """A Marvel with one comic, whose cover a test decides."""

    def __init__(self):
        # A function of the call, or the bytes of the whole answer.
        self.cover = answer(png(300, 450), type="image/png")
        self.address = "http://i.annihil.us/u/prod/marvel/i/mg/1/11/{id}"
        self.title = "Harbour Watch #{id}"
        self.upstream = Upstream(self.handle)
        self.env = {"MARVEL_URL": self.upstream.url + "/v1/public", "MARVEL_IMAGES_URL": self.upstream.url + "/covers",
                    "MARVEL_PUBLIC_KEY": "canary-public", "MARVEL_PRIVATE_KEY": "canary-private"}

    def handle(self, call):
        if call.path.startswith("/covers"):
            return self.cover(call) if callable(self.cover) else self.cover
        id = int(call.path.rsplit("/", 1)[1])
        comic = {"id": id, "title": self.title.format(id=id), "description": "Words.", "dates": [
            {"type": "onsaleDate", "date": "2024-05-22T00:00:00-0400"}],
            "thumbnail": {"path": self.address.format(id=id), "extension": "png"},
            "characters": {"available": 40, "items": [{"resourceURI": "", "name": f"Name {n}"} for n in range(20)]}}
        return answer({"code": 200, "status": "Ok", "attributionText": "Data provided by Marvel.", "data": {
            "offset": 0, "limit": 1, "total": 1, "count": 1, "results": [comic]}}, fields=["Cache-Control: max-age=600"])


@pytest.fixture(scope="module")
def shop():
    shop = Shop()
    with Program("serve", "--port", "0", "--workers", "2", "--log-format", "json", "--cache", "off", "--card-drawings", "2",
                 "--card-queue", "16", env=shop.env) as program:
        shop.gateway = program
        yield shop
        assert eventually(lambda: not children(program)), "a process that draws is left over"
    shop.upstream.close()


def next_id(count=iter(range(1, 1 << 30))):
    return next(count)


HOSTILE = {
    "nothing": answer(b"", type="image/png"),
    "not there": answer(b"", "404 Not Found"),
    "an error": answer(b"", "500 Internal Server Error"),
    "a redirect to elsewhere": answer(b"", "302 Found", ["Location: http://169.254.169.254/latest"]),
    "a page": answer(b"<html><body>No.</body></html>", type="text/html"),
    "a drawing": answer(b"<svg xmlns='http://www.w3.org/2000/svg' width='400' height='400'/>", type="image/svg+xml"),
    "cut": answer(png(300, 450)[:-200], type="image/png"),
    "garbage behind a head": answer(png(300, 450)[:40] + os.urandom(5000), type="image/png"),
    "a head alone": answer(png(300, 450)[:33], type="image/png"),
    "a bomb that says so": answer(png(60000, 60000, zlib.compress(b"\0" * (1 << 20))), type="image/png"),
    "a JPEG of noise": answer(b"\xff\xd8\xff\xc0\x00\x11\x08\x10\x00\x10\x00\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01" + os.urandom(9000),
                              type="image/jpeg"),
    "a GIF of noise": answer(b"GIF89a\x00\x10\x00\x10\xf7\x00\x00" + os.urandom(9000), type="image/gif"),
    "a strip": answer(png(3000, 2), type="image/png"),
    "too large a file": answer(png(300, 450) + b"\0" * (5 << 20), type="image/png"),
    "broken HTTP": b"nonsense\r\n\r\n",
    "a closed connection": lambda call: None,
}


@pytest.mark.parametrize("cover", HOSTILE, ids=[name.replace(" ", "-") for name in HOSTILE])
def test_a_hostile_cover_gives_a_card_without_it_that_is_not_kept(shop, cover):
    shop.cover = HOSTILE[cover]
    status, fields, content = get(shop.gateway, f"/comics/{next_id()}/card?width=600")
    assert status == 200 and size(content) == ("image/jpeg", 600, 315)
    assert fields["cache-control"] == "no-store", fields


def test_more_pixels_than_a_cover_says_it_has_are_not_read(shop):
    shop.cover = answer(png(300, 450, zlib.compress(b"\0" * (48 << 20))), type="image/png")
    status, _, content = get(shop.gateway, f"/comics/{next_id()}/card?width=600")
    assert status == 200 and size(content) == ("image/jpeg", 600, 315)


def test_a_good_cover_is_shown_and_the_card_may_be_kept(shop):
    shop.cover = answer(png(300, 450), type="image/png", fields=["Cache-Control: max-age=90"])
    status, fields, content = get(shop.gateway, f"/comics/{next_id()}/card?width=600")
    assert status == 200 and size(content) == ("image/jpeg", 600, 315)
    assert re.fullmatch(r"max-age=(8\d|90)", fields["cache-control"])
    # The largest that is let in.
    shop.cover = answer(png(4000, 4000), type="image/png")
    _, fields, content = get(shop.gateway, f"/comics/{next_id()}/card?width=600")
    assert fields["cache-control"] != "no-store" and size(content)[1] == 600


def test_a_cover_at_a_host_that_no_contract_names_is_not_fetched(shop):
    shop.cover = answer(png(300, 450), type="image/png")
    address, shop.address = shop.address, shop.upstream.url.replace("127.0.0.1", "localhost") + "/elsewhere/{id}"
    try:
        shop.upstream.reset()
        status, fields, _ = get(shop.gateway, f"/comics/{next_id()}/card")
        assert status == 200 and fields["cache-control"] == "no-store"
        assert not [path for path in shop.upstream.paths() if "elsewhere" in path]
    finally:
        shop.address = address


def test_covers_are_asked_for_without_credentials(shop):
    shop.cover = answer(png(300, 450), type="image/png")
    shop.upstream.reset()
    get(shop.gateway, f"/comics/{next_id()}/card")
    covers = [call for call in shop.upstream.calls if call.path.startswith("/covers")]
    assert [call.target for call in covers] == [covers[0].path] and "canary" not in str(covers[0].lines)


def test_many_clients_are_served_by_few_processes_in_bounded_memory(shop):
    shop.cover = answer(png(600, 900), type="image/png")
    get(shop.gateway, f"/comics/{next_id()}/card")
    before, most, done = shop.gateway.memory, [0], threading.Event()

    def watch():
        while not done.is_set():
            most[0] = max(most[0], len(children(shop.gateway)))
            time.sleep(0.005)
    watcher = threading.Thread(target=watch)
    watcher.start()
    count = 12 if IS_SANITIZED else 40
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        answers = list(pool.map(lambda n: get(shop.gateway, f"/comics/{next_id()}/card?width={400 + n}"), range(count)))
    done.set()
    watcher.join()
    statuses = [status for status, _, _ in answers]
    assert set(statuses) <= {200, 503} and statuses.count(200) >= min(count, 16)
    for (status, fields, content), width in zip(answers, range(400, 400 + count)):
        if status == 200:
            assert size(content)[1] == width
        else:
            assert b'"code":"cards-busy"' in content and fields["retry-after"] == "1"
    assert 1 <= most[0] <= 2, f"{most[0]} processes at once"
    if not IS_SANITIZED:
        assert shop.gateway.memory - before < 48 << 20
    assert get(shop.gateway, f"/comics/{next_id()}/card")[0] == 200


def test_the_same_card_is_drawn_once_for_all_who_want_it(shop):
    id = next_id()
    seen = set()
    done = threading.Event()

    def watch():
        while not done.is_set():
            seen.update(children(shop.gateway))
            time.sleep(0.002)
    watcher = threading.Thread(target=watch)
    watcher.start()
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(lambda _: get(shop.gateway, f"/comics/{id}/card?width=901"), range(40)))
    done.set()
    watcher.join()
    assert {status for status, _, _ in answers} == {200} and len({content for _, _, content in answers}) == 1
    assert len(seen) <= 1, seen


def test_a_card_is_still_finished_when_the_gateway_is_told_to_stop(shop):
    arrived = threading.Event()

    def slow(call):
        arrived.set()
        time.sleep(0.5)
        return answer(png(300, 450), type="image/png")
    shop.cover = slow
    program = Program("serve", "--port", "0", "--workers", "1", "--drain-accept", "0s", env=shop.env)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        card = pool.submit(get, program, "/comics/7/card")
        assert arrived.wait(PATIENCE)
        assert program.stop() == 0
        assert card.result()[0] == 200


# Uploads of cards

def post(program, path, **fields):
    status, found, content = get(program, path, "POST", **fields)
    return status, found, json.loads(content)


def uploaded(program, **fields):
    return json.loads(get(program, "/images?limit=100", **fields)[2])["results"]


def test_a_card_is_uploaded_and_taken_back(gateway, comic):
    title = json.loads(get(gateway, f"/comics/{comic}?fields=title")[2])["title"]
    before = uploaded(gateway)
    status, fields, image = post(gateway, f"/comics/{comic}/card?width=640")
    assert status == 201 and fields["location"] == f"{gateway.url}/images/{image['id']}"
    assert list(image) == ["id", "link", "width", "height", "type", "size", "title", "uploaded"]
    assert (image["width"], image["height"], image["type"], image["title"]) == (640, 336, "image/jpeg", title)
    assert fields["cache-control"] == "no-store" and '"imgur-post"' in fields["ratelimit"]
    assert json.loads(get(gateway, f"/images/{image['id']}")[2]) == image
    assert uploaded(gateway) == [image, *before]
    there = curl(image["link"])
    assert size(there) == ("image/jpeg", 640, 336) and len(there) == image["size"]
    assert there == get(gateway, f"/comics/{comic}/card?width=640")[2]
    assert [get(gateway, f"/images/{image['id']}", "DELETE")[0] for _ in range(2)] == [204, 404]
    assert uploaded(gateway) == before


def test_the_upload_of_a_card_can_be_watched(gateway, comic):
    status, fields, content = get(gateway, f"/comics/{comic}/card?width=320", "POST", Accept="text/event-stream")
    assert status == 200 and fields["content-type"] == "text/event-stream"
    events = re.findall(r"event: (\w+)\ndata: (.*)\n\n", content.decode())
    assert {name for name, _ in events[:-1]} == {"progress"} and events[-1][0] == "done"
    image = json.loads(events[-1][1])
    assert json.loads(events[-2][1]) == {"sent": image["size"], "total": image["size"]} and image["width"] == 320
    assert get(gateway, f"/images/{image['id']}", "DELETE")[0] == 204


class Desk(Shop):
    """A Marvel and an Imgur that do what a test says, and a gateway between them."""

    def __init__(self, folder):
        super().__init__()
        self.imgur, self.folder = Imgur(), folder
        self.env |= self.imgur.env

    def start(self, *arguments, env=None):
        return Program("serve", *arguments, "--port", "0", "--workers", "1", "--cache", "off", "--state", self.folder, env=self.env | (env or {}))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.upstream.close()
        self.imgur.close()


@pytest.fixture
def desk(tmp_path):
    with Desk(tmp_path / "state") as desk, desk.start() as desk.gateway:
        yield desk


def test_imgur_gets_the_picture_and_the_title_on_one_line(desk):
    desk.title = "Harbour\u202e Watch \x01 \n #{id} " + "\U0001f30a" * 300
    status, _, image = post(desk.gateway, "/comics/7/card?width=400")
    assert status == 201 and re.fullmatch("Harbour Watch #7 \U0001f30a{50,}…", image["title"])
    parts = desk.imgur.uploads[0].parts
    assert set(parts) == {"image", "title", "type"} and parts["title"].decode() == image["title"]
    assert size(parts["image"])[:2] == ("image/jpeg", 400)
    assert get(desk.gateway, "/images/img0001", "DELETE", If_Match='"a"')[0] == 501 and desk.imgur.deletions == []
    assert get(desk.gateway, "/images/img0001", "DELETE")[0] == 204 and desk.imgur.deletions == ["/3/image/canaryhash0001"]


def test_what_is_wrong_with_the_request_or_the_comic_uploads_nothing(desk):
    def none(call):
        return answer({"code": 404, "status": "We couldn't find that comic_issue"}, "404 Not Found")
    for path, fields, expected in [("/comics/7/card?width=100", {}, (400, "bad-parameter")), ("/comics/x/card", {}, (400, "bad-parameter")),
                                   ("/comics/7/card", {"If_None_Match": '"a"'}, (501, "condition-not-served"))]:
        status, _, problem = post(desk.gateway, path, **fields)
        assert (status, problem["code"]) == expected
    connection = http.client.HTTPConnection("127.0.0.1", desk.gateway.port, timeout=PATIENCE)
    connection.request("POST", "/comics/7/card", body=png(10, 10), headers={"Content-Type": "image/png"})
    assert connection.getresponse().status == 415
    connection.close()
    assert desk.upstream.calls == []
    desk.upstream.handler = none
    status, _, problem = post(desk.gateway, "/comics/7/card")
    assert (status, problem["code"], problem["upstream"]) == (404, "not-found", "marvel")
    assert desk.imgur.calls == [] and uploaded(desk.gateway) == []


@pytest.mark.parametrize("cover", ["not there", "a page", "cut", "a bomb that says so"])
def test_a_card_whose_cover_is_missing_is_not_uploaded(desk, cover):
    desk.cover = HOSTILE[cover]
    status, _, problem = post(desk.gateway, "/comics/7/card")
    assert (status, problem["code"]) == (502, "card-incomplete")
    assert desk.imgur.calls == [] and uploaded(desk.gateway) == []


def test_the_card_of_a_comic_that_has_no_cover_is_uploaded(desk):
    desk.address = "http://i.annihil.us/u/prod/marvel/i/mg/b/40/image_not_available"
    assert post(desk.gateway, "/comics/7/card")[0] == 201 and not [path for path in desk.upstream.paths() if "covers" in path]


def test_where_imgur_fails_there_is_no_record_and_the_answer_says_why(desk):
    failures = [
        (imgur_answer({"error": "Internal error"}, "500 Internal Server Error", False), 502, "upstream-error", "unknown"),
        (imgur_answer({"error": "Imgur is temporarily over capacity. Please try again later."}, "200 OK", False), 503, "imgur-over-capacity", None),
        (None, 502, None, "unknown"),
    ]
    for reply, status, code, outcome in failures:
        desk.imgur.upload = lambda call, reply=reply: reply
        found, _, problem = post(desk.gateway, "/comics/7/card")
        assert (found, problem.get("outcome")) == (status, outcome) and problem["code"] == (code or problem["code"]), problem
    assert len(desk.imgur.uploads) == len(failures) and uploaded(desk.gateway) == []
    desk.imgur.upload = lambda call: None
    _, _, content = get(desk.gateway, "/comics/7/card", "POST", Accept="text/event-stream")
    assert content.count(b"event: error\n") == 1 and b"event: done" not in content
    with desk.start(env={"IMGUR_URL": "http://127.0.0.1:1/3"}) as gateway:
        status, _, problem = post(gateway, "/comics/7/card")
        assert status in (502, 503) and problem["upstream"] == "imgur" and "outcome" not in problem and uploaded(gateway) == []


def test_an_uploaded_card_belongs_to_the_key_that_came_with_it(desk):
    mine, theirs = ({"X_API_Key": f"the-{name}-clients-key"} for name in ("first", "second"))
    with desk.start(env={"SLUICE_CLIENT_KEYS": ",".join(key["X_API_Key"] for key in (mine, theirs))}) as gateway:
        status, _, problem = post(gateway, "/comics/7/card")
        assert (status, problem["code"]) == (401, "key-required") and desk.imgur.calls == desk.upstream.calls == []
        status, _, image = post(gateway, "/comics/7/card", **mine)
        assert status == 201 and uploaded(gateway, **mine) == [image] and uploaded(gateway, **theirs) == uploaded(gateway) == []
        assert get(gateway, f"/images/{image['id']}", "DELETE", **theirs)[0] == 404
        assert get(gateway, f"/images/{image['id']}", "DELETE", **mine)[0] == 204
        operation = json.loads(get(gateway, "/openapi.json")[2])["paths"]["/comics/{id}/card"]
        assert operation["post"]["security"] and "security" not in operation["get"]
        assert operation["post"]["responses"]["201"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Image"}
    with desk.start("--host", "0.0.0.0") as gateway:
        status, _, problem = post(gateway, "/comics/7/card")
        assert (status, problem["code"]) == (403, "writes-closed")


def test_without_an_imgur_cards_are_shown_and_an_upload_says_what_is_missing(desk, tmp_path):
    folder = tmp_path / "contracts"
    folder.mkdir()
    for name in ["common.yaml", "marvel.yaml"]:
        shutil.copy(ROOT / "openapi" / name, folder)
    with desk.start(folder) as gateway:
        assert get(gateway, "/comics/7/card?width=320")[0] == 200
        desk.upstream.reset()
        status, _, problem = post(gateway, "/comics/7/card")
        assert (status, problem["code"]) == (503, "uploads-unavailable") and "openapi/imgur.yaml" in problem["detail"]
        assert desk.upstream.calls == []
    with desk.start(env={"IMGUR_CLIENT_ID": ""}) as gateway:
        status, _, problem = post(gateway, "/comics/7/card")
        assert (status, problem["variables"]) == (503, ["IMGUR_CLIENT_ID"]) and uploaded(gateway) == []
    # It was known before there was any work.
    assert desk.imgur.calls == desk.upstream.calls == []


def test_a_card_that_can_not_be_uploaded_is_not_drawn(desk):
    desk.imgur.fields = ["X-Post-Rate-Limit-Limit: 1250", "X-Post-Rate-Limit-Remaining: 0", "X-Post-Rate-Limit-Reset: 60"]
    assert post(desk.gateway, "/comics/7/card")[0] == 201
    desk.upstream.reset()
    status, _, problem = post(desk.gateway, "/comics/7/card")
    assert (status, problem["code"]) == (503, "imgur-limited") and desk.upstream.calls == []
    with desk.start() as gateway:
        for file in desk.folder.glob("images.db*"):
            file.unlink()
        status, _, problem = post(gateway, "/comics/7/card")
        assert (status, problem["code"]) == (503, "records-unavailable") and desk.upstream.calls == [] and len(desk.imgur.uploads) == 1
