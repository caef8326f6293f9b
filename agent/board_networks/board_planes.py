"""What a network over the board of a game sees of a state: planes with a number from 0 to 127 for each square.

A fact that stands on a square fills it; one that stands on no board fills a whole plane, and facts that count fill one
plane with their place in the order, as in games/view/planes.py, which finds the boards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludens.agent.variants.text_game import NetworkGame
from ludens.games.view.planes import Observations, planes
from ludens.games.view.sample import play_sample
from ludens.native.core import Game
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

FULL = 127
MOST_PLANES, MOST_SQUARES = 255, 400
_SAMPLE_SECONDS = 60.0  # of random games, in which boards are looked for

Integers = npt.NDArray[np.int32]


class BoardPlanes(NamedTuple):
    """The planes of a game, by the numbers of its propositions."""

    height: int
    width: int
    columns: Integers  # [planes, height * width] the proposition that fills a square, -1 for none
    fills: Integers  # [fills, 3] a proposition, the plane that it fills, and the number with which

    @property
    def number(self) -> int:
        """The number of planes."""
        return len(self.columns)

    @property
    def squares(self) -> int:
        """The number of squares."""
        return self.height * self.width

    def of_bits(self, bits: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Returns planes [n, planes, height, width], 0 to 1, of the bits of states [n, propositions]."""
        seen = np.concatenate((bits, np.zeros((len(bits), 1), np.uint8)), axis=1)[:, self.columns].astype(np.float32)
        for proposition, plane, value in self.fills:
            holds = bits[:, proposition].astype(np.float32)[:, None] * np.float32(value / FULL)
            np.maximum(seen[:, plane], holds, out=seen[:, plane])
        return seen.reshape(-1, self.number, self.height, self.width)


def find_planes(name: str, sheet: RuleSheet, net: Propnet) -> BoardPlanes:
    """Returns the planes of a game; raises LudensError for one whose boards are too many or too large."""
    sample = play_sample(NetworkGame(net, Game.from_propnet(net)), net.roles, _SAMPLE_SECONDS)
    seen = planes(name, sheet, net, sample)
    count, height, width = seen.shape
    if height * width > MOST_SQUARES or count > MOST_PLANES:
        raise LudensError(
            f"{name} has {count} planes of {height} x {width} squares, and a network sees {MOST_PLANES} planes of "
            f"{MOST_SQUARES} squares at most"
        )
    return _arranged(seen)


def _arranged(seen: Observations) -> BoardPlanes:
    """Takes what fills a whole plane for a fill."""
    count, height, width = seen.shape
    squares = height * width
    columns = seen.columns.reshape(count, squares).copy()
    largest = np.zeros(count, np.int64)
    for first, _, _, value in seen.fills:
        largest[first // squares] = max(largest[first // squares], value)
    fills = [
        (proposition, first // squares, max(1, FULL * value // int(largest[first // squares])))
        for first, _, proposition, value in seen.fills
    ]
    for plane in range(count):
        facts = set(columns[plane].tolist())
        if squares > 1 and len(facts) == 1 and -1 not in facts:
            fills.append((int(columns[plane, 0]), plane, FULL))
            columns[plane] = -1
    return BoardPlanes(height, width, columns, np.array(fills, np.int32).reshape(-1, 3))
