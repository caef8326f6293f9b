"""Searches and players on the core of the game as which a game is recognised, in the words of its sheet."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from ludens import Clocks, Search, State, StateError, StrategyPlayer, load, play_match
from ludens.agent.api.searched_game import core_of
from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.options import PlayerOptions
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.temporal_differences.inputs import input_count
from ludens.games.tak.temporal_differences.network import Network
from ludens.games.tak.temporal_differences.weights_file import TrainedWeights, WeightsError


def won_by_placing() -> State:
    """Returns a state of tic-tac-toe in which cross completes a row at (1 3)."""
    state = load("tic_tac_toe").initial
    for move in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)"):
        state = state.play(move)
    return state


def test_patterns_finds_a_win_and_tells_it_in_the_words_of_the_sheet() -> None:
    state = won_by_placing()
    with Search(state, "patterns", seed=1) as search:
        found = search.run(iterations=10_000)
        assert found.solved
        assert found.move() == "(mark 1 3)"
        assert found.value() == 100
        assert found.line[0] == ("(mark 1 3)", "noop")
        assert {move.move: move.index for move in found.moves()} == dict(
            zip(state.legal(), state.legal_indices(), strict=True)
        )
        assert "<svg" in found.svg()


def test_a_search_on_a_core_goes_on_from_state_to_state() -> None:
    with Search(load("tic_tac_toe"), "patterns") as search:
        for move in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)"):
            search.advance(move)
        assert search.run(iterations=10_000).move() == "(mark 1 3)"  # or cross takes it
        search.go_to(won_by_placing())
        assert search.run(seconds=10.0).value("cross") == 100


def test_a_state_whose_moves_are_not_known_is_refused_and_the_search_stays_where_it_was() -> None:
    state = won_by_placing()
    for unknown in (pickle.loads(pickle.dumps(state)), state.game.state(state.facts)):
        assert unknown == state
        with pytest.raises(StateError, match=r"only knows states that `play` leads to"):
            Search(unknown, "patterns")
        with Search(state.game, "patterns") as search:
            with pytest.raises(StateError):
                search.go_to(unknown.play("(mark 3 3)"))
            assert search.state == state.game.initial


def test_games_that_a_strategy_has_no_core_for_are_refused() -> None:
    with pytest.raises(OptionError, match=r"td plays only games that are recognised, .* tic_tac_toe is none"):
        Search(load("tic_tac_toe"), "td")
    with pytest.raises(OptionError, match="patterns plays only games"):
        Search(load("nim"), "patterns")


@pytest.mark.parametrize("order", [("on", "off"), ("off", "on")])
def test_whether_a_core_is_used_is_up_to_each_player_of_a_game(order: tuple[str, str]) -> None:
    game = load("tic_tac_toe")
    cores = {choice: core_of(game, PlayerOptions(strategy="uct", recognise=choice)) for choice in order}
    assert cores["on"] is not None
    assert cores["off"] is None


def test_td_finds_a_road_and_repeats_itself_with_a_number_of_iterations() -> None:
    state = load("tak_3").initial
    for move in ("(place a 3 flat)", "(place a 1 flat)", "(place b 1 flat)", "(place b 3 flat)"):
        state = state.play(move)
    first, second = (Search(state, "td", seed=1).run(iterations=2000) for _ in range(2))
    assert first.move() == second.move() == "(place c 1 flat)"
    assert first.value() == 100
    assert [(move.move, move.visits) for move in first.moves()] == [(move.move, move.visits) for move in second.moves()]


def test_td_judges_by_the_weights_of_a_file(tmp_path: Path) -> None:
    state, values = load("tak_3").initial.play("(place a 3 flat)"), list[float | None]()
    for seed in (1, 2):
        path, rules = tmp_path / f"{seed}.td", TakRules(3)
        path.write_bytes(TrainedWeights.of_network(Network.random(input_count(rules), seed), rules, 1, seed).to_bytes())
        values.append(Search(state, f"td:weights={path}", seed=1).run(iterations=100).value())
    assert len({*values, Search(state, "td", seed=1).run(iterations=100).value()}) == 3
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(WeightsError, match="the file is cut short"):
        Search(state, f"td:weights={path}")


@pytest.mark.parametrize("strategy", ["patterns", "patterns:iterations=500", "auto"])
def test_players_of_matches_in_process_play_on_the_core(strategy: str) -> None:
    player, game = StrategyPlayer(strategy, seed=1), load("tic_tac_toe")
    record = play_match(game, [player, StrategyPlayer("random", 2)], start_seconds=2.0, seconds=0.05, seed=3)
    assert record.goals[0] >= 50
    assert not any(any(errors) for errors in record.errors)


def test_a_player_begins_on_the_network_where_the_core_does_not_know_the_state() -> None:
    state = won_by_placing()
    player = StrategyPlayer("auto", seed=1)
    player.start(state.game, "cross", Clocks(1.0, 0.1))
    assert player.choose(pickle.loads(pickle.dumps(state)), 0.2) == "(mark 1 3)"
    player.stop()
