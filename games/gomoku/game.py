"""Gomoku as a recognised game: all that the rest of the project sees of this folder."""

from __future__ import annotations

from ludens.games.gomoku.on_core import STRATEGY, GomokuOnCore
from ludens.games.gomoku.recognition import Recognised, find_grid, recognise
from ludens.games.recognised_game import RecognisedGame, Recogniser
from ludens.native.core import Game, States
from ludens.propnet.base.errors import NotRecognisedError
from ludens.propnet.network.propnet import Propnet


class GomokuRecogniser(Recogniser):
    """Recognises games of k in a row on m x n cells."""

    name = "k in a row"
    strategy = STRATEGY
    strategies = ("uct",)  # which is told of threats there; others gain more from the network's policies and features

    def looks_alike(self, net: Propnet) -> bool:
        """See `Recogniser`."""
        try:
            find_grid(net)
        except NotRecognisedError:
            return False
        return True

    def recognise(self, net: Propnet, seconds: float, games: int) -> RecognisedGomoku:
        """See `Recogniser`."""
        return RecognisedGomoku(net, recognise(net, seconds, games))


class RecognisedGomoku(RecognisedGame):
    """A game of k in a row on the native bitboards; moves keep the names of the rule sheet."""

    machine = GomokuOnCore.machine

    def __init__(self, net: Propnet, recognised: Recognised) -> None:
        """Takes what was recognised in `net`."""
        self._recognised = recognised
        self._on_core = GomokuOnCore(recognised.rules)
        self.strategy = self._on_core.strategy
        self._texts = [[net.moves[role][move] for move in recognised.encoding.moves[role]] for role in (0, 1)]
        self._numbers = [{text: number for number, text in enumerate(texts)} for texts in self._texts]

    def __str__(self) -> str:
        return str(self._recognised)

    def native_game(self) -> Game:
        """See `RecognisedGame`."""
        return self._on_core.native_game()

    def move_text(self, role: int, number: int, state: States) -> str:
        """See `RecognisedGame`."""
        text: str = self._texts[role][number]
        return text

    def move_number(self, role: int, text: str) -> int:
        """See `RecognisedGame`."""
        return self._numbers[role].get(text, -1)
