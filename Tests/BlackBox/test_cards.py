"""Cards of comics: pictures that are drawn in processes of their own, and covers that want to do harm."""
import concurrent.futures
import http.client
import os
import re
import struct
import threading
import time
import zlib

import pytest

from program import IS_SANITIZED, PATIENCE, Program, eventually
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
        self.upstream = Upstream(self.handle)

    def handle(self, call):
        if call.path.startswith("/covers"):
            return self.cover(call) if callable(self.cover) else self.cover
        id = int(call.path.rsplit("/", 1)[1])
        comic = {"id": id, "title": f"Harbour Watch #{id}", "description": "Words.", "dates": [
            {"type": "onsaleDate", "date": "2024-05-22T00:00:00-0400"}],
            "thumbnail": {"path": self.address.format(id=id), "extension": "png"},
            "characters": {"available": 40, "items": [{"resourceURI": "", "name": f"Name {n}"} for n in range(20)]}}
        return answer({"code": 200, "status": "Ok", "attributionText": "Data provided by Marvel.", "data": {
            "offset": 0, "limit": 1, "total": 1, "count": 1, "results": [comic]}}, fields=["Cache-Control: max-age=600"])


@pytest.fixture(scope="module")
def shop():
    shop = Shop()
    env = {"MARVEL_URL": shop.upstream.url + "/v1/public", "MARVEL_IMAGES_URL": shop.upstream.url + "/covers",
           "MARVEL_PUBLIC_KEY": "canary-public", "MARVEL_PRIVATE_KEY": "canary-private"}
    with Program("serve", "--port", "0", "--workers", "2", "--log-format", "json", "--cache", "off", "--card-drawings", "2",
                 "--card-queue", "16", env=env) as program:
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
    env = {"MARVEL_URL": shop.upstream.url + "/v1/public", "MARVEL_IMAGES_URL": shop.upstream.url + "/covers",
           "MARVEL_PUBLIC_KEY": "a", "MARVEL_PRIVATE_KEY": "b"}
    arrived = threading.Event()

    def slow(call):
        arrived.set()
        time.sleep(0.5)
        return answer(png(300, 450), type="image/png")
    shop.cover = slow
    program = Program("serve", "--port", "0", "--workers", "1", "--drain-accept", "0s", env=env)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        card = pool.submit(get, program, "/comics/7/card")
        assert arrived.wait(PATIENCE)
        assert program.stop() == 0
        assert card.result()[0] == 200
