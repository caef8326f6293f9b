"""The result of one match of a tournament, and what each player has scored by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from ludens.agent.tournament.plan import Fixture


@dataclass(frozen=True, slots=True)
class Result:
    """A match that was played, or could not be; seats in role order."""

    game: str
    round: int
    players: tuple[str, ...]
    goals: tuple[int, ...]  # empty for a match that could not be played
    ending: str
    turns: int  # those of the opening too
    opening: int  # turns
    faults: tuple[tuple[str, ...], ...]  # of each seat, as the error marks of the record have them
    warnings: tuple[str, ...]
    started: int  # milliseconds since 1970
    seconds: float
    match_id: str = field(default="")

    @property
    def fixture(self) -> Fixture:
        """What was to be played."""
        return Fixture(self.game, self.round, self.players)

    @property
    def played(self) -> bool:
        """Whether it counts."""
        return bool(self.goals)

    def to_json(self) -> dict[str, Any]:
        """Returns a line of the file of results."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Result:
        """Returns what `to_json` wrote; raises `KeyError`, `TypeError` or `ValueError` for anything else."""
        result = cls(
            game=str(fields["game"]),
            round=int(fields["round"]),
            players=tuple(map(str, fields["players"])),
            goals=tuple(map(int, fields["goals"])),
            ending=str(fields["ending"]),
            turns=int(fields["turns"]),
            opening=int(fields["opening"]),
            faults=tuple(tuple(map(str, marks)) for marks in fields["faults"]),
            warnings=tuple(map(str, fields["warnings"])),
            started=int(fields["started"]),
            seconds=float(fields["seconds"]),
            match_id=str(fields.get("match_id", "")),
        )
        seats = len(result.players)
        if len(result.goals) not in (0, seats) or len(result.faults) != seats:
            raise ValueError(f"goals and faults are not of {seats} players")
        return result

    def scores(self) -> list[tuple[str, float]]:
        """Returns what each seat has scored, 0 … 1, with its player."""
        return [(name, score_of(self.goals, seat)) for seat, name in enumerate(self.players)] if self.goals else []


def score_of(goals: Sequence[int], seat: int) -> float:
    """Returns what a seat has scored, 0 … 1: its goal alone, or less the mean of the others' goals."""
    others = [goal for place, goal in enumerate(goals) if place != seat]
    return 0.5 + (goals[seat] - float(np.mean(others))) / 200 if others else goals[seat] / 100


@dataclass(frozen=True, slots=True)
class Comparison:
    """Who did better of two players in a match, or in the same round of a game for one."""

    first: str
    second: str
    score: float  # of the first: 1, 0.5 or 0
    weight: float
    opening: tuple[str, int]  # game and round: comparisons of one opening are not independent


def comparisons(results: Sequence[Result]) -> list[Comparison]:
    """Returns who did better than whom, by the goals.

    A match of n seats has n (n - 1) / 2 pairs, each of which counts 2 / n: what ranks n players tells as much as
    n - 1 matches of two do.
    """
    tables: dict[tuple[object, ...], list[tuple[str, int]]] = {}
    for number, result in enumerate(results):
        seats = list(zip(result.players, result.goals, strict=False))
        alone = len(result.players) == 1
        key = (result.game, result.round) if alone else (result.game, result.round, number)
        tables.setdefault(key, []).extend(seats)
    return [
        Comparison(
            first, second, 0.5 + 0.5 * ((mine > other) - (mine < other)), 2 / len(seats), (str(game), int(str(n)))
        )
        for (game, n, *_), seats in tables.items()
        for (first, mine), (second, other) in combinations(seats, 2)
        if first != second
    ]
