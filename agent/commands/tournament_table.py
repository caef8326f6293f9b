"""Shows how a tournament stands: a table that changes on a terminal, a plain line a match where output is piped."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ludens.agent.commands.terminal import printable
from ludens.agent.tournament.plan import Fixture
from ludens.agent.tournament.result import Result
from ludens.agent.tournament.standings import Standings
from ludens.propnet.base.words import duration, shortened

_SHOWN = 60  # characters of faults and names


class Display:
    """An observer of a tournament that says nothing; used within `with`."""

    def __enter__(self) -> Display:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Leaves the terminal as it was."""

    def show(self, found: Standings) -> None:
        """Takes how the tournament stands."""

    def refresh(self) -> None:
        """Shows what has changed beside the standings."""

    def on_begin(self, fixture: Fixture) -> None:
        """See `TournamentObserver`."""

    def on_turn(self, fixture: Fixture, turn: int) -> None:
        """See `TournamentObserver`."""

    def on_result(self, result: Result) -> None:
        """See `TournamentObserver`."""

    def on_warning(self, text: str) -> None:
        """See `TournamentObserver`."""


class Lines(Display):
    """A line a match, and the table at the end."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last: Standings | None = None

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Prints the last table."""
        if kind is None and self._last:
            self._console.print(_table(self._last))
            for line in _unplayed(self._last):
                self._console.print(line)

    def show(self, found: Standings) -> None:
        """See `Display`."""
        self._last = found

    def on_result(self, result: Result) -> None:
        """See `Display`."""
        self._console.print(Text(printable(result_line(result))), soft_wrap=True)

    def on_warning(self, text: str) -> None:
        """See `Display`."""
        self._console.print(Text(printable(text)), soft_wrap=True)


class LiveTable(Display):
    """The table, the matches that are on and what went wrong, renewed in place."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False)
        self._found: Standings | None = None
        self._turns: dict[Fixture, int] = {}
        self._began, self._before = time.monotonic(), -1
        self._stale = False

    def __enter__(self) -> Display:
        self._live.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Leaves the table as it is."""
        self._live.stop()

    def show(self, found: Standings) -> None:
        """See `Display`."""
        self._found = found
        if self._before < 0:
            self._before = _tried(found)
        self._renew()

    def on_begin(self, fixture: Fixture) -> None:
        """See `Display`."""
        self._turns[fixture] = 0
        self._renew()

    def on_turn(self, fixture: Fixture, turn: int) -> None:
        """See `Display`."""
        self._turns[fixture] = turn
        self._stale = True  # until the next look: to lay out the table takes longer than many turns

    def refresh(self) -> None:
        """See `Display`."""
        if self._stale:
            self._renew()

    def on_result(self, result: Result) -> None:
        """See `Display`; what went wrong stays above the table."""
        self._turns.pop(result.fixture, None)
        if not result.played or result.warnings or any(result.faults):
            self._live.console.print(Text(printable(result_line(result))))
        self._renew()

    def on_warning(self, text: str) -> None:
        """See `Display`."""
        self._live.console.print(Text(printable(text)))

    def _renew(self) -> None:
        self._stale = False
        if self._found is not None:
            self._live.update(Group(*self._parts(self._found)), refresh=True)

    def _parts(self, found: Standings) -> list[RenderableType]:
        parts: list[RenderableType] = [_table(found), Text(_progress(found) + self._rest(found), style="bold")]
        for fixture, turn in self._turns.items():
            parts.append(Text(f"  {fixture.game}, round {fixture.round}: {' – '.join(fixture.players)}, turn {turn}"))
        return [*parts, *map(Text, _unplayed(found))]

    def _rest(self, found: Standings) -> str:
        """Returns how long the rest will take, by what has been played since the beginning."""
        done = _tried(found) - self._before
        if not done or found.over:
            return ""
        seconds = (time.monotonic() - self._began) / done * found.left
        return f", about {duration(seconds)} to go"


def new_display(quiet: bool) -> Display:
    """Returns what suits standard output."""
    console = Console()
    if quiet:
        return Display()
    return LiveTable(console) if console.is_terminal else Lines(Console(width=120))


def result_line(result: Result) -> str:
    """Returns a match in one line."""
    where = f"{result.game}, round {result.round}"
    if not result.played:
        return f"{where}: {' – '.join(result.players)}: not played: {'; '.join(result.warnings) or result.ending}"
    goals = " – ".join(f"{name} {goal}" for name, goal in zip(result.players, result.goals, strict=True))
    faults = [f"{name}: {' '.join(marks)}" for name, marks in zip(result.players, result.faults, strict=True) if marks]
    notes = [
        *([result.ending] if result.ending != "terminal state" else []),
        *(shortened(fault, _SHOWN) for fault in faults),
        *result.warnings,
    ]
    return f"{where}: {goals}, {result.turns} turns, {result.seconds:.1f} s{''.join(f'; {note}' for note in notes)}"


def _table(found: Standings) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = ("player", "Elo", "95 %", "score", "seats", "won", "drawn", "lost", "faults")
    for column in columns:
        table.add_column(column, justify="left" if column == "player" else "right", overflow="fold")
    for game in found.plan.games if len(found.plan.games) > 1 else ():
        table.add_column(Text(shortened(game.name, _SHOWN)), justify="right", overflow="fold")
    rated = {rating.player: rating for rating in found.ratings}
    for name in [*rated, *(player.name for player in found.plan.players if player.name not in rated)]:
        tally, rating = found.tallies[name], rated.get(name)
        elo = (f"{round(rating.elo):+}", f"± {rating.half:.0f}") if rating else ("", "")
        mean = f"{100 * tally.mean:.1f} %" if tally.matches else ""
        counts = map(str, (tally.matches, tally.won, tally.drawn, tally.lost, tally.faults))
        table.add_row(Text(name), *elo, mean, *counts, *_in_games(found, name))
    return table


def _in_games(found: Standings, name: str) -> list[str]:
    """Returns the scores of a player in each game, where there are several."""
    if len(found.plan.games) < 2:
        return []
    scores = [found.in_game.get((name, game.name)) for game in found.plan.games]
    return ["" if score is None else f"{100 * score:.0f} %" for score in scores]


def _progress(found: Standings) -> str:
    total = len(found.results) + found.left
    return f"{len(found.results)} of {total} matches"


def _tried(found: Standings) -> int:
    return len(found.results) + len(found.unplayed)


def _unplayed(found: Standings) -> list[str]:
    if not found.unplayed:
        return []
    return [f"not played: {len(found.unplayed)}; the same command tries them again"]
