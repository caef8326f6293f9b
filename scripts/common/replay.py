"""Replays games step by step on a native machine and compares what holds there with what should hold.

Steps come from recorded playouts (`read_trace`) or from the oracle (`play`). A `Comparison` takes a machine
through them twice: it makes the moves one after the other from the machine's own first state, and it loads
each recorded state to ask what holds there. Everything is compared as a set of terms.

A network leaves out facts that nothing depends on and facts that never change. Such facts are not compared,
but counted in `dropped`. The machine that interprets rules knows all.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ludens.native.core import Game, Simulator, States, pack_bits, unpack_bits
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import Function, Term
from ludens.propnet.network.propnet import Propnet


@dataclass(frozen=True, slots=True)
class Step:
    """One state of a game as someone else sees it."""

    state: State
    terminal: bool
    legal: tuple[tuple[Term, ...], ...]  # of each role, none in a terminal state
    goals: tuple[int | None, ...] | None  # of each role; None where nobody asked
    moves: tuple[Term, ...] | None  # the joint move played; None at the end


def play(oracle: Interpreter, chance: random.Random, max_steps: int) -> Iterator[Step]:
    """A random game, up to a terminal state, one in which a role has no legal move, or `max_steps` moves.

    Goals are asked for in the first and in terminal states. A step is worked out when it is asked for.
    """
    state = oracle.initial()
    for number in range(max_steps + 1):
        terminal = oracle.terminal(state)
        legal = () if terminal else tuple(tuple(oracle.legal(state, role)) for role in oracle.roles)
        going = bool(legal) and all(legal) and number < max_steps
        moves = tuple(chance.choice(choices) for choices in legal) if going else None
        yield Step(state, terminal, legal, oracle.goals(state) if terminal or not number else None, moves)
        if moves is None:
            return
        state = oracle.next(state, moves)


def read_trace(path: Path) -> list[list[Step]]:
    """The playouts of a recorded trace. Raises OSError, ValueError or KeyError for what is no trace."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        trace = json.load(file)
    return [[_recorded(step) for step in playout["steps"]] for playout in trace["playouts"]]


def _recorded(step: dict[str, Any]) -> Step:
    return Step(
        state=frozenset(map(_fact, step["state"])),
        terminal=step["terminal"],
        legal=tuple(tuple(map(_term, moves)) for moves in step.get("legal", ())),
        goals=tuple(step["goals"]) if "goals" in step else None,
        moves=tuple(map(_term, step["moves"])) if "moves" in step else None,
    )


_term = cache(parse_term)  # the same few facts and moves turn up in every state


def _fact(text: str) -> Term:
    fact = _term(text)
    if not isinstance(fact, Function) or fact.name != "true":
        raise ValueError(f"{text} is no fact of the form (true ...)")
    return fact.args[0]


class Names(Protocol):
    """What the bits and moves of a native game are called, in the spelling of `str(Term)`."""

    roles: tuple[str, ...]

    def fact_number(self, text: str) -> int | None:
        """The state bit of a fact; None if the game does without."""

    def fact_text(self, number: int) -> str:
        """The fact of a state bit."""

    def move_number(self, role: int, text: str) -> int | None:
        """The index of a move of a role; None if the role has no such move."""

    def move_text(self, role: int, number: int) -> str:
        """The move of an index."""


class NetworkNames:
    """The name tables of a network."""

    def __init__(self, net: Propnet) -> None:
        """Inverts the tables of `net`."""
        self.roles = net.roles
        self._net = net
        self._facts = {fact: bit for bit, fact in enumerate(net.propositions)}
        self._moves = [{move: index for index, move in enumerate(moves)} for moves in net.moves]

    def fact_number(self, text: str) -> int | None:
        """See `Names`."""
        return self._facts.get(text)

    def fact_text(self, number: int) -> str:
        """See `Names`."""
        return self._net.propositions[number]

    def move_number(self, role: int, text: str) -> int | None:
        """See `Names`."""
        return self._moves[role].get(text)

    def move_text(self, role: int, number: int) -> str:
        """See `Names`."""
        return self._net.moves[role][number]


