"""Layers of networks over boards, trained in the whole numbers in which they are used. In PyTorch.

Theory. Convolutions see the same pattern wherever it stands; residual blocks, each of which adds to what came before,
let many of them be trained (He et al., "Deep residual learning for image recognition", 2016), best if they begin by
adding nothing (Zhang, Dauphin and Ma, "Fixup initialization", 2019). The network is trained in the numbers of play, so
that nothing is lost on the way there (Jacob et al., "Quantization and training of neural networks for efficient
integer-arithmetic-only inference", 2018): activations are whole numbers from 0 to 127, weights multiples of 1/128 up to
127/128. Gradients pass over the rounding as if it were not there (Bengio et al., "Estimating or propagating gradients
through stochastic neurons", 2013). Sums are exact in float32 up to 2^24 128ths, so that networks whose weights have
the usual sizes equal those of the native core to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn.functional import conv2d, linear

from ludens.native.core.board_network import FULL
from ludens.propnet.base.errors import NativeError

_STEPS = 128  # of weights, to 1
_LEAK = 0.03  # of gradients, beyond the ends of activations

Taps: TypeAlias = Sequence[tuple[int, int]]
"""Rows and columns, 0 to 2 each, of a kernel of 3 x 3: what a convolution sees."""


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


class _Within(torch.autograd.Function):
    """Numbers cut off at 0 and 127; beyond, a small part of gradients passes, if these lead back.

    Without it units would be lost for good. All of it would have units that rightly say nothing speak up again and
    again, by which networks learn far worse (docs/experiments/board-networks.md).
    """

    @staticmethod
    def forward(context: Any, numbers: torch.Tensor) -> torch.Tensor:
        context.save_for_backward(numbers)
        return numbers.clamp(0, FULL)

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> torch.Tensor:
        (numbers,) = context.saved_tensors
        below, above = numbers < 0, numbers > FULL
        lost = (below & (gradient > 0)) | (above & (gradient < 0))
        return torch.where(below | above, _LEAK * gradient, gradient).masked_fill(lost, 0)


def within(numbers: torch.Tensor) -> torch.Tensor:
    """Returns whole numbers as activations, from 0 to 127."""
    activations: torch.Tensor = _Within.apply(numbers)
    return activations


def cut(sums: torch.Tensor) -> torch.Tensor:
    """Returns activations: whole numbers from 0 to 127."""
    return within(_Rounded.apply(sums))


class Layer(nn.Module):
    """Weights and biases in the numbers of play."""

    def __init__(self, outputs: int, *inputs: int, spread: float = 1.0) -> None:
        """Begins with weights that keep the size of what they add up, times `spread`."""
        super().__init__()
        self.weights = nn.Parameter(torch.randn(outputs, *inputs) * (spread * (2 / np.prod(inputs)) ** 0.5))
        self.biases = nn.Parameter(torch.zeros(outputs))

    def rounded(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns the weights, and the biases in units of activations."""
        return _in_steps(self.weights, _STEPS), _in_steps(self.biases, FULL * _STEPS)

    def numbers(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
        """Returns the whole numbers of the native core, the weights in the order of this layer; raises NativeError."""
        with torch.no_grad():
            weights, biases = ((numbers * _STEPS).cpu().numpy() for numbers in self.rounded())
        if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
            raise NativeError("the network has weights that are no numbers: it cannot be used")
        return weights.astype(np.int8), biases.astype(np.int32)


class Dense(Layer):
    """Sums of all inputs."""

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """Returns the sums, of activations [..., inputs]."""
        weights, biases = self.rounded()
        return linear(seen, weights.flatten(1), biases)


class Convolution(Layer):
    """Sums of what each square sees: itself and its neighbours."""

    def __init__(self, inputs: int, outputs: int, taps: Taps, spread: float = 1.0) -> None:
        super().__init__(outputs, len(taps), inputs, spread=spread)
        self._taps = tuple(zip(*taps, strict=True))

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """Returns the sums of each square, of activations [n, inputs, height, width]."""
        weights, biases = self.rounded()
        kernel = weights.new_zeros(len(weights), weights.shape[2], 3, 3)
        kernel[:, :, self._taps[0], self._taps[1]] = weights.transpose(1, 2)
        return conv2d(seen, kernel, biases, padding=1)


class Tower(nn.Module):
    """A stem and `blocks` residual blocks, with `width` activations a square."""

    def __init__(self, planes: int, width: int, blocks: int, taps: Taps) -> None:
        """Begins with blocks that add nothing."""
        super().__init__()
        self.stem = Convolution(planes, width, taps)
        self.blocks = nn.ModuleList(
            Convolution(width, width, taps, spread) for _ in range(blocks) for spread in (1.0, 0.0)
        )

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Returns activations [n, width, height, width of the board], of planes from 0 to 1."""
        seen = cut(self.stem(planes * FULL))
        for first, second in zip(self.blocks[::2], self.blocks[1::2], strict=True):
            seen = within(_Rounded.apply(second(cut(first(seen)))) + seen)
        return seen

    def numbers(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8], npt.NDArray[np.int32]]:
        """Returns whole numbers: the stem's weights [width, taps, planes], the blocks', and all biases."""
        (stem, stem_biases), blocks = self.stem.numbers(), [layer.numbers() for layer in self.blocks]
        width, taps, _ = stem.shape
        weights = np.zeros((len(blocks), width, taps, width), np.int8)
        for at, (of_layer, _) in enumerate(blocks):
            weights[at] = of_layer
        return stem, weights, np.stack((stem_biases, *(biases for _, biases in blocks)))


def bound(network: nn.Module) -> None:
    """Puts weights that have grown out of the range of play back into it; to be called after each step."""
    with torch.no_grad():
        for layer in network.modules():
            if isinstance(layer, Layer):
                layer.weights.clamp_(-FULL / _STEPS, FULL / _STEPS)
