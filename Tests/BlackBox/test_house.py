"""The checks of the house rules find what they are for."""
import shutil
import subprocess
import sys

import pytest

from program import ROOT

CHECK = ROOT / "Tests/check-sources"


def check(tmp_path, target, text):
    folder = tmp_path / "Sources" / target
    folder.mkdir(parents=True)
    (folder / "File.swift").write_text(text)
    done = subprocess.run([sys.executable, CHECK, tmp_path], capture_output=True, text=True)
    return done.returncode, done.stdout


@pytest.mark.parametrize("target, text, found", [
    ("Gateway", "internal import Server\n", "Gateway may not import Server"),
    ("Gateway", "@preconcurrency public import CCurl\n", "Gateway may not import CCurl"),
    ("HTTP", "public import struct Plan.Route\n", "HTTP may not import Plan"),
    ("Server", "internal import FoundationEssentials\n", "Foundation"),
    ("HTTP", "let a = b!\n", "File.swift:1: a forced unwrap"),
    ("HTTP", "let a = b[0]!.c\n", "a forced unwrap"),
    ("HTTP", "var a: Int!\n", "a forced unwrap"),
    ("HTTP", "// Short\nlet a = try! b()\n", "File.swift:2: try!"),
    ("HTTP", "let a = b as! C\n", "as!"),
    ("HTTP", 'fatalError("no")\n', "ends the program"),
    ("HTTP", 'let a = "\\"" + b!\n', "a forced unwrap"),
    ("HTTP", 'let a = #"\\"# + b!\n', "a forced unwrap"),
    ("HTTP", "/* /* */ */ let a = b!\n", "a forced unwrap"),
    ("HTTP", "let a = 1\n" * 401, "401 lines"),
    ("Novelty", "let a = 1\n", "not in the table"),
])
def test_found(tmp_path, target, text, found):
    status, out = check(tmp_path, target, text)
    assert status == 1 and found in out, out


@pytest.mark.parametrize("text", [
    "internal import Glibc\nlet a = !b && c != d\n", '// why not b! or try! c\nlet a = "b! as! c"\n', 'let a = """\n  try! b!\n  """\n',
    "// The table above holds every key.\nlet a = b!\n", "let a = b! // the table holds every key\n", "/* try! */ let a = 1\n",
    "func a() -> Bool { !b }\nlet c = x ? !y : !(z)\n", "let a = b\n    != c\n",
])
def test_not_found(tmp_path, text):
    status, out = check(tmp_path, "HTTP", text)
    assert status == 0, out


def test_foundation_in_a_program_is_found(tmp_path):
    source = tmp_path / "a.c"
    source.write_text('int f __asm__("$s20FoundationEssentials4DataV") = 1;\nint main(void) { return f - 1; }\n')
    program = tmp_path / "a"
    subprocess.run([shutil.which("clang"), source, "-o", program], check=True)
    done = subprocess.run([sys.executable, ROOT / "Tests/check-binary", program], capture_output=True, text=True)
    assert done.returncode == 1 and "has no part of Foundation inside" in done.stdout, done.stdout
