"""Trains a network on checkers data, and says how well it foretells what it has not seen.

What a network is taught, its label, is the result of a position's game (`result`), the same interpolated from 0 at the
start (`outcome`), or what the best move is worth (`value`). Labels can be compared by what the networks know of
held-out games and of endgames, whose perfect values are in tables.

A GPU trains the network where there is one that PyTorch and numba can use: there positions, which travel as words, are
expanded to planes by a kernel of numba's, and PyTorch reads these where they are.

Only for import where there is PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from ludens.agent.checkers.network import Network, values
from ludens.agent.checkers.reader import Examples, batches, held_out
from ludens.agent.checkers.views import Words
from ludens.agent.plots.charts import CurvePoint, curve_chart
from ludens.agent.plots.panels import Panel, panels
from ludens.games.checkers.kernels.planes import planes
from ludens.games.checkers.rules.parameters import ENGLISH
from ludens.games.checkers.rules.positions import random_boards
from ludens.native.core import EndgameTable
from ludens.native.cuda.device import available
from ludens.propnet.base.errors import LudensError

LABELS = ("result", "outcome", "value")
_NEVER = -1e9  # the logit of a move that is not legal
_DRAW, _ABSENT = 255, 254  # of endgame tables
_BINS = 10
_TESTED = 8192  # positions at once


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


def train(
    examples: Examples,
    options: TrainingOptions,
    tell: Callable[[str], None],
    keep: Callable[[Network], None] = lambda _network: None,
) -> tuple[Network, list[Epoch]]:
    """Trains a network, which `keep` takes after each epoch as it is then.

    Raises `LudensError` where the data lack the label, or training goes astray.
    """
    target = getattr(examples, options.label)
    if np.isnan(target).any():
        raise LudensError(f"these data have no label {options.label!r}: their moves were not judged")
    tested = held_out(examples, options.held_out)
    if tested.all() or not tested.any():
        raise LudensError("too few games: none are left for the training, or none are held out")
    torch.manual_seed(options.seed)
    rng, known, unseen = np.random.default_rng(options.seed), examples[~tested], examples[tested]
    device = "cuda" if torch.cuda.is_available() and available() else "cpu"
    network = Network(options.width, options.blocks).to(device)
    steps = options.epochs * -(-len(known) // options.batch)
    optimiser = torch.optim.AdamW(network.parameters(), lr=options.step)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.step, total_steps=steps)
    curve = []
    for epoch in range(options.epochs):
        network.train()
        error = 0.0
        for part in batches(known, options.batch, rng):
            error += _step(network, optimiser, part, options.label) * len(part)
            schedule.step()
        keep(network)
        curve.append(_judged(network, unseen, options.label, error / len(known)))
        tell(f"epoch {epoch + 1} of {options.epochs}, held-out error {curve[-1].held_out:.4f}")
    return network.cpu(), curve


def _step(network: Network, optimiser: torch.optim.Optimizer, part: Examples, label: str) -> float:
    """Makes a gradient step; returns the squared error of values."""
    told, logits = network(_planes(part.words, network.device))
    target, policy, legal = (
        torch.from_numpy(array).to(network.device) for array in (getattr(part, label), part.policy, part.legal)
    )
    error = (told - target).square().mean()
    loss = error + nn.functional.cross_entropy(logits.masked_fill(~legal, _NEVER), policy)
    if not torch.isfinite(loss):
        raise LudensError("the training has gone astray: its loss is no number; choose a smaller --step")
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    network.bound()
    return float(error.detach())


def _planes(words: Words, device: torch.device) -> torch.Tensor:
    """Returns the planes of positions, on a device."""
    if device.type == "cpu":
        return torch.from_numpy(planes(words))
    from ludens.games.checkers.kernels.plane_kernels import expand_on_device

    return torch.as_tensor(expand_on_device(words), device=device)


def _judged(network: Network, unseen: Examples, label: str, training: float) -> Epoch:
    network.eval()
    told, best = [], []
    with torch.no_grad():
        for start in range(0, len(unseen), _TESTED):
            part = unseen[start : start + _TESTED]
            values, logits = network(_planes(part.words, network.device))
            logits = logits.masked_fill(~torch.from_numpy(part.legal).to(network.device), _NEVER)
            told.append(values.cpu().numpy())
            best.append(logits.argmax(dim=1).cpu().numpy())
    error = float(np.mean((np.concatenate(told) - getattr(unseen, label)) ** 2))
    right = (np.concatenate(best) == unseen.policy.argmax(axis=1))[unseen.judged]
    return Epoch(training, error, float(right.mean()) if len(right) else None)


def test(network: Network, tests: Examples, perfect: Endgames) -> dict[str, float | None]:
    """Returns what a network knows of games that it has not seen and of endgames, by name.

    None for best moves where the tests do not know them.
    """
    known = _judged(network, tests, "result", 0.0)
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
