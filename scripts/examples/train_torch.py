"""Teaches a small network a game by self-play, as AlphaZero learns, in PyTorch.

    pip install 'ludens[learn]'
    python -m scripts.examples.train_torch connect_four --out runs/connect_four
    python -m scripts.examples.train_torch scripts/examples/corners.kif --minutes 5 --out runs/corners

Theory. A network sees a position and answers two questions: how likely should each action be (the policy), and which
result can each role expect (the values)? It is taught as AlphaZero is: a search that asks the network finds better
moves than the network alone; the policy learns to make these moves at once, and so the next search begins with a better
policy. The search here is AlphaZero's tree cut down to its first level: every legal move is made for trial, and the
position after it judged (`lookahead.py`). Again and again
1. `GAMES` games are played side by side for `STEPS` moves. Good moves are likely, and all moves are possible: a move
   that the policy gives likelihood p, and whose position after it is worth v, is drawn in proportion to
   p^`PRIOR` exp(v / temperature)^(1 - `PRIOR`). So the policy comes to rest at exp(v / temperature) of the values of
   the last rounds, averaged, which are less noisy than those of one. The temperature falls; were it too low, the
   games would hardly differ, and the network would not know the positions that weak players reach;
2. λ-returns (`returns.py`) tell what each position turned out to be worth;
3. gradient steps move the policy towards the likelihoods with which moves were drawn (cross-entropy), and the values
   towards the returns (squared error). Their width falls to 0 as the training goes on.

One network plays all roles: the planes tell it whose turn it is.
Sources: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play", 2018; Grill et al., "Monte-Carlo tree search as regularized policy optimization", 2020; Vieillard et al.,
"Leverage the average: an analysis of KL regularization in reinforcement learning", 2020 (p^`PRIOR`).
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from ludens import Batch, Game
from ludens.env import Actions
from scripts.examples.lookahead import Lookahead
from scripts.examples.returns import Floats, lambda_returns
from scripts.examples.training import read_options, run

GAMES, STEPS = 256, 32  # of a round: 8,192 positions
WIDTH = 256  # of the layers of the network
EPOCHS, MINIBATCH = 2, 512
TRACE_DECAY = 0.8  # λ
HOT, COLD = 0.3, 0.05  # temperatures of values, which are -1 to 1, at the beginning and at the end
PRIOR = 0.5  # how much the policy counts beside the values, 0 to 1
STEP_WIDTH = 1e-3  # at the beginning
NEVER = -1e9  # the logit of an action that is not legal


class Network(nn.Module):
    """Two hidden layers; logits of the actions, and a value from -1 to 1 for each role."""

    def __init__(self, shape: tuple[int, ...], actions: int, roles: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Flatten(), nn.Linear(math.prod(shape), WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(WIDTH, actions), nn.Linear(WIDTH, roles)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns logits of actions [n, actions], those that are not legal included, and values [n, roles]."""
        seen = self.body(observations.float())
        return self.policy(seen), torch.tanh(self.value(seen))


class Round(NamedTuple):
    """What is learned from, a row for each position."""

    observations: torch.Tensor
    likelihoods: torch.Tensor  # of actions, as the search found them
    returns: torch.Tensor  # [n, roles]


class Learner:
    """A network that plays against itself."""

    def __init__(self, game: Game, seed: int) -> None:
        torch.manual_seed(seed)
        self._games = Batch(game, GAMES, joint=False, autoreset="same_step", seed=seed, also=("states",))
        self._network = Network(self._games.observation_layout.shape, self._games.actions, len(game.roles))
        self._optimiser = torch.optim.Adam(self._network.parameters())
        self._worth = Lookahead(self._values)

    def learn(self, share: float) -> int:
        """Plays a round and learns from it; `share` of the training is over. Returns the number of positions."""
        seen = self._play(HOT * (COLD / HOT) ** share)
        for group in self._optimiser.param_groups:
            group["lr"] = STEP_WIDTH * (1 - share)
        for _ in range(EPOCHS):
            for rows in torch.randperm(GAMES * STEPS).split(MINIBATCH):
                loss = self._loss(Round(*(part[rows] for part in seen)))
                self._optimiser.zero_grad()
                loss.backward()
                self._optimiser.step()
        return GAMES * STEPS

    def _play(self, temperature: float) -> Round:
        """Plays a round, all games side by side."""
        games = self._games
        observations, likelihoods, rewards, done = [], [], [], []
        for _ in range(STEPS):
            # The arrays of a batch are written anew in every step: what is to be kept is copied.
            observations.append(games.observations.copy())
            likelihoods.append(self._improved(games, temperature).softmax(dim=1))
            games.step(torch.multinomial(likelihoods[-1], 1).squeeze(1).numpy())
            rewards.append(games.rewards.copy())
            done.append(games.done.copy())
        positions = np.concatenate(observations)
        values = self._values(positions).reshape(STEPS, GAMES, -1)
        last = self._values(games.observations)
        returns = lambda_returns(np.stack(rewards), np.stack(done), values, last, TRACE_DECAY)
        return Round(torch.from_numpy(positions), torch.cat(likelihoods), torch.from_numpy(returns).flatten(0, 1))

    def _loss(self, seen: Round) -> torch.Tensor:
        """Returns the cross-entropy of the policy and the squared error of the values."""
        logits, values = self._network(seen.observations)
        policy_loss = nn.functional.cross_entropy(logits, seen.likelihoods)
        return policy_loss + (values - seen.returns).square().sum(dim=1).mean()

    def _improved(self, batch: Batch, temperature: float) -> torch.Tensor:
        """Returns the logits of the policy that the search finds, [games, actions]."""
        with torch.no_grad():
            logits, _ = self._network(torch.from_dlpack(batch.observations))
        forbidden = torch.from_dlpack(batch.legal) == 0
        log_policy = logits.masked_fill(forbidden, NEVER).log_softmax(dim=1)
        worth = torch.from_numpy(self._worth(batch)).masked_fill(forbidden, NEVER)
        return PRIOR * log_policy + (1 - PRIOR) * worth / temperature

    def _values(self, observations: npt.NDArray[np.uint8]) -> Floats:
        """Returns values [n, roles] of positions."""
        with torch.no_grad():
            values: Floats = self._network(torch.from_numpy(observations))[1].numpy()
        return values

    def choose(self, batch: Batch) -> Actions:
        """Returns the best action of each game by the policy and the search."""
        best: Actions = self._improved(batch, COLD).argmax(dim=1).numpy().astype(np.int32)
        return best

    def save(self, file: Path) -> None:
        """Writes the network, what the optimiser knows, and where random numbers are."""
        state = {"network": self._network.state_dict(), "optimiser": self._optimiser.state_dict()}
        torch.save(state | {"random": torch.get_rng_state()}, file)

    def restore(self, file: Path) -> None:
        """Goes on from what `save` wrote, with new games."""
        state = torch.load(file, weights_only=True)
        self._network.load_state_dict(state["network"])
        self._optimiser.load_state_dict(state["optimiser"])
        torch.set_rng_state(state["random"])


if __name__ == "__main__":
    sys.exit(run(read_options(__doc__), Learner))
