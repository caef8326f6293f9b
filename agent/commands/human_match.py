"""A match of `ludens match` in which people choose moves at the terminal, and may take them back.

What goes on at a match with people is the business of `PlayMatch`; here it is shown, and people are asked.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rich.console import Console
from rich.text import Text
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.defer import TimeoutError as NoHintError

from ludens.agent.commands.choice_of_move import (
    ORDERS,
    Order,
    UnclearChoiceError,
    completions,
    matching,
    plain,
    read_choice,
)
from ludens.agent.commands.commentary import show
from ludens.agent.commands.line_reader import LineReader
from ludens.agent.commands.outcome import outcome
from ludens.agent.commands.progress import progress
from ludens.agent.commands.terminal import printable
from ludens.agent.manager.manager import MatchSettings
from ludens.agent.play.feed import MatchEvent
from ludens.agent.play.match import PlayMatch
from ludens.agent.play.pace import Pace
from ludens.agent.play.played_game import PlayedGame
from ludens.agent.play.seats import Seat
from ludens.agent.play.tree import MatchTree, MoveError, Node
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.records.record import Ending, MatchRecord
from ludens.games.rules import NamedRules
from ludens.games.view.hints import with_hints_of
from ludens.games.view.text import TextBoard
from ludens.games.view.vocabulary import GameView, PositionView
from ludens.propnet.base.child import Limits
from ludens.propnet.base.words import counted
from ludens.propnet.gdl.syntax import RuleSheet

_HINT_SECONDS = 60.0  # at most, with the start of an engine
_FEW_MOVES = 12  # that are listed unasked
_TURN_STYLE, _WARNING_STYLE, _REMARK_STYLE = "bold", "bold yellow", "dim"


@dataclass(frozen=True, slots=True)
class HumanMatchOptions:
    """What is played, by whom, and what is shown of it."""

    rules: NamedRules
    sheet: RuleSheet
    seats: Sequence[Seat]
    settings: MatchSettings
    pace: Pace
    limits: Limits
    quiet: bool


class HumanMatch:
    """One match on the reactor, from its preparation to the record."""

    def __init__(
        self, reactor: Any, options: HumanMatchOptions, keep: Callable[[MatchRecord, PlayedGame], str]
    ) -> None:
        """Asks nobody yet.

        `keep` takes the record as soon as the match is over, in a thread, and says where it is, if anywhere.
        """
        self._reactor = reactor
        self._options = options
        self._keep = keep
        self._roles = options.sheet.roles
        self._console = Console()
        self._reader = LineReader(reactor)
        self._over: Deferred[Ending] = Deferred()
        self._kept: Deferred[None] = Deferred()  # fires when all is written
        self._visit = 0  # numbers the positions that were entered
        self._chosen = False  # a person has made a choice there, while others have not yet
        self._shown: Node | None = None
        self._told = 0  # notes of the match
        self._hint: Deferred[str] | None = None
        self._explained: set[str] = set()  # pieces on the board
        self._introduced = False
        self.stopped = False
        """Whether a signal has ended the match."""

    async def play(self) -> MatchRecord:
        """Plays the match until it is over, or a person has enough of it; raises `LudensError`."""
        game, tree = await in_thread(self._reactor, self._prepare)
        self._board = TextBoard(GameView.from_json(game.look), self._console.width)
        options = self._options
        name = options.settings.match_id
        self._match = PlayMatch(self._reactor, name, game, tree, options.seats, options.pace, on_enter=self._entered)
        self._match.feed.add(self, self._heard)
        self._reactor.addSystemEventTrigger("before", "shutdown", self._stop)
        try:
            record, closed = await self._play_on()
            await self._finish(record)
        finally:
            self._kept.callback(None)
        await closed
        return record

    async def _play_on(self) -> tuple[MatchRecord, Deferred[Any]]:
        """Returns the record of the match when it is over, and what fires when its engines are gone."""
        try:
            self._match.begin()
            ending = await self._over
        finally:
            self._reader.close()
            closed = self._match.close()
        return self._record(ending), closed

    async def _finish(self, record: MatchRecord) -> None:
        """Keeps the record before anything is said, since the output may fail, and tells the result in any case."""
        kept = ""
        try:
            kept = await in_thread(self._reactor, self._keep, record, self._match.game)
        finally:
            self._say(Text("\n").append(outcome(self._roles, record)))
        if kept:
            self._say(Text(kept))

    def _prepare(self) -> tuple[PlayedGame, MatchTree]:
        """Makes the game, in a thread."""
        options = self._options
        shown = progress(f"turning the rules of {options.rules.name} into a network")
        with nullcontext() if options.quiet else shown:
            game = PlayedGame(options.rules.name, options.rules.text, options.sheet, options.limits)
            return game, MatchTree(*game.position(()))

    # ---- What the match tells ----

    def _entered(self, match: PlayMatch) -> None:
        """Shows the position that the match has come to, and asks who may choose there."""
        self._visit += 1
        self._chosen = False
        node = match.at
        if node is not self._shown:
            self._show(node)
        self._reactor.callLater(0, self._begin_to_ask, self._visit)

    def _heard(self, event: MatchEvent) -> None:
        for note in self._match.notes[self._told :]:
            self._say(Text(f"  ! {note}", _WARNING_STYLE))
        self._told = len(self._match.notes)
        if event.data["type"] == "hint" and self._hint is not None:
            hint, self._hint = self._hint, None
            hint.callback(event.data["move"])

    # ---- What people are shown ----

    def _show(self, node: Node) -> None:
        before, self._shown = self._shown, node
        if before is not None and node.parent == before.number:
            choosers = before.choosers or range(len(self._roles))
            moves = ", ".join(f"{self._roles[role]} {plain(node.moves[role])}" for role in choosers)
            self._say(Text(f"\nTurn {node.step}: ", _TURN_STYLE).append(moves))
        else:
            self._say(Text(f"\n{self._arrival(node, again=before is not None)}", _TURN_STYLE))
        if not self._options.quiet:
            self._draw(node, before)

    @staticmethod
    def _arrival(node: Node, *, again: bool) -> str:
        if not again:
            return "Start"
        return f"Back after turn {node.step}" if node.step else "Back at the start"

    def _draw(self, node: Node, before: Node | None = None) -> None:
        position = PositionView.from_json(node.view)
        old = PositionView.from_json(before.view) if before else None
        self._say(self._board.render(position, old, self._explained))
        self._explained |= self._board.keys(position)

    def _list(self, moves: Sequence[str], among: Sequence[str]) -> None:
        """Lists moves, with their numbers among all."""
        cells = [f"{among.index(move) + 1}) {plain(move)}" for move in moves]
        width = max(map(len, cells), default=0) + 2
        fit = max(1, (self._console.width - 2) // width)
        for first in range(0, len(cells), fit):
            self._say(Text("  " + "".join(f"{cell:<{width}}" for cell in cells[first : first + fit]).rstrip()))

    def _introduce(self) -> None:
        """Says once how moves are chosen."""
        if not self._introduced:
            self._introduced = True
            orders = ", ".join(f"{order} ({about})" for order, about in ORDERS.items())
            text = f"Choose a move by its number or its words, of which beginnings suffice. Or say {orders}."
            width = min(110, self._console.width)
            lines = textwrap.fill(text, width, initial_indent="  ", subsequent_indent="  ")
            self._say(Text(lines, _REMARK_STYLE))

    # ---- What people are asked ----

    def _begin_to_ask(self, visit: int) -> None:
        Deferred.fromCoroutine(self._ask_people(visit)).addErrback(self._fail)

    def _fail(self, failure: Any) -> None:
        if not self._over.called and not failure.check(CancelledError):
            self._over.errback(failure)

    async def _ask_people(self, visit: int) -> None:
        """Asks the people who have a choice, one after the other, as long as the match stays at its position."""
        if visit != self._visit or self._over.called:
            return
        node = self._match.at
        if ending := self._ending_at(node):
            self._end(ending)
            return
        for role, seat in enumerate(self._options.seats):
            if not seat.is_person:
                continue
            legal = node.position.legal[role]
            move = legal[0] if len(legal) == 1 else await self._ask(role, node, visit)
            if move is None or visit != self._visit:
                return
            self._chosen |= len(legal) > 1
            self._match.choose(role, move, node.number)

    def _ending_at(self, node: Node) -> Ending | None:
        if node.position.terminal:
            return Ending.TERMINAL
        if not all(node.position.legal):
            return Ending.RULES
        return Ending.TURN_LIMIT if node.step == self._options.settings.max_turns > 0 else None

    async def _ask(self, role: int, node: Node, visit: int) -> str | None:
        """Returns the move of a person; None if the match went elsewhere instead."""
        moves = node.position.legal[role]
        self._introduce()
        if len(moves) <= _FEW_MOVES and not self._options.quiet:
            self._list(moves, moves)
        prompt = f"{printable(self._roles[role])}, your move ({counted(len(moves), 'move')}): "
        while visit == self._visit and not self._over.called:
            line = await self._reader.ask(prompt, partial(completions, moves=moves))
            if line is None:
                self._end(Ending.INTERRUPTED)
                return None
            try:
                if line.strip() and (move := await self._obey(line.strip(), role, node)) is not None:
                    return move
            except (UnclearChoiceError, MoveError) as error:
                self._say(Text(f"  {error}", _WARNING_STYLE))
        return None

    async def _obey(self, line: str, role: int, node: Node) -> str | None:
        """Does what a line says, or returns the move that it names; raises `UnclearChoiceError` or `MoveError`."""
        moves = node.position.legal[role]
        if line.startswith(Order.HELP) and line not in moves:
            self._list(matching(line.removeprefix(Order.HELP), moves), moves)
            return None
        choice = read_choice(line, moves)
        match choice:
            case Order.BOARD:
                self._draw(node)
            case Order.HINT:
                await self._give_hint(role, node)
            case Order.UNDO:
                self._take_back(role, node)
            case Order.QUIT:
                self._end(Ending.INTERRUPTED)
            case _:
                return choice
        return None

    def _take_back(self, role: int, node: Node) -> None:
        """Takes back what another person has just chosen here, or else the last choice of a role."""
        if self._chosen:
            self._match.go_to(node.number)
        else:
            self._match.take_back([role])

    async def _give_hint(self, role: int, node: Node) -> None:
        self._say(Text("  thinking …", _REMARK_STYLE))
        hint: Deferred[str] = Deferred()
        self._hint = hint
        self._match.analyses.hint(role, node.number)
        try:
            move = await hint.addTimeout(_HINT_SECONDS, self._reactor)
        except NoHintError:
            self._hint, move = None, ""
        self._say(Text(f"  {plain(move)}" if move else "  no hint: the engine has found nothing"))

    # ---- The end ----

    def _end(self, ending: Ending) -> None:
        """Ends the match, unless it is over."""
        if not self._over.called:
            self._over.callback(ending)

    def _stop(self) -> Deferred[None]:
        """Ends the match with the process, by Ctrl-C; fires when its record is kept."""
        self.stopped = not self._over.called
        self._end(Ending.INTERRUPTED)
        return self._kept

    def _record(self, ending: Ending) -> MatchRecord:
        """Returns the record of the moves that were not taken back."""
        match, rules, settings = self._match, self._options.rules, self._options.settings
        record = match.record(match.at.number)
        completed = ending is Ending.TERMINAL
        return replace(
            record,
            match_id=settings.match_id,
            play_clock=settings.play_clock,
            seed=settings.seed,
            max_turns=settings.max_turns,
            rules=with_hints_of(match.game.plain_rules, rules.text),
            ending=ending,
            completed=completed,
            aborted=not completed,
            goals=record.goals if completed else [],
            warnings=list(match.notes),
        )

    def _say(self, text: Text) -> None:
        """Shows a text; a match that cannot be shown any more is broken off."""
        try:
            show(self._console, text)
        except OSError:
            if self._over.called:
                raise
            self._end(Ending.INTERRUPTED)
