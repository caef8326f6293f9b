"""`ludens tournament`: plays a tournament, shows how it stands, and writes the report."""

from __future__ import annotations

import dataclasses
import logging
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall

from ludens.agent.cluster.connection import connected
from ludens.agent.commands.exit_codes import ExitCode, UsageError
from ludens.agent.commands.terminal import printable
from ludens.agent.commands.tournament_table import new_display
from ludens.agent.manager.seating import doubt_patience
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.reactor.running import run_reactor
from ludens.agent.records import record as records
from ludens.agent.records.archive import Archive
from ludens.agent.settings.players import LocalPlayer
from ludens.agent.settings.processors import processors
from ludens.agent.tournament.cluster_tournament import ClusterTournament, check_for_cluster
from ludens.agent.tournament.plan import Plan, PlanError, Settings, TournamentGame, new_plan
from ludens.agent.tournament.plan_file import contestants, read_plan
from ludens.agent.tournament.report import write_plots, write_report
from ludens.agent.tournament.results_file import ResultsFile
from ludens.agent.tournament.standings import Standings, standings
from ludens.agent.tournament.tournament import Tournament, most_threads
from ludens.games.rules import find_rules
from ludens.propnet.base.errors import LudensError

_SHOW_SECONDS, _REPORT_SECONDS = 1.0, 10.0


@dataclass(frozen=True, slots=True)
class TournamentOptions:
    """What the user said, as `ludens tournament --help` explains it."""

    file: Path | None
    players: Sequence[str]
    games: Sequence[str]
    changes: Mapping[str, Any]  # settings, by name
    out: Path | None
    html: Path | None
    plots: Path | None
    archived: bool
    quiet: bool
    cluster: str | None  # the address of one


def run(options: TournamentOptions) -> int:
    """Runs the subcommand; raises `LudensError`, or `KeyboardInterrupt` for a tournament broken off."""
    plan = _plan(options)
    if options.cluster:
        check_for_cluster(plan)
    out = options.out or _results_path(options)
    if options.html:
        records.check_writable(options.html)
    if options.plots:
        records.check_folder(options.plots)
    logging.getLogger("ludens").addHandler(logging.NullHandler())  # what matters of it stands in the results
    with connected(options.cluster) as ray, ResultsFile(out, plan.conditions()) as file:
        found = standings(plan, file.results)
        if not options.quiet:
            _introduce(plan, found, out)
            if not options.cluster:
                _introduce_machine(plan, found)
            sys.stdout.flush()
        try:
            found = run_reactor(lambda reactor: _TournamentRun(reactor, options, plan, file, ray).play())
        except (KeyboardInterrupt, LudensError):
            print(f"{out} has all that was played; the same command goes on from there", file=sys.stderr)
            try:
                _write(options, standings(plan, file.results))
            except LudensError as error:
                print(printable(str(error)), file=sys.stderr)
            raise
    _write(options, found)
    return ExitCode.PLAYER_FAILED if found.unplayed or any(t.faults for t in found.tallies.values()) else ExitCode.OK


class _TournamentRun:
    """One tournament on the reactor; an observer of it that shows its news."""

    def __init__(self, reactor: Any, options: TournamentOptions, plan: Plan, file: ResultsFile, ray: Any) -> None:
        """`ray` is connected to a cluster, or None for this machine alone."""
        self._reactor, self._options, self._plan, self._file = reactor, options, plan, file
        self._display = new_display(options.quiet)
        self._written = time.monotonic()
        self._shown = -1  # results added to the file when the standings were shown last
        archive = Archive() if options.archived else None
        self._tournament = (
            ClusterTournament(reactor, plan, file, self._display, archive, ray)
            if ray
            else Tournament(reactor, plan, file, self._display, archive)
        )

    async def play(self) -> Standings:
        """Returns how the tournament stands at its end."""
        stop = self._tournament.stop
        self._reactor.addSystemEventTrigger("before", "shutdown", lambda: Deferred.fromCoroutine(stop()))
        showing = LoopingCall(self._show)
        showing.clock = self._reactor
        with self._display:
            showing.start(_SHOW_SECONDS)
            try:
                await self._tournament.play()
            finally:
                if showing.running:
                    showing.stop()
            found = await in_thread(self._reactor, standings, self._plan, dict(self._file.results))
            self._display.show(found)
        return found

    async def _show(self) -> None:
        """Shows how it stands, and writes the report from time to time; a call waits for the one before."""
        if self._file.added == self._shown:
            self._display.refresh()
            return
        self._shown = self._file.added
        found = await in_thread(self._reactor, standings, self._plan, dict(self._file.results))
        self._display.show(found)
        if time.monotonic() - self._written > _REPORT_SECONDS:
            self._written = time.monotonic()
            try:
                await in_thread(self._reactor, _write, self._options, found)
            except LudensError as error:  # it is written again later
                self._display.on_warning(str(error))


def _plan(options: TournamentOptions) -> Plan:
    if options.file:
        if options.players or options.games:
            raise UsageError(f"{options.file} says which players and games there are: give no --players and --games")
        return read_plan(options.file, find_game, options.changes)
    if not options.players or not options.games:
        raise UsageError("name a file, or --players and --games")
    try:
        players = contestants(options.players)
        return new_plan(Settings(**options.changes), players, [find_game(text) for text in options.games])
    except PlanError as error:
        raise UsageError(str(error)) from error


def find_game(text: str) -> TournamentGame:
    """Finds a game as users name it; raises `LudensError`."""
    rules = find_rules(text)
    return TournamentGame(rules.name, rules.text, rules.sheet())


def _results_path(options: TournamentOptions) -> Path:
    return (
        options.file.with_suffix(".jsonl")
        if options.file
        else Path(f"{options.changes.get('name', 'tournament')}.jsonl")
    )


def _introduce(plan: Plan, found: Standings, out: Path) -> None:
    settings = plan.settings
    done = f", {len(found.results)} of them played already" if found.results else ""
    print(f"{settings.name}: {found.left + len(found.results)} matches{done}; results in {out}")
    if doubt := doubt_patience({player.name: player.spec for player in plan.players}):
        print(f"  {doubt}")


def _introduce_machine(plan: Plan, found: Standings) -> None:
    """Says where this machine has less than the players want."""
    settings = plan.settings
    seats = max(len(game.sheet.roles) for game in plan.games)
    local = any(isinstance(player.spec, LocalPlayer) for player in plan.players)
    needed = settings.jobs * seats * most_threads(plan)
    if local and needed > processors() and found.left:
        print(
            f"  {settings.jobs} at once, of up to {seats} players, take {needed} processors, and there are "
            f"{processors()}: players of a match share theirs evenly, and play as if they had less time"
        )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    specs = [player.spec for player in plan.players if isinstance(player.spec, LocalPlayer)]
    wanted = settings.jobs * seats * max((spec.options.tree_mb for spec in specs), default=0)
    if wanted > memory:
        print(f"  search trees may take {wanted:,} MB, and there are {memory:,}: lower --jobs or --memory-mb")


def _write(options: TournamentOptions, found: Standings) -> None:
    if options.html:
        write_report(found, options.html)
    if options.plots:
        write_plots(found, options.plots)


def changed_settings(words: Mapping[str, Any]) -> dict[str, Any]:
    """Returns those of some options that are settings of a tournament, and were given."""
    names = {field.name for field in dataclasses.fields(Settings)}
    return {name: value for name, value in words.items() if name in names and value is not None}
