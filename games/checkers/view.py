"""A recognised game as people know it: the board with its numbers, and moves in PDN."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import numpy as np

from ludens.games.checkers.encoding import Encoding
from ludens.games.checkers.family import DOWN, HEIGHT, UP
from ludens.games.checkers.pdn import Ply, game_text, move_text, number, result
from ludens.propnet.network.propnet import Propnet


class View:
    """Reads the facts and moves of one network."""

    def __init__(self, net: Propnet, encoding: Encoding) -> None:
        """`encoding` is what the network means."""
        self.net, self._encoding = net, encoding
        self._numbers = {fact: i for i, fact in enumerate(net.propositions)}
        self._moves = [{move: i for i, move in enumerate(texts)} for texts in net.moves]
        names = [net.roles[encoding.rules.role(side)] for side in (UP, DOWN)]
        letters = [name[0].lower() for name in names]
        self._men = letters if letters[0] != letters[1] else ["x", "o"]
        self._legend = ", ".join(
            f"{man} {man.upper()} = {name}" for man, name in zip(self._men, names, strict=True)
        )

    def draw(self, facts: Iterable[str]) -> str:
        """The board, the side that moves first on top; capitals are kings, empty squares show their numbers."""
        rules = self._encoding.rules
        state = np.zeros((1, self.net.state_bits), np.bool_)
        state[0, [self._numbers[fact] for fact in facts]] = True
        sets = self._encoding.board.sets(state)[0].tolist()
        lines = []
        for rank in range(HEIGHT):
            cells = {
                number(rules, s): self._cell(sets, s) for s in range(rank * rules.row, (rank + 1) * rules.row)
            }
            row = ["  ", "  "] * rules.row
            row[1 - rank % 2 :: 2] = [cells[n] for n in sorted(cells)]
            lines.append("  " + " ".join(row).rstrip())
        return "\n".join([*lines, f"  {self._legend}"])

    def ply(self, joint: Sequence[str]) -> Ply | None:
        """What a joint move does; None if it names moves that are not known."""
        encoding = self._encoding
        for role, text in enumerate(joint):
            move = self._moves[role].get(text)
            if move is None:
                return None
            if move != encoding.waiting[role]:
                found = int(np.argwhere(encoding.moves.network[role] == move)[0, 1])
                path = encoding.moves.table.paths[found]
                assert path is not None
                return Ply(role ^ encoding.rules.first_role, path, found >= encoding.moves.table.first_jump)
        return None

    def move(self, joint: Sequence[str]) -> str:
        """A joint move in PDN, with who makes it; as it is if it cannot be read."""
        ply = self.ply(joint)
        if ply is None:
            return " ".join(joint)
        role = self.net.roles[self._encoding.rules.role(ply.side)]
        return f"{role} {move_text(self._encoding.rules, ply.path, ply.jump)}"

    def game(
        self, players: Sequence[str], moves: Iterable[Sequence[str]], goals: Sequence[int], begun: int
    ) -> str:
        """A match in PDN: who played the roles, joint moves, goals (none: broken off), when it began in ms."""
        rules = self._encoding.rules
        date = datetime.fromtimestamp(begun / 1000, tz=UTC)
        tags = {
            "Event": "Ludens match",
            "Date": f"{date:%Y.%m.%d}",
            "Black": players[rules.role(UP)],
            "White": players[rules.role(DOWN)],
        }
        by_side = {side: goals[rules.role(side)] for side in (UP, DOWN)} if goals else {}
        plies = [ply for joint in moves if (ply := self.ply(joint))]
        return game_text(rules, tags, plies, result(by_side))

    def _cell(self, sets: Sequence[int], square: int) -> str:
        for side in (UP, DOWN):
            if sets[side] >> square & 1:
                man = self._men[side]
                return f"{man.upper() if sets[2] >> square & 1 else man:>2}"
        return f"{number(self._encoding.rules, square):>2}"
