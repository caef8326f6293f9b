"""Matches of recognised Tak in PTN: what is written of them, and what is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import accumulate

from ludens.games.tak.notation.ptn import write_move
from ludens.games.tak.notation.ptn_game import TakGame, read_game, write_game
from ludens.games.tak.recognition.recognise import RecognisedRules
from ludens.games.tak.rules.parameters import Move, TakError
from ludens.games.tak.rules.reference import after, first_position
from ludens.propnet.network.propnet import Propnet


class PtnNotation:
    """Writes and reads moves and matches of one network; a `NotationWriter` and a `NotationReader`."""

    def __init__(self, net: Propnet, recognised: RecognisedRules) -> None:
        """`recognised` is what the network plays."""
        self._net, self._rules = net, recognised.rules
        numbers = [enumerate(moves.tolist()) for moves in recognised.moves]
        self._texts = [
            {number: net.moves[role][move] for number, move in known if move >= 0} for role, known in enumerate(numbers)
        ]
        self._numbers = [{text: number for number, text in texts.items()} for texts in self._texts]

    def check_rules(self) -> None:
        """See `NotationWriter`: all of these games can be written."""

    def move(self, joint: Sequence[str]) -> str:
        """See `NotationWriter`; tells who moves too, and a joint move that is none of the game as it is."""
        found = [(self._net.roles[role], move) for role, text in enumerate(joint) if (move := self._move(role, text))]
        return f"{found[0][0]} {write_move(self._rules, found[0][1])}" if len(found) == 1 else " ".join(joint)

    def match(self, players: Sequence[str], moves: Iterable[Sequence[str]], goals: Sequence[int], begun: int) -> str:
        """See `NotationWriter`; the result is that of the last position."""
        made = [move for joint in moves for role, text in enumerate(joint) if (move := self._move(role, text))]
        positions = list(accumulate(made, after, initial=first_position(self._rules)))
        date = datetime.fromtimestamp(begun / 1000, tz=UTC)
        return write_game(positions, made, players, {"Event": "Ludens match", "Date": f"{date:%Y.%m.%d}"})

    def read(self, text: str) -> PtnFollower:
        """See `NotationReader`."""
        game = read_game(text)
        first = game.positions[0]
        if first.rules.size != self._rules.size or first.rules.half_komi != self._rules.half_komi:
            raise TakError(f"the game is {first.rules}, and not {self._rules}")
        if first != first_position(first.rules):
            raise TakError("the game begins in a position in TPS, and a match in the first position")
        return PtnFollower(game, [self._joint(ply, move) for ply, move in enumerate(game.moves)])

    def _move(self, role: int, text: str) -> Move | None:
        return self._rules.move(self._numbers[role].get(text, self._rules.waiting))

    def _joint(self, ply: int, move: Move) -> tuple[str, ...]:
        numbers = [self._rules.number(move) if role == ply % 2 else self._rules.waiting for role in (0, 1)]
        return tuple(self._texts[role][number] for role, number in enumerate(numbers))


class PtnFollower:
    """A game that is written in PTN, followed through the rules of a sheet; a `WrittenMatch`."""

    def __init__(self, game: TakGame, joint: Sequence[tuple[str, ...]]) -> None:
        """`joint` are the joint moves of the sheet."""
        self.players: tuple[str, ...] = (game.tags.get("Player1", ""), game.tags.get("Player2", ""))
        self.ends = bool(game.result)
        self._left = iter(joint)

    def next(self, legal: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
        """See `WrittenMatch`."""
        joint = next(self._left, None)
        if joint and not all(move in moves for move, moves in zip(joint, legal, strict=True)):
            raise TakError(f"{' '.join(joint)} is no legal move")
        return joint
