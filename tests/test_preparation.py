"""What goes wrong while a game is being learned costs no more than what would have been learned."""

from __future__ import annotations

import pytest

import games
from agent import preparation
from agent.learning import learn
from agent.options import PlayerOptions
from agent.preparation import Meta, Prepared, prepare
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