class RulesNames:
    """The names that a game of interpreted rules gives out as facts and moves turn up."""

    def __init__(self, game: Game, roles: Sequence[str]) -> None:
        """Asks `game` for each name when it is needed."""
        self.roles = tuple(roles)
        self._game = game
        self.fact_number = cache(game.number)
        self.fact_text = cache(game.text)
        self._move_text = cache(game.text)

    def move_number(self, role: int, text: str) -> int | None:
        """See `Names`."""
        return self._game.number(text, role)

    def move_text(self, role: int, number: int) -> str:
        """See `Names`."""
        return self._move_text(number, role)


class Comparison:
    """A native machine held against steps of the same game; `dropped` collects facts it does without."""

    def __init__(self, game: Game, names: Names, instruction_set: str | None = None) -> None:
        """Makes a simulator of `game` with few lanes, or with all that an instruction set has."""
        self._game = game
        self._names = names
        self._simulator = Simulator(game, lanes=0 if instruction_set else 64, instruction_set=instruction_set)
        self.dropped: set[str] = set()

    @classmethod
    def of_network(cls, net: Propnet, instruction_set: str | None = None) -> Comparison:
        """The comparison with a network's simulator."""
        return cls(Game.from_propnet(net), NetworkNames(net), instruction_set)

    def disagreements(self, steps: Sequence[Step]) -> list[str]:
        """One line for each thing in which the machine differs, over the steps of one game."""
        return list(self._replay(steps))

    def first_moves(self) -> list[npt.NDArray[np.bool_]]:
        """The legal moves of the first state, for each role `bool[moves of the role]`."""
        return [rows[0] for rows in self._simulator.legal(self._game.initial)]

    def _replay(self, steps: Sequence[Step]) -> Iterator[str]:
        state = self._game.initial
        for place, step in enumerate(steps):
            wanted = self._known(step)
            yield from _differences(f"step {place}: state", self._facts(state), wanted)
            loaded = self._load(wanted)
            yield from (f"step {place}: {line}" for line in self._asked(step, loaded))
            if step.moves is not None:
                state = self._simulator.next(state, self._joint(step.moves))[0]

    def _asked(self, step: Step, state: States) -> Iterator[str]:
        """What the machine says of the state that `step` describes, where it is something else."""
        if bool(self._simulator.terminal(state)[0]) != step.terminal:
            yield f"terminal should be {step.terminal}"
        if not step.terminal:
            for role, row in enumerate(self._simulator.legal(state)):
                found = {self._names.move_text(role, int(move)) for move in row[0].nonzero()[0]}
                wanted = set(map(str, step.legal[role]))
                yield from _differences(f"legal {self._names.roles[role]}", found, wanted)
        if step.goals is not None:
            goals = tuple(None if goal < 0 else int(goal) for goal in self._simulator.goals(state)[0])
            if goals != step.goals:
                yield f"goals are {goals}, not {step.goals}"

    def _known(self, step: Step) -> set[str]:
        """The facts of a recorded state, without those that the machine drops."""
        facts = set(map(str, step.state))
        dropped = {fact for fact in facts if self._names.fact_number(fact) is None}
        self.dropped |= dropped
        return facts - dropped

    def _facts(self, state: States) -> set[str]:
        bits = unpack_bits(state, self._game.state_bits).nonzero()[0]
        return {self._names.fact_text(int(bit)) for bit in bits}

    def _load(self, facts: set[str]) -> States:
        bits = np.zeros(self._game.state_bits, np.bool_)
        bits[[number for fact in facts if (number := self._names.fact_number(fact)) is not None]] = True
        return pack_bits(bits)

    def _joint(self, moves: Sequence[Term]) -> npt.NDArray[np.int32]:
        """Indices of a joint move; -1, which is no move, for one that the machine lacks."""
        numbers = [self._names.move_number(role, str(move)) for role, move in enumerate(moves)]
        return np.array([-1 if number is None else number for number in numbers], np.int32)


def _differences(what: str, found: set[str], wanted: set[str]) -> Iterator[str]:
    if found != wanted:
        more, less = sorted(found - wanted), sorted(wanted - found)
        yield f"{what}: too many {' '.join(more) or '-'}, missing {' '.join(less) or '-'}"
