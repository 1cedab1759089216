"""Several gateways at one Redis: what they share, and that a bad Redis makes no answer wrong or late."""
import json
import re
import signal
import threading
import time

import pytest

from prometheus import Metrics
from program import IS_SANITIZED, Program, eventually, free_port, run
from redis import PASSWORD, FakeRedis, Redis
from scripted import Upstream, answer
from wire import ask


class Replica:
    """A gateway for a galaxy, at a Redis that has all the time that a busy machine may need."""

    def __init__(self, galaxy, url, *arguments, is_up=True, timeout="2s"):
        self.admin = free_port()
        self.program = Program("serve", "--port", "0", "--workers", "2", "--admin-port", self.admin, "--drain-accept", "0s", "--redis-timeout", timeout,
                               *arguments,
                               env={"SWAPI_URL": galaxy.base, "SLUICE_REDIS": url})
        if is_up:
            assert eventually(lambda: self.value("sluice_redis_up") == 1), self.program.log

    def get(self, target):
        return ask(self.program.port, target)

    def value(self, name, **labels):
        return Metrics(ask(self.admin, "/metrics", host="127.0.0.1").body.decode())(name, **labels)

    def drop(self, query=""):
        answer = json.loads(ask(self.admin, "/cache" + query, method="DELETE", host="127.0.0.1").body)
        self.others = answer["others"]
        return answer["dropped"]

    def __enter__(self):
        self.program.__enter__()
        return self

    def __exit__(self, *error):
        self.program.__exit__(*error)


@pytest.fixture
def galaxy(shared_galaxy):
    return shared_galaxy


TARGET = "/films/1?expand=starships"


def test_what_one_has_fetched_the_other_has(redis, galaxy):
    with Replica(galaxy, redis.url) as one, Replica(galaxy, redis.url) as two:
        first = one.get(TARGET)
        assert first.status == 200 and len(galaxy.upstream.calls) == 9
        assert eventually(lambda: len(redis.keys()) == 9)
        second = two.get(TARGET)
        assert len(galaxy.upstream.calls) == 9, "the second asks nobody"
        assert second.body.replace(two.program.url.encode(), one.program.url.encode()) == first.body
        assert re.fullmatch(r"sluice; hit; ttl=\d+; detail=redis", second["Cache-Status"])
        # From now on it is in memory.
        assert re.fullmatch(r"sluice; hit; ttl=\d+", two.get(TARGET)["Cache-Status"])
        assert two.value("sluice_redis_requests_total", result="hit") == 9
        assert one.value("sluice_redis_stores_total") == 9
        # The age goes on, it doesn't begin again.
        assert int(second["Age"]) >= int(first["Age"])
        # Nothing of an address is in a key, nothing secret anywhere.
        everything = b"".join(redis.keys("*"))
        assert b"films" not in everything and b"127.0.0.1" not in everything
        assert all(int(redis.command("PTTL", key)[1:]) > 0 for key in redis.keys())
        for program in (one.program, two.program):
            assert PASSWORD not in program.log and "r3dis" not in program.log


def test_a_drop_reaches_every_replica_and_what_redis_holds(redis, galaxy):
    with Replica(galaxy, redis.url) as one, Replica(galaxy, redis.url) as two:
        def asked(replica, target=TARGET):
            before = len(galaxy.upstream.calls)
            assert replica.get(target).status == 200
            return len(galaxy.upstream.calls) - before
        assert asked(one) == 9 and eventually(lambda: len(redis.keys()) == 9) and asked(two) == 0
        for query, count in [("?url=/films/1", 1), (f"?url={galaxy.link('starships', 2)}", 1), ("?tag=swapi", 9), ("", 9)]:
            heard, stores = two.value("sluice_redis_drops_heard_total"), one.value("sluice_redis_stores_total") + two.value(
                "sluice_redis_stores_total")
            assert one.drop(query) == count and one.others == "told"
            assert eventually(lambda: two.value("sluice_redis_drops_heard_total") > heard)
            assert asked(two) == count, query
            assert eventually(lambda: one.value("sluice_redis_stores_total") + two.value("sluice_redis_stores_total") == stores + count)
            assert asked(one) == 0, "it finds what the other has fetched since"


