"""The engine process: what computes. Run as `python -m agent.engine SETTINGS`, it speaks `wire` on its pipes.

Two minds may be at work, each in a thread of its own. The interpreter's has a legal move at once; meanwhile
the rules are turned into a network, and the network's mind takes over as soon as it stands, in mid-match if
need be. The main thread only listens, so that it hears the next position whatever the minds are doing; only
the latest position counts. An engine that has not been told to think stands by: it knows what is legal, and
nothing of it is native code.

The process leads its own group. When its standard input ends, the player is gone, and the whole group dies,
as do those it has started.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import BinaryIO

from agent.options import PlayerOptions
from agent.thinking import SEARCHES, InterpreterMind, Mind
from agent.wire import (
    Begin,
    Event,
    GoTo,
    Heard,
    Joint,
    NetworkReady,
    NoNetwork,
    Position,
    Refused,
    RulesRead,
    Think,
    Thought,
    decode,
    encode,
)
from propnet.check import check
from propnet.child import die_with_parent
from propnet.errors import GdlError, LudensError
from propnet.loader import Limits, load
from propnet.parser import parse_rules, parse_term
from propnet.syntax import RuleSheet

_SLICE_SECONDS = 0.1  # of thinking between two looks at the pipe
_REPORT_SECONDS = 0.25  # the best move is told again at least this often
_QUICK_SECONDS = 0.5  # an interpreter slower than this at one position plays no random games


class Engine:
    """One match: reads commands, writes events."""

    def __init__(self, options: PlayerOptions, output: BinaryIO) -> None:
        """Events go to `output`."""
        self._options = options
        self._output = output
        self._writing = threading.Lock()
        self._random = random.Random(options.seed or None)
        self._changed = threading.Condition()
        self._rules: tuple[RuleSheet, str] | None = None  # and our role, once they make sense
        self._searching = False  # has been told to think
        self._history: tuple[Joint, ...] = ()  # the latest position asked for
        self._asked = False  # the first turn has come: from now on thinking may slow down the loading
        self._leader: Mind | None = None  # the mind that speaks
        self._quick = True  # it reached the last position fast enough for random games to make sense
        self._told: str | None = None  # the move told last at this position
        self._told_at = 0.0

    def listen(self, commands: BinaryIO) -> None:
        """Obeys until the commands end."""
        for line in commands:
            match decode(line):
                case Begin(rules, role):
                    self._begin(rules, role)
                case Think(network):
                    self._begin_to_think(network)
                case GoTo(history):
                    self._go_to(history)

    def _begin(self, rules: str, role: str) -> None:
        try:
            sheet = _read(rules, role)
        except LudensError as error:
            self._say(Refused(str(error)))
            return
        self._rules = sheet, role
        self._say(RulesRead(sheet.roles))
        self._work(self._interpret, sheet, role)

    def _begin_to_think(self, network: bool) -> None:
        if self._rules is None:
            return
        with self._changed:
            self._searching = True
            self._changed.notify_all()
        if network:
            self._work(self._make_network, *self._rules)
        else:
            self._give_up_network("an engine has crashed on it")

    def _go_to(self, history: tuple[Joint, ...]) -> None:
        self._say(Heard(len(history)))
        with self._changed:
            self._history = history
            self._asked = True
            self._changed.notify_all()
            if self._leader:
                self._leader.interrupt()

    # ---- Threads ----

    def _work(self, task: Callable[[RuleSheet, str], None], sheet: RuleSheet, role: str) -> None:
        threading.Thread(target=self._guard, args=(task, sheet, role), daemon=True).start()

    def _guard(self, task: Callable[[RuleSheet, str], None], sheet: RuleSheet, role: str) -> None:
        """A thread that fails is a crash of the engine: the player starts another."""
        try:
            task(sheet, role)
        except BaseException as error:  # noqa: BLE001 - a dead thread must not leave a mute engine behind
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)

    def _interpret(self, sheet: RuleSheet, role: str) -> None:
        mind = InterpreterMind(sheet, role, self._options)
        with self._changed:
            if self._leader:
                return
            self._leader = mind
        self._lead(mind)

    def _make_network(self, sheet: RuleSheet, role: str) -> None:
        begun = time.monotonic()
        limits = Limits(self._options.grounding_seconds, self._options.grounding_mb)
        try:
            from agent.network_mind import NetworkMind

            net = load(sheet, limits)
            mind = NetworkMind(net, role, self._options)
        except (LudensError, MemoryError, ImportError) as error:
            self._give_up_network(str(error) or "out of memory")
            return
        with self._changed:
            self._leader = mind
            self._changed.notify_all()
        self._say(NetworkReady(len(net.gates), time.monotonic() - begun))
        self._lead(mind)

    def _give_up_network(self, reason: str) -> None:
        with self._changed:
            self._asked = True
            self._changed.notify_all()
        self._say(NoNetwork(reason))

    # ---- One mind ----

    def _lead(self, mind: Mind) -> None:
        """Follows the match and thinks about it until another mind leads."""
        history: tuple[Joint, ...] | None = None
        while True:
            with self._changed:
                while not self._has_work(mind, history):
                    self._changed.wait()
                target = self._history
            if self._leader is not mind:
                return
            if target != history:
                history = target
                self._arrive(mind, history)
            else:
                self._think(mind)

    def _has_work(self, mind: Mind, history: tuple[Joint, ...] | None) -> bool:
        return self._leader is not mind or self._history != history or self._may_think(mind)

    def _may_think(self, mind: Mind) -> bool:
        """Whether there is something to search for.

        The interpreter's random games wait while the network is being made, until a turn has come.
        """
        open_position = mind.position.legal and not mind.position.terminal
        allowed = not isinstance(mind, InterpreterMind) or (self._asked and self._quick)
        return bool(open_position) and self._searching and allowed and self._options.strategy in SEARCHES

    def _arrive(self, mind: Mind, history: tuple[Joint, ...]) -> None:
        begun = time.monotonic()
        position = mind.go_to(history)
        self._quick = time.monotonic() - begun < _QUICK_SECONDS
        self._told = None
        self._speak(mind, position)
        if not position.terminal and (move := self._move_at_once(position)):
            self._speak(mind, Thought(position.step, move, final=True))

    def _move_at_once(self, position: Position) -> str | None:
        """The move that needs no search, if there is one."""
        if self._options.strategy == "random" and position.legal:
            return self._random.choice(position.legal)
        forced = len(position.legal) == 1 or self._options.strategy == "first"
        return position.legal[0] if forced and position.legal else None

    def _think(self, mind: Mind) -> None:
        thought = mind.think(_SLICE_SECONDS)
        late = time.monotonic() - self._told_at >= _REPORT_SECONDS
        if self._told is None or thought.move != self._told or late:
            self._told, self._told_at = thought.move, time.monotonic()
            self._speak(mind, thought)

    def _speak(self, mind: Mind, event: Event) -> None:
        """Says what a mind has found, if it still leads."""
        if self._leader is mind:
            self._say(event)

    def _say(self, event: Event) -> None:
        with self._writing:
            self._output.write(encode(event))
            self._output.flush()


def main() -> None:
    """The process: settings from the command line, then commands until they end."""
    with contextlib.suppress(PermissionError):
        os.setsid()
    die_with_parent()
    options = PlayerOptions(**json.loads(sys.argv[1]))
    limit = options.engine_mb << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not disturb the events
    parse_term("warm")  # builds the parser's tables before a match needs them
    try:
        Engine(options, output).listen(sys.stdin.buffer)
    finally:
        os.killpg(0, signal.SIGKILL)


def _read(rules: str, role: str) -> RuleSheet:
    """The sheet, checked; raises `GdlError`."""
    sheet = parse_rules(rules)
    check(sheet)
    if role not in sheet.roles:
        raise GdlError(f"there is no role {role}; the roles are {', '.join(sheet.roles)}")
    return sheet


if __name__ == "__main__":
    main()
