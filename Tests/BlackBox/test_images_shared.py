"""Images of several gateways at one Redis: what one has uploaded all list, show and delete, and nothing is told that isn't so."""
import re
import signal
import sqlite3
import threading
import time

import pytest

from image_rig import ask
from imgur import Imgur, answer, png
from program import IS_SANITIZED, Program, eventually, free_port
from prometheus import Metrics
from redis import FakeRedis, Proxy, Redis
from wire import ask as ask_admin

RECORDS = "sluice:1:images"


class Replica:
    def __init__(self, imgur, folder, url, *arguments, is_up=True, timeout="2s", env=None):
        self.admin, self.folder = free_port(), folder
        self.program = Program("serve", "--port", "0", "--workers", "2", "--state", folder, "--admin-port", self.admin, "--drain-accept", "0s",
                               "--redis-timeout", timeout, *arguments, env=imgur.env | ({"SLUICE_REDIS": url} if url else {}) | (env or {}))
        if is_up:
            assert eventually(lambda: self.value("sluice_redis_up") == 1), self.program.log
            assert eventually(lambda: self.listed() is not None)

    def value(self, name, **labels):
        return Metrics(ask_admin(self.admin, "/metrics", host="127.0.0.1").body.decode())(name, **labels)

    def ask(self, method, path, body=None, **fields):
        return ask(self.program, method, path, body, **fields)

    def upload(self, **fields):
        status, _, shown = self.ask("POST", "/images", png(2000), content_type="image/png", **fields)
        assert status == 201, shown
        return shown["id"]

    def listed(self, query="", **fields):
        """The ids, or None where the list can't be told."""
        status, headers, shown = self.ask("GET", "/images" + query, **fields)
        if status == 503:
            assert shown["code"] == "records-unavailable" and int(headers["retry-after"]) > 0
            return None
        assert status == 200
        return [image["id"] for image in shown["results"]]

    def status(self, id, method="GET", **fields):
        return self.ask(method, f"/images/{id}", **fields)[0]

    def stop(self):
        if self.program.is_alive:
            assert self.program.stop() == 0, self.program.log[-2000:]
        assert "canaryhash" not in self.program.log


@pytest.fixture
def imgur(redis):
    redis.command("FLUSHALL")
    imgur = Imgur()
    yield imgur
    imgur.close()


@pytest.fixture
def start(imgur, tmp_path):
    """Starts replicas by name; each has a folder of its own that stays."""
    started = []

    def start(name, url, *arguments, **options):
        started.append(Replica(imgur, tmp_path / name, url, *arguments, **options))
        return started[-1]
    yield start
    for replica in started:
        replica.stop()


def test_what_one_has_uploaded_all_list_show_and_delete(redis, imgur, start):
    one, two = start("one", redis.url), start("two", redis.url)
    ids = [replica.upload() for replica in (one, two, one, two, one)]
    for replica in (one, two):
        assert replica.listed() == ids[::-1], "the newest first"
        assert replica.listed("?limit=2&offset=1") == [ids[3], ids[2]]
        shown = replica.ask("GET", "/images?limit=2&offset=2")[2]
        assert shown["count"] == 5 and shown["next"].endswith("offset=4") and shown["previous"].endswith("offset=0")
        assert [replica.status(id) for id in ids] == [200] * 5
        assert replica.status("nothing") == 404
    assert one.ask("GET", f"/images/{ids[1]}")[2] == two.ask("GET", f"/images/{ids[1]}")[2]
    assert two.status(ids[0], "DELETE") == 204 and one.status(ids[1], "DELETE") == 204
    for replica in (one, two):
        assert replica.listed() == [ids[4], ids[3], ids[2]]
        assert [replica.status(id) for id in ids[:2]] == [404, 404]
        assert [replica.status(id, "DELETE") for id in ids[:2]] == [404, 404]
    assert len(imgur.deletions) == 2
    # For ever, and found again by a gateway with nothing of its own.
    assert redis.command("PTTL", RECORDS) == b":-1\r\n"
    one.stop()
    assert start("three", redis.url).listed() == [ids[4], ids[3], ids[2]]
    # Told once more, what is deleted stays deleted.
    assert start("one", redis.url).listed() == [ids[4], ids[3], ids[2]]


