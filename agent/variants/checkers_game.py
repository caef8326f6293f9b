"""A game that was recognised as one of the checkers family, on its native core: faster, and proven the same.

Moves keep the names of the rule sheet. Some sheets name a man's move and a king's apart where the core does not;
the state tells which is meant.
"""

from __future__ import annotations

import numpy as np

from ludens.agent.variants.text_game import TextGame
from ludens.games.checkers.bitboards.native_game import native_game, unpack
from ludens.games.checkers.recognition.recognise import RecognisedRules
from ludens.native.core import States
from ludens.propnet.network.propnet import Propnet


class CheckersGame(TextGame):
    """Plays a recognised network's game."""

    def __init__(self, net: Propnet, recognised: RecognisedRules) -> None:
        """`recognised` is what was found in `net`. Raises `NativeError` for want of room."""
        super().__init__(native_game(recognised.rules), net.roles, "bitboard", lanes=0)
        self._net = net
        self._encoding = recognised.encoding
        self._numbers: list[dict[str, int]] = [{}, {}]
        for role, kinds in enumerate(self._encoding.moves.network):
            for numbers in kinds:
                known = np.flatnonzero(numbers >= 0)
                texts = (net.moves[role][move] for move in numbers[known])
                self._numbers[role] |= dict(zip(texts, known.tolist(), strict=True))

    def move(self, role: int, number: int, state: States) -> str:
        """See `TextGame`."""
        king = self._encoding.royal(unpack(state.reshape(1, -1)), np.array([number]))[0]
        return self._net.moves[role][int(self._encoding.moves.network[role, king, number])]

    def number(self, role: int, text: str) -> int:
        """See `TextGame`."""
        return self._numbers[role].get(text, -1)
