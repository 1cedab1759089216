"""A Redis that is slow, hangs, breaks off, starts again, refuses or may not be written to: every answer is right, and none is later than its budget."""
import json
import random
import signal
import threading
import time

import pytest

from program import IS_SANITIZED, eventually, free_port
from redis import FakeRedis, PASSWORD, Proxy, Redis
from test_redis import Replica, TARGET

NAMES = {number: f"Planet {number}" for number in (1, 4, 9, 13, 14)}


@pytest.fixture
def galaxy(shared_galaxy):
    return shared_galaxy


@pytest.fixture
def proxy(redis):
    with Proxy(redis) as proxy:
        yield proxy


def timed(replica, target, name=None):
    begin = time.monotonic()
    got = replica.get(target)
    taken = time.monotonic() - begin
    assert got.status == 200 and got["Sluice-Complete"] in ("?1", None)
    if name:
        assert json.loads(got.body)["name"] == name
    return taken


def forget(replica):
    """Has it begin with nothing in memory."""
    before = len(replica.program.log)
    replica.program.signal(signal.SIGHUP)
    replica.program.wait_for_log("read the contracts again", before)


def test_a_slow_redis_costs_no_more_than_the_budget(proxy, galaxy):
    with Replica(galaxy, proxy.url, timeout="50ms") as one:
        proxy.delay = 0.5
        times = [timed(one, f"/planets/{number}", name) for number, name in NAMES.items()]
        if not IS_SANITIZED:
            assert max(times) < 0.25, times
        assert one.value("sluice_redis_requests_total", result="timeout") >= 1
        # 9 parts at once wait side by side, not one after the other.
        if not IS_SANITIZED:
            assert timed(one, TARGET) < 0.35
        # It is used again once it is fast again.
        proxy.delay = 0
        before = one.value("sluice_redis_requests_total", result="miss")

        def is_used():
            one.drop()
            one.get("/planets/1")
            return one.value("sluice_redis_requests_total", result="miss") > before
        assert eventually(is_used)


def test_a_redis_that_hangs_is_left_and_found_again(proxy, galaxy):
    with Replica(galaxy, proxy.url, timeout="50ms") as one:
        proxy.is_hung = True
        times = [timed(one, f"/planets/{number}", name) for number, name in NAMES.items()]
        if not IS_SANITIZED:
            assert sum(times) < 0.6, times
        assert eventually(lambda: one.value("sluice_redis_up") == 0)
        assert one.value("sluice_redis_errors_total", kind="silent") >= 1
        proxy.is_hung = False
        assert eventually(lambda: one.value("sluice_redis_up") == 1)


def test_a_connection_that_breaks_off_anywhere_is_no_answer(redis, proxy, galaxy):
    with Replica(galaxy, redis.url) as other:
        assert timed(other, TARGET) and eventually(lambda: len(redis.keys()) == 9)
    with Replica(galaxy, proxy.url) as one:
        ups, hits = one.value("sluice_redis_connections_total"), one.value("sluice_redis_requests_total", result="hit")
        for cut in [0, 1, 5, 200, 300, 400, 500, 700, 1000, 2000]:
            proxy.cut = cut
            proxy.break_all()
            if cut > 150:
                # Enough for it to come up.
                assert eventually(lambda: one.value("sluice_redis_connections_total") > ups)
            ups = one.value("sluice_redis_connections_total")
            forget(one)
            timed(one, TARGET)
            timed(one, "/planets/1", "Planet 1")
        assert one.value("sluice_redis_requests_total", result="hit") > hits
        proxy.cut = None
        proxy.break_all()
        assert eventually(lambda: one.value("sluice_redis_up") == 1)
        assert one.value("sluice_redis_connections_total") >= 2


def test_restarts_under_load_fail_nobody(galaxy):
    with Redis() as redis, Replica(galaxy, redis.url, timeout="50ms") as one, Replica(galaxy, redis.url, timeout="50ms") as two:
        is_over, wrong, count = threading.Event(), [], [0]

        def load(replica, seed):
            dice = random.Random(seed)
            while not is_over.is_set():
                number = dice.choice(list(NAMES))
                got = replica.get(f"/planets/{number}")
                if got.status != 200 or json.loads(got.body)["name"] != NAMES[number]:
                    wrong.append(got)
                count[0] += 1
                if dice.random() < 0.1:
                    replica.drop()
        threads = [threading.Thread(target=load, args=(replica, seed)) for seed, replica in enumerate((one, two, one, two))]
        for thread in threads:
            thread.start()
        for _ in range(4):
            time.sleep(0.2)
            redis.stop()
            time.sleep(0.1)
            redis.start()
        is_over.set()
        for thread in threads:
            thread.join()
        assert wrong == [] and count[0] > 20
        assert eventually(lambda: one.value("sluice_redis_up") == two.value("sluice_redis_up") == 1)


