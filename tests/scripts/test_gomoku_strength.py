"""Matches and problems of gomoku: openings, sides of every kind, and problems that are written and read."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("numba")

from ludens.games.gomoku.competition import random_opening
from ludens.games.gomoku.rules import GomokuRules, native_game
from ludens.games.gomoku.state import GomokuState
from ludens.native.core import ThreatSearch
from ludens.propnet.base.errors import LudensError
from scripts.common.gomocup_brain import Brain
from scripts.common.gomoku_prover import SYMMETRIES
from scripts.common.gomoku_rows import wins_by_threes
from scripts.strength import gomoku_book, gomoku_opening
from scripts.strength import gomoku_problems as problems
from scripts.strength.gomoku_match import GomokuTask, balanced_opening, play
from tests.support.command import LUDENS

BRAIN = shlex.join([*LUDENS, "gomocup", "uct:iterations=64"])


def task(first: str, second: str, seat: int) -> GomokuTask:
    return GomokuTask("gomoku", (first, second), 0.001, opening=1, opening_moves=4, seat=seat)


@pytest.mark.parametrize("first", ["uct", "policy:minimax:depth=1", f"brain:{BRAIN}"])
def test_every_kind_of_player_plays_from_both_seats(first: str) -> None:
    for seat in (0, 1):
        outcome = play(task(first, "policy:random", seat))
        assert outcome.score in (0.0, 0.5, 1.0)
        assert outcome.moves > 8


def test_a_better_player_has_the_score_of_its_wins() -> None:
    assert [play(task("policy:minimax:depth=1", "policy:random", seat)).score for seat in (0, 1)] == [1.0, 1.0]
    assert [play(task("policy:random", "policy:minimax:depth=1", seat)).score for seat in (0, 1)] == [0.0, 0.0]


def test_openings_are_the_same_for_a_seed_and_nobody_wins_them_at_once() -> None:
    threats = ThreatSearch(native_game(GomokuRules(15, 15, 5)))
    for seed in range(5):
        opening = balanced_opening(5, seed)
        assert opening == balanced_opening(5, seed)
        assert len(set(opening)) == 5
        cells = [row * 15 + column for row, column in opening]
        assert threats.run(problems.state_of(cells), most_positions=10_000).verdict == "none"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("/no/such/brain", "No such file"),
        ("true", "has ended"),
        ("bash -c 'read line; echo hello'", "answers START 15 with 'hello'"),
    ],
)
def test_programs_that_do_not_play_are_told(command: str, message: str) -> None:
    with pytest.raises(LudensError, match=message):
        play(task(f"brain:{command}", "policy:random", 0))


def test_a_brain_answers_the_position_that_it_is_told() -> None:
    brain = Brain(BRAIN, 15, 1.0)
    try:
        assert brain.choose([]) == 7 * 15 + 7
        assert brain.choose([0, 30, 1, 31, 2, 32, 3, 100]) == 4
        assert brain.choose([100, 0, 160, 1, 150, 2, 130, 3]) not in (100, 160, 150, 130)
        assert brain.choose([100, 0, 160, 1, 150, 2, 130, 3, 200]) == 4
    finally:
        brain.close()


def test_problems_come_back_as_they_were_written(tmp_path: Path) -> None:
    opening = [row * 15 + column for row, column in random_opening(GomokuState.blank(), 7, seed=3)]
    made = [problems.Problem("VCF", tuple(opening), 17), problems.Problem("VCT", tuple(opening[:4]), 900)]
    problems.write(tmp_path / "problems.csv", made)
    assert problems.read(tmp_path / "problems.csv") == made


def test_how_far_a_proof_came_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    gomoku_opening.prove(0.0)
    assert "0 of 224 first answers of white refuted, 0 of 35 up to symmetry" in capsys.readouterr().out


def test_first_answers_are_not_mapped_on_each_other_by_symmetry() -> None:
    images = set()
    for cell in gomoku_opening.first_answers():
        down, right = (abs(place - 7) for place in divmod(cell, 15))
        images.add((min(down, right), max(down, right)))
    assert len(images) == len(list(gomoku_opening.first_answers())) == 20


def test_games_that_black_should_win_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    gomoku_opening.hold("uct", games=2, seconds=0.001, seed=1, answers=[113, 192])
    said = capsys.readouterr()
    assert "of 2 games" in said.out
    assert all(f"from {answer}:" in said.err for answer in (113, 192))


def game(*openings: int, black_wins: bool) -> list[int]:
    """An opening, and then a row on the edge for either side."""
    rows = {True: list(range(210, 215)), False: list(range(5))}
    moves = list(openings)
    for turn in range(5):
        moves += [rows[True][turn], (rows[False][turn] if not black_wins else 20 + 3 * turn)]
    return moves[:-1] if black_wins else [*moves[:-2], 224, moves[-1]]


def test_a_position_of_the_book_is_worth_what_its_best_move_is() -> None:
    won, lost = game(112, 113, 98, 99, black_wins=True), game(112, 113, 96, 99, black_wins=False)
    assert gomoku_book.is_won(won)
    assert not gomoku_book.is_won(lost)
    lines = gomoku_book.book([won, lost, lost])
    assert lines[0] == [112]  # what lost is not played again
    (second,) = [line for line in lines if len(line) == 3]
    assert any([image[cell] for cell in (112, 113, 98)] == second for image in SYMMETRIES)
    assert gomoku_book.book([lost, lost]) == []


def test_a_move_of_the_book_is_worth_what_answers_to_it_lead_to() -> None:
    won, lost = (game(112, 113, 98, answer, black_wins=answer == 99) for answer in (99, 100))
    mended = game(112, 113, 98, 100, 82, 84, black_wins=True)

    def second_stones(*games: list[int]) -> int:
        return sum(len(line) == 3 for line in gomoku_book.book(list(games)))

    assert second_stones(won) == 1
    assert second_stones(won, lost, lost, lost) == 0
    assert second_stones(won, lost, lost, lost, mended) == 1  # black does otherwise against the answer that it lost to


def test_mirrored_games_are_one_in_the_book() -> None:
    won = game(112, 113, 98, 99, black_wins=True)
    mirrored = [cell // 15 * 15 + 14 - cell % 15 for cell in won]
    assert gomoku_book.book([won, mirrored]) == gomoku_book.book([won])


def test_the_book_is_made_of_the_games_that_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = tmp_path / "opening_lines.hpp"
    kept = gomoku_book.FILE.read_text(encoding="utf-8")
    monkeypatch.setattr(gomoku_book, "FILE", made)
    gomoku_book.write(gomoku_book.read(gomoku_book.GAMES))
    assert made.read_text(encoding="utf-8") == kept


def test_what_lost_gives_way_to_what_was_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def order(player: gomoku_book.Player, position: gomoku_book.Position) -> list[int]:
        image = gomoku_book.canonical([112, 113])[1]
        return [image[cell] for cell in (96, 97, 98)]

    monkeypatch.setattr(gomoku_book.Player, "order", order)
    player = gomoku_book.Player(0.001)

    def second_stone(*games: list[int]) -> int | None:
        return player.from_tree(gomoku_book.Tree(list(games)), [112, 113])

    lost = game(112, 113, 96, 99, black_wins=False)
    won = game(112, 113, 96, 100, black_wins=True)
    assert second_stone() == 96
    assert second_stone(won) == 96
    assert player.from_tree(gomoku_book.Tree([won]), [112, 113, 96, 120]) is None  # where no game has come
    assert player.from_tree(gomoku_book.Tree([won]), [112, 113, 96, 100]) == won[4]
    assert player.from_tree(gomoku_book.Tree([lost]), lost[:12]) not in (None, lost[12])
    long = game(112, 113, 96, 99, 60, 63, 66, 69, black_wins=False)
    assert player.from_tree(gomoku_book.Tree([long]), long[:14]) is None  # so late a search chooses once more


def test_second_stones_beside_both_come_first() -> None:
    player = gomoku_book.Player(0.001)
    for answer, diagonals in ((113, {98, 128}), (128, {98, 126})):
        position, image = gomoku_book.canonical([112, answer])
        assert {image.index(cell) for cell in player.order(position)[:2]} == diagonals


def test_games_of_the_book_are_played_to_their_end(tmp_path: Path) -> None:
    out = tmp_path / "games.txt"
    gomoku_book.play(out, 2, 0.001, [0.002, 0.004], [117])
    games = gomoku_book.read(out)
    assert len(games) == 2
    for each in games:
        assert each[:2] == [112, 117]
        assert gomoku_opening.has_won(each) or len(each) == 225
        assert not any(gomoku_opening.has_won(each[:stones]) for stones in range(2, len(each)))


def test_the_problems_that_are_kept_are_wins() -> None:
    kept = problems.read(problems.FILE)
    assert {kind: sum(problem.kind == kind for problem in kept) >= 100 for kind in problems.LIMITS} == {
        problems.FOURS: True,
        problems.THREES: True,
    }
    assert len({problem.moves for problem in kept}) == len(kept)
    for problem in kept[::8]:
        board = problem.board()
        assert (board == 1).sum() - (board == 2).sum() == (problem.side == 2)
        by_fours = wins_by_threes(board, 15, problem.side, 0, np.array([20_000]))
        assert by_fours == (problem.kind == problems.FOURS)


def test_kept_problems_are_solved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = problems.read(problems.FILE)
    few = [next(problem for problem in kept if problem.kind == kind) for kind in problems.LIMITS]
    problems.write(tmp_path / "few.csv", few)
    assert problems.solve(tmp_path / "few.csv") == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in shown] == ["VCF", "VCT"]
    assert all("0 wrong proofs" in line for line in shown)
    assert problems.confirm(tmp_path / "few.csv", 20) == 0
