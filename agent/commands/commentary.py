"""Prints the course of a match in the terminal: moves, boards, what our own players think, and the result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Protocol

from rich.console import Console
from rich.text import Text

from ludens.agent.commands.outcome import explain, outcome
from ludens.agent.commands.terminal import printable
from ludens.agent.manager.referee import MatchState
from ludens.agent.manager.scramble import Scrambler
from ludens.agent.protocol.findings import findings
from ludens.agent.protocol.wire import LogMessage, SearchReport
from ludens.agent.records.record import MatchRecord
from ludens.games.recognised_game import BoardDrawing, NotationWriter
from ludens.games.view.text import TextBoard, listed
from ludens.games.view.vocabulary import GameView, PositionView
from ludens.propnet.base.words import UNBROKEN, fill
from ludens.propnet.gdl.parser import parse_term

_LINE_SHOWN = 6  # joint moves of the expected line
_WIDTH = 110
_WARNING_STYLE, _TURN_STYLE, _REMARK_STYLE = "bold yellow", "bold", "dim"

Say = Callable[[Text], None]


class ReadsPositions(Protocol):
    """Tells what the positions of a game look like, as `PositionReader` does."""

    @property
    def view(self) -> GameView:
        """The game."""

    def read(
        self, facts: Collection[str], legal: Sequence[Sequence[str]], terminal: bool, goals: Sequence[int | None] | None
    ) -> PositionView:
        """Returns the view of a state."""


class Commentary:
    """Watches one match and tells about it; when `quiet`, only what went wrong."""

    def __init__(
        self,
        roles: Sequence[str],
        board: ReadsPositions | None,
        scrambler: Scrambler,
        quiet: bool = False,
        say: Say | None = None,
        width: int = _WIDTH,
        drawing: BoardDrawing | None = None,
        notation: NotationWriter | None = None,
        verbose: bool = False,
    ) -> None:
        """`board` reads positions, to draw them; None: their facts are listed. `verbose` shows lines for experts.

        `say` takes a text to show, on something of a certain `width`. Of a recognised game, `drawing` draws the board
        instead, and `notation` writes the moves.
        """
        self._roles = tuple(roles)
        self._scrambler = scrambler
        self._quiet = quiet
        self._verbose = verbose
        self._say = say or partial(show, Console())
        self._width = min(width, _WIDTH)
        self._drawing = drawing
        self._notation = notation
        self._board = board
        self._picture = TextBoard(board.view, self._width) if board else None
        self._explained: set[str] = set()  # keys of pieces on the board
        self._before: PositionView | None = None  # the last position
        self._reports: dict[str, SearchReport] = {}
        self._faulted: set[tuple[str, str]] = set()  # roles, and errors of theirs that were told
        self._choosing: set[str] = set()
        self._waiting: set[str] = set()  # moves that are made for want of a choice, while others have one

    def on_news(self, role: str, news: SearchReport | LogMessage) -> None:
        """Keeps a report of one of our players for the next turn, and shows a log message at once."""
        match news:
            case SearchReport():
                self._reports[role] = news
            case LogMessage(text, expert=expert) if self._verbose or not expert:
                self.on_remark(f"{role}: {text}")

    def on_remark(self, text: str) -> None:
        """Shows what a player says of how it plays."""
        self._tell(Text(self._wrapped(text), _REMARK_STYLE))

    def on_start(self, position: MatchState) -> None:
        """Shows the first state, once all players have the rules."""
        self._tell(Text("\nStart", _TURN_STYLE))
        self._show_board(position)
        self._note_who_chooses(position)

    def on_turn(self, turn: int, moves: Sequence[str], errors: Sequence[str], position: MatchState) -> None:
        """Shows the moves of those who chose, what our players thought of it, and the new state."""
        self._tell(Text(f"\nTurn {turn}: ", _TURN_STYLE).append(self._joint(moves)))
        for role, error in zip(self._roles, errors, strict=True):
            if error and not (self._quiet and (role, error) in self._faulted):
                self.on_warning(f"turn {turn}: {role}: {explain(error)}; a random move is played instead")
                self._faulted.add((role, error))
        for role in self._roles:
            report = self._reports.get(role) if role in self._choosing else None
            if report and report.step == turn - 1 and (report.value is not None or report.others is not None):
                self._tell(Text(self._wrapped(f"{role} thinks: {self._thought(report)}")))
        self._show_board(position)
        self._note_who_chooses(position)

    def on_warning(self, text: str) -> None:
        """Shows a warning, even to who wants quiet."""
        self._say(Text(f"  ! {text}", _WARNING_STYLE))

    def result(self, record: MatchRecord) -> Text:
        """Returns the outcome in a few lines, also of a match that was not played to its end."""
        return outcome(self._roles, record)

    # ---- The board ----

    def _show_board(self, position: MatchState) -> None:
        if self._drawing:
            self._tell(Text(self._drawing.draw(position.facts)))
        elif self._quiet or self._board is None or self._picture is None:
            self._tell(Text("\n").join(listed(position.facts, self._width)))
        else:
            view = self._board.read(position.facts, position.legal, position.terminal, position.goals)
            self._tell(self._picture.render(view, self._before, self._explained))
            self._explained |= self._picture.keys(view)
            self._before = view

    def _note_who_chooses(self, position: MatchState) -> None:
        """Notes whose reports to show next, of who has a choice, or of all where none has; and how others wait."""
        choosing = {role for role, moves in zip(self._roles, position.legal, strict=True) if len(moves) > 1}
        if choosing:
            self._waiting.update(moves[0] for moves in position.legal if len(moves) == 1)
        self._choosing = choosing or set(self._roles)

    # ---- Thoughts ----

    def _thought(self, report: SearchReport) -> str:
        parts = findings(report, len(self._roles))
        if line := " → ".join(self._expected(joint).replace(" ", UNBROKEN) for joint in report.line[:_LINE_SHOWN]):
            parts.append(f"expects {line}")
        return ", ".join(parts)

    def _expected(self, joint: Sequence[str]) -> str:
        moves = [str(self._scrambler.unscramble(parse_term(move))) for move in joint]
        if self._notation:
            return self._notation.move(moves)
        told = [move for move in moves if move not in self._waiting] or moves[:1]
        return told[0] if len(told) == 1 else f"[{' | '.join(told)}]"

    def _joint(self, moves: Sequence[str]) -> str:
        if self._notation:
            return self._notation.move(moves)
        pairs = zip(self._roles, moves, strict=True)
        return ", ".join(f"{role} {move}" for role, move in pairs if role in self._choosing)

    def _wrapped(self, text: str) -> str:
        return fill(text, self._width, "  ", "    ")

    def _tell(self, text: Text) -> None:
        if not self._quiet:
            self._say(text)


def show(console: Console, text: Text) -> None:
    """Shows a text as it is, and at once, for whoever reads along through a pipe: lines are not wrapped again.

    Raises `OSError` where it cannot be written; `print` of the console would end the process.
    """
    shown = text.copy()
    shown.plain = printable(text.plain)
    with console.capture() as captured:
        console.print(shown, soft_wrap=True)
    console.file.write(captured.get())
    console.file.flush()