def test_a_wrong_password_leaves_it_unused_and_is_told(redis, galaxy):
    url = redis.url.replace("ss%2Fword", "wrong-one")
    with Replica(galaxy, url, is_up=False) as one:
        assert eventually(lambda: one.value("sluice_redis_errors_total", kind="WRONGPASS") >= 1)
        assert timed(one, TARGET) and one.value("sluice_redis_up") == 0
        assert "it answers with an error: WRONGPASS" in one.program.log and "wrong-one" not in one.program.log and PASSWORD not in one.program.log
    # None at all.
    with Replica(galaxy, f"redis://127.0.0.1:{redis.port}/1", is_up=False) as one:
        assert eventually(lambda: one.value("sluice_redis_errors_total", kind="NOAUTH") >= 1) and timed(one, TARGET)


def test_why_a_redis_is_not_used_is_told(galaxy):
    def told(url, kind, words):
        with Replica(galaxy, url, is_up=False) as one:
            assert eventually(lambda: one.value("sluice_redis_errors_total", kind=kind) >= 1), one.program.log
            assert words in one.program.log and one.value("sluice_redis_up") == 0
            ready = one.get("/readyz")
            assert (ready.status, json.loads(ready.body)["redis"]) == (200, "failing")
    told(f"redis://127.0.0.1:{free_port()}/1", "unreachable", "is not used: it can't be reached")
    with FakeRedis(lambda words: b"HTTP/1.1 400 Bad Request\r\n\r\n", rude=True) as fake:
        told(fake.url, "broken", "is not used: it answers what is no Redis protocol")
    with FakeRedis(lambda words: None, rude=True) as fake:
        told(fake.url, "closed", "is not used: it closed the connection")
    with FakeRedis(lambda words: b"-LOADING Redis is loading\r\n", rude=True) as fake:
        told(fake.url, "LOADING", "is not used: it answers with an error: LOADING")
    with FakeRedis(lambda words: b"-SECRET/path no word of a Redis\r\n", rude=True) as fake:
        told(fake.url, "other", "is not used: it answers with an error: other")


def test_a_redis_that_may_only_be_read_is_read(redis, galaxy):
    with Replica(galaxy, redis.url) as one:
        assert timed(one, TARGET) and eventually(lambda: len(redis.keys()) == 9)
    redis.command("CONFIG", "SET", "repl-diskless-sync-delay", 0)
    with Redis("--replicaof", f"127.0.0.1 {redis.port}", "--masterauth", PASSWORD) as copy:
        assert eventually(lambda: len(copy.keys()) == 9)
        with Replica(galaxy, copy.url) as one:
            before = len(galaxy.upstream.calls)
            assert timed(one, TARGET) and len(galaxy.upstream.calls) == before
            assert timed(one, "/planets/4", "Planet 4") and timed(one, "/planets/9", "Planet 9")
            assert eventually(lambda: one.value("sluice_redis_errors_total", kind="READONLY") >= 2)


def test_databases_are_apart(redis, galaxy):
    with Replica(galaxy, redis.url) as one, Replica(galaxy, redis.url.replace("/1", "/2")) as two:
        assert timed(one, "/planets/1") and eventually(lambda: redis.keys())
        assert timed(two, "/planets/1") and len(galaxy.upstream.calls) == 2
    with Replica(galaxy, redis.url.replace("/1", "/99"), is_up=False) as one:
        assert eventually(lambda: one.value("sluice_redis_errors_total", kind="ERR") >= 1)


def test_a_user_with_a_name_and_no_rights_to_write(redis, galaxy):
    redis.command("ACL", "SETUSER", "re:ader", "on", ">p@ss%20", "~*", "&*", "+@all", "-set", "-eval")
    with Replica(galaxy, f"redis://re%3Aader:p%40ss%2520@127.0.0.1:{redis.port}/1", is_up=False) as one:
        # It can't make the shared state.
        assert eventually(lambda: one.value("sluice_redis_errors_total", kind="NOPERM") >= 1) and timed(one, TARGET)
        with Replica(galaxy, redis.url):
            pass
        assert eventually(lambda: one.value("sluice_redis_up") == 1)
        assert timed(one, "/planets/1", "Planet 1") and eventually(lambda: one.value("sluice_redis_errors_total", kind="NOPERM") >= 1)
        assert "p@ss" not in one.program.log
