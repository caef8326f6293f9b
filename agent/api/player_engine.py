"""The engine process of a player of the user's own, which plays in a thread of it.

Run as `python -m ludens.agent.api.player_engine SETTINGS`, it is to the server an engine like any other: the server
answers with what it has reported by the deadline, and with a legal move if that is nothing; replaces it when it
crashes or hangs; and kills all of its process group in the end. What the player does wrong is told as a warning, and
a legal move is drawn in its place. Whoever ends the process twice is not asked any more.

What the player prints is told as lines of the log, so many a turn at most; what it reads is empty. A process that it
forks ends where the player's own code does.
"""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from ludens.agent.api.failures import describe_failure
from ludens.agent.engine.engine import Engine, Loader, load_network, main
from ludens.agent.protocol.state_history import StateHistory
from ludens.agent.protocol.wire import GoTo, History, Joint, Ready, Refused, SearchReport
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.player_files import PlayerFile
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.syntax import RuleSheet

if TYPE_CHECKING:
    from ludens.agent.api.game import Game, State
    from ludens.agent.api.player import Player

_STOP_SECONDS = 1.0  # for `stop`, before the process ends
_ANSWER_SECONDS = 0.1  # of a turn: for the answer to be on its way, since who searches until the last moment is late,
_ANSWER_SHARE = 1 / 8  # ... but no more than that of it
_MOST_LINES = 50  # that a player may print in a turn, and have told
_LONGEST_LINE = 500


