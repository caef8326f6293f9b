"""What is known of a game before its boards are found: facts, moves, random games, and relations that never change."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

from ludens.games.view.words import Words, words
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.argument_domains import ArgumentDomains
from ludens.propnet.gdl.interpreter import Interpreter, StepsExceededError
from ludens.propnet.gdl.syntax import And, Atom, Formula, Function, Not, Or, Rule, RuleSheet, Variable

_STATIC_ANSWERS = 60_000  # of a relation, at most, for it to be worked out
_STATIC_STEPS = 60_000  # of the interpreter, at most, for each relation
_BASE_STEPS = 200_000
_MOST_LISTED = 400  # legal moves of a role that are kept of one state
_MOST_ENTRIES = 60_000  # facts and legal moves of all states, by which the time that finding boards takes is bounded


class Playable(Protocol):
    """A game that can be played in texts, on the network or on the rule machine."""

    @property
    def game(self) -> Any:
        """The native game, whose `initial` is the first state."""

    def facts(self, state: Any) -> tuple[str, ...]:
        """Returns the facts that hold."""

    def legal(self, state: Any) -> Sequence[Any]:
        """Returns for each role the numbers of its legal moves."""

    def texts(self, role: int, numbers: Iterable[int], state: Any) -> tuple[str, ...]:
        """Returns the texts of moves."""

    def terminal(self, state: Any) -> bool:
        """Says whether the game is over."""

    def after(self, state: Any, moves: Sequence[str]) -> Any:
        """Returns the state after a joint move."""


@dataclass(frozen=True, slots=True)
class SampledState:
    """A state of a random game, and the move that was made there."""

    facts: frozenset[Words]
    legal: tuple[tuple[str, ...], ...]  # [roles] some of them where there are many
    joint: tuple[str, ...] | None  # None: the last state


@dataclass(frozen=True, slots=True)
class Sample:
    """Random games, each from the first state on, and what else is known."""

    roles: tuple[str, ...]
    games: tuple[tuple[SampledState, ...], ...]
    facts: tuple[str, ...] = ()  # every fact that can hold, as far as known
    moves: tuple[tuple[str, ...], ...] = ()  # [roles] every move, likewise
    relations: dict[str, frozenset[Words]] = field(default_factory=dict)  # what holds whatever is played, by name

    def states(self) -> Iterator[SampledState]:
        """Yields all states of all games."""
        for game in self.games:
            yield from game

    def steps(self) -> Iterator[tuple[SampledState, tuple[str, ...], SampledState]]:
        """Yields states, joint moves, and the states that came next."""
        for game in self.games:
            for state, following in pairwise(game):
                if state.joint is not None:
                    yield state, state.joint, following


def play_sample(playable: Playable, roles: Sequence[str], seconds: float, games: int = 12, steps: int = 120) -> Sample:
    """Returns random games, at least the first state, as many as fit into `seconds`; raises `NativeError`.

    The seconds are of this thread's processor time, so that a busy machine shows as much as a quiet one. Large games
    are sampled less, by the number of their facts and moves and whatever the machine.
    """
    rng, deadline = random.Random(1), time.thread_time() + seconds
    played: list[tuple[SampledState, ...]] = []
    room = _MOST_ENTRIES
    while len(played) < games and (not played or (room > 0 and time.thread_time() < deadline)):
        played.append(tuple(_random_game(playable, len(roles), rng, steps, deadline, room)))
        room -= sum(map(_entries, played[-1]))
    return Sample(tuple(roles), tuple(played))


def _entries(state: SampledState) -> int:
    return len(state.facts) + sum(map(len, state.legal))


def _random_game(
    playable: Playable, roles: int, rng: random.Random, steps: int, deadline: float, room: int
) -> Iterator[SampledState]:
    state = playable.game.initial
    for step in range(steps + 1):
        facts = frozenset(map(words, playable.facts(state)))
        legal = [playable.texts(role, _some(moves, rng), state) for role, moves in enumerate(playable.legal(state))]
        room -= len(facts) + sum(map(len, legal))
        ended = not all(legal) or playable.terminal(state)
        over = ended or step == steps or room <= 0 or time.thread_time() >= deadline
        joint = None if over else tuple(map(rng.choice, legal))
        yield SampledState(facts, tuple(legal), joint)
        if joint is None:
            return
        try:
            state = playable.after(state, joint)
        except LudensError:
            return  # too much for the machine


def _some(numbers: Collection[int], rng: random.Random) -> list[int]:
    listed = [int(number) for number in numbers]
    return listed if len(listed) <= _MOST_LISTED else sorted(rng.sample(listed, _MOST_LISTED))


# ---- Relations that never change ----


def static_relations(sheet: RuleSheet, over: Callable[[], bool]) -> dict[str, frozenset[Words]]:
    """Returns what holds of two or four things whatever is played, by relation; what is large is left out.

    So is what is not found when `over` says that time is up.
    """
    changing = _changing(sheet)
    domains = ArgumentDomains(sheet.rules)
    facts: dict[str, set[Words]] = {}
    asked: list[Atom] = []
    for rule in sheet.rules:
        head = rule.head
        if head.name in changing or len(head.args) not in (2, 4) or head.name in _KEYWORDS:
            continue
        if not rule.body:
            facts.setdefault(head.name, set()).add(tuple(map(str, head.args)))
        elif all(head.name != other.name for other in asked):
            count = 1
            for i in range(len(head.args)):
                count *= domains.count((head.name, len(head.args)), i, _STATIC_ANSWERS)
            if count <= _STATIC_ANSWERS:
                asked.append(head)
    for name, found in _answers(sheet, asked, over).items():
        facts.setdefault(name, set()).update(found)
    return {name: frozenset(found) for name, found in facts.items()}


def base_facts(sheet: RuleSheet) -> tuple[str, ...]:
    """Returns the facts that `base` declares; none if it declares too many, or nothing."""
    if all(rule.head.name != "base" for rule in sheet.rules):
        return ()
    fact = Variable("fact")
    rule = Rule(Atom("init", (fact,)), (Atom("base", (fact,)),))
    others = tuple(each for each in sheet.rules if each.head.name != "init")
    try:
        state = Interpreter(RuleSheet((*others, rule)), _BASE_STEPS).initial()
    except (LudensError, StepsExceededError):
        return ()
    return tuple(sorted(map(str, state)))


_KEYWORDS = frozenset({"role", "init", "true", "does", "legal", "next", "terminal", "goal", "base", "input", "sees"})


def _answers(sheet: RuleSheet, asked: Sequence[Atom], over: Callable[[], bool]) -> dict[str, set[Words]]:
    """What the rules derive of each relation: facts of the first state of rules that put them there."""
    found: dict[str, set[Words]] = {}
    for atom in asked:
        if over():
            break
        variables = tuple(Variable(f"v{i}") for i in range(len(atom.args)))
        rule = Rule(Atom("init", (Function(atom.name, variables),)), (Atom(atom.name, variables),))
        others = tuple(each for each in sheet.rules if each.head.name != "init")
        try:
            state = Interpreter(RuleSheet((*others, rule)), _STATIC_STEPS).initial()
        except (LudensError, StepsExceededError):
            continue
        found[atom.name] = {words(str(fact))[1:] for fact in state}
    return found


def _changing(sheet: RuleSheet) -> set[str]:
    """The relations that depend on the state or on moves."""
    uses: dict[str, set[str]] = {}
    for rule in sheet.rules:
        uses.setdefault(rule.head.name, set()).update(name for part in rule.body for name in _used(part))
    changing = {"true", "does"}
    while more := {name for name, used in uses.items() if name not in changing and used & changing}:
        changing |= more
    return changing


def _used(formula: Formula) -> Iterator[str]:
    match formula:
        case Atom(name):
            yield name
        case Not(body):
            yield from _used(body)
        case Or(inner) | And(inner):
            for part in inner:
                yield from _used(part)
