"""The tables of real matches say what the games do, and nothing of what has not been played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scripts.docs import served_matches
from scripts.strength import test_set
from tests.support.served_games import add_game


def add(path: Path, scores: list[float], **conditions: Any) -> None:
    """Writes one series of games between two seats."""
    for number, score in enumerate(scores):
        said = ("uct: no time yet", "guided: it won" if score else "uct: nothing was better")
        add_game(path, number, score, said, faults=(number % 2, 2), **conditions)


def rows(text: str) -> list[list[str]]:
    """Returns the cells of all tables, without the signs that keep them on one line."""
    plain = text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{WORD JOINER}", "")
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in plain.splitlines() if line[:1] == "|"]


def test_a_row_says_score_choices_and_faults(tmp_path: Path) -> None:
    add(tmp_path / "a.jsonl", [1.0, 1.0, 0.0, 1.0], game="hex")
    add(tmp_path / "a.jsonl", [1.0] * 10)
    add(tmp_path / "b.jsonl", [0.0, 0.5, 0.5, 1.0], second="Other")
    head, _, hexes, breakthrough, mean = rows(served_matches.render(tmp_path))
    assert head == ["game", "`auto` plays by", "against `Other`", "against `uct`", "faults"]
    assert hexes == ["hex", "guided 3, uct 1", "–", "75 [22, 100] 4", "2 / 8"]
    assert breakthrough == ["breakthrough", "guided 13, uct 1", "50 [11, 89] 4", "100 [60, 100] 10", "7 / 28"]
    assert mean == ["**mean**", "", "**50** [4, 96]", "**88** [29, 100]", "9 / 36"]


def test_no_score_is_known_exactly(tmp_path: Path) -> None:
    for game in ("hex", "breakthrough"):
        add(tmp_path / "a.jsonl", [1.0, 1.0], game=game)
    _, _, *games, mean = rows(served_matches.render(tmp_path))
    assert [cells[2] for cells in games] == ["100 [13, 100] 2"] * 2
    assert mean[2] == "**100** [33, 100]"


def test_each_clock_and_instruction_set_has_a_table_with_its_command(tmp_path: Path) -> None:
    add(tmp_path / "a.jsonl", [1.0], start_clock=60.0, seconds=5.0)
    add(tmp_path / "a.jsonl", [1.0], second="Other")
    add(tmp_path / "a.jsonl", [1.0], instruction_set="avx512", threads=2, slow_down=3, scrambled=True)
    text = served_matches.render(tmp_path)
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "## Start clock 30 s, play clock 2 s, avx2",
        "## Start clock 30 s, play clock 2 s, avx512, 2 threads, processors shared 3-fold, names scrambled",
        "## Start clock 60 s, play clock 5 s, avx2",
    ]
    commands = [line for line in text.splitlines() if line.startswith("python")]
    assert "auto 'Other=HOST:PORT' --clocks 30/2 --instruction-set avx2" in commands[0]
    assert "--threads 2 --slow-down 3 --margin 0.3 --scramble --games 1 --seed 1" in commands[1]


def test_other_managers_have_columns_and_commands_of_their_own(tmp_path: Path) -> None:
    add(tmp_path / "a.jsonl", [1.0])
    add(tmp_path / "a.jsonl", [0.0, 0.0], game="hex.kif", second="Other", manager="gm")
    text = served_matches.render(tmp_path)
    assert rows(text)[0][2:4] == ["against `Other` through gm", "against `uct`"]
    assert [row[0] for row in rows(text)[2:]] == ["breakthrough", "hex.kif", "**mean**"]
    ours, theirs = [line for line in text.splitlines() if line.startswith("python")]
    assert "test_set auto uct --clocks" in ours and "--manager" not in ours and "--sheets" not in ours
    assert "auto 'Other=HOST:PORT'" in theirs and "--manager 'gm=COMMAND' --games 2" in theirs
    assert theirs.endswith("--only hex.kif --sheets FOLDER")


def test_commands_play_the_same_games_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    conditions: dict[str, Any] = {"start_clock": 60.0, "instruction_set": "baseline", "threads": 2, "margin": 0.5}
    add(tmp_path / "a.jsonl", [1.0, 0.0], game="tic_tac_toe", scrambled=True, **conditions)
    command = next(line for line in served_matches.render(tmp_path).splitlines() if line.startswith("python"))
    entries = [test_set.Entry(game, "kind", quick=False) for game in ("no_such_game", "tic_tac_toe")]
    monkeypatch.setattr(test_set, "read_test_set", lambda: entries)
    words = command.split()[3:]
    before = (tmp_path / "a.jsonl").read_text()
    assert test_set.main([*words, "--out", str(tmp_path / "a.jsonl")]) == 0
    assert (tmp_path / "a.jsonl").read_text() == before, "the games are there already"


def test_nothing_is_shown_of_what_has_not_been_played(tmp_path: Path) -> None:
    assert not rows(served_matches.render(tmp_path))


def test_the_page_names_every_game_of_the_test_set() -> None:
    named = [name.strip(" *") for _, names in rows(served_matches.games_by_kind())[2:] for name in names.split(",")]
    assert named == [entry.game for entry in test_set.read_test_set()]


def test_the_summary_puts_all_matches_against_a_program_together(tmp_path: Path) -> None:
    add(tmp_path / "a.jsonl", [1.0, 0.0], game="hex", second="Other-0.3s", manager="base", scrambled=True)
    add(tmp_path / "a.jsonl", [1.0] * 4 + [0.0] * 2, second="Other", manager="base", margin=9.0)
    add(tmp_path / "a.jsonl", [0.0], game="sheepAndWolf.kif", second="Other", manager="base")  # which is decided
    add(tmp_path / "a.jsonl", [1.0] * 2, second="Other-0.3s", manager="base", instruction_set="avx512")
    add(tmp_path / "b.jsonl", [0.5, 0.5], second="uct", start_clock=60.0)
    _, _, pooled, first, second, own = rows(served_matches.summary(tmp_path))
    assert pooled[:5] == ["30 / 2", "`Other`, any margin", "3", "11", "64 %"]
    assert pooled[5].startswith("**42** [") and pooled[6].startswith("**62** [")
    assert pooled[7:] == ["breakthrough 75 8", "5 / 22"]
    assert (first[1:5], first[7]) == (["`Other`", "2", "7", "57 %"], "breakthrough 67 6")
    assert (second[1:5], second[7]) == (["`Other-0.3s`", "2", "4", "75 %"], "–")
    assert (own[0], own[1], own[4], own[7]) == ("60 / 2", "`uct`", "50 %", "–")