def test_many_on_two_replicas_make_one_request(redis, galaxy):
    with Replica(galaxy, redis.url) as one, Replica(galaxy, redis.url) as two:
        galaxy.before = lambda call: time.sleep(0.2)
        answers = []

        def get(replica):
            answers.append(replica.get("/planets/1").status)
        threads = [threading.Thread(target=get, args=(replica,)) for replica in (one, two) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers == [200] * 20
        if not IS_SANITIZED:
            assert galaxy.upstream.paths() == ["/api/planets/1/"]
            assert one.value("sluice_redis_collapsed_total") + two.value("sluice_redis_collapsed_total") == 1


def test_a_lock_that_nobody_takes_away_delays_and_nothing_else(redis, galaxy):
    with Replica(galaxy, redis.url) as one:
        assert one.get("/planets/4").status == 200
        assert eventually(lambda: redis.keys())
        lock = redis.keys()[0].replace(b":e:", b":l:") + b":" + variants(redis, redis.keys()[0])[0]
        one.drop()
        redis.command("SET", lock, "somebody.1", "PX", 20_000)
        start = time.monotonic()
        assert one.get("/planets/4").status == 200
        # Nobody is alive behind it: that costs three quarters of the budget, and then it is ours.
        assert 1.4 < time.monotonic() - start < (10 if IS_SANITIZED else 2.2)
        assert one.value("sluice_redis_takeovers_total") == 1 and redis.command("EXISTS", lock) == b":0\r\n"
        one.drop()
        redis.command("RPUSH", lock, "no lock")
        assert one.get("/planets/4").status == 200


def variants(redis, key):
    """The names of what is kept under one key."""
    words = redis.command("HKEYS", key).split(b"\r\n")
    return [word for word in words if len(word) == 32]


@pytest.mark.parametrize("sign", [signal.SIGSTOP, signal.SIGKILL])
def test_a_gateway_that_dies_while_it_fetches_costs_the_other_its_budget(redis, galaxy, sign):
    one = Replica(galaxy, redis.url, timeout="200ms")
    with Replica(galaxy, redis.url, timeout="200ms") as two:
        hold, held = threading.Event(), threading.Event()

        def before(call):
            if not held.is_set():
                held.set()
                hold.wait(30)
        galaxy.before = before
        thread = threading.Thread(target=lambda: quietly(one))
        thread.start()
        assert held.wait(30)
        assert eventually(lambda: len(redis.keys("sluice:1:l:*")) == 1 and len(redis.keys("sluice:1:b:*")) == 1)
        one.program.signal(sign)
        time.sleep(0.1)
        start = time.monotonic()
        assert two.get("/planets/1").status == 200
        if not IS_SANITIZED:
            assert time.monotonic() - start < 0.8
            assert two.value("sluice_redis_takeovers_total") == 1
        assert len(galaxy.upstream.calls) == 2
        hold.set()
        if sign == signal.SIGSTOP:
            one.program.signal(signal.SIGCONT)
        thread.join()
        assert two.get("/planets/1").status == 200 and len(galaxy.upstream.calls) == 2
        if sign == signal.SIGSTOP:
            assert one.get("/planets/1").status == 200 and one.program.stop() == 0


def quietly(replica):
    try:
        replica.get("/planets/1")
    except (OSError, AssertionError, ValueError):
        pass


def test_a_slow_upstream_is_asked_by_one_of_two(redis, galaxy):
    """For far longer than the budget."""
    with Replica(galaxy, redis.url, timeout="400ms") as one, Replica(galaxy, redis.url, timeout="400ms") as two:
        galaxy.before = lambda call: time.sleep(1.5)
        found = []
        threads = [threading.Thread(target=lambda replica=replica: found.append(replica.get("/planets/1"))) for replica in (one, two)]
        for thread in threads:
            thread.start()
            time.sleep(0.05)
        for thread in threads:
            thread.join()
        assert [got.status for got in found] == [200, 200]
        if not IS_SANITIZED:
            assert galaxy.upstream.paths() == ["/api/planets/1/"]
            assert [got["Cache-Status"] for got in found] == ["sluice; fwd=uri-miss; stored", "sluice; fwd=uri-miss; stored; collapsed; detail=redis"]
            assert two.value("sluice_cache_requests_total", layer="upstream", result="collapsed") == 1
            assert two.value("sluice_redis_collapsed_total") == 1 and two.value("sluice_redis_takeovers_total") == 0
        assert eventually(lambda: redis.keys("sluice:1:l:*") == [])


def test_what_one_may_not_keep_is_not_waited_for_one_after_the_other(redis, galaxy, contract):
    def handler(call):
        time.sleep(0.5)
        return answer({"n": 1}, fields=["Cache-Control: no-store"])
    with Upstream(handler) as upstream:
        path = contract(QUOTA.replace(", quota: 5/day", "") % upstream.url)
        replicas = [Replica(galaxy, redis.url, path) for _ in range(4)]
        try:
            start, answers = time.monotonic(), []
            threads = [threading.Thread(target=lambda replica=replica: answers.append(replica.get("/counted/1").status)) for replica in replicas]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert answers == [200] * 4 and len(upstream.calls) == 4
            if not IS_SANITIZED:
                assert time.monotonic() - start < 1.6, "one after the other would be two seconds"
        finally:
            for replica in replicas:
                replica.__exit__(None, None, None)


def test_variants_are_kept_side_by_side_and_bounded(redis):
    def handler(call):
        return answer({"language": call.fields.get("accept-language")}, fields=["Cache-Control: max-age=600", "Vary: Accept-Language, X-Dice"])
    with Upstream(handler) as upstream:
        redis.command("FLUSHALL")
        admin = [free_port(), free_port()]
        programs = [Program("serve", "--mirror", upstream.url, "--port", "0", "--workers", "2", "--admin-port", port, "--drain-accept", "0s",
                            "--redis-timeout", "2s", env={"SLUICE_REDIS": redis.url}) for port in admin]
        try:
            one, two = programs
            for port in admin:
                assert eventually(lambda: Metrics(ask(port, "/metrics", host="127.0.0.1").body.decode())("sluice_redis_up") == 1)

            def language(program, name):
                got = ask(program.port, "/a", *([f"Accept-Language: {name}"] if name else []))
                assert got.status == 200
                return json.loads(got.body)["language"]
            names = ["de", "fr", "en", None]
            assert [language(one, name) for name in names] == names and len(upstream.calls) == 4
            key = lambda: redis.keys()[0]
            assert eventually(lambda: len(variants(redis, key())) == 4)
            assert [language(two, name) for name in names] == names and len(upstream.calls) == 4
            # No more than in memory, however many there are; what came last is there.
            for number in range(40):
                language(one, f"x-{number}")
            assert eventually(lambda: redis.command("HLEN", key()) == b":34\r\n")
            before = len(upstream.calls)
            assert language(two, "x-39") == "x-39" and len(upstream.calls) == before
            assert language(two, "x-0") == "x-0" and len(upstream.calls) == before + 1
            # Whatever stands in place of the names is no answer and no crash.
            for garbage in (b"", b"\xff\xfe", b"a b\nc", b"x" * 9000, b"\n".join(b"n%d" % number for number in range(100))):
                redis.command("HSET", key(), "names", garbage)
                redis.command("HSET", key(), "order", garbage)
                assert language(two, f"y-{len(garbage)}") == f"y-{len(garbage)}"
            assert all(program.is_alive for program in programs)
        finally:
            for program in programs:
                assert program.stop() == 0


@pytest.mark.parametrize("garbage", [b"", b"\0" * 100, b"SL", b"SL\x02" + b"x" * 40, "cut", "flipped", "list"])
def test_garbage_in_redis_is_no_answer(redis, galaxy, garbage):
    with Replica(galaxy, redis.url) as one, Replica(galaxy, redis.url) as two:
        good = one.get("/planets/9")
        assert eventually(lambda: redis.keys())
        key = redis.keys()[0]
        name = variants(redis, key)[0]
        reply = redis.command("HGET", key, name)
        value = reply.split(b"\r\n", 1)[1][:-2]
        if garbage == "list":
            redis.command("DEL", key)
            redis.command("RPUSH", key, "a", "b")
        else:
            cut = {"cut": value[:-5], "flipped": value[:-9] + bytes([value[-9] ^ 4]) + value[-8:]}
            redis.command("HSET", key, name, cut.get(garbage, garbage) if isinstance(garbage, str) else garbage)
        got = two.get("/planets/9")
        assert got.status == 200 and json.loads(got.body)["name"] == json.loads(good.body)["name"]
        assert len(galaxy.upstream.calls) == 2
        bad = two.value("sluice_redis_requests_total", result="rejected") + two.value("sluice_redis_errors_total", kind="WRONGTYPE")
        assert bad == 1


def test_redis_goes_and_comes_back(galaxy):
    with Redis() as redis, Replica(galaxy, redis.url) as one, Replica(galaxy, redis.url) as two:
        assert one.get(TARGET).status == 200
        assert two.get(TARGET).status == 200
        redis.stop()
        assert eventually(lambda: one.value("sluice_redis_up") == 0)
        assert one.get(TARGET).status == 200 and one.get("/planets/1").status == 200
        # Told as soon as Redis is there again.
        assert one.drop("?url=/films/1") == 1 and one.others == "later"
        redis.start()
        assert eventually(lambda: one.value("sluice_redis_up") == two.value("sluice_redis_up") == 1)
        assert eventually(lambda: one.value("sluice_redis_drops_sent_total") == 1)
        # It has lost what was dropped while nobody heard: nothing from before is trusted.
        before = len(galaxy.upstream.calls)
        assert eventually(lambda: two.value("sluice_redis_drops_heard_total") >= 1)
        assert two.get(TARGET).status == 200 and len(galaxy.upstream.calls) > before


@pytest.mark.parametrize("reply", [
    b"-LOADING Redis is loading the dataset in memory\r\n", b"-OOM command not allowed when used memory > 'maxmemory'\r\n",
    b"-READONLY You can't write against a read only replica.\r\n", b"-NOAUTH Authentication required.\r\n", b":1\r\n", b"+OK\r\n",
    b"*2\r\n$1\r\na\r\n:1\r\n", b"$3\r\nabc\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"$-1\r\n$-1\r\n:5\r\n", b"*99999999\r\n", b"$99999999999\r\n",
    b"\0" * 2000, None,
])
def test_a_redis_that_talks_nonsense_changes_no_answer(galaxy, reply):
    with FakeRedis(lambda words: reply) as fake, Replica(galaxy, fake.url, is_up=False) as one:
        assert eventually(lambda: any(words[0] == b"SUBSCRIBE" for words in fake.commands))
        for target in (TARGET, "/people/1", "/planets/1", TARGET):
            got = one.get(target)
            assert got.status == 200 and got["Sluice-Complete"] == "?1"
        assert len(galaxy.upstream.calls) == 11
        assert one.program.is_alive


@pytest.mark.parametrize("reply", [b"-ERR unknown command\r\n", b"+OK\r\n", b"garbage\r\n", b":1\r\n", b"*1000000000\r\n", ..., None])
def test_a_redis_that_never_comes_up_costs_nothing(galaxy, reply):
    with FakeRedis(lambda words: reply, rude=True) as fake, Replica(galaxy, fake.url, is_up=False) as one:
        assert eventually(lambda: fake.commands)
        assert one.get(TARGET).status == 200 and one.get(TARGET).status == 200
        assert len(galaxy.upstream.calls) == 9 and one.value("sluice_redis_up") == 0


def test_a_silent_redis_costs_its_budget_once(galaxy):
    with FakeRedis(lambda words: ...) as fake, Replica(galaxy, fake.url, timeout="50ms") as one:
        start = time.monotonic()
        assert one.get("/planets/1").status == 200
        assert one.value("sluice_redis_requests_total", result="timeout") == 1
        for number in (4, 9, 13, 14):
            assert one.get(f"/planets/{number}").status == 200
        if not IS_SANITIZED:
            assert time.monotonic() - start < 1
        assert one.value("sluice_redis_requests_total", result="timeout") <= 3
        assert len(galaxy.upstream.calls) == 5


def test_a_full_redis_is_used_as_far_as_it_goes(redis, galaxy):
    with Replica(galaxy, redis.url) as one:
        assert one.get(TARGET).status == 200 and eventually(lambda: len(redis.keys()) == 9)
        assert redis.command("CONFIG", "SET", "maxmemory", "1") == b"+OK\r\n"
        try:
            assert one.get("/planets/1").status == 200
            assert eventually(lambda: one.value("sluice_redis_errors_total", kind="OOM") >= 1)
            before = len(galaxy.upstream.calls)
            with Replica(galaxy, redis.url) as two:
                assert two.get(TARGET).status == 200 and len(galaxy.upstream.calls) == before
        finally:
            redis.command("CONFIG", "SET", "maxmemory", "0")


QUOTA = """openapi: 3.1.0
info: {title: Counted, version: "1"}
x-sluice-upstreams: {counted: {url: "%s", quota: 5/day, retries: 0}}
paths:
  /counted/{id}:
    get:
      operationId: getCounted
      x-sluice: {upstream: counted, path: "/counted/{id}"}
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: It., content: {application/json: {schema: {type: object}}}}}
"""


def test_a_quota_is_one_for_all(redis, galaxy, contract):
    with Upstream(lambda call: answer({"n": 1}, fields=["Cache-Control: no-store"])) as upstream:
        path = contract(QUOTA % upstream.url)

        def left(replica):
            return replica.value("sluice_upstream_quota_left", upstream="counted")
        with Replica(galaxy, redis.url, path) as one:
            with Replica(galaxy, redis.url, path) as two:
                for number in range(3):
                    assert one.get(f"/counted/{number}").status == 200
                assert eventually(lambda: left(two) == 2) and left(one) == 2
                assert [two.get(f"/counted/{number}").status for number in range(3, 6)] == [200, 200, 503]
                assert eventually(lambda: left(one) == 0)
                got = one.get("/counted/7")
                assert got.status == 503 and json.loads(got.body)["code"] == "quota-spent" and int(got["Retry-After"]) > 0
        # One that starts again hasn't got it all anew.
        with Replica(galaxy, redis.url, path) as three:
            assert eventually(lambda: left(three) == 0)
        assert len(upstream.calls) == 5


@pytest.mark.parametrize("url, words", [
    ("127.0.0.1:6379", ["redis://"]), ("http://127.0.0.1", ["redis://"]), ("rediss://:pass@127.0.0.1", ["TLS"]),
    ("redis://:pass@127.0.0.1:0", ["port"]), ("redis://:pass@127.0.0.1:99999", ["port"]), ("redis://:pass@127.0.0.1/a", ["database"]),
    ("redis://:pass@", ["redis://"]), ("redis://:p%zz@127.0.0.1", ["percent"]), ("redis://:pass@127.0.0.1/0?ssl=1", ["redis://"]),
    ("redis+unix:///run/redis.sock", ["file system", "redis://"]), ("unix://:pass@/run/redis.sock?db=1", ["file system", "redis://"]),
])
def test_a_wrong_address_is_told_at_the_start_without_its_password(url, words):
    for arguments, env in ((["--redis", url], {}), ([], {"SLUICE_REDIS": url})):
        status, out, err = run("serve", "--sample", "--port", "0", *arguments, env=env)
        assert status == 1 and out == "" and "--redis" in err and len(err.splitlines()) == 1
        assert ":pass" not in err and "p%zz" not in err
        for word in words:
            assert word in err


def test_a_password_with_a_blank_is_not_shown():
    status, _, err = run("serve", "--sample", "--redis", "redis://:my pass@127.0.0.1")
    assert status == 2 and "my pass" not in err and "--redis" in err
