"""Trains a network on checkers data, and says how well it foretells what it has not seen.

What a network is taught, its label, is the result of a position's game (`result`), the same interpolated from 0 at the
start (`outcome`), or what the best move is worth (`value`). Labels can be compared by what the networks know of
held-out games and of endgames, whose perfect values are in tables.

A GPU trains the network where there is one that PyTorch and numba can use: there positions, which travel as words, are
expanded to planes by a kernel of numba's, and PyTorch reads these where they are.

Only for import where there is PyTorch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from ludens.agent.checkers.network import Network, values
from ludens.agent.checkers.reader import Examples, batches, held_out
from ludens.agent.checkers.views import Words
from ludens.agent.plots.charts import CurvePoint, curve_chart
from ludens.agent.plots.panels import Panel, panels
from ludens.games.checkers.bitboards.endgame_tables import open_endgame
from ludens.games.checkers.kernels.planes import planes
from ludens.games.checkers.rules.parameters import ENGLISH
from ludens.games.checkers.rules.positions import random_boards
from ludens.native.core import EndgameTable
from ludens.native.cuda.device import available
from ludens.propnet.base.errors import LudensError, NativeError

LABELS = ("result", "outcome", "value")
_NEVER = -1e9  # the logit of a move that is not legal
_DRAW, _ABSENT = 255, 254  # of endgame tables
_BINS = 10
_TEST_PIECES = 4  # of endgames that networks are tested on
_TESTED = 8192  # positions at once
_MOMENTS = ("exp_avg", "exp_avg_sq")  # what Adam remembers of each weight


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How a network is trained."""

    label: str = "value"
    width: int = 32
    blocks: int = 2
    epochs: int = 8
    batch: int = 256
    step: float = 2e-3  # the greatest width of gradient steps
    held_out: float = 0.1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Epoch:
    """What a network knew after an epoch: mean squared errors of values, -1 to 1, and the share of best moves."""

    training: float  # of the label, on what it learned from
    held_out: float  # of the label, on held-out games
    best_moves: float | None  # ... where the first choice of the network is that of the data; None where none is known

    @property
    def words(self) -> str:
        """How well it does, for people."""
        return f"held-out error {self.held_out:.4f}"


class TrainingState(NamedTuple):
    """All that a training goes on from."""

    numbers: npt.NDArray[np.float32]  # weights, and what Adam remembers, one after the other
    made: int  # gradient steps
    error: float  # the sum of squared errors in the epoch that is under way
    curve: Sequence[Sequence[Any]]  # of epochs, as `Epoch` has it


