"""Tak as a recognised game: all that the rest of the project sees of recognition."""

from __future__ import annotations

from ludens.games.recognised_game import Notation, RecognisedGame, Recogniser
from ludens.games.tak.built_in_sheets import usual_game, usual_match
from ludens.games.tak.match_notation import PtnNotation
from ludens.games.tak.on_core import STRATEGY, TakOnCore
from ludens.games.tak.recognition.recognise import RecognisedRules, board_size, recognise
from ludens.games.tak.temporal_differences.network import Floats
from ludens.native.core import Game, States
from ludens.propnet.network.propnet import Propnet


class TakRecogniser(Recogniser):
    """Recognises games of Tak."""

    name = "tak"
    notation = Notation("ptn", suffix=".ptn", usual_game=usual_game, usual_match=usual_match)
    strategy = STRATEGY
    strategies = ()  # what others learn is learned from features of the network

    def looks_alike(self, net: Propnet) -> bool:
        """See `Recogniser`."""
        return board_size(net) > 0

    def recognise(self, net: Propnet, seconds: float, games: int) -> RecognisedTak:
        """See `Recogniser`."""
        return RecognisedTak(net, recognise(net, seconds, games=games))


class RecognisedTak(RecognisedGame):
    """A game of Tak on its native core; moves keep the names of the rule sheet."""

    machine = TakOnCore.machine
    strategy = TakOnCore.strategy

    def __init__(self, net: Propnet, recognised: RecognisedRules) -> None:
        """Takes what was recognised in `net`."""
        self._net, self._recognised = net, recognised
        self._on_core = TakOnCore(recognised.rules)
        self.writer = self.reader = PtnNotation(net, recognised)
        self._numbers = [
            {net.moves[role][move]: number for number, move in enumerate(recognised.moves[role].tolist()) if move >= 0}
            for role in (0, 1)
        ]

    def __str__(self) -> str:
        return str(self._recognised)

    def native_game(self) -> Game:
        """See `RecognisedGame`."""
        return self._on_core.native_game()

    def weights(self, choice: str) -> Floats | None:
        """See `RecognisedGame`."""
        return self._on_core.weights(choice)

    def move_text(self, role: int, number: int, state: States) -> str:
        """See `RecognisedGame`."""
        return self._net.moves[role][int(self._recognised.moves[role, number])]

    def move_number(self, role: int, text: str) -> int:
        """See `RecognisedGame`."""
        return self._numbers[role].get(text, -1)