def test_images_belong_to_keys_on_all(redis, imgur, start):
    before = start("one", redis.url)
    old = before.upload()
    before.stop()
    keys = {"SLUICE_CLIENT_KEYS": "first-key-0123456789,second-key-0123456789"}
    first, second = ({"authorization": f"Bearer {name}-key-0123456789"} for name in ("first", "second"))
    one, two = (start(name, redis.url, env=keys) for name in ("one", "two"))
    a, b, c = one.upload(**first), two.upload(**second), two.upload(**first)
    for replica in (one, two):
        assert replica.listed(**first) == [c, a, old] and replica.listed(**second) == [b, old] and replica.listed() == []
        assert replica.listed("?limit=1&offset=1", **first) == [a] and replica.listed("?offset=3", **first) == []
        assert replica.ask("GET", "/images", **first)[2]["count"] == 3
        assert [replica.status(id, **second) for id in (a, b, c, old)] == [404, 200, 404, 200] and replica.status(a) == 404
    assert one.status(b, "DELETE", **first) == 404 and one.status(c, "DELETE", **first) == 204
    assert two.listed(**first) == [a, old] and len(imgur.deletions) == 1


def test_records_from_before_there_was_a_redis_are_shared(redis, imgur, start):
    alone = start("one", None, is_up=False)
    ids = [alone.upload() for _ in range(3)]
    alone.stop()
    two = start("two", redis.url)
    assert two.listed() == []
    one = start("one", redis.url)
    assert eventually(lambda: two.listed() == ids[::-1]) and one.listed() == ids[::-1]
    # Deleted while there was none again.
    one.stop()
    alone = start("one", None, is_up=False)
    assert alone.status(ids[0], "DELETE") == 204
    alone.stop()
    assert two.listed() == ids[::-1]
    start("one", redis.url)
    assert eventually(lambda: two.listed() == ids[:0:-1]) and two.status(ids[0]) == 404


def test_nothing_is_lost_while_redis_is_away(imgur, start):
    with Redis() as redis:
        one, two = start("one", redis.url), start("two", redis.url)
        first, second = one.upload(), two.upload()
        redis.stop()
        assert eventually(lambda: one.value("sluice_redis_up") == two.value("sluice_redis_up") == 0)
        third = one.upload()
        assert one.value("sluice_image_records_unshared") == 1
        # What is here is shown; whether there is more nobody knows.
        assert [one.status(id) for id in (first, third)] == [200, 200] and one.status(second) == 503
        assert two.status(first) == 503 and two.status(first, "DELETE") == 503 and two.status("nothing") == 503
        assert one.listed() is None and two.listed() is None
        assert one.status(first, "DELETE") == 204 and one.status(first) in (404, 503)
        assert one.program.is_alive and len(imgur.deletions) == 1
        # Killed before the others could be told.
        one.program.signal(signal.SIGKILL)
        one.program.wait()
        # It comes back empty: what it had is in each machine's own records.
        redis.start()
        assert eventually(lambda: two.listed() == [second])
        one = start("one", redis.url)
        assert eventually(lambda: two.listed() == one.listed() and sorted(two.listed()) == sorted([second, third]))
        assert two.status(first) == 404 and eventually(lambda: one.value("sluice_image_records_unshared") == 0)


def test_an_answered_upload_survives_the_death_of_its_gateway(redis, imgur, start):
    one, two = start("one", redis.url), start("two", redis.url)
    id = one.upload()
    one.program.signal(signal.SIGKILL)
    one.program.wait()
    assert two.listed() == [id] and two.status(id, "DELETE") == 204 and two.listed() == []
    # The dead one comes back with a record of what is gone.
    one = start("one", redis.url)
    assert one.listed() == [] and one.status(id) == 404 and eventually(lambda: two.listed() == [])
    assert len(imgur.deletions) == 1


