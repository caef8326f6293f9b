"""What README and the documents tell people to type works."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs import blocks
from tests.support.paths import ROOT

SLOW = {
    *("howto/endgame-tables", "howto/measure-speed", "howto/measure-strength", "howto/puzzles"),
    *("howto/run-a-tournament", "howto/run-matches"),
}


def named(page: Path) -> str:
    return page.relative_to(ROOT).with_suffix("").as_posix().removeprefix("docs/")


CASES = [
    pytest.param(page, id=named(page), marks=[pytest.mark.slow] if named(page) in SLOW else [])
    for page in blocks.PAGES
    if blocks.runs(page)
]


@pytest.mark.parametrize("page", CASES)
def test_the_code_blocks_of_a_page_run(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "page"
    folder.mkdir()
    blocks.run_page(page, folder)


def test_pages_called_slow_exist_and_run_something() -> None:
    assert {named(page) for page in blocks.PAGES if blocks.runs(page)} >= SLOW


def test_a_block_that_is_not_run_says_why() -> None:
    for page in blocks.PAGES:
        for block in blocks.blocks(page):
            if block.language in ("sh", "python") and "Not run" in block.body:
                assert not block.is_run, f"{named(page)}: the reason is missing in\n{block.body}"
            assert block.language != "bash", f"{named(page)}: shell blocks are marked sh"


@pytest.mark.parametrize("command", ["echo one", "true"])
def test_an_expected_output_that_does_not_come_is_noticed(tmp_path: Path, command: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"```sh\n{command}\n```\n\n```text\ntwo\n```\n", encoding="utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(AssertionError, match="'two' does not come"):
        blocks.run_page(page, folder)


@pytest.mark.parametrize(
    "between", ["```sh\n# Not run by the tests: it never ends.\nyes\n```\n", "<!-- file: two.txt -->\n"]
)
def test_what_is_no_output_of_the_command_before_is_not_looked_for(tmp_path: Path, between: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"```sh\necho one\n```\n\n{between}```text\ntwo\n```\n", encoding="utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    blocks.run_page(page, folder)


def test_a_command_that_fails_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\nludens match no_such_game\n```\n", encoding="utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(AssertionError, match="no built-in game"):
        blocks.run_page(page, folder)


def test_a_command_that_should_fail_and_does_not_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- exit status: 1 -->\n```sh\nfalse\n```\n\n<!-- exit status: 1 -->\n```sh\ntrue\n```\n", encoding="utf-8"
    )
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(AssertionError, match="true\n\nended with 0"):
        blocks.run_page(page, folder)


def test_blocks_are_saved_as_files_and_added_to_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- file: game.kif -->\n```lisp\n(role red)\n```\n\n<!-- add to: game.kif -->\n```lisp\n(role blue)\n```\n",
        encoding="utf-8",
    )
    folder = tmp_path / "folder"
    folder.mkdir()
    blocks.run_page(page, folder)
    assert (folder / "game.kif").read_text("utf-8") == "(role red)\n(role blue)\n"
