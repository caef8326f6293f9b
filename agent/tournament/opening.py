"""Random openings: the same first moves for all matches of a round, after which the players take over.

Players are given the rules with the position after the opening in place of the first one, so that any player of the
protocol can begin there; for the manager, and in records, the match is one from the true beginning.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ludens.agent.manager.referee import MatchState, Referee
from ludens.agent.playable.game_view import FullFacts
from ludens.agent.protocol.wire import History
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import Atom, Rule, RuleSheet

_TRIED = 1000  # until one does not end the game


@dataclass(frozen=True, slots=True)
class Opening:
    """Joint moves from the first state on, and the facts of all states but the last."""

    moves: History
    states: tuple[tuple[str, ...], ...]
    rules: RuleSheet  # of the same game, beginning where the players take over


def random_opening(sheet: RuleSheet, referee: Referee, moves: int, seed: str) -> Opening:
    """Returns an opening of so many joint moves after which the game is on.

    It is the same for the same seed, in whatever order the game lists its moves. Raises `LudensError` if none turns up.
    """
    rng = random.Random(seed)
    for _ in range(_TRIED):
        path, joints = [referee.first()], list[tuple[str, ...]]()
        while len(joints) < moves and _is_on(path[-1]):
            joints.append(tuple(rng.choice(sorted(legal)) for legal in path[-1].legal))
            path.append(referee.after(joints[-1]))
        if _is_on(path[-1]):
            return Opening(tuple(joints), tuple(state.facts for state in path[:-1]), _beginning_after(sheet, joints))
    raise LudensError(f"after {moves} random moves the game is always over")


def _beginning_after(sheet: RuleSheet, moves: Sequence[tuple[str, ...]]) -> RuleSheet:
    """Returns rules of the same game that begins after some joint moves.

    The rule machine says what holds there: a network leaves out facts that never change, such as walls.
    """
    if not moves:
        return sheet
    try:
        facts = FullFacts(sheet).at(tuple(moves))
    except LudensError as error:
        raise LudensError(
            f"matches cannot begin after an opening, since the rule machine cannot play it: {error}; without one "
            "(--opening-moves 0) they can"
        ) from error
    rest = [rule for rule in sheet.rules if rule.head.name != "init"]
    return RuleSheet((*rest, *(Rule(Atom("init", (parse_term(fact),))) for fact in facts)))


def _is_on(state: MatchState) -> bool:
    return not state.terminal and all(state.legal)
