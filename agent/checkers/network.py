"""A small residual network over the board: what a position is worth, and which moves look good. In PyTorch.

One tower has two heads: the value of the mover, -1 to 1, and a logit for each move 4 * square + direction (Silver et
al., "Mastering the game of Go without human knowledge", 2017). A convolution sees a square and its four neighbours on
the diagonals: pieces step nowhere else, and squares that are not played on count for nothing. It is trained in the
whole numbers of native/src/checkers/network.hpp, which it equals to the last bit (agent/board_networks/layers.py).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from ludens.agent.board_networks.layers import Dense, Tower, bound, cut
from ludens.games.checkers.kernels.planes import FILES, RANKS
from ludens.native.core import NetworkWeights
from ludens.native.core.board_network import FULL
from ludens.native.core.checkers_network import DIRECTIONS, PLANES, SQUARES, UNITS

_TAPS = ((1, 1), (2, 0), (2, 2), (0, 0), (0, 2))


class Network(nn.Module):
    """A tower of `blocks` residual blocks of `width` planes, with a head for the value and one for moves.

    In play the width must be a multiple of 32.
    """

    def __init__(self, width: int, blocks: int) -> None:
        super().__init__()
        self.tower = Tower(PLANES, width, blocks, _TAPS)
        self.register_buffer("ranks", torch.from_numpy(RANKS), persistent=False)
        self.register_buffer("files", torch.from_numpy(FILES), persistent=False)
        self.hidden = Dense(UNITS, SQUARES, width)
        self.value = Dense(1, UNITS)
        self.moves = Dense(DIRECTIONS, width)
        self.bound()

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns values [n], -1 to 1, and logits [n, 128] of moves, of planes [n, 3, 8, 8]."""
        board = planes.new_ones(len(planes), 1, *planes.shape[2:])
        seen = self.tower(torch.cat((planes, board), dim=1))
        squares = seen[:, :, self.ranks, self.files].transpose(1, 2)  # [n, 32, width]
        value = self.value(cut(self.hidden(squares.flatten(1)))).squeeze(1)
        return torch.tanh(value / FULL), self.moves(squares).flatten(1) / FULL

    @property
    def device(self) -> torch.device:
        """Where the network is."""
        return self.value.weights.device

    def bound(self) -> None:
        """Puts weights that have grown out of the range of play back into it; to be called after each step."""
        bound(self)

    def whole_numbers(self) -> NetworkWeights:
        """Returns the weights of the native core; raises NativeError where some are no numbers."""
        stem, convolutions, biases = self.tower.numbers()
        (hidden, hidden_biases), (value, value_bias), (moves, move_biases) = (
            layer.numbers() for layer in (self.hidden, self.value, self.moves)
        )
        return NetworkWeights(
            *(stem, convolutions, biases, hidden, hidden_biases, value[0], value_bias, moves, move_biases)
        )


def values(network: Network, planes: np.ndarray, batch: int = 4096) -> np.ndarray:
    """Returns values float32[n] of planes [n, 3, 8, 8], by a network on the processor."""
    network.eval()
    with torch.no_grad():
        parts = [network(torch.from_numpy(planes[a : a + batch]))[0].numpy() for a in range(0, len(planes), batch)]
    return np.concatenate(parts)
