"""Positions that are solved with endgame tables and without, in the same time."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest

from ludens.games.checkers.bitboards.native_game import native_game
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps
from ludens.native.core import States
from scripts.strength import endgame_use


class Waiting:
    """A search that another program takes the processor from in its first run, and that solves all in its second."""

    def __init__(self, *_game: object, **_settings: object) -> None:
        self._runs = 0

    def set_root(self, _state: States) -> None:
        pass

    def run(self, seconds: float) -> None:
        self._runs += 1
        time.sleep(seconds)

    def stats(self) -> Any:
        return SimpleNamespace(solved=self._runs > 1)


def test_a_busy_machine_takes_no_time_from_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endgame_use, "Search", Waiting)
    game = native_game(CheckersRules(jumps=Jumps.BY_PLIES))
    found = endgame_use.solve(game, [game.initial[None]], "uct", 0.0, None, 0.2)
    assert (found.solved, found.cpu < 0.2) == (1, True)
