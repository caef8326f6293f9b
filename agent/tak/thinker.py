"""Searches positions of Tak in a thread of its own, and tells what it finds as the Tak engine interface wants it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile

from ludens.agent.preparation.prepare_untimed import prepare_on_core
from ludens.agent.search.assembly import new_search
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.tak.limits import Lag, Limits
from ludens.games.tak.native_game import pack
from ludens.games.tak.notation.ptn import write_move
from ludens.games.tak.on_core import TakOnCore
from ludens.games.tak.rules.parameters import TakError, TakRules
from ludens.games.tak.rules.reference import Position
from ludens.propnet.base.errors import LudensError

Say = Callable[[str], None]

_LOOK_SECONDS = 0.02  # between two looks at how deep the search is
_TELL_SECONDS = 1.0  # between two lines that tell nothing deeper
_AT_ONCE, _AT_ONCE_SECONDS = 256, 0.01  # positions or random games that nothing cuts short, or the time for them
_LANES = 64  # of strategies that play random games: with more, moves would have no results yet after `_AT_ONCE` games
_LEAST_SECONDS = 0.001  # of a run, since 0 is no limit
_LONGEST_LINE = 20  # moves that are told


def complaint(text: str) -> str:
    """Returns the line that tells of an error."""
    return f"info string error: {' '.join(text.split())}"


class Thinker:
    """Chooses moves by some rules, one at a time; `stop` may be called from any thread."""

    def __init__(self, rules: TakRules, options: PlayerOptions, say: Say) -> None:
        """Takes the settings of a strategy; `say` takes lines from another thread. Raises `LudensError`."""
        self._rules, self._options, self._say = rules, options, say
        config = prepare_on_core(TakOnCore(rules), options)
        search = new_search(replace(config, lanes=config.lanes or _LANES), options.seed)
        assert search is not None, options.strategy
        self._search = search
        self._thread: threading.Thread | None = None
        self._watching = threading.Lock()  # held while a thread looks at the search and tells of it
        self._lag = Lag()
        self._stopping = threading.Event()
        self._has_move = threading.Event()  # that is not just the first one

    def begin(self, position: Position, limits: Limits, received: float) -> None:
        """Begins to think about a position that is not over; the time counts from a moment of time.monotonic.

        Raises `TakError` where the machine has no thread for it.
        """
        self._stopping.clear()
        self._has_move.clear()
        self._search.set_root(pack(position))
        self._thread = threading.Thread(target=self._think, args=(position, limits, received), daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            raise TakError(f"go: {error}") from error

    @property
    def thinks(self) -> bool:
        """Whether a move is yet to be told."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self) -> None:
        """Ends a thought, soon; its move is told."""
        self._stopping.set()
        if self._has_move.is_set():
            self._search.stop()

    def end(self) -> None:
        """Ends a thought, and returns when its move is told."""
        while self.thinks:
            self.stop()  # perhaps it had not begun
            assert self._thread
            self._thread.join(_LOOK_SECONDS)

    # ---- The thread ----

    def _think(self, position: Position, limits: Limits, received: float) -> None:
        """Searches, tells what it finds, and then the move: if something fails, the best one that is known by then."""
        before = self._search.stats().playouts
        due = None if limits.seconds is None else received + self._lag.less(limits.seconds)
        try:
            self._run(position, limits, due, before)
        except (LudensError, RuntimeError) as error:
            self._say(complaint(str(error)))
        if limits.endless:
            self._stopping.wait()
        found = self._search.root_moves(position.turn)
        self._say(self._told(position, before, time.monotonic() - received))
        self._say(f"bestmove {self._text(int(found.moves[found.best]))}")
        if due is not None:
            self._lag.note(time.monotonic() - due)

    def _run(self, position: Position, limits: Limits, due: float | None, before: int) -> None:
        nodes = min(filter(None, (self._options.move_iterations, limits.nodes)), default=0)
        self._search.run(_AT_ONCE_SECONDS, min(nodes, _AT_ONCE) if nodes else _AT_ONCE)
        self._has_move.set()
        nodes_left = nodes - (self._search.stats().playouts - before)
        if self._stopping.is_set() or (nodes and nodes_left <= 0):
            return
        with self._watched(position, limits, before):
            left = 0.0 if due is None else due - time.monotonic()
            if due is None or left >= _LEAST_SECONDS:
                self._search.run(left, nodes_left if nodes else 0)

    @contextmanager
    def _watched(self, position: Position, limits: Limits, before: int) -> Iterator[None]:
        """Has a thread tell how the search gets on. It does not wait for that thread, which may get no processor."""
        done = threading.Event()
        watch = threading.Thread(target=self._watch, args=(position, limits, before, done), daemon=True)
        watch.start()
        try:
            yield
        finally:
            with self._watching:
                done.set()

    def _watch(self, position: Position, limits: Limits, before: int, done: threading.Event) -> None:
        """Tells how the search gets on, and ends it at its depth."""
        began = told = time.monotonic()
        depth = 0
        while not done.wait(_LOOK_SECONDS):
            with self._watching:
                if done.is_set():
                    return
                stats = self._search.stats()
                if limits.depth and stats.depth >= limits.depth:
                    self._search.stop()
                elif stats.depth > depth or time.monotonic() - told > _TELL_SECONDS:
                    depth, told = stats.depth, time.monotonic()
                    self._say(self._told(position, before, told - began))

    def _told(self, position: Position, before: int, seconds: float) -> str:
        """Returns what is known as a line `info`."""
        stats, found = self._search.stats(), self._search.root_moves(position.turn)
        nodes, value = stats.playouts - before, float(found.values[found.best])
        score = "" if math.isnan(value) else f"score cp {round(2 * value - 100)} "
        speed = round(nodes / max(seconds, _LEAST_SECONDS))
        return (
            f"info depth {stats.depth} nodes {nodes} {score}time {round(1000 * seconds)} nps {speed} "
            f"pv {self._line(position, int(found.moves[found.best]))}"
        )

    def _line(self, position: Position, best: int) -> str:
        """Returns the moves that are expected, in PTN: at least the best one."""
        joints = self._search.expected_line(_LONGEST_LINE)
        numbers = [int(joint[(position.turn + ply) % 2]) for ply, joint in enumerate(joints)]
        line = list(takewhile(lambda number: 0 <= number < self._rules.waiting, numbers))
        return " ".join(map(self._text, line if line[:1] == [best] else [best]))

    def _text(self, number: int) -> str:
        """Returns the PTN of a move, which is not that of waiting."""
        move = self._rules.move(number)
        assert move is not None, number
        return write_move(self._rules, move)
