"""A small residual network over the board: what a position is worth, and which moves look good. In PyTorch.

Theory. Convolutions see the same pattern wherever it stands; residual blocks, each of which adds to what came before,
let many of them be trained (He et al., "Deep residual learning for image recognition", 2016). One tower has two heads:
the value of the mover, -1 to 1, and a logit for each move 4 * square + direction (Silver et al., "Mastering the game of
Go without human knowledge", 2017).

"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from ludens.games.checkers.kernels.planes import FILES, RANKS


class _Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
        )

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """Returns what is seen, with what this block adds."""
        return torch.relu(seen + self.body(seen))


class Network(nn.Module):
    """A tower of `blocks` residual blocks of `width` planes, with a head for the value and one for moves."""

    def __init__(self, width: int, blocks: int) -> None:
        super().__init__()
        stem = (nn.Conv2d(3, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU())
        self.tower = nn.Sequential(*stem, *(_Block(width) for _ in range(blocks)))
        self.value = nn.Sequential(
            *(nn.Conv2d(width, 4, 1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 64, 64), nn.ReLU(), nn.Linear(64, 1))
        )
        self.moves = nn.Conv2d(width, 4, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns values [n], -1 to 1, and logits [n, 128] of moves, of planes [n, 3, 8, 8]."""
        seen = self.tower(planes)
        logits = self.moves(seen)[:, :, torch.from_numpy(RANKS), torch.from_numpy(FILES)]  # [n, 4, 32]
        return torch.tanh(self.value(seen)).squeeze(1), logits.transpose(1, 2).flatten(1)


def values(network: Network, planes: np.ndarray, batch: int = 4096) -> np.ndarray:
    """Returns values float32[n] of planes [n, 3, 8, 8]."""
    network.eval()
    with torch.no_grad():
        parts = [network(torch.from_numpy(planes[a : a + batch]))[0].numpy() for a in range(0, len(planes), batch)]
    return np.concatenate(parts)