def test_two_deletions_at_once_are_one_at_imgur(redis, imgur, start):
    one, two = start("one", redis.url), start("two", redis.url)
    id = one.upload()
    good = imgur.delete

    def slow(call):
        time.sleep(0.4)
        return good(call)
    imgur.delete = slow
    statuses = []
    threads = [threading.Thread(target=lambda replica=replica: statuses.append(replica.status(id, "DELETE"))) for replica in (one, two, one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [204, 404, 404, 404]
    if not IS_SANITIZED:
        assert len(imgur.deletions) == 1
    # One that fails leaves it to the next.
    id = two.upload()
    imgur.delete = lambda call: answer({"error": "Over capacity"}, "503 Service Unavailable", False) if len(imgur.deletions) == before + 1 else slow(call)
    before = len(imgur.deletions)
    statuses.clear()
    threads = [threading.Thread(target=lambda replica=replica: statuses.append(replica.status(id, "DELETE"))) for replica in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [204, 503] and one.listed() == two.listed() == []


def test_a_deletion_whose_gateway_died_is_done_by_another(redis, imgur, start):
    one, two = start("one", redis.url), start("two", redis.url)
    id = one.upload()
    begun, go = threading.Event(), threading.Event()
    good = imgur.delete

    def hang(call):
        if not begun.is_set():
            begun.set()
            go.wait(20)
            return None
        return good(call)
    imgur.delete = hang
    thread = threading.Thread(target=lambda: ask_quietly(one, id))
    thread.start()
    assert begun.wait(20)
    one.program.signal(signal.SIGKILL)
    one.program.wait()
    start_time = time.monotonic()
    assert two.status(id, "DELETE") == 204 and two.listed() == []
    assert time.monotonic() - start_time < 15
    assert two.value("sluice_redis_takeovers_total") == 1
    go.set()
    thread.join()


def ask_quietly(replica, id):
    try:
        replica.status(id, "DELETE")
    except (OSError, ValueError, IndexError):
        pass


def test_a_flushed_redis_is_filled_again(redis, imgur, start):
    one, two = start("one", redis.url), start("two", redis.url)
    ids = [replica.upload() for replica in (one, two, one)]
    for words in (["FLUSHALL"], ["DEL", RECORDS]):
        redis.command(*words)
        # Until it is noticed nothing wrong is told: what is here, or that it isn't known.
        assert one.listed() in (None, [ids[2], ids[0]]) and one.status(ids[0]) == 200 and two.status(ids[0]) in (200, 503)
        assert eventually(lambda: sorted(one.listed() or []) == sorted(two.listed() or []) == sorted(ids)), words
    # The index alone: it is made again at once.
    redis.command("DEL", RECORDS + ":-")
    assert sorted(one.listed()) == sorted(ids)
    redis.command("SET", RECORDS + ":-", "nonsense")
    assert sorted(two.listed()) == sorted(ids)
    # One record alone: whoever has it brings it back when it is missed.
    redis.command("HDEL", RECORDS, "r" + ids[0])
    assert one.status(ids[0]) == 200 and eventually(lambda: two.status(ids[0]) == 200)


@pytest.mark.parametrize("garbage", [b"", b"\0\xff" * 50, b"1 abc 5 - ", b"1 abc 5 - {}", b'1 abc 5 - {"form":2}', "other", "deep", "cut"])
def test_garbage_in_redis_is_no_record(redis, imgur, start, garbage):
    one, two = start("one", redis.url), start("two", redis.url)
    ids = [one.upload(), one.upload()]
    field = "r" + ids[0]
    value = redis.command("HGET", RECORDS, field).split(b"\r\n", 1)[1][:-2]
    assert re.match(rb"1 [0-9a-f]{32} \d+ - \{", value)
    made = {"other": value.replace(b"img", b"img\0"), "deep": value.split(b"{")[0] + b"[" * 3000, "cut": value[:-4]}
    redis.command("HSET", RECORDS, field, made.get(garbage, garbage) if isinstance(garbage, str) else garbage)
    assert one.status(ids[0]) == 200, "it has its own"
    assert two.status(ids[0]) in (200, 503)
    assert two.listed()[0] == ids[1]
    assert one.program.is_alive and two.program.is_alive
    assert two.value("sluice_image_records_unreadable_total") + one.value("sluice_image_records_unreadable_total") >= 1
    assert two.status(ids[1], "DELETE") == 204


def test_a_redis_with_something_else_in_place_of_the_records_is_no_crash(redis, imgur, start):
    one = start("one", redis.url)
    id = one.upload()
    redis.command("SET", RECORDS, "nonsense")
    assert one.listed() is None and one.status(id) == 200 and one.status("nothing") == 503
    other = one.upload()
    assert one.status(other) == 200 and one.value("sluice_redis_errors_total", kind="WRONGTYPE") > 0
    redis.command("DEL", RECORDS)
    assert eventually(lambda: sorted(one.listed() or []) == sorted([id, other]))


def test_a_full_redis_takes_no_upload_away(redis, imgur, start):
    one = start("one", redis.url)
    first = one.upload()
    assert redis.command("CONFIG", "SET", "maxmemory", "1") == b"+OK\r\n"
    try:
        second = one.upload()
        assert one.status(second) == 200 and one.listed() is None and one.value("sluice_redis_errors_total", kind="OOM") > 0
        assert one.status(first, "DELETE") == 204 and one.status(first) == 404
    finally:
        redis.command("CONFIG", "SET", "maxmemory", "0")
    assert eventually(lambda: one.listed() == [second])


def test_a_slow_redis_delays_no_upload_beyond_its_budget(redis, imgur, start):
    with Proxy(redis) as proxy:
        one, two = start("one", proxy.url, timeout="50ms"), start("two", redis.url)
        other = two.upload()
        for fault in ("delay", "is_hung"):
            setattr(proxy, fault, 1.5 if fault == "delay" else True)
            begin = time.monotonic()
            id = one.upload()
            assert one.status(id) == 200 and one.status(other) == 503 and one.listed() is None
            assert one.status(id, "DELETE") == 204
            if not IS_SANITIZED:
                assert time.monotonic() - begin < 1, "seven times the budget, and what the rest takes"
            id = one.upload()
            proxy.delay, proxy.is_hung = 0, False
            assert eventually(lambda: two.listed() == one.listed() == [id, other])
            assert two.status(id, "DELETE") == 204
        assert len(imgur.uploads) == 5 and len(imgur.deletions) == 4


@pytest.mark.parametrize("reply", [b"-LOADING\r\n", b":1\r\n", b"+done\r\n", b"*1\r\n$5\r\nfound\r\n", b"*2\r\n$5\r\nfound\r\n$2\r\n{}\r\n", b"*0\r\n",
                                   b"*2\r\n:1\r\n:2\r\n", b"$-1\r\n", ..., None])
def test_a_redis_that_talks_nonsense_loses_no_upload(imgur, start, reply):
    with FakeRedis(lambda words: reply) as fake:
        one = start("one", fake.url, is_up=False, timeout="50ms")
        begin = time.monotonic()
        id = one.upload()
        if not IS_SANITIZED:
            assert time.monotonic() - begin < 2
        shown = one.status(id)
        assert shown == 200 and one.program.is_alive
        assert one.ask("GET", "/images")[0] in (200, 503) and one.status(id, "DELETE") in (204, 404)
        with sqlite3.connect(one.folder / "images.db") as database:
            assert database.execute("SELECT count(*) FROM images").fetchone()[0] in (0, 1)
