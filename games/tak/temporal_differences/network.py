"""The network of the evaluation, and one step of its training: numpy, to be read and to test the native one against.

Network: fully connected, one hidden layer of 40, two outputs from 0 to 1, logistic throughout: how well who is to move
is doing, and how well the opponent is. What it sees stands in `inputs`.

Training by temporal differences (Tesauro, "Temporal difference learning and TD-Gammon", 1995), in this order:

    games       the network plays against itself. Each turn it looks at the state after each of its moves, as the
                opponent sees it there, and makes the move after which it does best against the opponent: the highest
                second output less the first; a won game counts 1, a lost one -1, a tie 0
    targets     each turn the output for the present state is drawn towards that for the state after the chosen move,
                whose two outputs change places, since the other player is to move there
    the end     two corrections for the last state: as the winner sees it towards {1, 0}, as the loser sees it towards
                {0, 1}; as both see a tie towards {0, 0}
    rates       0.005 in the game, 0.01 at its end
    halves      in the first half of the games only wins by road count, and all other ends are ties; in the second half
                all wins count
    number      500,000 games or more

The description that this follows leaves open how games begin and end that the network would otherwise play alike or
for ever. So here it is chosen: 2 to 8 random moves come first, from which nothing is learned; after 200 moves a game is
a tie; and 16 games go on side by side, each of which makes a move before the next ones learn.
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
