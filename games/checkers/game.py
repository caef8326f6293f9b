"""Checkers as a recognised game: all that the rest of the project sees of this folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from ludens.games.checkers.bitboards.endgame_tables import endgame_knowledge
from ludens.games.checkers.bitboards.native_game import native_game, unpack
from ludens.games.checkers.display import CheckersDisplay
from ludens.games.checkers.kernels.playouts import CheckersKernel
from ludens.games.checkers.networks.guided_games import GuidedGames
from ludens.games.checkers.networks.network_file import read_network
from ludens.games.checkers.recognition.recognise import RecognisedRules, looks_like_checkers, recognise
from ludens.games.recognised_game import Notation, RecognisedGame, Recogniser
from ludens.native.core import Evaluation, Game, Knowledge, NetworkEvaluation, States
from ludens.native.kernels.kernel_process import MakeKernel
from ludens.native.kernels.kernel_search import Kernel
from ludens.propnet.base.child import Tell
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import Propnet


class CheckersRecogniser(Recogniser):
    """Recognises the games of the checkers family."""

    name = "checkers"
    notation = Notation("pdn", suffix=".pdn", usual_game=lambda text: "english_draughts")

    def looks_alike(self, net: Propnet) -> bool:
        """See `Recogniser`."""
        return looks_like_checkers(net)

    def recognise(self, net: Propnet, seconds: float, games: int) -> RecognisedCheckers:
        """See `Recogniser`."""
        return RecognisedCheckers(net, recognise(net, seconds, games=games))


class RecognisedCheckers(RecognisedGame):
    """A game of the checkers family on the native bitboards.

    Moves keep the names of the rule sheet. Some sheets name a man's move and a king's differently where the game core
    does not; the state tells which is meant.
    """

    machine = "bitboard"

    def __init__(self, net: Propnet, recognised: RecognisedRules) -> None:
        """Takes what was recognised in `net`."""
        self._net, self._recognised = net, recognised
        self._encoding = recognised.encoding
        self.identity = f"checkers on bitboards, coding 1: {recognised.rules!r}"
        self._numbers = [self._encoding.moves.numbers(role, texts) for role, texts in enumerate(net.moves)]
        self.drawing = self.writer = self.reader = CheckersDisplay(net, self._encoding)

    def __str__(self) -> str:
        return str(self._recognised)

    def native_game(self) -> Game:
        """See `RecognisedGame`."""
        return native_game(self._recognised.rules)

    def move_text(self, role: int, number: int, state: States) -> str:
        """See `RecognisedGame`."""
        king = self._encoding.royal(unpack(state.reshape(1, -1)), np.array([number]))[0]
        return self._net.moves[role][int(self._encoding.moves.network[role, king, number])]

    def move_number(self, role: int, text: str) -> int:
        """See `RecognisedGame`."""
        return self._numbers[role].get(text, -1)

    def knowledge(self, pieces: int, threads: int, tell: Tell) -> Knowledge | None:
        """See `RecognisedGame`."""
        if not pieces:
            return None
        try:
            return endgame_knowledge(self._recognised.rules, pieces, threads, tell)
        except LudensError as error:
            tell(f"no endgame tables: {error}")
            return None

    def make_kernel(self, *, gpu: bool, max_steps: int) -> MakeKernel:
        """See `RecognisedGame`."""
        return partial(CheckersKernel, self._recognised.rules, gpu=gpu, max_steps=max_steps)

    def network_evaluation(self, path: Path) -> Evaluation:
        """See `RecognisedGame`."""
        return NetworkEvaluation(read_network(path), self.native_game())

    def network_games(self, path: Path, share: float, max_steps: int) -> Kernel:
        """See `RecognisedGame`."""
        return GuidedGames(self.native_game(), read_network(path), share, max_steps)
