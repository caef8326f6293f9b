"""The engine process: what computes.

Run as `python -m ludens.agent.engine.engine SETTINGS`, it speaks `wire` on its pipes.

Several minds may be at work, each in a thread of its own. The rule machine's has a legal move within a moment
and searches at once; meanwhile the rules are turned into a network, whose mind takes over as soon as it stands,
in mid-turn if need be (see `succession`). At first the network is played as it is; then by a mind that has learned
how it is best played, or on the core of the game as which it was recognised. The main thread only listens, so that
it hears the next position whatever the minds are doing; only the latest position counts.

The interpreter is the last resort. An engine that stands by follows the match on it, without native code, and
one that thinks goes back to it if the rule machine cannot play these rules, until there is a network.

The process leads its own group. When its standard input ends, the player is gone, and the whole group dies,
as do those it has started.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from ludens.agent.engine.succession import Succession
from ludens.agent.engine.thinking import Follower, Mind, Searcher, new_random
from ludens.agent.protocol.wire import (
    Acknowledged,
    Begin,
    Event,
    GoTo,
    Joint,
    LogMessage,
    NetworkReady,
    NoNetwork,
    Position,
    Ready,
    Refused,
    RulesRead,
    SearchReport,
    StandBy,
    Think,
    decode,
    encode,
)
from ludens.agent.settings.options import AUTO, PlayerOptions
from ludens.native.strategies import STRATEGIES
from ludens.propnet.base.child import die_with_parent
from ludens.propnet.base.errors import GdlError, LudensError
from ludens.propnet.compile.loader import Limits, load
from ludens.propnet.gdl.check import check
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

if TYPE_CHECKING:  # not before an engine is told to think
    from ludens.agent.learning.features import Seen
    from ludens.agent.learning.learned import Place
    from ludens.agent.preparation.preparation import Meta

_SLICE_SECONDS = 0.1  # of thinking between two looks at the pipe
_REPORT_SECONDS = 0.25  # the best move is told again at least this often
_PROOF_SECONDS = 8.0  # for comparing a recognised game with its network
_STANDBY_NICENESS = 10  # who stands by may be slow, and must not slow down those that think

Loader: TypeAlias = Callable[[RuleSheet, Limits], Propnet]


class Engine:
    """One match: reads commands, writes events."""

    def __init__(self, options: PlayerOptions, output: BinaryIO, make_network: Loader = load) -> None:
        """Events go to `output`; networks come from `make_network`."""
        self._options = options
        self._output = output
        self._make_network = make_network
        self._writing = threading.Lock()
        self._random = new_random(options)
        self._changed = threading.Condition()
        self._rules: tuple[RuleSheet, str] | None = None  # and our role, once they make sense
        self._history: tuple[Joint, ...] = ()  # the latest position asked for
        self._reached: tuple[Joint, ...] | None = None  # the last position that has been told
        self._minds = Succession()
        self._loading = False  # machines are being made, and no turn has come: the processor belongs to that
        self._called = False  # a turn has come
        self._prepared_by = 0.0  # when the first one is due
        self._move_seconds = 0.0  # for each
        self._told: str | None = None  # the move told last at this position
        self._told_at = 0.0

    def listen(self, commands: BinaryIO) -> None:
        """Obeys until the commands end."""
        for line in commands:
            match decode(line):
                case Begin(rules, role, seconds, move_seconds):
                    self._prepared_by = time.monotonic() + seconds
                    self._move_seconds = move_seconds
                    self._begin(rules, role)
                case StandBy():
                    self._work(self._stand_by)
                case Think(machines):
                    self._begin_to_think(machines)
                case GoTo(history):
                    self._go_to(history)

    def _begin(self, rules: str, role: str) -> None:
        try:
            self._rules = _read(rules, role), role
        except LudensError as error:
            self._say(Refused(str(error)))
        else:
            self._say(RulesRead(self._rules[0].roles))

    def _begin_to_think(self, machines: tuple[str, ...]) -> None:
        self._loading = "network" in machines
        self._work(self._play_on_rules if "rules" in machines else self._follow)
        if self._loading:
            self._work(self._play_on_network)
        else:
            self._say(NoNetwork("engines have crashed"))
            self._say(Ready())

    def _go_to(self, history: tuple[Joint, ...]) -> None:
        self._say(Acknowledged(len(history)))
        with self._changed:
            self._history = history
            self._loading = False
            self._called = True
            self._changed.notify_all()
            if self._minds.leader:
                self._minds.leader.interrupt()

    # ---- Threads ----

    def _work(self, task: Callable[[RuleSheet, str], None]) -> None:
        if self._rules is not None:
            threading.Thread(target=self._guard, args=(task, *self._rules), daemon=True).start()

    def _guard(self, task: Callable[[RuleSheet, str], None], sheet: RuleSheet, role: str) -> None:
        """A thread that fails is a crash of the engine: the player starts another."""
        try:
            task(sheet, role)
        except BaseException as error:  # noqa: BLE001 - a dead thread must not leave a mute engine behind
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)

    def _stand_by(self, sheet: RuleSheet, role: str) -> None:
        if sys.platform == "linux":  # where a thread can be nice on its own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _STANDBY_NICENESS)
        self._follow(sheet, role)

    def _follow(self, sheet: RuleSheet, role: str) -> None:
        self._enter(Follower(sheet, role))

    def _play_on_rules(self, sheet: RuleSheet, role: str) -> None:
        try:
            from ludens.agent.engine.native_mind import NativeMind, rule_machine

            machine = rule_machine(sheet, self._options)
            self._enter(NativeMind(machine, role, self._options, self._log))
        except (LudensError, MemoryError, ImportError) as error:
            self._log(f"the rule machine gives up: {error or 'out of memory'}")
            self._follow(sheet, role)

    def _play_on_network(self, sheet: RuleSheet, role: str) -> None:
        begun = time.monotonic()
        limits = Limits(self._options.grounding_seconds, self._options.grounding_mb)
        try:
            net = self._make_network(sheet, limits)
            self._say(NetworkReady(len(net.gates), time.monotonic() - begun))
        except (LudensError, MemoryError) as error:
            self._say(NoNetwork(str(error) or "out of memory"))
            mind = None
        else:
            self._work(lambda _sheet, role: self._play_meanwhile(net, role))
            mind = self._best_mind(sheet, net, role)
        self._loaded()
        if mind is None or not mind.uses_start_clock:
            self._say(Ready())
        if mind is not None:
            self._enter(mind)

    def _play_meanwhile(self, net: Propnet, role: str) -> None:
        """Plays on the network as it is, should the first turn come before it is known how it is best played."""
        try:
            from ludens.agent.engine.native_mind import NativeMind, meanwhile

            mind = NativeMind(meanwhile(net, self._options), role, self._options, self._log)
        except ImportError as error:
            self._say(NoNetwork(str(error)))
        except (LudensError, MemoryError) as error:
            self._log(f"nothing plays on the network meanwhile: {error or 'out of memory'}")
        else:
            self._enter(mind)

    def _best_mind(self, sheet: RuleSheet, net: Propnet, role: str) -> Searcher | None:
        """The mind that is to play in the end; None, and why, where that stays the one that plays meanwhile."""
        try:
            return self._bitboard_mind(net, role) or self._network_mind(sheet, net, role)
        except (LudensError, MemoryError, ImportError) as error:
            self._log(f"the network is played as it is: {error or 'out of memory'}")
            return None

    def _network_mind(self, sheet: RuleSheet, net: Propnet, role: str) -> Searcher:
        from ludens.agent.engine.native_mind import NativeMind, network
        from ludens.agent.engine.puzzle_mind import network_mind
        from ludens.agent.preparation.kernel_choice import network_kernel
        from ludens.agent.preparation.preparation import prepare
        from ludens.agent.search.division import division_of
        from ludens.agent.search.repertoire import factors_of
        from ludens.agent.variants.playouts import playable
        from ludens.agent.variants.versions import NetworkVersions

        options = self._options
        if division := division_of(net, options):
            self._log(f"played {division}")
            return NativeMind(replace(network(net, options), division=division), role, options, self._log)
        played, policy = playable(net, options.policy, self._log)
        options = replace(options, policy=policy)
        seen, place, meta = self._looked_at(sheet, net, options)
        versions = NetworkVersions(seen, played, policy, races=options.races == "on", tell=self._log)
        prepared = prepare(versions, options, meta, place, network_kernel(played, options))
        machine = network(net, options, prepared.game(versions))
        machine = replace(machine, evaluation=prepared.evaluation, kernel=prepared.kernel)
        options = prepared.options(options)
        return network_mind(net, factors_of(net, options), machine, role, options, self._log)

    def _looked_at(
        self, sheet: RuleSheet, net: Propnet, options: PlayerOptions
    ) -> tuple[Seen, Place | None, Meta]:
        """What an evaluation is to see, where what it learns is kept, and the time that is left then."""
        from ludens.agent.learning.features import Seen, feature_seconds, with_features
        from ludens.agent.learning.learned import Shelf
        from ludens.agent.preparation.feature_choice import can_choose, choose_features
        from ludens.agent.search.repertoire import learns

        if not learns(options, len(net.roles)):
            return Seen(net), None, self._meta()
        shelf = Shelf(sheet, options.features) if options.recall == "on" else None
        meta = self._meta()
        known, trying = shelf.known() if shelf else None, can_choose(options, meta)
        if shelf and not trying and not known:
            shelf = shelf.beside("untried")  # what is learned in a hurry must not settle what is seen
            known = shelf.known()
        seen = with_features(net, options.features, feature_seconds(meta.seconds), known, trying=trying)
        seen, meta = choose_features(seen, options, self._meta())
        return seen, shelf.place(seen.net, seen.late) if shelf and seen.complete else None, meta

    def _bitboard_mind(self, net: Propnet, role: str) -> Searcher | None:
        """The mind on bitboards, if that is what the network plays."""
        from ludens.agent.engine.native_mind import NativeMind, bitboard
        from ludens.agent.preparation.kernel_choice import checkers_kernel
        from ludens.agent.preparation.preparation import prepare
        from ludens.agent.variants.versions import Versions
        from ludens.games.checkers.recognition.recognise import looks_like_checkers, recognise

        if self._options.strategy not in (AUTO, *STRATEGIES) or not looks_like_checkers(net):
            return None
        try:
            recognised = recognise(net, _PROOF_SECONDS)
        except LudensError as error:
            self._log(f"not recognised as checkers: {error}")
            return None
        self._log(f"recognised as {recognised}")
        machine = bitboard(net, recognised, self._options, self._log)
        game = machine.make().game
        make_kernel = checkers_kernel(recognised.rules, self._options)
        prepared = prepare(Versions(game), self._options, self._meta(), None, make_kernel, machine.knowledge)
        machine = replace(machine, evaluation=prepared.evaluation, kernel=prepared.kernel)
        return NativeMind(machine, role, prepared.options(self._options), self._log)

    def _meta(self) -> Meta:
        """The time that is left before the first turn."""
        from ludens.agent.preparation.preparation import Meta

        left = max(0.0, self._prepared_by - time.monotonic())
        seed = self._random.getrandbits(62)
        return Meta(left, self._move_seconds, seed, stopped=lambda: self._called, tell=self._log)

    def _loaded(self) -> None:
        """All machines are there that will be."""
        with self._changed:
            self._loading = False
            self._changed.notify_all()

    # ---- One mind ----

    def _enter(self, mind: Mind) -> None:
        """Lets a mind follow the match, and think about it while it leads, until it is no longer needed."""
        with self._changed:
            if not self._minds.enter(mind):
                return
            self._changed.notify_all()
        try:
            while self._has_work(mind):
                self._work_on(mind)
        finally:
            with self._changed:
                self._minds.leave(mind)

    def _has_work(self, mind: Mind) -> bool:
        """Waits until there is something to do; False when the mind is no longer needed."""
        with self._changed:
            self._changed.wait_for(
                lambda: mind not in self._minds or mind.history != self._history or self._may_think(mind)
            )
            return mind in self._minds

    def _may_think(self, mind: Mind) -> bool:
        return mind is self._minds.leader and isinstance(mind, Searcher) and mind.can_search and not self._loading

    def _work_on(self, mind: Mind) -> None:
        if mind.history != (history := self._history):
            self._arrive(mind, history)
        elif isinstance(mind, Searcher) and mind.can_search:
            self._tell(mind, mind.think(_SLICE_SECONDS))
            if mind.uses_start_clock and not mind.can_search:
                self._say(Ready())

    def _arrive(self, mind: Mind, history: tuple[Joint, ...]) -> None:
        position = mind.go_to(history)
        with self._changed:
            first = history == self._history != self._reached
            if first:
                self._reached, self._told = history, None
        if first:
            self._introduce(position)
        if report := mind.known():
            self._tell(mind, report)
        with self._changed:
            self._minds.retire()
            self._changed.notify_all()

    def _introduce(self, position: Position) -> None:
        self._say(position)
        if not position.terminal and (move := self._move_at_once(position)):
            self._say(SearchReport(position.step, move, final=True))

    def _move_at_once(self, position: Position) -> str | None:
        """The move that needs no search, if there is one."""
        if self._options.strategy == "random" and position.legal:
            return self._random.choice(position.legal)
        forced = len(position.legal) == 1 or self._options.strategy == "first"
        return position.legal[0] if forced and position.legal else None

    def _tell(self, mind: Mind, report: SearchReport) -> None:
        with self._changed:
            if not self._minds.speaks(mind):
                return
            self._minds.retire()
            self._changed.notify_all()
            late = time.monotonic() - self._told_at >= _REPORT_SECONDS
            if report.move == self._told and not late and not report.final:
                return
            self._told, self._told_at = report.move, time.monotonic()
        self._say(report)

    def _log(self, text: str) -> None:
        self._say(LogMessage(text))

    def _say(self, event: Event) -> None:
        with self._writing:
            self._output.write(encode(event))
            self._output.flush()


def main(make_network: Loader = load) -> None:
    """The process: settings from the command line, then commands until they end."""
    with contextlib.suppress(PermissionError):
        os.setsid()
    die_with_parent()
    options = PlayerOptions(**json.loads(sys.argv[1]))
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (options.engine_mb << 20, most))  # its children may have other needs
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not disturb the events
    _warm_up()
    try:
        Engine(options, output, make_network).listen(sys.stdin.buffer)
    finally:
        os.killpg(0, signal.SIGKILL)


def _warm_up() -> None:
    """Builds and imports before a match what it will need, as far as that works here."""
    parse_term("warm")
    with contextlib.suppress(ImportError):
        import_module("ludens.agent.engine.native_mind")


def _read(rules: str, role: str) -> RuleSheet:
    """The sheet, checked; raises `GdlError`."""
    sheet = parse_rules(rules)
    check(sheet)
    if role not in sheet.roles:
        raise GdlError(f"there is no role {role}; the roles are {', '.join(sheet.roles)}")
    return sheet


if __name__ == "__main__":
    main()
