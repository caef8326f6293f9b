"""A recognised game of checkers as people know it: the board with its numbers, moves and matches in PDN."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import numpy as np

from ludens.games.checkers.notation.pdn import Ply, game_text, is_english, move_text, result, square_number
from ludens.games.checkers.notation.pdn_follower import PdnFollower
from ludens.games.checkers.notation.pdn_reader import read_game
from ludens.games.checkers.recognition.encoding import Encoding
from ludens.games.checkers.rules.parameters import DOWN, HEIGHT, UP
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import Propnet


class CheckersDisplay:
    """Shows the facts and moves of one network; a `BoardDrawing`, a `NotationWriter` and a `NotationReader`."""

    def __init__(self, net: Propnet, encoding: Encoding) -> None:
        """`encoding` is what the network means."""
        self._net, self._encoding, self._rules = net, encoding, encoding.rules
        self._numbers = {fact: i for i, fact in enumerate(net.propositions)}
        self._moves = [encoding.moves.numbers(role, texts) for role, texts in enumerate(net.moves)]
        names = [net.roles[self._rules.role(side)] for side in (UP, DOWN)]
        letters = [name[0].lower() for name in names]
        self._men = letters if letters[0] != letters[1] else ["x", "o"]
        self._legend = ", ".join(f"{man} {man.upper()} = {name}" for man, name in zip(self._men, names, strict=True))

    def draw(self, facts: Iterable[str]) -> str:
        """See `BoardDrawing`; the side that moves first is on top, capitals are kings, empty squares have numbers."""
        rules = self._rules
        state = np.zeros((1, self._net.state_bits), np.bool_)
        state[0, [self._numbers[fact] for fact in facts]] = True
        sets = self._encoding.board.sets(state)[0].tolist()
        lines = []
        for rank in range(HEIGHT):
            cells = {
                square_number(rules, s): self._cell(sets, s) for s in range(rank * rules.row, (rank + 1) * rules.row)
            }
            row = ["  ", "  "] * rules.row
            row[1 - rank % 2 :: 2] = [cells[n] for n in sorted(cells)]
            lines.append("  " + " ".join(row).rstrip())
        return "\n".join([*lines, f"  {self._legend}"])

    def check_rules(self) -> None:
        """See `NotationWriter`."""
        if not is_english(self._rules):
            raise LudensError(f"PDN is for English draughts, but this game is {self._rules}")

    def move(self, joint: Sequence[str]) -> str:
        """See `NotationWriter`; tells who moves too, and a move that cannot be read as it is."""
        ply = self._ply(joint)
        if ply is None:
            return " ".join(joint)
        return f"{self._net.roles[self._rules.role(ply.side)]} {move_text(self._rules, ply.path, ply.jump)}"

    def match(self, players: Sequence[str], moves: Iterable[Sequence[str]], goals: Sequence[int], begun: int) -> str:
        """See `NotationWriter`."""
        date = datetime.fromtimestamp(begun / 1000, tz=UTC)
        tags = {
            "Event": "Ludens match",
            "Date": f"{date:%Y.%m.%d}",
            "Black": players[self._rules.role(UP)],
            "White": players[self._rules.role(DOWN)],
        }
        by_side = {side: goals[self._rules.role(side)] for side in (UP, DOWN)} if goals else {}
        plies = [ply for joint in moves if (ply := self._ply(joint))]
        return game_text(self._rules, tags, plies, result(by_side))

    def read(self, text: str) -> PdnFollower:
        """See `NotationReader`; the side that moves first is Black."""
        game = read_game(text)
        tags = {self._rules.role(UP): game.tags.get("Black", ""), self._rules.role(DOWN): game.tags.get("White", "")}
        return PdnFollower(game, (tags[0], tags[1]), self._ply, lambda square: square_number(self._rules, square))

    def _ply(self, joint: Sequence[str]) -> Ply | None:
        """Returns what a joint move does; None if it names moves that are not known."""
        table = self._encoding.moves.table
        for role, text in enumerate(joint):
            number = self._moves[role].get(text)
            path = None if number is None else table.paths[number]
            if number is None or path is None:
                return None
            if path:
                return Ply(role ^ self._rules.first_role, path, number >= table.first_jump)
        return None

    def _cell(self, sets: Sequence[int], square: int) -> str:
        """Returns the piece on a square, or its number, two characters wide."""
        for side in (UP, DOWN):
            if sets[side] >> square & 1:
                man = self._men[side]
                return f"{man.upper() if sets[2] >> square & 1 else man:>2}"
        return f"{square_number(self._rules, square):>2}"
