"""Finds the view of a game, by which its positions are drawn; its facts are best those of the rule machine.

A network leaves out facts that play no part in the game, such as the empty squares or a counter that ends nothing; the
rule machine has all of them. So it plays the sample, unless the rules are too much for it.
"""

from __future__ import annotations

from ludens.agent.variants.text_game import NetworkGame, RulesGame
from ludens.games.view.find import find_view
from ludens.games.view.hints import Hints
from ludens.games.view.reader import PositionReader
from ludens.games.view.sample import play_sample
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet


def game_view(
    name: str, sheet: RuleSheet, net: Propnet | None, seconds: float, hints: Hints | None = None
) -> PositionReader:
    """Returns what reads the positions of a game, after random games of so many `seconds`; `net` is its network if any.

    `hints` are the author's. Raises `LudensError` for rules that no machine plays, or hints that do not fit.
    """
    try:
        sample = play_sample(RulesGame(sheet), sheet.roles, seconds)
    except LudensError:
        if net is None:
            raise
        sample = play_sample(NetworkGame(net), sheet.roles, seconds)
    return find_view(name, sheet, sample, net, hints)
