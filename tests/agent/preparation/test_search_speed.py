"""How fast a search is, before it is chosen: also on machines that finish hardly any game in a moment."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ludens.agent.preparation import search_speed
from ludens.agent.preparation.search_speed import iterations_per_second
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variant import GameVariant
from ludens.native.core import Game
from tests.support.searching import network


class Machine:
    """A search on a machine of which each run takes a tenth of a second, and the clock of that machine."""

    def __init__(self, finished: list[int], solved_after: int) -> None:
        """In each run so many games are finished, in the last one of the list and those after it as many."""
        self.runs, self._finished, self._solved_after = 0, finished, solved_after

    def set_root(self) -> None:
        """The initial state."""

    def run(self, _seconds: float) -> None:
        self.runs += 1

    def stats(self) -> SimpleNamespace:
        last = self._finished[-1]
        made = sum(self._finished[: self.runs]) + last * max(0, self.runs - len(self._finished))
        return SimpleNamespace(iterations=made, solved=self.runs >= self._solved_after)

    def clock(self) -> float:
        return self.runs / 10


@pytest.mark.parametrize(
    ("finished", "solved_after", "expected"),
    [
        ([900, 1000], 99, 10_000),  # the first run does not count
        ([0, 40], 99, 400),  # until there are a hundred
        ([0, 0, 0, 2], 99, 12),  # or half a second is over
        ([70], 1, 700),  # but for a game that is solved at once
        ([70, 30], 2, 500),  # or later
    ],
    ids=["quick", "slow", "very slow", "solved", "solved later"],
)
def test_games_that_all_begin_at_once_do_not_count(
    finished: list[int], solved_after: int, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(finished, solved_after)
    monkeypatch.setattr(search_speed, "new_search", lambda *_: machine)
    variant = GameVariant.plain(Game.from_propnet(network("tic_tac_toe")))
    config = SearchConfig.from_settings(PlayerOptions(strategy="uct"), variant, "uniform")
    assert iterations_per_second(config, 1, machine.clock) == pytest.approx(expected)
