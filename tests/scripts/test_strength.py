"""The strength script: fair openings, honest intervals, and nothing that makes no sense."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ludens
from ludens.agent.statistics.intervals import interval_over_openings
from ludens.native.core import Game, Simulator
from ludens.propnet.base.errors import LudensError
from scripts.common import arguments, match_runner
from scripts.common.match_runner import Outcome, Task, in_percent
from scripts.strength import checkers_match, openspiel_player
from scripts.strength.match import is_over, network, opening, play
from scripts.strength.openspiel_player import ServedOpenSpiel

RED_DECIDES = """
(role red) (role blue) (init open)
(legal red a) (legal red b) (legal blue wait)
(<= (next won) (does red a)) (<= (next lost) (does red b))
(<= terminal (not (true open)))
(<= (goal red 100) (true won)) (<= (goal blue 0) (true won))
(<= (goal red 0) (true lost)) (<= (goal blue 100) (true lost))
"""
THREE = """
(role red) (role green) (role blue) (init open)
(legal red a) (legal red b) (legal green wait) (legal blue wait)
(<= (next done) (does red a))
(<= terminal (not (true open)))
(<= (goal red 100) (true done)) (<= (goal green 50) (true done)) (<= (goal blue 0) (true done))
(<= (goal red 0) (not (true done))) (<= (goal green 0) (not (true done))) (<= (goal blue 100) (not (true done)))
"""
AT_ONCE = """
(role red) (role blue) (init open)
(legal red a) (legal red b) (legal blue c) (legal blue d) (legal blue e)
(<= (next won) (does red a) (does blue c)) (<= (next (did ?m)) (does blue ?m))
(<= terminal (not (true open)))
(<= (goal red 100) (true won)) (<= (goal blue 0) (true won))
(<= (goal red 0) (not (true won))) (<= (goal blue 100) (not (true won)))
"""


def task(
    game: str, opening_moves: int = 2, seat: int = 0, seed: int = 1, players: tuple[str, str] = ("random", "random")
) -> Task:
    return Task(game, players, 0.01, seed, opening_moves, seat)


def simulator(game: str) -> Simulator:
    return Simulator(Game.from_propnet(network(game)), 64)


def test_both_games_of_an_opening_start_from_the_same_position() -> None:
    board = simulator("breakthrough_small")
    first, second = (opening(board, task("breakthrough_small", seat=seat)).state for seat in (0, 1))
    assert first.tolist() == second.tolist()
    assert first.tolist() != opening(board, task("breakthrough_small", seed=2)).state.tolist()
    assert not is_over(board, first)


def test_openings_that_always_end_the_game_are_refused() -> None:
    with pytest.raises(LudensError, match="always over"):
        opening(simulator("tic_tac_toe"), task("tic_tac_toe", opening_moves=9))


@pytest.mark.parametrize(
    ("sheet", "scores"), [(RED_DECIDES, [1.0, 0.0]), (THREE, [0.875, 0.5, 0.125]), (AT_ONCE, [1.0, 0.0])]
)
def test_a_game_is_scored_from_the_first_players_seat(tmp_path: Path, sheet: str, scores: list[float]) -> None:
    (tmp_path / "game.kif").write_text(sheet)
    games = [task(str(tmp_path / "game.kif"), 0, seat, players=("first", "first")) for seat in range(len(scores))]
    outcomes = [play(game) for game in games]
    assert [outcome.score for outcome in outcomes] == scores
    assert {(outcome.moves, outcome.playouts) for outcome in outcomes} == {(1, (0, 0))}


@pytest.mark.parametrize(
    ("sheet", "seat", "scores"),
    [
        (RED_DECIDES, 0, {1.0}),
        (RED_DECIDES, 1, {0.0, 1.0}),
        (THREE, 0, {0.875}),
        (THREE, 2, {0.125, 1.0}),
        (AT_ONCE, 0, {0.0, 1.0}),
    ],
)
def test_the_first_player_plays_its_seat_and_the_second_all_others(
    tmp_path: Path, sheet: str, seat: int, scores: set[float]
) -> None:
    (tmp_path / "game.kif").write_text(sheet)
    games = [task(str(tmp_path / "game.kif"), 0, seat, seed, ("first", "random")) for seed in range(20)]
    assert {play(game).score for game in games} == scores


def test_games_of_openings_that_are_not_complete_tell_nothing_of_the_interval() -> None:
    played = [(1, 0), (1, 1), (2, 1), (3, 0), (3, 1), (4, 0)]
    outcomes = [
        match_runner.Outcome(match_runner.key(task("nim", 2, seat, opening)), 1.0, 1, (0, 0))
        for opening, seat in played
    ]
    ordered = [json.loads(outcome.key) for outcome in match_runner.complete(outcomes, 2)]
    assert [(each["opening"], each["seat"]) for each in ordered] == [(1, 0), (1, 1), (3, 0), (3, 1)]
    assert match_runner.score_bounds(outcomes, 2) == interval_over_openings([1.0] * 4, 2)


def test_a_summary_and_a_text_say_the_interval(capsys: pytest.CaptureFixture[str]) -> None:
    match_runner.play_match(options("--games", "16"), 2, win)
    said = json.loads(capsys.readouterr().out)
    assert (said["score"], said["interval"]) == (1.0, [0.7141, 1.0])
    assert in_percent([1.0] * 16, 2) == "100.0 % [71, 100]"


def options(*texts: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    match_runner.add_arguments(parser, "", opening_moves=2)
    return parser.parse_args(["one", "other", *texts], argparse.Namespace(game="none"))


def win(task: Task) -> Outcome:
    return Outcome(match_runner.key(task), 1.0, 1, (0, 0))


def lose(task: Task) -> Outcome:
    return Outcome(match_runner.key(task), 0.0, 1, (0, 0))


def test_every_opening_is_played_from_every_seat() -> None:
    played = list(match_runner.tasks(options("--games", "6", "--seed", "5"), seats=2))
    assert [(task.opening, task.seat) for task in played] == [(5, 0), (5, 1), (6, 0), (6, 1), (7, 0), (7, 1)]


def test_a_match_goes_on_where_it_stopped(tmp_path: Path) -> None:
    out = str(tmp_path / "games.jsonl")
    match_runner.run(options("--games", "4", "--out", out), 2, lose)
    longer = match_runner.run(options("--games", "6", "--out", out), 2, win)
    assert [outcome.score for outcome in longer] == [0, 0, 0, 0, 1, 1]
    other = match_runner.run(options("--games", "2", "--seconds", "9", "--out", out), 2, win)
    assert [outcome.score for outcome in other] == [1, 1]
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 8


def test_a_game_of_which_only_a_part_was_written_is_played_again(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    match_runner.run(options("--games", "4", "--out", str(out)), 2, lose)
    out.write_bytes(out.read_bytes()[:-9])
    again = match_runner.run(options("--games", "4", "--out", str(out)), 2, win)
    assert [outcome.score for outcome in again] == [0, 0, 0, 1]
    assert len(match_runner.read(out)) == 4


def test_games_with_other_weights_are_other_games(tmp_path: Path) -> None:
    args, weights = options("--games", "2", "--out", str(tmp_path / "games.jsonl")), tmp_path / "weights.td"
    args.first = f"td:weights={weights}"
    found = []
    for content, end in (("one", lose), ("other", win), ("one", win)):
        weights.write_text(content)
        found.append([outcome.score for outcome in match_runner.run(args, 2, end)])
    assert found == [[0, 0], [1, 1], [0, 0]]


def test_a_game_of_players_without_files_is_called_as_ever() -> None:
    fields = '"opening": 1, "opening_moves": 2, "players": ["random", "random"], "seat": 0, "seconds": 0.01'
    assert match_runner.key(task("nim")) == f'{{"game": "nim", {fields}}}'


def test_a_match_ends_once_it_is_decided_and_is_not_taken_up_again(tmp_path: Path) -> None:
    args = options("--games", "1000", "--sprt", "0.4", "0.6", "--out", str(tmp_path / "games.jsonl"))
    first = match_runner.run(args, 2, win)
    assert 16 <= len(first) < 100
    assert len(match_runner.run(args, 2, lose)) == len(first)


def test_games_that_are_on_when_the_test_decides_take_nothing_back(tmp_path: Path) -> None:
    """Though they end before others that were begun earlier."""
    args = options("--games", "20", "--sprt", "0.4", "0.6", "--out", str(tmp_path / "games.jsonl"))
    ended = list(match_runner.tasks(args, 2))[-2::-1]
    for number, each in enumerate(ended):
        match_runner.write(args.out, win(each) if number < 12 else lose(each))
    outcomes = match_runner.run(args, 2, win)
    assert len(outcomes) == len(ended) == 19
    assert match_runner.summary(args, 2, outcomes)["sprt"] == "high"
    assert [outcome.score for outcome in match_runner.numbered(outcomes)] == [0.0] * 7 + [1.0] * 12


class Dozing:
    """A search whose process has the processor for a third of the time, and which may know all after a while."""

    def __init__(self, solved_after: float = 1e9) -> None:
        self.spent, self.asked, self._solved_after = 0.0, list[float](), solved_after

    def run(self, seconds: float) -> None:
        self.asked.append(seconds)
        self.spent += seconds / 3

    def stats(self) -> Any:
        return SimpleNamespace(solved=self.spent >= self._solved_after)


def test_a_busy_machine_takes_no_time_from_a_player() -> None:
    search = Dozing()
    match_runner.think(search, 0.3, clock=lambda: search.spent)
    assert 0.3 <= search.spent < 0.301
    assert search.asked[:2] == [0.3, pytest.approx(0.2)]


def test_every_thread_has_its_time() -> None:
    search = Dozing()
    match_runner.think(search, 0.3, threads=2, clock=lambda: search.spent)
    assert 0.6 <= search.spent < 0.601
    assert search.asked[:2] == [0.3, pytest.approx(0.25)]


def test_a_player_that_knows_what_to_play_takes_no_more_time() -> None:
    search = Dozing(solved_after=0.15)
    match_runner.think(search, 0.3, clock=lambda: search.spent)
    assert search.asked == [0.3, pytest.approx(0.2)]


def test_draughts_are_scored_from_the_first_players_seat(capsys: pytest.CaptureFixture[str]) -> None:
    args = options("--games", "2")
    args.game, args.first, args.second = "english_draughts", "baseline:6", "baseline:1"
    match_runner.play_match(args, 2, checkers_match.play)
    assert json.loads(capsys.readouterr().out)["won"] == 2


def test_draughts_are_played_on_boards_and_on_the_network() -> None:
    players = ("boards:flat:endgame_pieces=0", "network:flat")
    outcome = checkers_match.play(Task("english_draughts", players, 0.005, 1, 4, 1))
    assert outcome.moves > 20
    assert min(outcome.playouts) > 0


@pytest.mark.parametrize("text", ["baseline:0", "uct", "boards:nonsense", "boards:uct:nonsense=1"])
def test_draughts_players_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(LudensError):
        checkers_match.read_side(text)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        *((arguments.seconds, text) for text in ("0", "-1", "nan", "inf", "soon")),
        *((arguments.positive, text) for text in ("0", "-0.1", "nan", "inf", "small")),
        *((arguments.count, text) for text in ("0", "-1", "1.5", "many")),
    ],
)
def test_numbers_that_make_no_sense_are_refused(read: Callable[[str], float], text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="above 0"):
        read(text)


@pytest.mark.parametrize("game", ["connect_four", "breakthrough", "reversi"])
def test_openspiel_plays_by_the_same_rules(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its player compares the legal moves of both before each of its own; here simulations end its searches."""
    pyspiel = pytest.importorskip("pyspiel")
    bot = pyspiel.MCTSBot

    def untimed_bot(*settings: Any, max_wall_clock_time: float) -> Any:
        assert max_wall_clock_time == 0.05
        return bot(*settings)

    monkeypatch.setattr(pyspiel, "MCTSBot", untimed_bot)
    monkeypatch.setattr(openspiel_player, "_MOST_SIMULATIONS", 200)
    outcome = play(Task(game, ("openspiel:mcts", "random"), 0.05, 1, 2, 0))
    assert outcome.score == 1.0
    assert 0 < outcome.playouts[0] <= 200


def test_openspiel_is_not_asked_for_games_it_lacks() -> None:
    pytest.importorskip("pyspiel")
    with pytest.raises(LudensError, match="not tron"):
        play(Task("tron", ("openspiel:mcts", "random"), 0.01, 1, 0, 0))


@pytest.mark.parametrize("name", ["connect_four", "breakthrough", "reversi"])
def test_openspiel_is_a_player_that_can_be_served(name: str) -> None:
    pytest.importorskip("pyspiel")
    game, player = ludens.load(name), ServedOpenSpiel()
    state = game.initial.play(game.initial.legal()[-1])
    player.start(game, state.only_role, ludens.Clocks(1.0, 1.0))
    assert player.choose(state, 0.05) in state.legal()


@pytest.mark.parametrize("name", ["tic_tac_toe", "tron", "hex"])
def test_openspiel_is_not_served_for_games_it_lacks(name: str) -> None:
    pytest.importorskip("pyspiel")
    game = ludens.load(name)
    with pytest.raises(LudensError, match="this game is none of them"):
        ServedOpenSpiel().start(game, game.roles[0], ludens.Clocks(1.0, 1.0))
