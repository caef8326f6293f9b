"""A small residual network over the board: what a position is worth, and which moves look good. In PyTorch.

Theory. Convolutions see the same pattern wherever it stands; residual blocks, each of which adds to what came before,
let many of them be trained (He et al., "Deep residual learning for image recognition", 2016). One tower has two heads:
the value of the mover, -1 to 1, and a logit for each move 4 * square + direction (Silver et al., "Mastering the game of
Go without human knowledge", 2017). A convolution sees a square and its four neighbours on the diagonals: pieces step
nowhere else, and squares that are not played on count for nothing.

The network is trained in the numbers in which it is used, so that nothing is lost on the way there (Jacob et al.,
"Quantization and training of neural networks for efficient integer-arithmetic-only inference", 2018): activations are
whole numbers from 0 to 127, weights multiples of 1/128 up to 127/128. Gradients pass over the rounding as if it were
not there (Bengio et al., "Estimating or propagating gradients through stochastic neurons", 2013). All sums are exact in
float32, and equal those of native/src/checkers/network.hpp to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn.functional import conv2d, linear

from ludens.games.checkers.kernels.planes import FILES, RANKS
from ludens.native.core import NetworkWeights
from ludens.native.core.checkers_network import DIRECTIONS, PLANES, SQUARES, TAPS, UNITS
from ludens.propnet.base.errors import LudensError

_FULL, _STEPS = 127, 128  # an activation of 1, and the steps of weights
_TAP_ROWS, _TAP_FILES = (1, 2, 2, 0, 0), (1, 0, 2, 0, 2)  # of the taps, in a kernel of 3 x 3


class _Rounded(torch.autograd.Function):
    """Numbers rounded to whole ones, halves upwards."""

    @staticmethod
    def forward(context: Any, numbers: torch.Tensor) -> torch.Tensor:
        return torch.floor(numbers + 0.5)

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient


def _in_steps(numbers: torch.Tensor, steps: int) -> torch.Tensor:
    """Returns numbers as multiples of 1/128 once they are multiplied by steps / 128."""
    return _Rounded.apply(numbers * steps) / _STEPS


class _Layer(nn.Module):
    """Weights and biases in the numbers of play."""

    def __init__(self, outputs: int, *inputs: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.randn(outputs, *inputs) * (2 / np.prod(inputs)) ** 0.5)
        self.biases = nn.Parameter(torch.zeros(outputs))

    def rounded(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns the weights, and the biases in units of activations."""
        return _in_steps(self.weights, _STEPS), _in_steps(self.biases, _FULL * _STEPS)

    def numbers(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
        """Returns the whole numbers of the native core, the weights in the order of this layer; raises LudensError."""
        with torch.no_grad():
            weights, biases = ((numbers * _STEPS).numpy() for numbers in self.rounded())
        if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
            raise LudensError("the network has weights that are no numbers: it cannot be used")
        return weights.astype(np.int8), biases.astype(np.int32)


class _Convolution(_Layer):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(outputs, TAPS, inputs)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """Returns the sums of each square, of activations [n, inputs, 8, 8]."""
        weights, biases = self.rounded()
        kernel = weights.new_zeros(len(weights), weights.shape[2], 3, 3)
        kernel[:, :, _TAP_ROWS, _TAP_FILES] = weights.transpose(1, 2)
        return conv2d(seen, kernel, biases, padding=1)


class _Dense(_Layer):
    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """Returns the sums, of activations [..., inputs]."""
        weights, biases = self.rounded()
        return linear(seen, weights.flatten(1), biases)


def _cut(sums: torch.Tensor) -> torch.Tensor:
    """Returns activations."""
    return _Rounded.apply(sums).clamp(0, _FULL)


class Network(nn.Module):
    """A tower of `blocks` residual blocks of `width` planes, with a head for the value and one for moves.

    In play the width must be a multiple of 32.
    """

    def __init__(self, width: int, blocks: int) -> None:
        super().__init__()
        self.stem = _Convolution(PLANES, width)
        self.tower = nn.ModuleList(_Convolution(width, width) for _ in range(2 * blocks))
        self.hidden = _Dense(UNITS, SQUARES, width)
        self.value = _Dense(1, UNITS)
        self.moves = _Dense(DIRECTIONS, width)
        self.bound()

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns values [n], -1 to 1, and logits [n, 128] of moves, of planes [n, 3, 8, 8]."""
        board = planes.new_ones(len(planes), 1, *planes.shape[2:])
        seen = _cut(self.stem(torch.cat((planes, board), dim=1) * _FULL))
        for first, second in zip(self.tower[::2], self.tower[1::2], strict=True):
            seen = (_Rounded.apply(second(_cut(first(seen)))) + seen).clamp(0, _FULL)
        squares = seen[:, :, torch.from_numpy(RANKS), torch.from_numpy(FILES)].transpose(1, 2)  # [n, 32, width]
        value = self.value(_cut(self.hidden(squares.flatten(1)))).squeeze(1)
        return torch.tanh(value / _FULL), self.moves(squares).flatten(1) / _FULL

    def bound(self) -> None:
        """Puts weights that have grown out of the range of play back into it; to be called after each step."""
        with torch.no_grad():
            for layer in self.modules():
                if isinstance(layer, _Layer):
                    layer.weights.clamp_(-_FULL / _STEPS, _FULL / _STEPS)

    def whole_numbers(self) -> NetworkWeights:
        """Returns the weights of the native core; raises LudensError where some are no numbers."""
        (stem, stem_biases), (hidden, hidden_biases), (value, value_bias), (moves, move_biases) = (
            layer.numbers() for layer in (self.stem, self.hidden, self.value, self.moves)
        )
        tower = [layer.numbers() for layer in self.tower]
        convolutions = np.zeros((len(tower), len(stem), TAPS, len(stem)), np.int8)
        for at, (weights, _) in enumerate(tower):
            convolutions[at] = weights
        biases = np.stack((stem_biases, *(biases for _, biases in tower)))
        return NetworkWeights(
            *(stem, convolutions, biases, hidden, hidden_biases, value[0], value_bias, moves, move_biases)
        )


def values(network: Network, planes: np.ndarray, batch: int = 4096) -> np.ndarray:
    """Returns values float32[n] of planes [n, 3, 8, 8]."""
    network.eval()
    with torch.no_grad():
        parts = [network(torch.from_numpy(planes[a : a + batch]))[0].numpy() for a in range(0, len(planes), batch)]
    return np.concatenate(parts)
