"""The family on the native bitboards: many games side by side, and positions as the native states.

>>> game = native_game(ENGLISH_BY_PLIES)
>>> Simulator(game).playouts(10_000)
"""

from __future__ import annotations

import numpy as np

from ludens.games.checkers.rules.parameters import CheckersRules, Forcing, Jumps, MoveTable
from ludens.games.checkers.rules.positions import Bools, Ints, Positions
from ludens.native.core import Game, Simulator, States

_FORCING = {Forcing.NONE: 0, Forcing.ANY: 1, Forcing.LONGEST: 2}
_JUMPS = {Jumps.ONE: 0, Jumps.UP_TO_THREE: 1, Jumps.BY_PLIES: 2}
_TURN, _CHAIN, _STEP, _IDLE = (np.uint64(n) for n in (32, 33, 39, 51))  # first bits in the second word of a state


def native_game(rules: CheckersRules) -> Game:
    """Makes the game; raises NativeError if whole chains are one move, or the board has another size."""
    return Game.from_checkers(
        goals=rules.goals,
        start=rules.initial,
        width=rules.width,
        wrap_files=rules.wrap_files,
        wrap_ranks=rules.wrap_ranks,
        forcing=_FORCING[rules.forcing],
        jumps=_JUMPS.get(rules.jumps, -1),
        kings=rules.kings,
        stuck_either=rules.stuck_either,
        stuck_goals=rules.stuck_goals or (-1, -1),
        step_limit=rules.step_limit,
        idle_limit=rules.idle_limit,
        first_role=rules.first_role,
    )


def pack(positions: Positions) -> States:
    """Returns positions as native states, uint64[n, 2]."""
    p = {name: getattr(positions, name).astype(np.uint64) for name in ("up", "down", "kings", "turn", "step", "idle")}
    chain = (positions.chain + 1).astype(np.uint64)
    rest = p["kings"] | p["turn"] << _TURN | chain << _CHAIN | p["step"] << _STEP | p["idle"] << _IDLE
    return np.stack((p["up"] | p["down"] << np.uint64(32), rest), axis=1)


def unpack(states: States) -> Positions:
    """Returns native states, uint64[n, 2], as positions."""
    board, rest = states[:, 0], states[:, 1]

    def field(word: States, first: int | np.uint64, width: int) -> Ints:
        return (word >> np.uint64(first) & np.uint64((1 << width) - 1)).astype(np.int64)

    return Positions(
        up=field(board, 0, 32),
        down=field(board, 32, 32),
        kings=field(rest, 0, 32),
        turn=field(rest, _TURN, 1),
        chain=field(rest, _CHAIN, 6) - 1,
        step=field(rest, _STEP, 12),
        idle=field(rest, _IDLE, 12),
    )


class NativeCore:
    """Plays many positions at once on the native machine; moves are numbers of `MoveTable`."""

    def __init__(self, rules: CheckersRules, seed: int = 0, instruction_set: str | None = None) -> None:
        """Plays by these rules; raises NativeError if the native core cannot."""
        self.game = native_game(rules)
        self.simulator = Simulator(self.game, seed=seed, instruction_set=instruction_set)
        self._rules = rules
        self._waiting = MoveTable(rules).empty

    def role(self, positions: Positions) -> Ints:
        """Returns the roles to move, [n]."""
        role: Ints = positions.turn ^ self._rules.first_role
        return role

    def initial(self, count: int) -> Positions:
        """Returns the first position, `count` times."""
        return unpack(np.tile(self.game.initial, (count, 1)))

    def legal(self, positions: Positions) -> Bools:
        """Returns which moves are legal for the side to move, [n, moves]."""
        first, second = self.simulator.legal(pack(positions))
        legal: Bools = np.where(self.role(positions)[:, None] == 0, first, second)
        return legal

    def next(self, positions: Positions, moves: Ints) -> Positions:
        """Returns the positions after these moves [n] of the sides to move; what is over stays."""
        joint = np.full((len(positions), 2), self._waiting, np.int32)
        joint[np.arange(len(positions)), self.role(positions)] = moves
        return unpack(self.simulator.next(pack(positions), joint))

    def terminal(self, positions: Positions) -> Bools:
        """Returns which games are over, [n]."""
        return self.simulator.terminal(pack(positions))

    def goals(self, positions: Positions) -> Ints:
        """Returns the goals of UP and DOWN, [n, 2]."""
        goals = self.simulator.goals(pack(positions)).astype(np.int64)
        return goals if self._rules.first_role == 0 else goals[:, ::-1]
