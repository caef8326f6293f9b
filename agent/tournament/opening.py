"""Random openings: the same first moves for all matches of a round, after which the players take over.

Players are given the rules with the position after the opening in place of the first one, so that any player of the
protocol can begin there; for the manager, and in records, the match is one from the true beginning.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ludens.agent.manager.referee import MatchState, Referee
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import Atom, Rule, RuleSheet

_TRIED = 1000  # until one does not end the game


@dataclass(frozen=True, slots=True)
class Opening:
    """Joint moves from the first state on, and the facts of all states but the last."""

    moves: tuple[tuple[str, ...], ...]
    states: tuple[tuple[str, ...], ...]
    start: tuple[str, ...]  # the facts where the players take over


def random_opening(referee: Referee, moves: int, seed: str) -> Opening:
    """Returns an opening of so many joint moves, the same for the same seed, after which the game is on.

    Raises `LudensError` if none turns up.
    """
    rng = random.Random(seed)
    for _ in range(_TRIED):
        path, joints = [referee.first()], list[tuple[str, ...]]()
        while len(joints) < moves and _is_on(path[-1]):
            joints.append(tuple(rng.choice(legal) for legal in path[-1].legal))
            path.append(referee.after(joints[-1]))
        if _is_on(path[-1]):
            facts = [state.facts for state in path]
            return Opening(tuple(joints), tuple(facts[:-1]), facts[-1])
    raise LudensError(f"after {moves} random moves the game is always over")


def beginning_at(sheet: RuleSheet, facts: Sequence[str]) -> RuleSheet:
    """Returns rules of the same game that begins in another state."""
    rest = [rule for rule in sheet.rules if rule.head.name != "init"]
    return RuleSheet((*rest, *(Rule(Atom("init", (parse_term(fact),))) for fact in facts)))


def _is_on(state: MatchState) -> bool:
    return not state.terminal and all(state.legal)
