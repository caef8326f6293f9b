"""A toy of a recognised game: three in a row, known by the number of its moves, on the machine of its own network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ludens.games.recognised_game import Notation, RecognisedGame, Recogniser
from ludens.native.core import Game, States
from ludens.propnet.base.errors import NotRecognisedError
from ludens.propnet.network.propnet import Propnet


class ToyRecogniser(Recogniser):
    """Recognises games in which both roles have ten moves."""

    name = "three in a row"
    notation = Notation("toy", suffix=".toy", usual_game=lambda text: "nim")

    def looks_alike(self, net: Propnet) -> bool:
        return [len(moves) for moves in net.moves] == [10, 10]

    def recognise(self, net: Propnet, seconds: float, games: int) -> RecognisedGame:
        if not self.looks_alike(net):
            raise NotRecognisedError("it has other moves")
        return ToyGame(net)


class ToyGame(RecognisedGame):
    """Draws how many marks there are, and writes a move as the square alone."""

    machine = "toy core"

    def __init__(self, net: Propnet) -> None:
        self._net = net
        self.drawing = self.writer = self

    def __str__(self) -> str:
        return "three in a row, without a proof"

    def native_game(self) -> Game:
        return Game.from_propnet(self._net)

    def move_text(self, role: int, number: int, state: States) -> str:
        return self._net.moves[role][number]

    def move_number(self, role: int, text: str) -> int:
        moves = self._net.moves[role]
        return moves.index(text) if text in moves else -1

    def draw(self, facts: Iterable[str]) -> str:
        return f"  marks: {sum(not fact.endswith(' b)') for fact in facts) - 1}"

    def check_rules(self) -> None:
        """All rules will do."""

    def move(self, joint: Sequence[str]) -> str:
        return next("-".join(move.strip("()").split()[1:]) for move in joint if move.startswith("("))

    def match(self, players: Sequence[str], moves: Iterable[Sequence[str]], goals: Sequence[int], begun: int) -> str:
        return f"{' against '.join(players)}: {' '.join(map(self.move, moves))}"
