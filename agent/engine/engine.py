"""The engine process: receives positions from the server, runs the agents, and reports their moves.

Run as `python -m ludens.agent.engine.engine SETTINGS`, it speaks `wire` on its pipes.

Several agents may be at work, each in a thread of its own. The rule machine's has a legal move within a moment
and searches at once; meanwhile the rules are turned into a network, whose agent takes over as soon as it stands,
in mid-turn if need be (see `handover`). At first an interim agent plays the network as it is; then one that has
learned how it is best played, or that plays on the core of the game as which it was recognised. Where the start
clock was too short to learn the game, that is done while others move, and the agent that it leads to takes over
in the midst of the match (see `late_preparation`). The main thread only listens, so that it hears the next position
whatever the agents are doing; only the latest position counts.

The interpreter is the last resort. An engine that stands by follows the match on it, without native code, and
one that thinks goes back to it if the rule machine cannot play these rules, until there is a network.

The process leads its own group. When its standard input ends, the player is gone, and the whole group dies,
as do those it has started.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from ludens.agent.engine.handover import AgentHandover
from ludens.agent.engine.match_agent import MatchAgent, ReferenceAgent, SearchAgent, new_random
from ludens.agent.engine.niceness import be_nice
from ludens.agent.engine.processor_share import ProcessorShare
from ludens.agent.engine.state_teller import StateTeller
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.protocol.wire import (
    Acknowledged,
    Begin,
    Event,
    GoTo,
    History,
    LogMessage,
    NetworkReady,
    NoNetwork,
    NoStates,
    Position,
    Ready,
    Refused,
    Rest,
    RulesRead,
    SearchReport,
    StandBy,
    Started,
    Think,
    decode,
    encode,
)
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.processors import processors
from ludens.agent.settings.strategies import INSTANT
from ludens.propnet.base.child import Limits, die_with_parent, limit_address_space
from ludens.propnet.base.errors import GdlError, LudensError, NativeError
from ludens.propnet.gdl.check import check
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet

if TYPE_CHECKING:
    from ludens.agent.engine.late_preparation import LatePreparation
    from ludens.propnet.network.propnet import Propnet

_SLICE_SECONDS = 0.1  # of thinking between two looks at the pipe
_FIRST_SECONDS = 0.5  # of processor time, for a legal move before anything else begins
_LOOK_SECONDS = 0.02  # between two looks whether they are over
_REPORT_SECONDS = 0.25  # the best move is reported again at least this often

Loader: TypeAlias = "Callable[[RuleSheet, Limits], Propnet]"


def load_network(sheet: RuleSheet, limits: Limits) -> Propnet:
    """Makes the network of a sheet; imports what that takes no earlier."""
    from ludens.propnet.compile.loader import load

    return load(sheet, limits)


class Engine:
    """Plays one match: reads commands, writes events."""

    def __init__(
        self,
        settings: PlayerOptions,
        output: BinaryIO,
        make_network: Loader = load_network,
        rules_settings: PlayerOptions | None = None,
    ) -> None:
        """Events go to `output`; networks come from `make_network`; `rules_settings` are of play without one."""
        self._settings = settings
        self._rules_settings = rules_settings or settings
        self._output = output
        self._make_network = make_network
        self._importing: threading.Thread | None = None  # what searches need
        self._writing = threading.Lock()
        self._random = new_random(settings.seed)
        self._changed = threading.Condition()
        self._rules: tuple[RuleSheet, str] | None = None  # and our role, once they make sense
        self._target = GoTo(())  # the latest position asked for
        self._reached: GoTo | None = None  # the last position that has been reported
        self._history: History = ()  # what leads there, as it fits the rules best
        self._agents = AgentHandover()
        self._tells_states = False  # for a record, if there is to be one
        self._untold = False  # whether the states up to the position that was reached are still to be told
        self._draws_moves = settings.strategy == "random"
        self._processor = ProcessorShare()
        self._idle = False  # the position that was reached leaves us nothing to choose
        self._prepared_by = 0.0  # when the first turn is due
        self._move_seconds = 0.0  # for each; 0: there are no clocks
        self._reported: str | None = None  # the last move that has been reported at this position
        self._reported_at = 0.0

    def warm_up(self) -> None:
        """Builds and imports before a match what it will need: in a thread, since START may come at once."""
        parse_term("warm")
        self._importing = threading.Thread(target=self._import_searches, daemon=True)
        self._importing.start()

    def _import_searches(self) -> None:
        """Imports what searches need; tells if that does not work here, and when it is done."""
        try:
            import_module("ludens.agent.engine.puzzle_agent")
        except ImportError as error:
            self._warn(f"native code is missing, so that moves are legal but not searched: {error}")
        self._say(Started())

    def listen(self, commands: BinaryIO) -> None:
        """Obeys until the commands end."""
        for line in commands:
            match decode(line):
                case Begin() as begin:
                    self._prepared_by = time.monotonic() + begin.seconds
                    self._move_seconds = begin.move_seconds
                    self._tells_states = begin.tells_states
                    self._begin(begin.rules, begin.role)
                case StandBy():
                    self._work(self._stand_by)
                case Think(machines):
                    self._begin_to_think(machines)
                case GoTo() as target:
                    self._go_to(target)
                case Rest():
                    self._rest()

    def _begin(self, rules: str, role: str) -> None:
        try:
            self._rules = _read(rules, role), role
        except (LudensError, MemoryError) as error:
            self._say(Refused(_why(error)))
        else:
            self._say(RulesRead(self._rules[0].roles))

    def _begin_to_think(self, machines: tuple[str, ...]) -> None:
        self._begin_to_tell_states()
        if self._settings.move_iterations:
            self._work(self._follow)  # the interpreter finds legal moves until the network can be searched
            self._work(partial(self._play_repeatably, machines))
            return
        if "network" in machines:
            with self._changed:
                self._processor.load()
        self._begin_on_rules(machines)
        if "network" in machines:
            self._work(self._play_on_network)
        else:
            self._say(NoNetwork("engines have crashed"))
            self._say(Ready())

    def _begin_on_rules(self, machines: tuple[str, ...]) -> None:
        """Plays without a network: on the rule machine if that may be used, else by the interpreter."""
        if self._importing is not None and self._importing.is_alive():
            self._work(self._follow)  # meanwhile the interpreter finds a legal move
        self._work(self._play_on_rules if "rules" in machines else self._follow)

    def _begin_to_tell_states(self) -> None:
        if self._tells_states:
            self._work(self._tell_states)

    def _go_to(self, target: GoTo) -> None:
        self._say(Acknowledged(len(target.history), target.ticket))
        with self._changed:
            self._target = target
            self._processor.turn(waiting=self._idle and target == self._reached)  # nothing is known of a new position
            self._changed.notify_all()
            if self._agents.leader and self._agents.leader.target != target:
                self._agents.leader.interrupt()

    def _rest(self) -> None:
        with self._changed:
            self._processor.rest()
            if self._agents.leader:
                self._agents.leader.interrupt()

    # ---- Threads ----

    def _work(self, task: Callable[[RuleSheet, str], None]) -> None:
        if self._rules is not None:
            threading.Thread(target=self._guard, args=(task, *self._rules), daemon=True).start()

    def _guard(self, task: Callable[[RuleSheet, str], None], sheet: RuleSheet, role: str) -> None:
        """Runs a task; its failure is a crash of the engine, and the player starts another."""
        try:
            task(sheet, role)
        except BaseException as error:  # noqa: BLE001 - a dead thread must not leave a mute engine behind
            _complain(error)
            os._exit(1)

    def _stand_by(self, sheet: RuleSheet, role: str) -> None:
        be_nice()
        self._follow(sheet, role)

    def _follow(self, sheet: RuleSheet, role: str) -> None:
        """Follows the match on the interpreter; rules that are too much for it have to wait for their network."""
        try:
            self._enter(ReferenceAgent(sheet, role, self._random))
        except (LudensError, RecursionError, MemoryError) as error:
            why = f"the interpreter cannot play these rules: {_why(error)}"
            self._warn(f"no move is known until there is a network: {why}")

    def _play_on_rules(self, sheet: RuleSheet, role: str) -> None:
        try:
            from ludens.agent.engine.backends import rules_backend
            from ludens.agent.engine.native_agent import NativeAgent

            backend = rules_backend(sheet, self._rules_settings)
            self._enter(NativeAgent(backend, role, self._settings.seed, self._warn))
        except (LudensError, MemoryError, ImportError) as error:
            self._warn(f"no search until there is a network: the rule machine cannot play these rules: {_why(error)}")
            self._follow(sheet, role)

    def _play_on_network(self, sheet: RuleSheet, role: str) -> None:
        self._await_first_position()
        agent, later = None, None
        if (net := self._load_network(sheet)) is not None:
            self._work(lambda _sheet, role: self._play_interim(net, role))
            agent, later = self._best_agent(sheet, net, role)
        with self._changed:
            self._processor.loaded(later)
            leads = agent is not None and self._agents.enter(agent)  # at once, or the interim agent would search first
            self._changed.notify_all()
        if agent is None or not agent.uses_start_clock:
            self._say(Ready())
        if later is not None:
            self._work(partial(self._prepare_later, later))
        if agent is not None and leads:
            self._serve(agent)

    def _prepare_later(self, preparation: LatePreparation, _sheet: RuleSheet, role: str) -> None:
        """Prepares the game again, above all while others move; then plays as that says, if it says anything else."""
        agent = None
        try:
            config = preparation.run(self._is_solved)
            if config is not None:
                agent = preparation.agent(config, role, self._warn)
                self._log(f"plays by {config}: {config.reason}")
        except Exception as error:  # noqa: BLE001 - whatever it is, the search that plays can do without this
            self._warn(f"the game is not learned while others move: {_why(error)}")
        with self._changed:
            self._processor.prepared()
            self._changed.notify_all()
            target = self._target  # in the midst of our turn the search that has begun ends it
            self._changed.wait_for(lambda: agent is None or self._processor.waiting or self._target != target)
        if agent is not None:
            self._enter(agent)

    def _is_solved(self) -> bool:
        """Says whether it is proven what comes of the match."""
        leader = self._agents.leader
        known = leader.known() if leader is not None else None
        return known is not None and known.final and known.proven

    def _await_first_position(self) -> None:
        """Waits until a legal move is known, unless that takes long; a busy machine is to be left to this at first."""
        end = time.process_time() + _FIRST_SECONDS
        with self._changed:
            while self._reached is None and time.process_time() < end:
                self._changed.wait(_LOOK_SECONDS)

    def _play_interim(self, net: Propnet, role: str) -> None:
        """Plays on the network as it is, should the first turn come before it is known how it is best played."""
        try:
            from ludens.agent.engine.backends import Stage, network_backend
            from ludens.agent.engine.native_agent import NativeAgent
            from ludens.agent.preparation.prepare_untimed import prepare_interim

            backend = network_backend(net, prepare_interim(net, self._settings), stage=Stage.INTERIM)
            agent = NativeAgent(backend, role, self._settings.seed, self._warn)
        except ImportError as error:
            self._say(NoNetwork(str(error)))
        except (LudensError, MemoryError) as error:
            self._warn(f"the network cannot be searched before preparation is over: {_why(error)}")
        else:
            self._enter(agent)

    def _play_repeatably(self, machines: tuple[str, ...], sheet: RuleSheet, role: str) -> None:
        """Searches each position for a number of iterations, all on the machine that is the best in the end."""
        net = None
        if "network" in machines:
            net = self._load_network(sheet)
        else:
            self._do_without_network("engines have crashed")
        try:
            if not machines:
                raise NativeError("engines have crashed")
            from ludens.agent.engine.backends import repeatable_backend
            from ludens.agent.engine.iteration_agent import IterationAgent

            backend = repeatable_backend(net, sheet, self._settings, self._log)
            agent = IterationAgent(backend, role, self._settings, self._log)
        except (LudensError, MemoryError, ImportError) as error:
            self._warn(f"no position can be searched, so moves are drawn at random: {_why(error)}")
            self._draw_moves()
            self._say(Ready())
        else:
            self._say(Ready())
            self._enter(agent)

    def _draw_moves(self) -> None:
        """Draws moves at random from now on, also in the position that was reached."""
        with self._changed:
            self._draws_moves, self._reached = True, None
            if self._agents.leader is not None:
                self._agents.leader.target = None
            self._changed.notify_all()

    def _do_without_network(self, reason: str) -> None:
        if self._settings.strategy in INSTANT:
            self._log(f"there is no network: {reason}")  # which makes no difference to who does not search
        else:
            self._say(NoNetwork(reason))

    def _load_network(self, sheet: RuleSheet) -> Propnet | None:
        """Returns the network, and tells that it is there, or why there is none."""
        begun = time.monotonic()
        limits = Limits(self._settings.grounding_seconds, self._settings.grounding_mb)
        try:
            net = self._make_network(sheet, limits)
        except (LudensError, MemoryError) as error:
            self._do_without_network(_why(error))
            return None
        self._say(NetworkReady(len(net.gates), time.monotonic() - begun))
        return net

    def _best_agent(
        self, sheet: RuleSheet, net: Propnet, role: str
    ) -> tuple[SearchAgent | None, LatePreparation | None]:
        """Returns the agent that is to play, and what may find a better one while the match is on.

        None, and says why, where the interim agent goes on playing.
        """
        try:
            from ludens.agent.engine.late_preparation import LatePreparation, may_prepare_later
            from ludens.agent.engine.puzzle_agent import prepared_agent
            from ludens.agent.preparation.prepare import prepare
            from ludens.agent.preparation.recognition import recognised_game

            recognised = recognised_game(net, self._settings, self._explain, self._prepared_by - time.monotonic())
            if recognised:
                self._log(f"recognised as {recognised}")
            budget = self._budget()
            config = prepare(net, self._settings, budget, sheet=sheet, recognised=recognised)
            later = None
            spare = processors() > self._settings.workers * self._settings.matches
            if may_prepare_later(config, sheet.roles.index(role), self._move_seconds, self._settings.seed, spare=spare):
                later = LatePreparation(net, sheet, recognised, self._settings, config, budget, beside_search=spare)
                config = later.in_the_meantime()
            return prepared_agent(net, config, recognised, role, self._settings, self._warn), later
        except (LudensError, MemoryError, ImportError) as error:
            self._warn(f"preparation failed, so that the search keeps its first settings: {_why(error)}")
            return None, None

    def _budget(self) -> TimeBudget:
        """Returns the time that is left before the first turn."""
        left = max(0.0, self._prepared_by - time.monotonic())
        seed = self._random.getrandbits(62)
        return TimeBudget(
            left,
            self._move_seconds,
            seed,
            stopped=lambda: self._processor.called,
            tell=self._log,
            explain=self._explain,
        )

    # ---- One agent ----

    def _enter(self, agent: MatchAgent) -> None:
        """Makes an agent the leader and serves the match with it, unless there is a better one."""
        with self._changed:
            if not self._agents.enter(agent):
                return
            self._changed.notify_all()
        self._serve(agent)

    def _serve(self, agent: MatchAgent) -> None:
        """Lets an agent follow the match, and think about it while it leads, until it is no longer needed."""
        try:
            while self._has_work(agent):
                self._work_on(agent)
        finally:
            with self._changed:
                self._agents.leave(agent)

    def _has_work(self, agent: MatchAgent) -> bool:
        """Waits until there is something to do; False when the agent is no longer needed."""
        with self._changed:
            self._changed.wait_for(
                lambda: agent not in self._agents or agent.target != self._target or self._may_think(agent)
            )
            return agent in self._agents

    def _may_think(self, agent: MatchAgent) -> bool:
        leads = agent is self._agents.leader and self._processor.may_search
        return leads and isinstance(agent, SearchAgent) and agent.can_search

    def _work_on(self, agent: MatchAgent) -> None:
        if agent.target != (target := self._target):
            self._arrive(agent, target)
        elif isinstance(agent, SearchAgent) and agent.can_search:
            self._think(agent)

    def _think(self, agent: SearchAgent) -> None:
        with self._changed:
            offer = self._agents.new_offer(agent)
        if offer is not None:
            agent.take_plan(offer)
        self._tell(agent, agent.think(_SLICE_SECONDS))
        if agent.uses_start_clock and not agent.can_search:
            self._say(Ready())

    def _arrive(self, agent: MatchAgent, target: GoTo) -> None:
        position = agent.follow(target)
        with self._changed:
            first = target == self._target != self._reached
            if first:
                self._reached, self._reported = target, None
                self._history, self._untold = target.histories[position.fits[0]], True
                self._idle = len(position.legal) <= 1
                self._processor.arrive(waiting=self._idle)
        if first:
            self._say(replace(position, ticket=target.ticket))
            if not position.terminal and (move := self._move_at_once(position)):
                self._say(SearchReport(position.step, move, final=True, ticket=target.ticket))
        if report := agent.known():
            self._tell(agent, report)
        with self._changed:
            self._agents.retire()
            self._changed.notify_all()

    def _move_at_once(self, position: Position) -> str | None:
        """Returns the move that needs no search, if there is one: the same in whatever order moves are listed."""
        if self._draws_moves and position.legal:
            legal = sorted(position.legal)
            return new_random(self._settings.seed, position.step, *legal).choice(legal)
        forced = len(position.legal) == 1 or self._settings.strategy == "first"
        return min(position.legal) if forced and position.legal else None

    def _tell(self, agent: MatchAgent, report: SearchReport) -> None:
        with self._changed:
            if not self._agents.reports(agent):
                return
            self._agents.retire()
            self._changed.notify_all()
            late = time.monotonic() - self._reported_at >= _REPORT_SECONDS
            if report.move == self._reported and not late and not report.final:
                return
            self._reported, self._reported_at = report.move, time.monotonic()
        self._say(replace(report, ticket=agent.target.ticket if agent.target else 0))

    def _tell_states(self, sheet: RuleSheet, _role: str) -> None:
        """Tells each state of the match once it was reached, for a record."""
        be_nice()
        teller = StateTeller(sheet)
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._untold)
                history, self._untold = self._history, False
            try:
                for state in teller.new_states(history):
                    self._say(state)
            except Exception as error:  # noqa: BLE001 - whatever it is, the match can do without a record
                self._say(NoStates(_why(error)))
                return

    def _log(self, text: str) -> None:
        self._say(LogMessage(text))

    def _explain(self, text: str) -> None:
        self._say(LogMessage(text, expert=True))

    def _warn(self, text: str) -> None:
        self._say(LogMessage(text, warning=True))

    def _say(self, event: Event) -> None:
        with self._writing:
            self._output.write(encode(event))
            self._output.flush()


def main(make_network: Loader = load_network, make_engine: type[Engine] = Engine) -> None:
    """Runs the process: settings from the command line, then commands until they end."""
    with contextlib.suppress(PermissionError):
        os.setsid()
    die_with_parent()
    settings = PlayerOptions(**json.loads(sys.argv[1]))
    limit_address_space(settings.process_mb << 20)
    commands, output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), 0)  # whatever reads must not take commands
    os.dup2(2, 1)  # whatever prints must not disturb the events
    engine = make_engine(settings, output, make_network)
    engine.warm_up()
    try:
        engine.listen(commands)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the process ends before it could be told
        _complain(error)
    finally:
        os.killpg(0, signal.SIGKILL)


def _complain(error: BaseException) -> None:
    """Tells the player why the engine ends, on standard error."""
    print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)


def _why(error: BaseException) -> str:
    """Returns what went wrong; only a lack of memory has no words of its own."""
    return str(error) or "out of memory"


def _read(rules: str, role: str) -> RuleSheet:
    """Reads and checks the rules; raises `GdlError`."""
    sheet = parse_rules(rules)
    check(sheet)
    if role not in sheet.roles:
        raise GdlError(f"there is no role {role}; the roles are {', '.join(sheet.roles)}")
    return sheet


if __name__ == "__main__":
    main()
