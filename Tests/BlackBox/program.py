"""Starts the built program as people do, and watches it from outside."""
import contextlib
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINARY = pathlib.Path(os.environ.get("SLUICE_BINARY", ROOT / ".build/release/sluice")).resolve()
# Under a sanitizer everything takes several times as long, and memory says nothing.
IS_SANITIZED = "SLUICE_SANITIZED" in os.environ
PATIENCE = 60 if IS_SANITIZED else 15

# Set by whoever runs a sanitized program; nothing else of our own environment reaches it.
PASSED = ("TSAN_OPTIONS", "ASAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH")


def environment(extra=None):
    base = {name: os.environ[name] for name in PASSED if name in os.environ}
    base["PATH"] = f"{BINARY.parent}:/usr/bin:/bin"
    base["SWIFT_BACKTRACE"] = "enable=no"
    if IS_SANITIZED:
        # A sanitizer maps more than any limit allows, and takes its time.
        base |= {"SLUICE_CARD_MEMORY": "0B", "SLUICE_CARD_DEADLINE": "30s"}
    base.update(extra or {})
    return base


def run(*arguments, env=None, cwd=ROOT, timeout=PATIENCE):
    """One command to its end: (exit status, stdout, stderr)."""
    done = subprocess.run(
        [BINARY, *map(str, arguments)], env=environment(env), cwd=cwd, capture_output=True, timeout=timeout,
        stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def curl(*arguments):
    """curl's standard output as bytes; it must succeed."""
    done = subprocess.run(["curl", "-sS", "--max-time", "30", *arguments], capture_output=True, timeout=40)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


class Program:
    """A running `sluice serve` or `sluice sample`, ready to be asked."""

    def __init__(self, *arguments, env=None, cwd=ROOT, limits=None):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [BINARY, *map(str, arguments)], env=environment(env), cwd=cwd, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.errors, preexec_fn=limits)
        self.line = self._first_line()
        found = re.search(r"http://(\[[0-9a-f:]+\]|[^\s/:]+):(\d+)", self.line)
        if not found:
            self.kill()
            raise AssertionError(f"no address in {self.line!r}; stderr: {self.log!r}")
        self.url = found.group(0)
        self.port = int(found.group(2))
        # Nothing else is expected on stdout, but a full pipe must not stop the program.
        self.rest = []
        threading.Thread(target=lambda: self.rest.extend(self.process.stdout), daemon=True).start()

    def _first_line(self):
        line, end = b"", time.monotonic() + PATIENCE
        while b"\n" not in line and time.monotonic() < end:
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                byte = os.read(self.process.stdout.fileno(), 1)
                if not byte:
                    break
                line += byte
        return line.decode(errors="replace")

    @property
    def pid(self):
        return self.process.pid

    @property
    def log(self):
        """Everything on stderr so far."""
        return os.pread(self.errors.fileno(), 1 << 26, 0).decode(errors="replace")

    def wait_for_log(self, text, after=0):
        end = time.monotonic() + PATIENCE
        while text not in self.log[after:]:
            assert time.monotonic() < end and self.is_alive, f"no {text!r} in {self.log[after:]!r}"
            time.sleep(0.02)

    @property
    def is_alive(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, timeout=PATIENCE):
        return self.process.wait(timeout)

    def stop(self):
        """SIGTERM; the exit status."""
        if self.is_alive:
            self.signal(signal.SIGTERM)
        return self.wait(PATIENCE + 30)

    def kill(self):
        self.process.kill()
        self.process.wait()

    @property
    def memory(self):
        """Resident bytes."""
        with open(f"/proc/{self.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    @property
    def cpu(self):
        """Seconds of processor time so far."""
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def connect(self, timeout=PATIENCE):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def __enter__(self):
        return self

    def __exit__(self, *_):
        early = not self.is_alive
        status = self.stop()
        ending = f"; stderr ends: {self.log[-3000:]}"
        assert not early, f"it ended by itself with {status}" + ending
        assert status == 0, f"exit status {status} after SIGTERM" + ending
        # libevent's own words about descriptors that it doesn't understand any more.
        assert "[warn]" not in self.log and "[err]" not in self.log, ending


def eventually(condition, timeout=PATIENCE):
    """Whether `condition()` comes true within `timeout`."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return bool(condition())


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def samples():
    """A gateway with the samples and an admin port, which must still be there at the end."""
    admin = free_port()
    with Program("serve", "--sample", "--port", "0", "--workers", "2", "--log-format", "json", "--admin-port", admin) as program:
        program.admin_port = admin
        yield program
        assert program.is_alive, "the gateway ended: " + program.log[-3000:]
