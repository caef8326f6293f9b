"""Finds the view of a game, by which its positions are drawn; its facts are best those of the rule machine.

A network leaves out facts that play no part in the game, such as the empty squares or a counter that ends nothing; the
rule machine has all of them. So it plays the sample, unless the rules are too much for it.
"""

from __future__ import annotations

import time

from ludens.agent.playable.text_game import NetworkGame, RulesGame
from ludens.agent.protocol.state_history import StateHistory
from ludens.agent.protocol.wire import History
from ludens.games.view.find import find_view
from ludens.games.view.hints import Hints
from ludens.games.view.reader import PositionReader
from ludens.games.view.sample import play_sample
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_MOST_SECONDS = 5.0  # of this thread's time, for a view


class FullFacts:
    """The facts of positions as the rules have them, those that play no part included; for one thread at a time."""

    def __init__(self, sheet: RuleSheet) -> None:
        """Raises `LudensError` for rules that are too much for the rule machine."""
        self._game = RulesGame(sheet)
        self._path = StateHistory(self._game.game.initial, self._game.after)

    def at(self, history: History) -> tuple[str, ...]:
        """Returns the facts after a history, soon if it goes on from the one asked about last; raises `LudensError`."""
        return self._game.facts(self._path.follow(history))


def game_view(
    name: str, sheet: RuleSheet, net: Propnet | None, seconds: float, hints: Hints | None = None
) -> PositionReader:
    """Returns what reads the positions of a game, after random games of so many `seconds`; `net` is its network if any.

    `hints` are the author's. All of it takes 5 s of the processor at most, after which the view shows what was found
    by then: a busy machine finds what a quiet one does. Raises `LudensError` for rules that no machine plays.
    """
    deadline = time.thread_time() + _MOST_SECONDS
    try:
        sample = play_sample(RulesGame(sheet), sheet.roles, seconds)
    except LudensError:
        if net is None:
            raise
        sample = play_sample(NetworkGame(net), sheet.roles, seconds)
    return find_view(name, sheet, sample, net, hints, lambda: time.thread_time() >= deadline)
