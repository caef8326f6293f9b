"""What goes wrong while a game is being learned costs no more than what would have been learned."""

from __future__ import annotations

import pytest

import games
from agent import preparation
from agent.learning import learn
from agent.options import PlayerOptions
from agent.preparation import Meta, Prepared, prepare
from agent.trial import TrialResult
from native.core import Game
from propnet.errors import NativeError
from propnet.loader import load
from propnet.parser import parse_rules


@pytest.mark.parametrize("step", ["learn", "trial"])
@pytest.mark.parametrize("error", [NativeError("several roles choose"), MemoryError()])
def test_a_failure_leaves_the_search_by_random_games(
    monkeypatch: pytest.MonkeyPatch, step: str, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    game = Game.from_propnet(load(parse_rules(games.read("tic_tac_toe"))))
    if step == "trial":
        short = learn(game, 0.1)
        monkeypatch.setattr(preparation, "learn", lambda *_: short)
    monkeypatch.setattr(preparation, step, fail)
    told: list[str] = []
    options = PlayerOptions(learn=10.0)
    assert prepare(game, game, options, Meta(10.0, tell=told.append)) == Prepared("uct")
    assert any("gives up" in text for text in told)


@pytest.mark.parametrize(
    ("scores", "depths", "strategy"),
    [
        ([(20, 20.0)], [1], "guided"),  # hands down
        ([(20, 8.0)], [1], "uct"),
        ([(20, 14.0), (6, 6.0)], [1, 4], "guided"),
        ([(20, 14.0), (6, 2.0)], [1, 4], "uct"),  # good where there is no time to search
        ([(20, 14.0), (0, 0.0)], [1, 4], "uct"),
        ([(1, 1.0), (1, 1.0)], [1, 4], "guided"),
        ([(0, 0.0)], [1], "uct"),
    ],
)
def test_what_does_not_win_hands_down_is_tried_with_longer_moves(
    monkeypatch: pytest.MonkeyPatch, scores: list[tuple[int, float]], depths: list[int], strategy: str
) -> None:
    game = Game.from_propnet(load(parse_rules(games.read("tic_tac_toe"))))
    short, left, asked = learn(game, 0.1), iter(scores), list[int]()

    def played(*arguments: object) -> TrialResult:
        asked.append(int(str(arguments[-1])))
        return TrialResult(*next(left))

    monkeypatch.setattr(preparation, "learn", lambda *_: short)
    monkeypatch.setattr(preparation, "trial", played)
    assert prepare(game, game, PlayerOptions(learn=10.0), Meta(10.0)).strategy == strategy
    assert asked == depths
