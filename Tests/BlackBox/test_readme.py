"""Every command in the console blocks of README.md and docs/ does what is shown.

In a block that begins with ```console, a line with `$ ` in front is a command (continued by a backslash at its end), and the lines behind it are what
it prints, where there are any. `…` in them stands for anything; blanks and line ends don't count. `curl` and `sluice` commands are run against a
gateway with the samples whose ports take the place of 8080 and, for the admin port, 9090; of `make` commands the target must exist; of others nothing is run, so each program
that they begin with is named below.
"""
import re
import subprocess

import pytest

from program import BINARY, ROOT, environment, samples

NOT_RUN = {"docker", "podman", "git", "cd", "export", "kill"}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands():
    for page in PAGES:
        if not page.exists():
            continue
        inside, command, shown, place = False, None, [], 0
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            if not inside:
                inside = line.strip() == "```console"
                continue
            if line.strip() == "```" or line.startswith("$ "):
                if command is not None:
                    yield page.relative_to(ROOT), place, command, "\n".join(shown)
                command, shown, place = None, [], number
                inside = line.strip() != "```"
                if inside:
                    command = line[2:]
            elif command is not None and command.endswith("\\") and not shown:
                command = command[:-1] + line.strip()
            elif command is not None:
                shown.append(line)


ALL = list(commands())


def pattern(shown):
    """What was shown as an expression: blanks left out, `…` for anything."""
    parts = ["".join(part.split()) for part in shown.split("…")]
    return re.compile(".*?".join(map(re.escape, parts)) + r"\Z", re.S)


@pytest.fixture(scope="module")
def gateway():
    """One that nobody else has asked: the pages show what isn't kept yet."""
    with samples() as program:
        yield program


@pytest.mark.parametrize("page, line, command, shown", ALL, ids=[f"{page}:{line}" for page, line, *_ in ALL])
def test_command(gateway, page, line, command, shown):
    program = command.split()[0]
    if program == "make":
        target = command.split()[1]
        assert re.search(rf"^{re.escape(target)}:", (ROOT / "Makefile").read_text(), re.M), f"no target {target}"
        return
    if program in NOT_RUN:
        return
    assert program in ("curl", "sluice") or program.endswith("/sluice"), f"test_readme.py doesn't know how to test {program!r}"
    if re.search(r"sluice (serve|sample)\b", command):
        assert subprocess.run(["bash", "-n", "-c", command]).returncode == 0
        for flag in re.findall(r"(--[a-z-]+)", command):
            name = re.search(r"sluice (\w+)", command).group(1)
            assert flag in subprocess.run([BINARY, "help", name], capture_output=True, text=True).stdout, f"no flag {flag}"
        return
    port, admin = str(gateway.port), str(gateway.admin_port)
    command, shown = (text.replace("8080", port).replace("9090", admin) for text in (command, shown))
    done = subprocess.run(["bash", "-c", command.replace(".build/release/sluice", "sluice")], cwd=ROOT,
                          env=environment({"SLUICE_SAMPLE": "1"}), capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    printed = (done.stdout + done.stderr).decode()
    if program == "curl" and not re.search(r"curl: \(\d+\)", printed):
        assert done.returncode in (0, 22), printed
    else:
        assert done.returncode in (0, 1), printed
    if shown.strip():
        found = "".join(done.stdout.decode().split())
        assert pattern(shown).match(found), f"{page}:{line} shows\n{shown}\nand it prints\n{done.stdout.decode()[:4000]}"


def test_the_readme_has_enough_to_try():
    curls = [command for page, _, command, _ in ALL if str(page) == "README.md" and command.startswith("curl")]
    assert len(curls) >= 10
    assert sum(bool(shown.strip()) for page, _, command, shown in ALL if str(page) == "README.md" and command.startswith("curl")) >= 8


def test_every_page_that_is_named_is_there():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} names {target}"


def test_every_file_that_the_readme_names_is_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:Sources|Tests|docs|openapi|Benchmarks)/[\w./*+-]+)`", text):
        assert list(ROOT.glob(path.rstrip("/"))), f"README.md names {path}"
