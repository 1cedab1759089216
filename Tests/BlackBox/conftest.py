import json
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from image_rig import Rig  # noqa: E402
from program import BINARY, ROOT, Program, samples  # noqa: E402
from scripted import Galaxy  # noqa: E402


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
