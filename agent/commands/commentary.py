"""Prints the course of a match in the terminal: moves, boards, what our own players think, and the result."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from functools import partial

from ludens.agent.commands.display import BoardDisplay
from ludens.agent.manager.referee import MatchState
from ludens.agent.manager.scramble import Scrambler
from ludens.agent.protocol.wire import LogMessage, SearchReport
from ludens.agent.records.record import MatchRecord
from ludens.games.recognised_game import BoardDrawing, NotationWriter
from ludens.propnet.gdl.parser import parse_term

_LINE_SHOWN = 6  # joint moves of the expected line
_WIDTH = 110
_say = partial(print, flush=True)  # whoever reads along through a pipe wants each line when it happens


class Commentary:
    """Watches one match and tells about it; when `quiet`, only what went wrong."""

    def __init__(
        self,
        roles: Sequence[str],
        vocabulary: Sequence[str],
        scrambler: Scrambler,
        quiet: bool = False,
        say: Callable[[str], None] = _say,
        drawing: BoardDrawing | None = None,
        notation: NotationWriter | None = None,
        verbose: bool = False,
    ) -> None:
        """`vocabulary` is every fact that the game knows, as far as known; `verbose` shows lines for experts.

        `say` takes a text to show.

        Of a recognised game, `drawing` draws the board, and `notation` writes the moves.
        """
        self._roles = tuple(roles)
        self._vocabulary = tuple(vocabulary)
        self._scrambler = scrambler
        self._quiet = quiet
        self._verbose = verbose
        self._say = say
        self._drawing = drawing
        self._notation = notation
        self._board: BoardDrawing = drawing or BoardDisplay((), ())
        self._reports: dict[str, SearchReport] = {}
        self._choosing: set[str] = set()

    def on_news(self, role: str, news: SearchReport | LogMessage) -> None:
        """Keeps a report of one of our players for the next turn, and shows a log message at once."""
        match news:
            case SearchReport():
                self._reports[role] = news
            case LogMessage(text, expert=expert) if self._verbose or not expert:
                self._tell(textwrap.fill(f"{role}: {text}", _WIDTH, initial_indent="  ", subsequent_indent="    "))

    def on_start(self, position: MatchState) -> None:
        """Shows the first state, once all players have the rules."""
        self._board = self._drawing or BoardDisplay(self._vocabulary, position.facts)
        self._tell(f"\nStart\n{self._board.draw(position.facts)}")
        self._note_who_chooses(position)

    def on_turn(self, turn: int, moves: Sequence[str], errors: Sequence[str], position: MatchState) -> None:
        """Shows a joint move, what our players thought of the position before it, and the new state."""
        self._tell(f"\nTurn {turn}: {self._joint(moves)}")
        for role, error in zip(self._roles, errors, strict=True):
            if error:
                self.on_warning(f"turn {turn}: {role}: {explain(error)}; a random move is played instead")
        for role in self._roles:
            report = self._reports.get(role) if role in self._choosing else None
            if report and report.step == turn - 1 and report.value is not None:
                self._tell(self._report_text(role, report))
        self._tell(self._board.draw(position.facts))
        self._note_who_chooses(position)

    def on_warning(self, text: str) -> None:
        """Shows a warning, even to who wants quiet."""
        self._say(f"  ! {text}")

    def result(self, record: MatchRecord) -> str:
        """Returns the outcome in a few lines, also of an aborted match."""
        turns = _count(len(record.moves), "turn")
        if not record.completed:
            return f"Aborted after {turns}."
        lines = [f"Result after {turns}:"]
        width = max(map(len, self._roles))
        for role, player, goal in zip(self._roles, record.players, record.goals, strict=True):
            lines.append(f"  {role:<{width}}  {goal:>3}  {player}")
        return "\n".join([*lines, *self._faults(record)])

    def _note_who_chooses(self, position: MatchState) -> None:
        """Notes whose reports to show next: of the roles that have a choice, or of all where none has."""
        choosing = {role for role, moves in zip(self._roles, position.legal, strict=True) if len(moves) > 1}
        self._choosing = choosing or set(self._roles)

    def _faults(self, record: MatchRecord) -> list[str]:
        if not record.error_count:
            return ["The match completed without player errors."]
        faults = [
            f"  {'START' if turn == 0 else f'turn {turn}'}: {role}: {explain(error)}"
            for turn, errors in enumerate(record.errors)
            for role, error in zip(self._roles, errors, strict=True)
            if error
        ]
        return [f"The match completed with {_count(len(faults), 'player error')}:", *faults]

    def _report_text(self, role: str, report: SearchReport) -> str:
        line = " → ".join(self._expected(joint) for joint in report.line[:_LINE_SHOWN])
        text = f"{role} thinks: {report.playouts:,} playouts, value {report.value:.1f}"
        if line:
            text += f", expects {line}"
        return textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="    ")

    def _expected(self, joint: Sequence[str]) -> str:
        moves = [str(self._scrambler.unscramble(parse_term(move))) for move in joint]
        if self._notation:
            return self._notation.move(moves)
        return moves[0] if len(moves) == 1 else f"[{' | '.join(moves)}]"

    def _joint(self, moves: Sequence[str]) -> str:
        if self._notation:
            return self._notation.move(moves)
        return ", ".join(f"{role} {move}" for role, move in zip(self._roles, moves, strict=True))

    def _tell(self, text: str) -> None:
        if not self._quiet:
            self._say(text)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def explain(error: str) -> str:
    """Returns an error mark of a match record in words."""
    if error == "TO":
        return "no answer in time (TO)"
    if error == "CE":
        return "cannot be reached (CE)"
    return f"no legal move: {error.removeprefix('IL').strip() or 'an empty answer'} (IL)"
