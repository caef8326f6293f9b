"""Games: rules in a form that can be executed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from ludens.native._core import ffi, lib

from ludens.native.core.binding import Arrays, States, check, decoded, pack_bits, shaped
from ludens.propnet.base.errors import NativeError
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.rewrite.rule_program import RuleProgram

Recipe: TypeAlias = tuple[str, Mapping[str, Any]]
"""Which constructor of `Game` makes it once more, and from what."""


class Game:
    """The rules of one game in executable form; immutable, shared by any number of simulators and searches.

    `symmetries`, int32[K, state_bits] if they are known: see `ludens.propnet.analysis.symmetries`.
    """

    def __init__(
        self,
        handle: Any,
        roles: int,
        state_bits: int,
        symmetries: npt.NDArray[np.int32] | None = None,
        recipe: Recipe | None = None,
    ) -> None:
        """Takes over a native game; for the constructors of this class. `recipe` makes it once more."""
        self._recipe = recipe
        self.handle = ffi.gc(handle, lib.ludens_game_free)  # for the modules of this package
        arrays = Arrays()
        moves = np.empty(roles, np.int32)
        check(lib.ludens_game_moves(handle, arrays.int32(moves)))
        self.moves: tuple[int, ...] = tuple(moves.tolist())  # number of moves of each role
        self.state_bits = state_bits
        self.feature_bits = int(lib.ludens_game_feature_bits(handle))  # that evaluations see of a state
        self.symmetries = symmetries
        self.initial: States = np.empty(self.state_words, np.uint64)
        check(lib.ludens_game_initial(handle, arrays.uint64(self.initial)))
        self.constant_sum = bool(lib.ludens_game_constant_sum(handle))  # proven: two goals sum to 100 at every end
        self.cycle = int(lib.ludens_game_cycle(handle))  # steps after which the same role has control again, or 1

    @classmethod
    def from_propnet(cls, net: Propnet, symmetries: npt.NDArray[np.int32] | None = None) -> Self:
        """Makes the game that a network describes. Raises NativeError if the network is not well formed."""
        bits, goals = (net.state_bits,), (len(net.goal_role),)
        arrays = Arrays()
        network = ffi.new(
            "ludens_network *",
            {
                "roles": len(net.roles),
                "propositions": net.state_bits,
                "moves": arrays.int32([len(moves) for moves in net.moves]),
                "initial": arrays.uint64(pack_bits(shaped(net.initial, bits))),
                "gate_count": len(net.gates),
                "gates": arrays.int32(net.gates, (len(net.gates), 2)),
                "next": arrays.int32(net.next, bits),
                "legal": arrays.int32(net.legal, (net.move_count,)),
                "terminal": net.terminal,
                "machine_policy": (policy := ffi.new("char[]", net.machine_policy.encode())),
                "goal_count": len(net.goal_role),
                "goal_role": arrays.int32(net.goal_role, goals),
                "goal_value": arrays.int32(net.goal_value, goals),
                "goal_literal": arrays.int32(net.goal_literal, goals),
                "feedback_count": len(net.feedback),
                "feedback": arrays.int32(net.feedback),
                "loop_count": len(net.loops),
                "loops": arrays.int32(net.loops, (len(net.loops), 4)),
                "feature_count": len(net.features),
                "features": arrays.int32(net.features),
                "playable": ffi.NULL if net.playable is None else arrays.int32(net.playable, (net.move_count,)),
            },
        )
        out = ffi.new("ludens_game **")
        check(lib.ludens_game_from_network(network, out))
        del policy
        return cls(
            out[0], len(net.roles), net.state_bits, symmetries, ("from_propnet", {"net": net, "symmetries": symmetries})
        )

    @classmethod
    def from_rules(cls, program: RuleProgram) -> Game:
        """Makes a game of rules that are interpreted. Raises NativeError if they cannot be put in an order.

        Facts and moves get their numbers when they first occur: see `text`, `number` and `numbered`.
        """
        arrays = Arrays()
        names = [ffi.new("char[]", name.encode()) for name, _ in program.symbols]
        rules = ffi.new(
            "ludens_rules *",
            {
                "symbol_count": len(names),
                "symbol_names": (pointers := ffi.new("const char *[]", names)),
                "symbol_arities": arrays.int32([arity for _, arity in program.symbols]),
                "relation_count": len(program.arities),
                "relation_arities": arrays.int32(program.arities),
                "roles": len(program.roles),
                "role_symbols": arrays.int32(program.role_symbols, (len(program.roles),)),
                "code_length": len(program.code),
                "code": arrays.int32(program.code),
                "facts": program.max_facts,
                "moves": arrays.int32(program.max_moves, (len(program.roles),)),
                "sample": program.sample,
            },
        )
        out = ffi.new("ludens_game **")
        check(lib.ludens_game_from_rules(rules, out))
        del pointers
        return cls(out[0], len(program.roles), program.max_facts)

    @classmethod
    def from_checkers(cls, goals: npt.ArrayLike, start: Sequence[int], **parameters: int | Sequence[int]) -> Game:
        """Makes a game of the checkers family, on bitboards. Raises NativeError if these parameters describe none.

        `goals` is int[13, 13, 2]; `start` and the other parameters, which are all needed, are the fields of
        `ludens_checkers` in native/ludens.h, which says what a state is. See games/checkers/bitboards/native_game.py.
        """
        arrays = Arrays()
        table = arrays.int32(goals, (13, 13, 2))
        out = ffi.new("ludens_game **")
        rules = ffi.new("ludens_checkers *", {"goals": table, "start": list(start), **parameters})
        check(lib.ludens_game_from_checkers(rules, out))
        return cls(out[0], 2, 128, recipe=("from_checkers", {"goals": goals, "start": start, **parameters}))

    @classmethod
    def from_tak(cls, size: int, half_komi: int = 0, ply_limit: int = 0) -> Game:
        """Makes a game of Tak, in which player 1 has `half_komi` halves of a flat ahead when flats are counted.

        It is drawn after `ply_limit` plies if it goes on then; 0 is for no limit.
        Raises NativeError if there is none of this size, komi or limit. See native/src/tak/game.hpp for states and
        moves.
        """
        out = ffi.new("ludens_game **")
        check(lib.ludens_game_from_tak(size, half_komi, ply_limit, out))
        words = 5 + size * size * (1 if size <= 6 else 2)
        return cls(
            out[0], 2, 64 * words, recipe=("from_tak", {"size": size, "half_komi": half_komi, "ply_limit": ply_limit})
        )

    @classmethod
    def from_gomoku(
        cls,
        rows: int,
        columns: int,
        length: int,
        *,
        exact: bool,
        goals: npt.ArrayLike,
        first_role: int = 0,
        threat_playouts: bool = False,
        insight: bool = False,
    ) -> Game:
        """Makes a game of `length` stones in a row on a board, on bitboards. Raises NativeError if there is none such.

        `goals` is int[3, 2], of both roles if the first mover has won, the other has, or nobody has. With
        `threat_playouts` random games complete rows, and answer those about to be completed; with `insight` tree
        searches are told of wins by threats and of what moves promise. See
        `ludens_gomoku` in native/ludens.h, which says what a state is, and games/gomoku/rules.py.
        """
        table = shaped(np.asarray(goals, np.int32), (3, 2)).ravel().tolist()
        out = ffi.new("ludens_game **")
        numbers = {"rows": rows, "columns": columns, "length": length, "exact": exact, "first_role": first_role}
        numbers |= {"threat_playouts": threat_playouts, "insight": insight}
        check(lib.ludens_game_from_gomoku(ffi.new("ludens_gomoku *", {**numbers, "goals": table}), out))
        return cls(out[0], 2, 2 * rows * columns + 1, recipe=("from_gomoku", {**numbers, "goals": goals}))

    @property
    def can_be_sent(self) -> bool:
        """Whether it can be pickled: a game of rules cannot, whose facts have numbers in the order they came up."""
        return self._recipe is not None

    def __reduce__(self) -> tuple[Callable[..., Game], Recipe]:
        """Pickles what the game is made of; raises NativeError unless it `can_be_sent`."""
        if self._recipe is None:
            raise NativeError("a game of rules cannot be sent to another process")
        return _make, self._recipe

    def numbered(self, role: int | None = None) -> int:
        """Returns how many moves of a role, or facts if None, of a game of rules have a number so far."""
        out = ffi.new("int32_t *")
        check(lib.ludens_game_numbered(self.handle, -1 if role is None else role, out))
        return int(out[0])

    @property
    def sample(self) -> int:
        """How many legal moves of a role are drawn, in a state of a game of rules that has more; 0: all count."""
        out = ffi.new("int32_t *")
        check(lib.ludens_game_sample(self.handle, out))
        return int(out[0])

    def text(self, number: int, role: int | None = None) -> str:
        """Returns the GDL text of a move of a role, or of a fact if None, of a game of rules."""
        length = ffi.new("int32_t *")
        which = (self.handle, -1 if role is None else role, number)
        check(lib.ludens_game_text(*which, 0, ffi.NULL, length))
        text = ffi.new("char[]", length[0] + 1)
        check(lib.ludens_game_text(*which, length[0] + 1, text, length))
        return decoded(text)

    def number(self, text: str, role: int | None = None) -> int | None:
        """Returns the number of a move of a role, or of a fact if None, and gives it one if it has none.

        None if `text` is no term over the symbols of the rules. Any other term takes room, also one that the rules
        never make; raises NativeError where there is none.
        """
        out = ffi.new("int32_t *")
        spelled = text.encode(errors="surrogatepass")
        check(lib.ludens_game_number(self.handle, -1 if role is None else role, spelled, out))
        return int(out[0]) if out[0] >= 0 else None

    @property
    def roles(self) -> int:
        """The number of roles."""
        return len(self.moves)

    @property
    def state_words(self) -> int:
        """The number of 64-bit words of a state."""
        return -(-self.state_bits // 64)

    @property
    def feature_words(self) -> int:
        """The number of 64-bit words of what evaluations see of a state."""
        return -(-self.feature_bits // 64)


def _make(constructor: str, arguments: Mapping[str, Any]) -> Game:
    """Makes a game once more."""
    game: Game = getattr(Game, constructor)(**arguments)
    return game
