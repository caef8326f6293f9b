"""Code blocks of pages: which there are, and what it takes to run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from scripts.docs.pages import pages
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

PAGES = (ROOT / "README.md", *pages())

_GENERATED = re.compile(r"<!-- generated: .*?<!-- end of [^>]*>", re.DOTALL)
_BLOCK = re.compile(
    r"^(?:<!-- (?P<note>file|add to|exit status): (?P<value>\S+) -->\n)?```(?P<language>\w+)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_NEEDS = re.compile(r"# Run by the tests where (\w+) is installed\.$", re.MULTILINE)
_NOT_RUN = re.compile(r"# Not run by the tests\b.*: ?\S|# Not run by the tests, \S")

# Clocks, numbers of games and the like that are appended to a command of such a pattern: the last of several counts.
_GOOD_PLAY = "--seconds 0.3 --games 2 --playclock 0.01"
_SHORTER = {
    "match *": "--startclock 10 --playclock 60",
    "tournament *": "--startclock 10 --playclock 60 --seed 1",
    "bench *": "--seconds 0.05",
    "analyse * --strength *": _GOOD_PLAY,
    "analyse * --html *": _GOOD_PLAY,
    "analyse *": "--seconds 0.3",
    "-m scripts.strength.match *": "--games 2 --seconds 0.01",
    "-m scripts.strength.puzzles *": "--seconds 2",
    "-m scripts.examples.train_numpy *": "--rounds 2 --measure 4 --measure-last 4 --opponent uct:iterations=10",
    "data *": "--positions 256 --shard 128 --playouts 20",
    "train checkers *": "--epochs 1 --threads 1",
    "-m scripts.bench.table *": "--seconds 0.02 --rounds 1",
}
_MODES = {"file": "w", "add to": "a"}  # of the notes that name a file


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    language: str
    body: str
    note: str | None  # what the comment before it says: "file", "add to" or "exit status"
    value: str | None  # the file, or the status

    @property
    def exit_status(self) -> int:
        """The status with which it must end."""
        return int(self.value) if self.note == "exit status" and self.value else 0

    @property
    def is_command(self) -> bool:
        """Whether it is a command or a program."""
        return self.language in ("sh", "python")

    @property
    def is_run(self) -> bool:
        """Whether it is a command or a program that does not say why it cannot be run, or what it needs is missing."""
        if not self.is_command or _NOT_RUN.match(self.body):
            return False
        needs = _NEEDS.match(self.body)
        return needs is None or find_spec(needs[1]) is not None


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order, but for those in parts that are generated."""
    return [
        Block(found["language"], found["body"], found["note"], found["value"])
        for found in _BLOCK.finditer(_GENERATED.sub("", page.read_text("utf-8")))
    ]


def runs(page: Path) -> bool:
    """Whether something on the page is run."""
    return any(block.is_run for block in blocks(page))


def run_page(page: Path, folder: Path) -> None:
    """Runs all blocks of a page in `folder`, in order; what a `text` block after one shows must come of it."""
    environment = _environment(folder.parent / "commands")
    output: str | None = None  # of the command before, if it was run
    for block in blocks(page):
        if block.note in _MODES and block.value:
            with (folder / block.value).open(_MODES[block.note], encoding="utf-8") as file:
                file.write(block.body)
        if block.is_command:
            output = _run(block, folder, environment) if block.is_run else None
        elif block.language == "text" and block.note is None and output is not None:
            _expect(block.body, output)
            output = None


def _run(block: Block, folder: Path, environment: dict[str, str]) -> str:
    command = ["bash", "-euo", "pipefail", "-c"] if block.language == "sh" else [sys.executable, "-c"]
    done = subprocess.run(
        [*command, block.body],
        check=False,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == block.exit_status, f"{block.body}\nended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def _expect(shown: str, output: str) -> None:
    """Every line that is shown stands in the output, in this order."""
    place = 0
    for line in filter(None, map(str.strip, shown.splitlines())):
        found = re.compile(".*".join(map(re.escape, line.split("…")))).search(output, place)
        assert found, f"{line!r} does not come in\n{output}"
        place = found.end()


def _environment(commands: Path) -> dict[str, str]:
    """Has `ludens` and `python` be those of these tests, in a hurry."""
    commands.mkdir()
    for name, call in (("ludens", "-m ludens.agent.commands.cli"), ("python", "")):
        script = commands / name
        script.write_text("\n".join(_command(call)) + "\n", encoding="utf-8")
        script.chmod(0o755)
    path = os.pathsep.join([str(commands), os.environ["PATH"]])
    return os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


def _command(call: str) -> Iterator[str]:
    yield "#!/bin/sh"
    yield 'case "$* " in'
    for pattern, flags in _SHORTER.items():
        quoted = pattern.replace(" ", "' '")
        yield f'{quoted}) set -- "$@" {flags} ;;'
    yield "esac"
    yield f'exec "{sys.executable}" {call} "$@"'
