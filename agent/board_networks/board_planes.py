"""What a network over the board of a game sees of a state: planes with a number from 0 to 127 for each square.

A fact that stands on a square fills it; one that stands on no board fills a whole plane, and facts that count fill one
plane with their place in the order, as in games/view/planes.py, which finds the boards; where that is above 127 it is
told by two planes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludens.agent.playable.text_game import NetworkGame
from ludens.games.view.planes import Observations, planes
from ludens.games.view.sample import play_sample
from ludens.native.core import Game
from ludens.native.core.board_network import FULL, MOST_OUTPUTS, MOST_PLANES, MOST_SQUARES
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_SAMPLE_SECONDS = 60.0  # of random games, in which boards are looked for

Integers = npt.NDArray[np.int32]


class BoardPlanes(NamedTuple):
    """The planes of a game, by the numbers of its propositions."""

    height: int
    width: int
    columns: Integers  # [planes, height * width] the proposition that fills a square, -1 for none
    fills: Integers  # [fills, 3] a proposition, the plane that it fills, and the number with which

    @classmethod
    def of(cls, known: Mapping[str, Any]) -> BoardPlanes:
        """Returns the planes that `as_json` describes."""
        columns, fills = (np.array(known[name], np.int32) for name in ("columns", "fills"))
        return cls(known["height"], known["width"], columns, fills.reshape(-1, 3))

    def as_json(self) -> dict[str, Any]:
        """Returns all as JSON can hold it."""
        return {**self._asdict(), "columns": self.columns.tolist(), "fills": self.fills.tolist()}

    @property
    def number(self) -> int:
        """The number of planes."""
        return len(self.columns)

    @property
    def squares(self) -> int:
        """The number of squares."""
        return self.height * self.width

    def check(self, propositions: int) -> None:
        """Raises ValueError unless these are planes of states with so many propositions."""
        proposition, plane, value = self.fills.T
        fits = self.columns.shape == (self.number, self.squares)
        fits = fits and _within(self.columns, -1, propositions - 1) and _within(proposition, 0, propositions - 1)
        if not (fits and _within(plane, 0, self.number - 1) and _within(value, 0, FULL)):
            raise ValueError("the planes do not fit the game")

    def of_bits(self, bits: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Returns planes [n, planes, height, width], 0 to 1, of the bits of states [n, propositions]."""
        seen = np.concatenate((bits, np.zeros((len(bits), 1), np.uint8)), axis=1)[:, self.columns].astype(np.float32)
        for proposition, plane, value in self.fills:
            holds = bits[:, proposition].astype(np.float32)[:, None] * np.float32(value / FULL)
            np.maximum(seen[:, plane], holds, out=seen[:, plane])
        return seen.reshape(-1, self.number, self.height, self.width)


def _within(numbers: Integers, low: int, high: int) -> bool:
    return not numbers.size or bool(numbers.min() >= low and numbers.max() <= high)


def find_planes(name: str, sheet: RuleSheet, net: Propnet) -> BoardPlanes:
    """Returns the planes of a game; raises LudensError for one whose boards are too many or too large."""
    if len(net.roles) > MOST_OUTPUTS:
        raise LudensError(f"{name} has {len(net.roles)} roles, and a network judges for {MOST_OUTPUTS} at most")
    sample = play_sample(NetworkGame(net, Game.from_propnet(net)), net.roles, _SAMPLE_SECONDS)
    found = _arranged(planes(name, sheet, net, sample))
    if found.squares > MOST_SQUARES or found.number > MOST_PLANES:
        raise LudensError(
            f"{name} has {found.number} planes of {found.height} x {found.width} squares, and a network sees "
            f"{MOST_PLANES} planes of {MOST_SQUARES} squares at most"
        )
    return found


def _arranged(seen: Observations) -> BoardPlanes:
    """Takes what fills a whole plane for a fill."""
    count, height, width = seen.shape
    squares = height * width
    columns = seen.columns.reshape(count, squares).copy()
    counters = defaultdict[int, list[tuple[int, int]]](list)
    for first, _, proposition, value in seen.fills:
        counters[first // squares].append((proposition, value))
    fills, planes_used = list[tuple[int, int, int]](), count
    for plane, numbers in counters.items():
        largest = max(value for _, value in numbers)
        if largest <= FULL:
            fills += [(proposition, plane, FULL * value // largest) for proposition, value in numbers]
            continue
        for proposition, value in numbers:  # their remainders, and in another plane how often they hold 128
            fills.append((proposition, plane, value % (FULL + 1)))
            fills.append((proposition, planes_used, FULL * (value // (FULL + 1)) // (largest // (FULL + 1))))
        planes_used += 1
    columns = np.concatenate((columns, np.full((planes_used - count, squares), -1, np.int32)))
    for plane in range(count):
        facts = set(columns[plane].tolist())
        if squares > 1 and len(facts) == 1 and -1 not in facts:
            fills.append((int(columns[plane, 0]), plane, FULL))
            columns[plane] = -1
    return BoardPlanes(height, width, columns, np.array(fills, np.int32).reshape(-1, 3))
