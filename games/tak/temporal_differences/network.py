"""The network of the evaluation, and one step of its training: numpy, to be read and to test the native one against.

One hidden layer, and two outputs from 0 to 1: how well who is to move is doing, and how well the opponent is.

Training by temporal differences (Tesauro, "Temporal difference learning and TD-Gammon", 1995), in games that the
network plays against itself: on each turn the output for the present state is drawn towards that for the state after
the chosen move; at the end the outputs for the last state, as each player sees it, towards the result: {1, 0} for the
winner, {0, 1} for the loser, {0, 0} for both of a tie.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

HIDDEN = 40


@dataclass(frozen=True, slots=True)
class Network:
    """Weights of the network: hidden [inputs + 1, hidden] and output [hidden + 1, 2]; the last rows are biases."""

    hidden: Floats
    output: Floats

    @classmethod
    def random(cls, inputs: int, seed: int, hidden: int = HIDDEN) -> Network:
        """Returns a network of small random weights."""
        rng = np.random.default_rng(seed)

        def layer(rows: int, columns: int) -> Floats:
            weights: Floats = (rng.uniform(-1, 1, (rows + 1, columns)) / np.sqrt(rows)).astype(np.float32)
            return weights

        return cls(layer(inputs, hidden), layer(hidden, 2))

    def outputs(self, inputs: Floats) -> Floats:
        """Returns the outputs for inputs [..., inputs]: [..., 2]."""
        return self._layers(inputs)[1]

    def trained(self, inputs: Floats, target: Floats, rate: float) -> Network:
        """Returns the network after a step down the gradient of half the squared error on one state."""
        hidden, output = self._layers(inputs)
        output_slope = (output - target) * output * (1 - output)
        hidden_slope = (self.output[:-1] @ output_slope) * hidden * (1 - hidden)
        return Network(
            (self.hidden - rate * np.outer(np.append(inputs, 1), hidden_slope)).astype(np.float32),
            (self.output - rate * np.outer(np.append(hidden, 1), output_slope)).astype(np.float32),
        )

    def _layers(self, inputs: Floats) -> tuple[Floats, Floats]:
        hidden = _logistic(inputs @ self.hidden[:-1] + self.hidden[-1])
        return hidden, _logistic(hidden @ self.output[:-1] + self.output[-1])


def _logistic(x: Floats) -> Floats:
    value: Floats = (1 / (1 + np.exp(-x))).astype(np.float32)
    return value
