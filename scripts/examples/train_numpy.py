"""Teaches a small network a game by self-play, with TD(λ) on afterstates, in numpy alone.

    python -m scripts.examples.train_numpy connect_four --out runs/connect_four_numpy
    python -m scripts.examples.train_numpy scripts/examples/corners.kif --minutes 5 --out runs/corners_numpy

Theory. A network with one hidden layer answers one question: which result can each role expect in this position? That
is all a player needs, where rules are known: it makes every legal move for trial, asks what the position after it (the
afterstate) is worth to its role, and makes the move with the best one (`lookahead.py`). So TD-Gammon learned backgammon
from games against itself, to the level of the best people. Again and again
1. `GAMES` games are played side by side for `STEPS` moves. Good moves are likely, and all moves are possible: a move
   whose afterstate is worth v is drawn with a likelihood in proportion to exp(v / temperature), which falls;
2. λ-returns (`returns.py`) tell what each position turned out to be worth;
3. gradient steps move the values of the positions towards them: the gradient of the squared error, by the chain rule.

Source: Tesauro, "Temporal Difference Learning and TD-Gammon", 1995; Kingma and Ba, "Adam", 2015 (the optimiser).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ludens import Batch, Game
from ludens.env import Actions
from scripts.examples.lookahead import Lookahead
from scripts.examples.returns import Floats, lambda_returns
from scripts.examples.training import read_options, run

GAMES, STEPS = 256, 32  # of a round: 8,192 positions
WIDTH = 256  # of the hidden layer
EPOCHS, MINIBATCH = 2, 512
TRACE_DECAY = 0.8  # λ
STEP_WIDTH = 1e-3  # at the beginning; it falls to 0
HOT, COLD = 0.3, 0.05  # temperatures at the beginning and at the end


class Network:
    """One hidden layer of rectified units; for each role a value from -1 to 1."""

    def __init__(self, inputs: int, roles: int, rng: np.random.Generator) -> None:
        first = rng.normal(0, np.sqrt(2 / inputs), (inputs, WIDTH))
        second = rng.normal(0, np.sqrt(1 / WIDTH), (WIDTH, roles))
        parts = (first, np.zeros(WIDTH), second, np.zeros(roles))
        self.weights = [part.astype(np.float32) for part in parts]

    def __call__(self, observations: npt.NDArray[np.uint8]) -> Floats:
        """Returns values [n, roles] of positions."""
        return self._forward(_inputs(observations))[1]

    def gradients(self, observations: npt.NDArray[np.uint8], targets: Floats) -> list[Floats]:
        """Returns the gradients of half the mean squared error, one for each array of weights."""
        inputs = _inputs(observations)
        hidden, values = self._forward(inputs)
        error = (values - targets) * (1 - values**2) / len(targets)  # 1 - tanh² is the slope of tanh
        below = (error @ self.weights[2].T) * (hidden > 0)
        return [inputs.T @ below, below.sum(axis=0), hidden.T @ error, error.sum(axis=0)]

    def _forward(self, inputs: Floats) -> tuple[Floats, Floats]:
        first, first_bias, second, second_bias = self.weights
        hidden = np.maximum(inputs @ first + first_bias, 0)
        return hidden, np.tanh(hidden @ second + second_bias)


class Adam:
    """Gradient steps whose width for each weight is that of its gradients of late."""

    def __init__(self, weights: list[Floats]) -> None:
        self.means = [np.zeros_like(part) for part in weights]
        self.squares = [np.zeros_like(part) for part in weights]
        self.steps = 0

    def step(self, weights: list[Floats], gradients: list[Floats], width: float) -> None:
        """Changes weights in place."""
        self.steps += 1
        width *= np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for number, gradient in enumerate(gradients):
            self.means[number] += 0.1 * (gradient - self.means[number])
            self.squares[number] += 0.001 * (gradient**2 - self.squares[number])
            weights[number] -= np.float32(width) * self.means[number] / (np.sqrt(self.squares[number]) + 1e-8)


class Learner:
    """A network that plays against itself."""

    def __init__(self, game: Game, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._games = Batch(game, GAMES, joint=False, autoreset="same_step", seed=seed, also=("states",))
        self._network = Network(int(np.prod(self._games.observation_layout.shape)), len(game.roles), self._rng)
        self._optimiser = Adam(self._network.weights)
        self._worth = Lookahead(self._network)

    def learn(self, share: float) -> int:
        """Plays a round and learns from it; `share` of the training is over. Returns the number of positions."""
        observations, returns = self._play(HOT * (COLD / HOT) ** share)
        for _ in range(EPOCHS):
            for rows in np.split(self._rng.permutation(len(returns)), len(returns) // MINIBATCH):
                gradients = self._network.gradients(observations[rows], returns[rows])
                self._optimiser.step(self._network.weights, gradients, STEP_WIDTH * (1 - share))
        return len(returns)

    def _play(self, temperature: float) -> tuple[npt.NDArray[np.uint8], Floats]:
        """Plays a round; returns the positions, and what they turned out to be worth."""
        games = self._games
        roles = len(games.game.roles)
        seen = np.empty((STEPS, *games.observations.shape), np.uint8)
        rewards = np.empty((STEPS, GAMES, roles), np.float32)
        done = np.empty((STEPS, GAMES), np.bool_)
        for step in range(STEPS):
            seen[step] = games.observations
            worth = self._worth(games) / temperature
            # The largest of values with Gumbel noise is distributed as exp(value).
            games.step((worth + self._rng.gumbel(size=worth.shape)).argmax(axis=1))
            rewards[step], done[step] = games.rewards, games.done
        positions = seen.reshape(-1, *games.observation_layout.shape)
        values = self._network(positions).reshape(STEPS, GAMES, roles)
        returns = lambda_returns(rewards, done, values, self._network(games.observations), TRACE_DECAY)
        return positions, returns.reshape(-1, roles)

    def choose(self, batch: Batch) -> Actions:
        """Returns the action of each game after which the position is worth most to the role to move."""
        best: Actions = self._worth(batch).argmax(axis=1).astype(np.int32)
        return best

    def save(self, file: Path) -> None:
        """Writes the network, what the optimiser knows, and where random numbers are."""
        arrays: dict[str, Any] = {"steps": self._optimiser.steps, **self._arrays()}
        with file.open("wb") as stream:
            np.savez(stream, random=json.dumps(self._rng.bit_generator.state), **arrays)

    def restore(self, file: Path) -> None:
        """Goes on from what `save` wrote, with new games."""
        with np.load(file) as saved:
            for name, part in self._arrays().items():
                part[...] = saved[name]
            self._optimiser.steps = int(saved["steps"])
            self._rng.bit_generator.state = json.loads(str(saved["random"]))

    def _arrays(self) -> dict[str, Floats]:
        parts = {"weights": self._network.weights, "means": self._optimiser.means, "squares": self._optimiser.squares}
        return {f"{name}{number}": array for name, arrays in parts.items() for number, array in enumerate(arrays)}


def _inputs(observations: npt.NDArray[np.uint8]) -> Floats:
    return observations.reshape(len(observations), -1).astype(np.float32)


if __name__ == "__main__":
    sys.exit(run(read_options(__doc__), Learner))
