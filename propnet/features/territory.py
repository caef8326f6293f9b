"""Territory as features for evaluations: how many places each role can reach before the others.

A place is what several roles can make their own, such as a square of the board: propositions of different roles
that differ in one symbol, each of which the moves of one role alone make true. A role is there within k moves if
one of its propositions holds, or it could make one hold while all others wait and nothing is ever taken back
(`turns.Relaxation`). Counted are the places where it is and no other role is as soon. In amazons, where k moves
are k moves of a queen, this is what programs for that game live by (J. Lieberum, "An Evaluation Function for the
Game of Amazons", 2005).

Where at most half of the moves are shortest ones (`turns.shortest`), as among the moves of queens, places are counted
once more, by these alone: in amazons by the moves of kings, which tell who will hold a region that queens only cross.
Lieberum's evaluation has both distances.

Control is taken to be where it would be that role's turn (as in `mobility`). Where roles put stones on any free
square nobody is first anywhere.

Where roles move at the same time, as in tron, this is made only if each is at one place at a time, which is proven
(`exclusion`): a move such as going east is then looked at for each place by itself (`turns.located`). Places further
away count too: in tron, who can reach more squares first lives longer (A. Sloane, "Google AI Challenge post-mortem",
2010).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ludens.propnet.analysis.composition import Composition, check_growth
from ludens.propnet.analysis.exclusion import exclusion
from ludens.propnet.analysis.network_rules import MOST_GATES
from ludens.propnet.analysis.three_values import UNKNOWN
from ludens.propnet.analysis.turns import Relaxation, Turn, cycle, located, shortest, turn, turns
from ludens.propnet.base.clock import now
from ludens.propnet.features.counts import Count, with_counts
from ludens.propnet.network.propnet import FALSE, TRUE, FeatureName, Propnet
from ludens.propnet.network.sampling import StatesByStep, sample_states

_MOVES = (1, 2)  # how far is looked,
_SHORT_MOVES = (1, 2, 3, 4)  # ... and by the shortest moves,
_COUNTED_AT_ONCE = (1, 2, 4, 8)  # ... and where roles move at the same time
_MOST_MOVES_AT_ONCE = 64  # of a role in all, such as four directions; places multiply them
_GAMES, _STEPS = 16, 8  # of random play, in which it is seen whether roles move at the same time
_SHORT = " short"
_MOST_SHORT = 1 / 2  # of all moves, where the others are long
_GROWTH = 4  # while composing, against the gates that may remain
_SYMBOLS_OF_FLAG = 2  # what it says, and of whom
_SYMBOL = re.compile(r"[^\s()]+")

_Place = Mapping[int, Sequence[int]]  # for each role the state variables that say that it is there


def with_territory(
    net: Propnet, gates: int, seconds: float, steps: StatesByStep, wanted: Callable[[FeatureName], bool] | None = None
) -> Propnet:
    """The network with the numbers of places as further `features`; no new ones where they are always the same.

    The features are those that are `wanted`, or if that is None those that vary in the states of `steps`. The network
    has at most `gates` gates more, and it takes about `seconds` at most. Raises `CompositionError` otherwise, where
    legality depends on a loop, and where it is not known whose turn it is though roles seem to alternate.
    """
    deadline = now() + seconds
    composition = Composition.from_network(net, _GROWTH * gates, deadline)
    counts = list(_counts(net, composition, wanted))
    made = with_counts(net, composition, counts, steps, wanted)
    check_growth(len(made.gates) - len(net.gates), gates)
    return made


def _counts(net: Propnet, composition: Composition, wanted: Callable[[FeatureName], bool] | None) -> Iterator[Count]:
    if _move_at_once(net):
        yield from _counts_at_once(net, composition)
        return
    moving = [turn(composition, control) for control in cycle(composition.circuit)]
    places = _places(net, moving, composition)
    moving = _leading(moving, places)
    yield from _leads(composition, places, moving, _MOVES)
    if wanted is not None and not _wants_short(wanted, len(net.roles), len(places)):
        return
    short = [shortest(composition, each) for each in moving]
    if all(len(few.legal) <= _MOST_SHORT * len(each.legal) for few, each in zip(short, moving, strict=True)):
        yield from _leads(composition, places, short, _SHORT_MOVES, _SHORT)


def _move_at_once(net: Propnet) -> bool:
    """Whether several roles have a choice in some state of a few random games."""
    _, legal = sample_states(net, _GAMES, _STEPS, seconds=math.inf)
    choosing = np.stack([moves.sum(axis=1) > 1 for moves in net.by_role(legal)])
    return bool((choosing.sum(axis=0) > 1).any())


def _counts_at_once(net: Propnet, composition: Composition) -> Iterator[Count]:
    """The places of roles that move at the same time, if each is at one place at a time and has few moves."""
    if len(net.gates) > MOST_GATES or max(map(len, net.moves)) > _MOST_MOVES_AT_ONCE:
        return
    moving = [each for control in cycle(composition.circuit) for each in turns(composition, control)]
    places = [place for place in _places(net, moving, composition) if not _is_flag(net, place)]
    moving = _leading(moving, places)
    owned = {
        each.role: sorted({variable for place in places for variable in place.get(each.role, ())}) for each in moving
    }
    groups = [[variable - 1 for variable in variables] for variables in owned.values()]
    if any(net.initial[group].sum() > 1 for group in groups):  # which saves a proof that would fail
        return
    proven = exclusion(net, groups)
    composition.check()
    if groups and all(map(proven.at_most, groups)):
        apart = [located(composition, each, owned[each.role]) for each in moving]
        yield from _leads(composition, places, apart, _COUNTED_AT_ONCE)


def _is_flag(net: Propnet, place: _Place) -> bool:
    """Whether propositions say whose they are and nothing else, as (crashed blue)."""
    names = (net.propositions[variable - 1] for variables in place.values() for variable in variables)
    return all(len(_SYMBOL.findall(name)) <= _SYMBOLS_OF_FLAG for name in names)


def _leading(moving: Sequence[Turn], places: Sequence[_Place]) -> list[Turn]:
    """The turns in which a role comes to places.

    What only prepares, such as a shot that is no role's own, takes as long to compose and leads nowhere.
    """
    owned = {variable for place in places for variables in place.values() for variable in variables}
    return [each for each in moving if any(literal >> 1 in owned for literal in each.makes)]


def _wants_short(wanted: Callable[[FeatureName], bool], roles: int, places: int) -> bool:
    """Whether counts by the shortest moves are wanted: evaluations that were kept earlier do not see them."""
    counts = (Count(_what(role, moves, _SHORT), ()) for role in range(roles) for moves in _SHORT_MOVES)
    return any(wanted(count.name(bound)) for count in counts for bound in range(1, places + 1))


def _what(role: int, moves: int, kind: str) -> str:
    return f"territory {role} {moves}{kind}"


def _leads(
    composition: Composition, places: Sequence[_Place], moving: Sequence[Turn], counted: Sequence[int], kind: str = ""
) -> Iterator[Count]:
    """Where each role is within so many moves of these turns as are `counted`, and no other is as soon."""
    reached = {each.role: Relaxation(composition) for each in moving}
    asked = {2 * variable for place in places for variables in place.values() for variable in variables}
    for moves in range(1, counted[-1] + 1):
        for each in moving:
            reached[each.role].make(each, each.control, asked if moves == counted[-1] else None)
        if moves not in counted:
            continue
        leads: dict[int, list[int]] = {role: [] for role in reached}
        for place in places:
            there = {role: composition.any(_held(place[role], reached[role])) for role in place}
            for role in place:
                leads[role].append(composition.all(there[other] ^ (other != role) for other in place))
        for role, literals in leads.items():
            if any(literal not in (FALSE, TRUE) for literal in literals):
                yield Count(_what(role, moves, kind), tuple(composition.count(literals)))


def _held(variables: Sequence[int], reached: Relaxation) -> Iterator[int]:
    """The literals of variables holding, and of their possibly having come to hold."""
    for variable in variables:
        yield from (2 * variable, reached.may(2 * variable))


def _places(net: Propnet, moving: Sequence[Turn], composition: Composition) -> list[_Place]:
    made = {role: set[int]() for role in range(len(net.roles))}
    for each in moving:
        made[each.role] |= _made(each, composition)
    places: dict[str, dict[int, list[int]]] = {}
    for role, variables in made.items():
        own = variables.difference(*(others for other, others in made.items() if other != role))
        for variable in sorted(own):
            for name in _masked(net.propositions[variable - 1]):
                places.setdefault(name, {}).setdefault(role, []).append(variable)
    return [place for place in places.values() if len(place) > 1]


def _made(turn: Turn, composition: Composition) -> set[int]:
    """State variables that some move of a turn may make true."""
    return {
        literal >> 1
        for literal, ways in turn.makes.items()
        if not literal & 1
        and literal >> 1 not in turn.control
        and not all(
            _keeps_false(literal >> 1, prevented ^ 1, composition) for prevented in {prevented for _, prevented in ways}
        )
    }


def _keeps_false(variable: int, literal: int, composition: Composition) -> bool:
    """Whether a variable that is false stays so where `literal` is its next one, as three values show."""
    inputs = {variable: (FALSE, TRUE)}
    return composition.certain([literal ^ 1], lambda v: inputs.get(v, UNKNOWN)) == [TRUE]


def _masked(text: str) -> Iterator[str]:
    """A proposition with each of its symbols in turn replaced."""
    for symbol in _SYMBOL.finditer(text):
        yield f"{text[: symbol.start()]}?{text[symbol.end() :]}"