class PlayerEngine(Engine):
    """Plays one match with the user's player."""

    def __init__(self, settings: PlayerOptions, output: BinaryIO, make_network: Loader = load_network) -> None:
        """See `Engine`; what follows the match beside the player does not search."""
        super().__init__(settings, output, make_network, replace(settings, player="", strategy="random"))
        found = PlayerFile.of_text(settings.player)
        assert found is not None, "the server has found it"
        self._file = found[0]
        self._name = f"{self._file.path.name}:{self._file.name}"
        self._player: Player | None = None
        self._called_at = 0.0  # when the latest position came
        self._choosing: GoTo | None = None  # where the player was asked for its move, and has not answered
        self._process = os.getpid()
        self._printed = _Printed(self._log, self._name)
        sys.stdout = self._printed

    def listen(self, commands: BinaryIO) -> None:
        """See `Engine`; lets the player end when the commands do."""
        super().listen(commands)
        if self._player is not None:
            stopping = threading.Thread(target=self._safely, args=("stop", self._player.stop), daemon=True)
            stopping.start()
            stopping.join(_STOP_SECONDS)

    # ---- Threads ----

    def _begin_to_think(self, machines: tuple[str, ...]) -> None:
        self._begin_to_tell_states()
        self._draws_moves = "network" not in machines
        self._begin_on_rules(machines)
        if "network" in machines:
            self._work(self._play)
        else:
            self._warn(f"{self._name} has ended its process again and again: it is asked no more")
            self._say(Ready())

    def _play(self, sheet: RuleSheet, role: str) -> None:
        """Makes the player, and asks it for a move whenever there is one to choose."""
        from ludens.agent.api.player import Clocks, load_player

        try:
            player = load_player(self._file)()
            game = self._load(sheet)
        except Exception as error:  # noqa: BLE001 - whatever the user's file does
            self._do_without_player(str(error) if isinstance(error, LudensError) else describe_failure(error))
            return
        clocks = Clocks(max(0.0, self._prepared_by - time.monotonic()), self._move_seconds)
        started = self._safely("start", lambda: player.start(game, role, clocks))
        self._player = player if started else None
        self._say(Ready())
        states = StateHistory(game.initial, lambda state, joint: _after(game, state, joint))
        done: GoTo | None = None
        while True:
            target, history, called_at = self._next_target(done)
            self._answer(player if started else None, states.follow(history), role, target, called_at)
            done = target

    def _do_without_player(self, why: str) -> None:
        """Refuses a match before its first turn; later, as where the player has ended its process, draws moves."""
        if self._processor.called:
            self._warn(f"{self._name} is asked no more: {why}")
            self._draw_moves()
            self._say(Ready())
        else:
            self._say(Refused(f"{self._name}: {why}"))

    def _load(self, sheet: RuleSheet) -> Game:
        from ludens.agent.api.game import load

        settings = self._settings
        return load(str(sheet), seconds=settings.grounding_seconds, memory_mb=settings.grounding_mb, interpret=True)

    def _next_target(self, done: GoTo | None) -> tuple[GoTo, History, float]:
        """Waits for the next position of which a move is asked; returns it, and when it was heard of.

        Whoever follows the match beside the player has said by then which history leads there, and that is told too.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._processor.called and self._target != done and self._target == self._reached
            )
            return self._target, self._history, self._called_at

    def _go_to(self, target: GoTo) -> None:
        self._called_at = time.monotonic()
        self._printed.begin_turn()
        late, self._choosing = self._choosing, None
        if late is not None:
            self._warn(f"{self._name} did not answer in time at step {len(late.history) + 1}")
        super()._go_to(target)

    def _answer(self, player: Player | None, state: State, role: str, target: GoTo, called_at: float) -> None:
        """Reports the player's move in a state, or one that is drawn in its place."""
        legal = state.legal(role)
        if len(legal) < 2:
            return
        move = self._ask(player, state, role, target, called_at) if player else None
        if move is None:
            move = self._random.choice(sorted(legal))
        self._say(SearchReport(len(target.history), move, final=True, ticket=target.ticket))

    def _ask(self, player: Player, state: State, role: str, target: GoTo, called_at: float) -> str | None:
        """Returns the text of the move that the player chooses; None, after a warning, if it is none."""
        chosen: list[object] = []
        spare = min(_ANSWER_SECONDS, _ANSWER_SHARE * self._move_seconds)
        seconds = max(0.0, self._move_seconds - spare - (time.monotonic() - called_at))
        self._choosing = target
        succeeded = self._safely("choose", lambda: chosen.append(player.choose(state, seconds)))
        late = self._choosing is not None and 0 < self._move_seconds < time.monotonic() - called_at
        self._choosing = None
        if late:
            self._warn(f"{self._name} answered too late at step {len(target.history) + 1}")
        if not succeeded:
            return None
        try:
            index = state.legal_index(role, chosen[0])  # type: ignore[arg-type] # whatever it is
        except Exception as error:  # noqa: BLE001 - an answer may be any object at all
            why = str(error) if isinstance(error, LudensError) else describe_failure(error)
            self._warn(f"{self._name} chose no legal move, so that one is drawn: {why[:200]}")
            return None
        return state.game._play.move(state.game.role_index(role), index, state.words)

    def _safely(self, what: str, work: Callable[[], object]) -> bool:
        """Lets the player do something; returns whether it succeeds, and tells why if not."""
        failure = ""
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - SystemExit too: the match goes on
            failure = describe_failure(error)
        if os.getpid() != self._process:
            os._exit(0)  # the player has forked, and this is the child
        if failure:
            self._warn(f"{self._name} failed in {what}: {failure}")
        return not failure


class _Printed(io.TextIOBase):
    """What a player prints: told line by line, until it is too much for one turn."""

    def __init__(self, tell: Callable[[str], None], name: str) -> None:
        self._tell, self._name = tell, name
        self._begun = ""
        self._lines = 0

    def begin_turn(self) -> None:
        """Lets the player print again."""
        self._lines = 0

    def writable(self) -> bool:
        """See `io.TextIOBase`."""
        return True

    def write(self, text: str) -> int:
        """See `io.TextIOBase`."""
        *lines, rest = text.split("\n")
        for line in lines:
            self._say(self._begun + line)
            self._begun = ""
        self._begun = (self._begun + rest)[:_LONGEST_LINE]
        return len(text)

    def _say(self, line: str) -> None:
        self._lines += 1
        if self._lines <= _MOST_LINES:
            self._tell(f"{self._name} prints: {line[:_LONGEST_LINE]}")
        elif self._lines == _MOST_LINES + 1:
            self._tell(f"{self._name} prints more than is shown")


def _after(game: Game, state: State, joint: Joint) -> State:
    """Returns the state after moves that a manager has told: they count, legal or not."""
    from ludens.agent.api.game import State

    return State(game, game._play.after(state.words, joint), (state, joint))


if __name__ == "__main__":
    main(make_engine=PlayerEngine)
