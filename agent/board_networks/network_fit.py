"""Fits a network over the board of a game round by round; what has been learned is a mean of its weights.

The means are those of agent/learning/averaged_fit.py; steps are Adam's with decoupled decay (Loshchilov and Hutter,
"Decoupled weight decay regularization", 2019), as long as the rate of a round says. The loss is the cross-entropy of
goals, as shares of 100. In PyTorch.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from ludens.agent.board_networks.board_planes import BoardPlanes
from ludens.agent.board_networks.layers import bound
from ludens.agent.board_networks.network import BoardModel
from ludens.agent.board_networks.weights import BoardWeights, LearnedNetwork
from ludens.agent.learning.averaged_fit import share_of_round
from ludens.agent.learning.fit import Learned, Round
from ludens.native.core import TrainingSamples, unpack_bits
from ludens.propnet.base.errors import NativeError

_BATCH = 128
_MOST_GOALS = 100
_DECAY = 1e-4


class NetworkFitState(NamedTuple):
    """All that a fit goes on from: the weights, their mean, and what Adam remembers, one after the other."""

    numbers: npt.NDArray[np.float32]  # an even number of them
    rounds: int
    steps: int
    mean: BoardWeights

    @property
    def shape(self) -> dict[str, Any]:
        """What must be known besides the numbers, as JSON can hold it."""
        return {"rounds": self.rounds, "steps": self.steps, "planes": self.mean.planes.as_json()}

    @property
    def words(self) -> npt.NDArray[np.uint64]:
        """The numbers, two in each word."""
        return self.numbers.astype("<f4").view("<u8")


class NetworkFit:
    """A network that is being fitted, and the mean of its weights."""

    def __init__(self, planes: BoardPlanes, roles: int, width: int, blocks: int, seed: int, threads: int = 1) -> None:
        """Begins with weights that follow from the seed. All that PyTorch does in this process has so many threads."""
        torch.set_num_threads(threads)
        self._planes = planes
        self._bits = 1 + int(max(planes.columns.max(initial=0), planes.fills[:, 0].max(initial=0)))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._model = BoardModel(planes, roles, width, blocks)
        self._mean = copy.deepcopy(self._model)
        self._optimiser = torch.optim.AdamW(self._model.parameters(), weight_decay=_DECAY)
        self.rounds, self._steps = 0, 0
        self.history: list[Round] = []
        self.weights = self._model.whole_numbers()

    def take(self, samples: TrainingSamples, seed: int, rate: float) -> None:
        """Fits to the samples of a round; raises NativeError if weights are no numbers any more."""
        self.history.append(Round(len(samples.features), self.fit(samples, seed, rate), samples.games))
        self.rounds += 1
        self._move_mean(share_of_round(self.rounds))

    def fit(self, samples: TrainingSamples, seed: int, rate: float) -> float:
        """Makes a pass over samples, in an order that follows from the seed; returns the mean squared error met.

        0 where there are none. Raises NativeError if weights are no numbers any more.
        """
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        order, error = np.random.default_rng(seed).permutation(len(samples.features)), 0.0
        for first in range(0, len(order), _BATCH):
            chosen = order[first : first + _BATCH]
            planes = self._planes.of_bits(unpack_bits(samples.features[chosen], self._bits).astype(np.uint8))
            error += self._step(planes, samples.targets[chosen]) * len(chosen)
        self._steps += -(-len(order) // _BATCH)
        self.weights = self._model.whole_numbers()
        return error / max(1, len(order))

    def learned(self) -> LearnedNetwork:
        """Returns what has been learned so far."""
        return Learned(self._mean.whole_numbers(), self.rounds)

    def state(self) -> NetworkFitState:
        """Returns all that the fit goes on from."""
        parts = [parameter.detach() for model in (self._model, self._mean) for parameter in model.parameters()]
        for moment in ("exp_avg", "exp_avg_sq"):
            parts += [
                self._optimiser.state[parameter].get(moment, torch.zeros_like(parameter))
                for parameter in self._model.parameters()
            ]
        numbers = np.concatenate([part.numpy().reshape(-1) for part in parts])
        return NetworkFitState(numbers, self.rounds, self._steps, self._mean.whole_numbers())

    def restore(self, words: npt.NDArray[np.uint64], shape: Mapping[str, Any]) -> None:
        """Goes on from the words and the shape of a state; raises NativeError where there are not as many as needed."""
        numbers = torch.from_numpy(words.view("<f4").astype(np.float32))
        parameters = list(self._model.parameters())
        if len(numbers) != 4 * sum(parameter.numel() for parameter in parameters):
            raise NativeError("the checkpoint has fewer numbers than its network, or more")
        self.rounds, self._steps = shape["rounds"], shape["steps"]

        def taken(like: torch.Tensor) -> torch.Tensor:
            nonlocal numbers
            own, numbers = numbers[: like.numel()], numbers[like.numel() :]
            return own.reshape(like.shape).clone()

        with torch.no_grad():
            for model in (self._model, self._mean):
                for parameter in model.parameters():
                    parameter.copy_(taken(parameter))
                bound(model)
        for parameter in parameters:
            self._optimiser.state[parameter] = {"step": torch.tensor(float(self._steps)), "exp_avg": taken(parameter)}
        for parameter in parameters:
            self._optimiser.state[parameter]["exp_avg_sq"] = taken(parameter)
        self.weights = self._model.whole_numbers()

    def _step(self, planes: npt.NDArray[np.float32], targets: npt.NDArray[Any]) -> float:
        """Makes a gradient step; returns the squared error before it, in goals."""
        goals = torch.from_numpy(targets.astype(np.float32)) / _MOST_GOALS
        logits = self._model(torch.from_numpy(planes))
        loss = binary_cross_entropy_with_logits(logits, goals)
        if not torch.isfinite(loss):
            raise NativeError("the loss is no number")
        self._optimiser.zero_grad()
        loss.backward()
        self._optimiser.step()
        bound(self._model)
        return float((torch.sigmoid(logits.detach()) - goals).square().mean()) * _MOST_GOALS**2

    def _move_mean(self, share: float) -> None:
        with torch.no_grad():
            for mean, newest in zip(self._mean.parameters(), self._model.parameters(), strict=True):
                mean.lerp_(newest, share)
