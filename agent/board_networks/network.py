"""A small residual network over the board of any game: what a state is worth to each role. In PyTorch.

A convolution sees a square and its eight neighbours. The heads are as in native/src/board_network/weights.hpp, whose
whole numbers the network is trained in (agent/board_networks/layers.py).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from ludens.agent.board_networks.board_planes import BoardPlanes
from ludens.agent.board_networks.layers import Dense, Tower, bound, cut
from ludens.agent.board_networks.weights import BoardWeights
from ludens.native.core import BoardNetworkWeights
from ludens.native.core.board_network import FULL, UNITS

_HIDDEN_SPREAD, _VALUE_SPREAD = 0.1, 0.3  # so that few units begin at an end of their range, where they learn nothing
_TAPS = tuple((row, column) for row in range(3) for column in range(3))


class BoardModel(nn.Module):
    """A tower of `blocks` residual blocks of `width` activations a square, and a logit for each role.

    The width must be a multiple of 32.
    """

    def __init__(self, planes: BoardPlanes, roles: int, width: int, blocks: int) -> None:
        super().__init__()
        self._planes = planes
        self.tower = Tower(planes.number, width, blocks, _TAPS)
        self.hidden = Dense(UNITS, planes.squares, width, spread=_HIDDEN_SPREAD)
        self.value = Dense(roles, UNITS, spread=_VALUE_SPREAD)
        bound(self)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Returns logits [n, roles] of what roles get of 100 goals, of planes [n, planes, height, width]."""
        squares = self.tower(planes).flatten(2).transpose(1, 2)  # [n, squares, width]
        logits: torch.Tensor = self.value(cut(self.hidden(squares.flatten(1)))) * (2 / FULL)
        return logits

    def whole_numbers(self) -> BoardWeights:
        """Returns the weights of the native core; raises NativeError where some are no numbers."""
        stem, convolutions, biases = self.tower.numbers()
        (hidden, hidden_biases), (value, value_biases) = (layer.numbers() for layer in (self.hidden, self.value))
        seen = seen_squares(self._planes.height, self._planes.width)
        network = BoardNetworkWeights(*(seen, stem, convolutions, biases, hidden, hidden_biases, value, value_biases))
        return BoardWeights(self._planes, network)


def seen_squares(height: int, width: int) -> np.ndarray:
    """Returns the squares that a convolution sees, int32[taps, squares]; height * width for those beyond the edge."""
    rows, columns = np.divmod(np.arange(height * width), width)
    seen = []
    for row, column in _TAPS:
        y, x = rows + row - 1, columns + column - 1
        inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
        seen.append(np.where(inside, y * width + x, height * width))
    return np.array(seen, np.int32)
