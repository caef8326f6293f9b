"""Makes a game that can be played from any rules: from their network, or without one from the rules themselves."""

from __future__ import annotations

from dataclasses import dataclass

from ludens.agent.playable.text_game import NetworkGame, RulesGame, SheetGame
from ludens.propnet.base.child import Limits, Tell
from ludens.propnet.base.errors import GroundingError
from ludens.propnet.compile.loader import Loaded, load_with_stages
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet


@dataclass(frozen=True, slots=True)
class PlayableGame:
    """A game with its network, or with the reason why there is none and the rules are interpreted."""

    game: SheetGame
    loaded: Loaded | None
    fallback_reason: str = ""

    @property
    def net(self) -> Propnet | None:
        """The network, if there is one."""
        return self.loaded.net if self.loaded else None

    @property
    def warning(self) -> str:
        """What users should know of it; empty for nothing."""
        return f"the rules are interpreted, which is slower: {self.fallback_reason}" if self.fallback_reason else ""


def playable_game(sheet: RuleSheet, limits: Limits, tell: Tell) -> PlayableGame:
    """Makes a game of checked rules; `tell` takes what is being done.

    Raises `LudensError` for rules that are faulty, or too much for the interpreter as well.
    """
    try:
        loaded = load_with_stages(sheet, limits, tell)
    except GroundingError as error:
        tell("interpreting the rules, for want of a network")
        return PlayableGame(RulesGame(sheet), None, str(error))
    return PlayableGame(NetworkGame(loaded.net), loaded)