class DivergedError(LudensError):
    """A training whose numbers are no numbers any more."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the training diverges: {what}; choose a smaller --step")


@dataclass(frozen=True, slots=True)
class Endgames:
    """Positions with few pieces and their perfect values for the mover: 1, 0 or -1."""

    words: Words
    worth: npt.NDArray[np.float32]

    def error(self, network: Network) -> tuple[float, float]:
        """Returns the mean squared error of values, and the share of decided positions whose winner they tell."""
        told = values(network, planes(self.words))
        decided = self.worth != 0
        return float(np.mean((told - self.worth) ** 2)), float(np.mean((told * self.worth > 0)[decided]))


def endgames_for_tests(seed: int) -> Endgames:
    """Draws the endgames that networks are tested on."""
    return endgames(open_endgame(_TEST_PIECES), 20_000, np.random.default_rng(seed))


def endgames(table: EndgameTable, count: int, rng: np.random.Generator) -> Endgames:
    """Draws positions of the table, two to all of its pieces, with the mover going up."""
    pieces = rng.integers(2, table.pieces + 1, count)
    up = 1 + (rng.random(count) * (pieces - 1)).astype(np.int64)
    boards = random_boards(ENGLISH, up, pieces - up, rng)
    words = np.stack((boards.up, boards.down, boards.kings), axis=1).astype(np.uint32)
    return Endgames(words, _worth(table, words))


def with_tables(examples: Examples, table: EndgameTable) -> Examples:
    """Returns examples whose values are perfect where moves were judged and the table has them."""
    known = examples.judged
    known &= np.bitwise_count(examples.words[:, 0] | examples.words[:, 1]) <= table.pieces
    known &= (examples.words[:, 0] > 0) & (examples.words[:, 1] > 0)
    value = examples.value.copy()
    value[known] = _worth(table, examples.words[known])
    return replace(examples, value=value)


def _worth(table: EndgameTable, words: Words) -> npt.NDArray[np.float32]:
    """Returns perfect values for the mover: 1, 0 or -1; raises LudensError where the table lacks one."""
    found = table.probe(np.column_stack((words, np.zeros(len(words), np.uint32))))
    if (found == _ABSENT).any():
        raise LudensError("the endgame table lacks positions that it should have")
    return np.where(found == _DRAW, 0, np.where(found % 2 == 1, 1, -1)).astype(np.float32)


def train(examples: Examples, options: TrainingOptions, tell: Callable[[str], None]) -> tuple[Network, list[Epoch]]:
    """Trains a network from first to last; raises `LudensError` where data lack the label, or training diverges."""
    training = Training(examples, options)
    for _ in training.steps():
        done, epoch = training.positions_done, training.curve[-1:]
        tell(f"{done:,} of {training.positions:,} positions" + "".join(f", {each.words}" for each in epoch))
    return training.network.cpu(), training.curve


class Training:
    """A training, which can be kept after every batch and gone on with later. For one thread."""

    def __init__(self, examples: Examples, options: TrainingOptions) -> None:
        """Begins with weights that follow from the seed.

        Raises `LudensError` where the data lack the label, or have too few games.
        """
        if np.isnan(getattr(examples, options.label)).any():
            raise LudensError(
                f"these data have no label {options.label!r}: their moves were not judged; choose the label outcome or "
                "result"
            )
        tested = held_out(examples, options.held_out)
        if tested.all() or not tested.any():
            raise LudensError("too few games: none are left for the training, or none are held out")
        self.examples, self.options = examples, options
        self._known, self.unseen = np.flatnonzero(~tested), np.flatnonzero(tested)
        torch.manual_seed(options.seed)
        device = "cuda" if torch.cuda.is_available() and available() else "cpu"
        self.network = Network(options.width, options.blocks).to(device)
        self._optimiser = torch.optim.AdamW(self.network.parameters(), lr=options.step)
        self.curve: list[Epoch] = []
        self._made = 0  # gradient steps
        self._error = 0.0  # the sum of squared errors in the epoch that is under way

    @property
    def positions(self) -> int:
        """How many positions are learned from in all epochs together."""
        return self.options.epochs * len(self._known)

    @property
    def positions_done(self) -> int:
        """How many of them have been."""
        epochs, steps = divmod(self._made, self._steps_of_epoch)
        return epochs * len(self._known) + steps * self.options.batch

    def steps(self) -> Iterator[None]:
        """Trains to the end; yields after each batch and each epoch. Raises `DivergedError`."""
        while len(self.curve) < self.options.epochs:
            order = np.random.default_rng([self.options.seed, len(self.curve)]).permutation(self._known)
            begun = self._made - len(self.curve) * self._steps_of_epoch
            for part in batches(self.examples, order[begun * self.options.batch :], self.options.batch):
                self._error += self._step(part) * len(part)
                self._made += 1
                yield
            error = self._error / len(self._known)
            self.curve.append(_judged(self.network, self.examples, self.unseen, self.options.label, error))
            self._error = 0.0
            yield

    def state(self) -> TrainingState:
        """Returns all that the training goes on from; raises `DivergedError` where weights are no numbers any more."""
        parameters = list(self.network.parameters())
        parts = [parameter.detach() for parameter in parameters]
        for moment in _MOMENTS:
            parts += [self._optimiser.state[each].get(moment, torch.zeros_like(each)) for each in parameters]
        numbers = np.concatenate([part.cpu().numpy().reshape(-1) for part in parts])
        if not np.isfinite(numbers).all():
            raise DivergedError("its weights are no numbers any more")
        return TrainingState(numbers, self._made, self._error, [astuple(epoch) for epoch in self.curve])

    def restore(self, state: TrainingState) -> None:
        """Goes on from a state; raises `NativeError` where it is that of another network."""
        parameters = list(self.network.parameters())
        sizes = [parameter.numel() for parameter in parameters]
        if len(state.numbers) != (1 + len(_MOMENTS)) * sum(sizes):
            raise NativeError("the checkpoint has fewer numbers than its network, or more")
        parts = torch.from_numpy(state.numbers).to(self.network.device).split(sizes * (1 + len(_MOMENTS)))
        with torch.no_grad():
            for number, parameter in enumerate(parameters):
                own, *moments = (part.reshape(parameter.shape).clone() for part in parts[number :: len(sizes)])
                parameter.copy_(own)
                self._optimiser.state[parameter] = {
                    "step": torch.tensor(float(state.made)),
                    **dict(zip(_MOMENTS, moments, strict=True)),
                }
        self._made, self._error = state.made, state.error
        self.curve = [Epoch(*point) for point in state.curve]

    @property
    def _steps_of_epoch(self) -> int:
        return -(-len(self._known) // self.options.batch)

    def _step(self, part: Examples) -> float:
        """Makes a gradient step; returns the squared error of values."""
        share, momentum = one_cycle(self._made, self.options.epochs * self._steps_of_epoch)
        for group in self._optimiser.param_groups:
            group["lr"], group["betas"] = share * self.options.step, (momentum, group["betas"][1])
        self.network.train()
        told, logits = self.network(_planes(part.words, self.network.device))
        target, policy, legal = (
            torch.from_numpy(array).to(self.network.device)
            for array in (getattr(part, self.options.label), part.policy, part.legal)
        )
        error = (told - target).square().mean()
        loss = error + nn.functional.cross_entropy(logits.masked_fill(~legal, _NEVER), policy)
        if not torch.isfinite(loss):
            raise DivergedError("its loss is no number")
        self._optimiser.zero_grad()
        loss.backward()
        self._optimiser.step()
        self.network.bound()
        return float(error.detach())


def one_cycle(step: int, steps: int) -> tuple[float, float]:
    """Returns the share of the greatest width that a gradient step has, and how much of the last ones it keeps.

    Steps grow for the first three tenths of a training and shrink for the rest, while momentum does the opposite (Smith
    and Topin, "Super-convergence", 2018), with the numbers of PyTorch's OneCycleLR.
    """
    top, last = 0.3 * steps - 1, steps - 1
    rises = step <= top
    from_top = (1 + math.cos(math.pi * (step / top if rises else (last - step) / (last - top)))) / 2  # 1 at the ends
    lowest = 1 / 25 if rises else 1 / 25e4
    return 1 + (lowest - 1) * from_top, 0.85 + (0.95 - 0.85) * from_top


def _planes(words: Words, device: torch.device) -> torch.Tensor:
    """Returns the planes of positions, on a device."""
    if device.type == "cpu":
        return torch.from_numpy(planes(words))
    from ludens.games.checkers.kernels.plane_kernels import expand_on_device

    return torch.as_tensor(expand_on_device(words), device=device)


def _judged(network: Network, examples: Examples, rows: npt.NDArray[np.intp], label: str, training: float) -> Epoch:
    """Returns what a network knows of some examples."""
    network.eval()
    errors, right = [], []
    with torch.no_grad():
        for part in batches(examples, rows, _TESTED):
            values, logits = network(_planes(part.words, network.device))
            logits = logits.masked_fill(~torch.from_numpy(part.legal).to(network.device), _NEVER)
            errors.append((values.cpu().numpy() - getattr(part, label)) ** 2)
            right.append((logits.argmax(dim=1).cpu().numpy() == part.policy.argmax(axis=1))[part.judged])
    known = np.concatenate(right)
    return Epoch(training, float(np.concatenate(errors).mean()), float(known.mean()) if len(known) else None)


def test(network: Network, tests: Examples, perfect: Endgames) -> dict[str, float | None]:
    """Returns what a network knows of games that it has not seen and of endgames, by name.

    None for best moves where the tests do not know them.
    """
    known = _judged(network, tests, np.arange(len(tests)), "result", 0.0)
    error, winners = perfect.error(network)
    return {
        "held_out": len(tests),
        "error_of_results": known.held_out,
        "best_moves": known.best_moves,
        "error_of_endgames": error,
        "winners_of_endgames": winners,
    }


def in_percent(share: float | None) -> str:
    """Says a share; a dash where it is not known."""
    return "–" if share is None else f"{share:.1%}"


def learning_curve(title: str, curve: Sequence[Epoch]) -> str:
    """Returns the picture of a training."""
    errors = {"training": [e.training for e in curve], "held-out games": [e.held_out for e in curve]}
    charts = [Panel("squared error of values", errors)]
    best_moves = [epoch.best_moves for epoch in curve if epoch.best_moves is not None]
    if best_moves:
        charts.append(Panel("best moves", {"": best_moves}))
    return panels(title, "epochs", list(range(1, len(curve) + 1)), charts)


def calibration(title: str, told: npt.NDArray[np.float32], happened: npt.NDArray[np.float32]) -> str:
    """Returns the picture of what happened on average where values told so much, with intervals of two errors."""
    place = np.clip(((told + 1) / 2 * _BINS).astype(int), 0, _BINS - 1)
    points = []
    for number in range(_BINS):
        mine = happened[place == number]
        if len(mine) > 1:
            mean, error = float(mine.mean()), float(mine.std() / len(mine) ** 0.5)
            points.append(CurvePoint(float(told[place == number].mean()), mean, mean - 2 * error, mean + 2 * error))
    ideal = [CurvePoint(x, x, x, x) for x in (-1.0, 1.0)]
    return curve_chart(title, "value told", "mean result", {"network": points, "perfect": ideal})
