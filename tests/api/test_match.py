"""Matches in this process, with any mix of players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ludens
from ludens.agent.records import record as records


class First(ludens.Player):
    def __init__(self) -> None:
        self.stopped = 0
        self.asked: list[ludens.State] = []

    def choose(self, state: ludens.State, seconds: float) -> str:
        assert seconds == 0.5
        self.asked.append(state)
        return state.legal(self.role)[0]

    def stop(self) -> None:
        self.stopped += 1


class Raises(First):
    def choose(self, state: ludens.State, seconds: float) -> str:
        raise ValueError("no idea")


class Nonsense(First):
    def choose(self, state: ludens.State, seconds: float) -> str:
        return "(jump)"


class FailsToStart(First):
    def start(self, game: ludens.Game, role: str, clocks: ludens.Clocks) -> None:
        raise RuntimeError("not today")


def last(state: ludens.State, role: str) -> str:
    return state.legal(role)[-1]


@pytest.fixture(scope="module")
def game() -> ludens.Game:
    return ludens.load("tic_tac_toe")


def test_a_class_a_player_a_function_and_a_text_play_each_other(game: ludens.Game) -> None:
    player = First()
    match = ludens.Match(game, {"nought": last, "cross": player}, seconds=0.5, start_seconds=3)
    record = match.play()
    assert record.completed
    assert record.goals == [100, 0]
    assert player.stopped == 1
    assert (player.role, player.clocks, player.game) == ("cross", (3, 0.5), game)
    assert all(state.to_move == ("cross",) for state in player.asked)
    assert record.players == ["First", "last"]
    assert match.over
    with pytest.raises(ludens.GameOverError):
        match.step()
    again = ludens.play_match(game, [First, "first"], seconds=0.5)
    assert again.completed
    assert again.players == ["First", "first"]


def test_a_match_with_a_seed_is_the_same_again(game: ludens.Game) -> None:
    records = [ludens.play_match(game, ["uct:iterations=200", "random"], seed=seed).moves for seed in (1, 1)]
    assert records[0] == records[1]


def test_a_match_is_played_turn_by_turn(game: ludens.Game) -> None:
    match = ludens.Match(game, ["first", "first"])
    state = match.step()
    assert state == match.state == game.initial.play(sorted(game.initial.legal())[0])
    assert not match.over


def test_strategies_play_games_in_which_all_choose_at_the_same_time() -> None:
    record = ludens.play_match(ludens.load("rock_paper_scissors"), ["uct:iterations=100"] * 2, seed=1)
    assert record.completed


def test_flat_makes_the_best_move_also_where_both_choose_at_once() -> None:
    """Its visits say nothing."""
    game = ludens.load(
        """(role a) (role b) (init start) (worth 1 10) (worth 2 20) (worth 3 90) (worth 4 30)
        (<= (legal ?r (pick ?n)) (role ?r) (worth ?n ?g)) (<= (next (got ?r ?n)) (does ?r (pick ?n)))
        (<= terminal (not (true start)))
        (<= (goal ?r ?g) (true (got ?r ?n)) (worth ?n ?g)) (<= (goal ?r 0) (role ?r) (true start))"""
    )
    for seed in range(1, 9):
        player = ludens.StrategyPlayer("flat:iterations=200", seed)
        player.start(game, "a", ludens.Clocks(0, 1))
        assert player.choose(game.initial, 1.0) == "(pick 3)"
        player.stop()


def test_auto_learns_before_it_plays() -> None:
    player = ludens.StrategyPlayer("auto:learn=1,recall=off", seed=1)
    record = ludens.play_match(
        ludens.load("breakthrough"), [player, "random"], start_seconds=2, seconds=0.02, max_turns=2
    )
    assert record.ending == "turn limit"
    assert len(record.moves) == 2


def test_a_record_is_written_as_managers_write_it(game: ludens.Game, tmp_path: Path) -> None:
    match = ludens.Match(game, ["first", "first"])
    record = match.play()
    match.save(tmp_path / "match.json")
    assert records.read(tmp_path / "match.json") == record
    with pytest.raises(ludens.RecordError):
        match.save(tmp_path)


@pytest.mark.parametrize("player", ["uct", "guided", "td"])
def test_strategies_play_under_clocks_of_0(game: ludens.Game, player: str) -> None:
    assert ludens.play_match(game, [player, "random"], start_seconds=0, seconds=0).completed


def test_rules_that_leave_a_role_without_a_move_end_the_match_and_are_told() -> None:
    stuck = ludens.load("(role a) (init (x)) (<= (legal a go) (true (x))) (<= terminal (true (y))) (goal a 100)")
    match = ludens.Match(stuck, ["first"])
    match.step()
    with pytest.raises(ludens.LudensError, match="the rules leave a without a legal move"):
        match.step()
    assert match.record.ending == "a role had no legal move"
    assert "the rules leave a without a legal move" in match.record.warnings[-1]


def test_players_of_a_file_play_here_too(game: ludens.Game, tmp_path: Path) -> None:
    path = tmp_path / "filed_player.py"
    path.write_text(
        "import ludens\nclass Lazy(ludens.Player):\n    def choose(self, state, seconds):\n"
        "        return state.legal_indices(self.role)[0]\n"
    )
    assert ludens.play_match(game, [f"{path}:Lazy", "first"]).completed
    for settings, error, says in (
        ("threads=2", ludens.PlayerError, "has no settings: leave out threads=2"),
        ("iterations=9", ludens.OptionError, "iterations does not go with player"),
        ("treads=2", ludens.OptionError, "did you mean threads"),
    ):
        with pytest.raises(error, match=says):
            ludens.Match(game, [f"{path}:Lazy:{settings}", "first"])
    with pytest.raises(ludens.PlayerError, match=r"defines no class Lasy.*did you mean Lazy"):
        ludens.Match(game, [f"{path}:Lasy", "first"])


def test_one_player_does_not_play_two_roles_but_a_function_may(game: ludens.Game) -> None:
    player = First()
    with pytest.raises(ludens.PlayerError, match="First cannot play both cross and nought"):
        ludens.Match(game, [player, player])
    assert ludens.play_match(game, [last, last]).completed


def test_a_player_who_has_no_time_to_prepare_refuses_what_takes_it(game: ludens.Game) -> None:
    with pytest.raises(ludens.PlayerFailedError, match="cluster is only for players of matches that prepare"):
        ludens.play_match(game, ["uct:cluster=auto", "first"], start_seconds=0)


@pytest.mark.parametrize(
    ("player", "says"),
    [
        (Raises, r"^cross: Raises failed in choose: ValueError: no idea \(.*line \d+\)"),
        (Nonsense, r"^cross: Nonsense chose no legal move: '\(jump\)' is no legal move of cross"),
        (FailsToStart, "^cross: FailsToStart failed in start: RuntimeError: not today"),
    ],
)
def test_a_player_that_fails_is_one_clear_error_and_ends_the_match(
    game: ludens.Game, player: type[First], says: str
) -> None:
    failing, other = player(), First()
    match = ludens.Match(game, [failing, other], seconds=0.5)
    with pytest.raises(ludens.PlayerFailedError, match=says) as raised:
        match.play()
    assert raised.value.__cause__ is not None
    assert match.record.aborted
    assert (failing.stopped, other.stopped) == (1, 1)


@pytest.mark.parametrize("player", [Raises, Nonsense])
def test_a_forgiving_match_goes_on_and_notes_the_failure(game: ludens.Game, player: type[First]) -> None:
    record = ludens.play_match(game, [player, "first"], seconds=0.5, forgiving=True, seed=1)
    assert record.completed
    assert record.error_count > 0
    assert record.warnings


@pytest.mark.parametrize(
    ("players", "error", "says"),
    [
        (["uct"], ludens.PlayerError, "1 player for 2 roles"),
        ("uct", ludens.PlayerError, "1 player for 2 roles"),
        (["uct", "uct", "uct"], ludens.PlayerError, "3 players for 2 roles"),
        ([3, "uct"], ludens.PlayerError, "3 is no player"),
        ([int, "uct"], ludens.PlayerError, "is no player"),
        (["utc", "uct"], ludens.OptionError, "did you mean uct"),
        (["http://127.0.0.1:1", "uct"], ludens.PlayerError, "only players of this program search here"),
        (["127.0.0.1:1", "uct"], ludens.PlayerError, "only players of this program search here"),
        (["uct:level=1", "uct"], ludens.PlayerError, "level is for opponents of people"),
        (["nobody.py:Me", "uct"], ludens.PlayerError, "there is no file nobody.py"),
        ({"cross": "uct", "me": "uct"}, ludens.RoleError, "has no role 'me'"),
    ],
)
def test_what_is_no_player_is_one_clear_error(
    game: ludens.Game, players: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        ludens.Match(game, players)
