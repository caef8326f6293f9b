"""Tables and pictures are what the data say, and commands beside figures can be called."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from ludens import games
from ludens.agent.settings.options import PLAYOUT_POLICIES
from ludens.agent.settings.players import read_search
from ludens.native.strategies import STRATEGIES
from scripts.docs import matches, perfect_play, reference, update
from scripts.docs.pages import DATA, parts_in, renewed, renewed_files
from scripts.docs.parts import PARTS
from tests.docs import blocks
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

MODULE = re.compile(r"python -m (scripts(?:\.\w+)+)")
SEARCH = re.compile(rf"(?:boards:|network:)?((?:auto|{'|'.join(STRATEGIES)})(?::\S*)?)")


_FOLDERS = ("agent", "docs", "games", "native", "propnet", "scripts", "tests")
_CODE = (".py", ".hpp", ".cpp", ".inl", ".h", ".md")
_CITED = rf"(?<![\w/.])((?:{'|'.join(_FOLDERS)})/[\w/.-]*\w\.(?:py|hpp|cpp|inl|h|md|lark|jsonl?))\b"


def commands_in(page: str) -> list[str]:
    """Every command of a page, in a block or in a sentence, from its module on, in one line without a comment."""
    texts: list[str] = []
    for number, part in enumerate(page.replace("\\\n", " ").split("```")):
        texts += part.splitlines() if number % 2 else re.findall(r"`([^`]+)`", part)
    called = (re.search(r"python -m (scripts\..*)", re.sub(r"\s#.*", "", " ".join(text.split()))) for text in texts)
    return [found[1].strip() for found in called if found]


COMMANDS = [command for page in blocks.PAGES for command in commands_in(page.read_text("utf-8"))]


@cache
def help_of(*words: str) -> str:
    """What a module says of itself, or of one of its commands."""
    call = [sys.executable, "-m", *words, "--help"]
    return subprocess.run(call, check=True, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE).stdout


def flags_of(command: str) -> set[str]:
    """The flags that a command may have."""
    module, *words = command.split()
    names = re.search(r"\{([\w,]+)\}\s+\.\.\.", help_of(module))
    own = [word for word in words[:1] if names and word in names[1].split(",")]
    return set(re.findall(r"--[a-z][\w-]*", help_of(module, *own)))


def test_commands_are_found_in_blocks_and_sentences() -> None:
    page = """
Called as `taskset -c 0 python -m
scripts.first --seed 1`:

```text
LUDENS_INSTRUCTION_SET=avx2 ../before/bin/python -m scripts.second GAME \\
    --games 2  # also with --games 3
ludens games
```
"""
    assert commands_in(page) == ["scripts.first --seed 1", "scripts.second GAME --games 2"]


def test_tables_and_pictures_are_up_to_date() -> None:
    assert not [str(path) for path in update.outdated()], "run python -m scripts.docs.update"


def test_every_generated_part_stands_in_one_page() -> None:
    names = (name for page in renewed_files() for name in parts_in(page.read_text("utf-8")))
    assert Counter(names) == Counter(list(PARTS))


def test_every_file_of_games_is_a_row_of_one_table() -> None:
    rows = [row.file for table in matches.tables().values() for row in matches.matches(table)]
    rows += [file for files in perfect_play.FILES.values() for file in files]
    assert Counter(rows) == Counter(path.name for path in (DATA / "strength").iterdir())


def test_a_file_of_games_holds_one_match() -> None:
    for table in matches.tables().values():
        for row in matches.matches(table):
            tasks = [json.loads(outcome.key) for outcome in row.outcomes]
            assert len({(task["game"], *task["players"], task["seconds"]) for task in tasks}) == 1, row.file


def test_scripts_that_pages_name_exist() -> None:
    for page in blocks.PAGES:
        for module in MODULE.findall(page.read_text("utf-8")):
            assert find_spec(module), f"{page.name} names {module}"


def test_players_in_commands_can_be_read() -> None:
    """Files of weights are those that a command before wrote: the ones that come with Ludens stand for them.

    Players with networks of checkers are left out, since none comes with Ludens.
    """
    for command in COMMANDS:
        for word in shlex.split(command):
            if (found := SEARCH.fullmatch(word)) and ":network=" not in word:
                read_search(re.sub(r"weights=[\w/.-]+\.td\b", "weights=shipped", found[1]))


@pytest.mark.slow
@pytest.mark.parametrize("module", sorted({command.split()[0] for command in COMMANDS}))
def test_flags_of_commands_on_pages_exist(module: str) -> None:
    if module.endswith("_torch"):
        pytest.importorskip("torch", reason="torch is not installed: ludens[learn]")
    for command in COMMANDS:
        if command.split()[0] == module:
            assert set(re.findall(r" (--[a-z][\w-]*)", command)) <= flags_of(command), command


def test_files_that_code_and_pages_cite_exist() -> None:
    """Paths from the root of the project; words in capitals stand for names."""
    files = [path for name in _FOLDERS for path in (ROOT / name).rglob("*.?*") if path.suffix in _CODE]
    for path in [*ROOT.glob("*.md"), *files]:
        for cited in re.findall(_CITED, path.read_text("utf-8")):
            assert re.search(r"[A-Z]{4}", cited) or (ROOT / cited).exists(), f"{path.relative_to(ROOT)} cites {cited}"


def test_files_that_pages_name_exist() -> None:
    for page in blocks.PAGES:
        for path in re.findall(
            r"`((?:agent|docs|games|native|propnet|scripts|tests)/[\w/.-]+)`", page.read_text("utf-8")
        ):
            assert "SUBJECT" in path or "_build" in path or (ROOT / path).exists(), f"{page.name} names {path}"


def test_links_of_pages_lead_somewhere() -> None:
    for page in (*blocks.PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md"):
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            if "generated/" not in link:
                assert (page.parent / link).exists(), f"{page.name} links to {link}"


def anchors(page: Path) -> set[str]:
    """What leads to the headings of a page: their words in small letters, with hyphens between them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_to_parts_of_pages_lead_to_headings() -> None:
    for page in blocks.PAGES:
        for link, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text("utf-8")):
            place = page.parent / link if link else page
            assert anchor in anchors(place), f"{page.name} links to {link}#{anchor}"


def test_figures_of_the_built_in_games_are_of_all_of_them() -> None:
    views, conformance = ((ROOT / "docs" / f"{page}.md").read_text("utf-8") for page in ("views", "conformance"))
    assert set(re.findall(r"^\| (\w+) \|", views, re.MULTILINE)) >= set(games.names())
    assert re.findall(r"(\d+) built-in games", views + conformance) == [str(len(games.names()))] * 2


def test_an_unknown_part_of_a_page_is_refused() -> None:
    with pytest.raises(KeyError):
        renewed("<!-- generated: nonsense -->\n<!-- end of nonsense -->", PARTS)


def test_the_reference_names_all_strategies_settings_policies_and_commands(tmp_path: Path) -> None:
    reference.write(tmp_path)
    texts = {path.stem: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert all(f"`{name}`" in texts["strategies"] for name in STRATEGIES)
    assert "`playouts_per_leaf`" in texts["settings"] and "`tic_tac_toe`" in texts["games"]
    assert all(f"## ludens {name}" in texts["commands"] for name in ("serve", "match", "endgame"))
    assert all(f"`{name}`" in texts["playout-policies"] for name in PLAYOUT_POLICIES)
