import json
import pathlib
import re
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from image_rig import Rig  # noqa: E402
from program import BINARY, ROOT, Program, samples  # noqa: E402
from redis import Redis  # noqa: E402
from scripted import Galaxy  # noqa: E402
from talk import Mirrored, Talk  # noqa: E402


def pytest_make_parametrize_id(config, val, argname):
    """A name without the time of day in it: processes that run tests side by side have to give a test the same name."""
    if isinstance(val, str) and re.search(r"\d\d:\d\d:\d\d", val):
        return re.sub(r"\d", "#", val)


def pytest_sessionstart(session):
    if not BINARY.exists():
        pytest.exit(f"{BINARY} is not there: run `make build` first", 1)


@pytest.fixture(scope="session")
def gateway():
    """A gateway with the samples, shared by every test that leaves it as it was."""
    with samples() as program:
        yield program


@pytest.fixture
def galaxy():
    """A scripted SWAPI, and a gateway for it with the repository's own contract that keeps nothing."""
    with Galaxy() as galaxy:
        with Program("serve", "--port", "0", "--workers", "2", "--log-format", "json", "--cache", "off",
                     env={"SWAPI_URL": galaxy.base}) as program:
            galaxy.gateway = program
            yield galaxy


@pytest.fixture(scope="module")
def mirror():
    """A plain mirror: mirror() is one resource of its origin, to talk about."""
    mirrored = Mirrored()
    with Program("serve", "--mirror", mirrored.upstream.url, "--port", "0", "--workers", "2",
                 "--log-level", "warning") as program:
        yield lambda **more: Talk(program.port, mirrored, **more)
    mirrored.close()


@pytest.fixture(scope="module")
def redis():
    """A Redis for the tests of one file."""
    with Redis() as redis:
        yield redis


@pytest.fixture
def shared_galaxy(redis):
    """A scripted SWAPI, for gateways at a Redis that is empty."""
    redis.command("FLUSHALL")
    with Galaxy() as galaxy:
        yield galaxy


@pytest.fixture
def rig(tmp_path):
    """A scripted Imgur, and a gateway for it with the repository's own contracts."""
    rig = Rig(tmp_path / "state")
    yield rig
    rig.close()


@pytest.fixture
def contract(tmp_path):
    """Writes a contract beside a copy of common.yaml: contract(text) is its path."""
    shutil.copy(ROOT / "openapi/common.yaml", tmp_path)

    def write(text, name="test.yaml"):
        path = tmp_path / name
        path.write_text(text)
        return path
    return write


def log_entries(program):
    """Every line of a JSON log; a line that isn't one fails."""
    return [json.loads(line) for line in program.log.splitlines()]
