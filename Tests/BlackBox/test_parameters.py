"""The page of parameters is the table of parameters."""
import subprocess

from program import BINARY, ROOT


def test_the_page_is_what_the_program_prints():
    printed = subprocess.run([BINARY, "help", "parameters"], capture_output=True, text=True, check=True).stdout
    page = (ROOT / "docs" / "parameters.md").read_text(encoding="utf-8")
    assert page == printed, "run `sluice help parameters > docs/parameters.md`"
