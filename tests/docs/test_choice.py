"""What the player expected of guided search is compared with what it scored."""

from __future__ import annotations

from pathlib import Path

from scripts.docs import choice
from tests.support.served_games import add_game


def test_matches_are_put_together_by_what_was_expected(tmp_path: Path) -> None:
    path, usual = tmp_path / "a.jsonl", "guided: can expect 79 % (39-97) of the points against uct, since so"
    for number in (0, 1):  # from both seats of one opening
        add_game(path, number, 1.0, (usual,))
    add_game(path, 2, 0.0, ("uct: nothing known", "guided: can expect 75 % (39-97) of the points against uct"))
    add_game(path, 4, 1.0, ("guided: can expect 100 % (99-100) of the points against uct",))
    add_game(path, 6, 1.0, ("uct: no other search seems stronger: guided can expect 42 % of the points",))
    add_game(path, 8, 1.0, (usual,), second="guided")
    add_game(path, 10, 1.0, (usual,), manager="base")
    add_game(path, 12, 1.0, ())
    _, _, *lines = choice.served(tmp_path).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [each[:4] for each in cells] == [
        ["75–79 %", "3", "78%", "67%"],
        ["80–100 %", "1", "100%", "100%"],
        ["**all**", "4", "83%", "75%"],
    ]
