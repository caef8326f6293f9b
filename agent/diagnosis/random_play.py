"""Plays random games of a rule sheet, and keeps the data that may show mistakes.

The games are the same in every run: only the time limit can make them fewer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ludens.agent.analysis.analysis import random_rounds
from ludens.agent.diagnosis.fact_groups import FactGroups
from ludens.agent.learning.random_games import Ending, Round
from ludens.agent.playable.playable_game import PlayableGame
from ludens.agent.playable.text_game import SheetGame
from ludens.agent.protocol.wire import History
from ludens.native.core import Simulator, States
from ludens.propnet.diagnosis.roles import NATURE

_WIN = 100


@dataclass(slots=True)
class Trouble:
    """In how many games something was wrong for each role, and the moves of the shortest of these games."""

    games: Counter[str] = field(default_factory=Counter)
    examples: dict[str, History] = field(default_factory=dict)

    def alike(self) -> list[tuple[list[str], int, History]]:
        """The roles for whom it was wrong in the same games, how many these are, and the shortest of them."""
        found: dict[tuple[int, History], list[str]] = {}
        for role, example in self.examples.items():
            found.setdefault((self.games[role], example), []).append(role)
        return [(roles, games, example) for (games, example), roles in found.items()]


@dataclass(slots=True)
class Played:
    """What happened in random games."""

    endings: Counter[Ending] = field(default_factory=Counter)
    stuck: Trouble = field(default_factory=Trouble)  # a role had no legal move
    unpaid: Trouble = field(default_factory=Trouble)  # a role had no goal at the end, or several
    won: Counter[str] = field(default_factory=Counter)  # ended games in which a role had a goal of 100
    held: set[str] = field(default_factory=set)  # relations that have marks and held in some state
    facts: FactGroups = field(default_factory=FactGroups)

    @property
    def games(self) -> int:
        """All games that came to an end of some kind."""
        return self.endings.total()

    @property
    def over(self) -> int:
        """The games that came to a terminal state."""
        return self.endings[Ending.PROPER] + self.endings[Ending.NO_GOAL]


def play(playable: PlayableGame, marks: Mapping[str, str], seconds: float, games: int) -> Played:
    """Plays about so many games, fewer if `seconds` do not suffice; raises `NativeError`. See `with_marks`."""
    game = playable.game
    numbers = {number: name for mark, name in marks.items() if (number := game.number(0, mark)) >= 0}
    simulator = Simulator(game.game)
    played = Played()
    for part in random_rounds(playable, seconds, games, tuple(numbers)):
        _add(played, part, game)
        for states in _states(part, game):
            legal = set(np.nonzero(simulator.legal(states)[0])[1].tolist())
            played.held.update(name for number, name in numbers.items() if number in legal)
    return played


def _states(part: Round, game: SheetGame) -> Iterable[States]:
    """All states of a round."""
    return (game.game.initial[None], *(step.following for step in part.steps))


def _add(played: Played, part: Round, game: SheetGame) -> None:
    """Adds what happened in a round."""
    for step in part.steps:
        played.facts.note(game, step.states, step.following)
    for number in np.flatnonzero(part.ended).tolist():
        ending = part.ending(number)
        played.endings[ending] += 1
        for index, role in enumerate(game.roles):
            goal = part.goals[number, index]
            if ending is Ending.STUCK and not part.movable[number, index]:
                _note(played.stuck, role, part, number, game)
            elif ending is Ending.NO_GOAL and goal < 0 and role != NATURE:
                _note(played.unpaid, role, part, number, game)
            played.won[role] += bool(part.terminal[number]) and bool(goal == _WIN)


def _note(trouble: Trouble, role: str, part: Round, number: int, game: SheetGame) -> None:
    """Counts a game in which something is wrong for a role; keeps it if it is the shortest."""
    trouble.games[role] += 1
    known = trouble.examples.get(role)
    if known is None or part.lengths[number] < len(known):
        trouble.examples[role] = tuple(game.line(game.game.initial, part.moves(number)))
