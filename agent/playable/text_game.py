"""Plays native games one state at a time, with moves and facts as GDL text; for the referee and the agents.

The network knows its moves and facts beforehand; the rule machine numbers them as they turn up. So numbers mean
something within one game only, and whatever passes from one game to another passes as text.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ludens.agent.protocol.wire import Joint
from ludens.games.recognised_game import RecognisedGame
from ludens.native.core import Game, JointMoves, Simulator, States, unpack_bits
from ludens.propnet.base.errors import GdlError, NativeError
from ludens.propnet.gdl.parser import NestingError, parse_term
from ludens.propnet.gdl.syntax import Atom, Constant, RuleSheet, Term
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.rewrite.rule_program import compile_program

Numbers = npt.NDArray[np.int64]


class TextGame(ABC):
    """A native game with the texts of its moves and facts; for one thread at a time."""

    sample = 0
    """How many legal moves of a role are drawn in a state with more; 0: the game knows all."""

    def __init__(self, game: Game, roles: tuple[str, ...], machine: str, lanes: int) -> None:
        """Makes a simulator of `lanes` lanes; `machine` names the game core. Raises `NativeError`."""
        self.game = game
        self.roles = roles
        self.machine = machine
        self._simulator = Simulator(game, lanes=lanes)

    @abstractmethod
    def move(self, role: int, number: int, state: States) -> str:
        """Returns the text of a move of a role in a state."""

    @abstractmethod
    def number(self, role: int, text: str) -> int:
        """Returns the number of a move of a role; -1 for one that the game does not know.

        Raises `NativeError` where a move that has not been seen yet may be one, but there is no room for it.
        """

    def texts(self, role: int, numbers: Iterable[int], state: States) -> tuple[str, ...]:
        """Returns the texts of moves of a role in a state."""
        return tuple(self.move(role, int(number), state) for number in numbers)

    def line(self, state: States, joints: Iterable[JointMoves]) -> Iterator[Joint]:
        """Yields the texts of joint moves that follow each other from a state on; a move of -1 is none.

        Ends with the move after which the machine has no room for the state that follows.
        """
        for joint in joints:
            yield tuple(self.move(role, int(i), state) if i >= 0 else "none" for role, i in enumerate(joint))
            try:
                state = self._simulator.next(state, joint, only_legal=False).reshape(-1)
            except NativeError:
                return

    def ending(self, state: States, joints: JointMoves) -> tuple[int, tuple[int | None, ...]] | None:
        """Returns after how many of the joint moves from a state on the game is over, and the goals it is searched for.

        None where it never is, or the machine has no room for a state on the way.
        """
        with contextlib.suppress(NativeError):
            for turns, joint in enumerate(joints, start=1):
                state = self._simulator.next(state, joint, only_legal=False).reshape(-1)
                if self.terminal(state):
                    return turns, _goals(self._simulator, state)
        return None

    def legal(self, state: States) -> list[Numbers]:
        """Returns the numbers of the legal moves of each role."""
        return [np.flatnonzero(moves[0]) for moves in self._simulator.legal(state)]

    def terminal(self, state: States) -> bool:
        """Says whether the game is over."""
        return bool(self._simulator.terminal(state)[0])

    def goals(self, state: States) -> tuple[int | None, ...]:
        """Returns the goal of each role; None where the rules give none, or more than one."""
        return _goals(self._simulator, state)

    def next(self, state: States, joint: JointMoves) -> States:
        """Returns the next state after a joint move of indices; raises `NativeError` if one is not legal."""
        return self._simulator.next(state, joint).reshape(-1)

    def after(self, state: States, moves: Sequence[str]) -> States:
        """Returns the next state; what a manager says counts, legal or not, and a move that is unknown as none.

        Raises `NativeError` where there is no room for a move or a fact.
        """
        joint = [self.number(role, move) for role, move in enumerate(moves)]
        return self._simulator.next(state, np.array(joint, np.int32), only_legal=False).reshape(-1)


class SheetGame(TextGame):
    """A game whose states are the facts of its rule sheet."""

    @abstractmethod
    def fact(self, number: int) -> str:
        """Returns the text of a fact."""

    @abstractmethod
    def fact_number(self, text: str) -> int:
        """Returns the number of a fact; -1 for one that the game does not know. Raises as `number` does."""

    def facts(self, state: States) -> tuple[str, ...]:
        """Returns the facts that hold, sorted."""
        numbers = np.flatnonzero(unpack_bits(state, self.game.state_bits))
        return tuple(sorted(self.fact(int(number)) for number in numbers))


class NetworkGame(SheetGame):
    """The game of a propositional network."""

    def __init__(self, net: Propnet, game: Game | None = None, *, relative: bool = False) -> None:
        """`game` has the states and moves of `net`, and is compiled from that if None.

        If its goals are `relative` ones, those of a state are still those of `net`. Raises `NativeError` for a network
        that is not well formed.
        """
        game = game or Game.from_propnet(net)
        if (game.state_bits, game.moves) != (net.state_bits, tuple(map(len, net.moves))):
            raise ValueError("the game differs from the network in its states or moves")
        super().__init__(game, net.roles, "network", lanes=64)
        self._net = net
        self._relative = relative
        self._numbers = [{move: i for i, move in enumerate(moves)} for moves in net.moves]

    def move(self, role: int, number: int, state: States) -> str:
        """See `TextGame`."""
        return self._net.moves[role][number]

    def number(self, role: int, text: str) -> int:
        """See `TextGame`."""
        return self._numbers[role].get(text, -1)

    def fact(self, number: int) -> str:
        """See `SheetGame`."""
        return self._net.propositions[number]

    def fact_number(self, text: str) -> int:
        """See `SheetGame`."""
        return self._fact_numbers.get(text, -1)

    def goals(self, state: States) -> tuple[int | None, ...]:
        """See `TextGame`."""
        return _goals(self._rules if self._relative else self._simulator, state)

    @cached_property
    def _fact_numbers(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(self._net.propositions)}

    @cached_property
    def _rules(self) -> Simulator:
        return Simulator(Game.from_propnet(self._net), lanes=64)


class RecognisedTextGame(TextGame):
    """A recognised game on its own core; moves keep the texts of the rule sheet."""

    def __init__(self, recognised: RecognisedGame, roles: tuple[str, ...], game: Game) -> None:
        """`game` is one that `recognised` has made."""
        super().__init__(game, roles, recognised.machine, lanes=0)
        self._recognised = recognised

    def move(self, role: int, number: int, state: States) -> str:
        """See `TextGame`."""
        return self._recognised.move_text(role, number, state)

    def number(self, role: int, text: str) -> int:
        """See `TextGame`."""
        return self._recognised.move_number(role, text)


class RulesGame(SheetGame):
    """The game of rules that the rule machine interprets: there within a moment, whatever the sheet."""

    def __init__(self, sheet: RuleSheet, *, sampled: bool = False, game: Game | None = None) -> None:
        """Takes checked rules; raises `GdlError` or `NativeError` for those that are too much for the machine.

        `sampled`: of very many legal moves some will do. `game` is one made of these rules before, if there is one.
        """
        program = compile_program(sheet, sampled=sampled)
        super().__init__(game or Game.from_rules(program), sheet.roles, "rules", lanes=1)
        self.sample = self.game.sample
        self._domains = program.domains

    def move(self, role: int, number: int, state: States) -> str:
        """See `TextGame`."""
        return self.game.text(number, role)

    def number(self, role: int, text: str) -> int:
        """See `TextGame`; a move that has not been seen yet gets its number now, unless the rules never make it."""
        return self._number(text, role, "does", Constant(self.roles[role]))

    def fact(self, number: int) -> str:
        """See `SheetGame`."""
        return self.game.text(number)

    def fact_number(self, text: str) -> int:
        """See `SheetGame`; a fact that has not been seen yet gets its number now, unless the rules never make it."""
        return self._number(text, None, "true")

    def _number(self, text: str, role: int | None, relation: str, *before: Term) -> int:
        """Returns the number of a term; -1 if it never stands behind others in a relation."""
        number = None if self._excluded(text, relation, before) else self.game.number(text, role)
        return -1 if number is None else number

    def _excluded(self, text: str, relation: str, before: tuple[Term, ...]) -> bool:
        """Says whether a text never stands behind other terms in a relation, whatever is played."""
        try:
            atom = Atom(relation, (*before, parse_term(text)))
        except NestingError:
            return False  # rules can make deeper terms than are read here
        except GdlError:
            return True
        return any(self._domains.excluded(atom))


def _goals(simulator: Simulator, state: States) -> tuple[int | None, ...]:
    return tuple(None if goal < 0 else int(goal) for goal in simulator.goals(state)[0])
