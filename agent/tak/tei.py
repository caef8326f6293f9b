"""The Tak engine interface: answers the commands of a program for Tak, line by line; no input.

The interface is that of the Universal Chess Interface with Tak in place of chess: `tei`, `setoption`, `teinewgame`,
`position`, `go`, `stop`, `isready` and `quit`; moves are in PTN and positions in TPS. Nothing that is sent ends a
session but `quit`: what makes no sense is answered with `info string error: …`. A command that ends a thought does so
even if the rest of it makes no sense, and a faulty `position` leaves none. `setoption` alone ends a thought only where
it sets something, since programs send options without asking which ones there are.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version

from ludens.agent.settings.errors import PlayerError
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.players import read_search
from ludens.agent.settings.strategies import AUTO
from ludens.agent.tak.limits import Limits, read_limits
from ludens.agent.tak.thinker import Say, Thinker, complaint
from ludens.games.tak.notation.faults import shown
from ludens.games.tak.notation.ptn import read_move
from ludens.games.tak.notation.tps import read_tps
from ludens.games.tak.on_core import TakOnCore
from ludens.games.tak.rules.parameters import TakError, TakRules
from ludens.games.tak.rules.reference import Position, first_position, made, outcome
from ludens.native.strategies import STRATEGIES
from ludens.propnet.base.errors import LudensError

_ABLE = [
    AUTO,
    *(
        name
        for name, each in STRATEGIES.items()
        if each.most_roles != 1 and not each.needs_evaluation and (not each.needs_core or name == TakOnCore.strategy)
    ),
]
_MOST_HALF_KOMI = 10
_TPS_WORDS = 3


def read_strategy(text: str) -> PlayerOptions:
    """Returns the settings of a strategy that plays Tak; raises `OptionError`, `PlayerError` or `WeightsError`."""
    options = read_search(text)
    if options.strategy not in _ABLE:
        raise PlayerError(f"{text}: {options.strategy} does not play Tak here: choose one of {', '.join(_ABLE)}")
    return options


class Session:
    """One conversation with a program; `hurry` may be called from any thread."""

    def __init__(self, options: PlayerOptions, say: Say) -> None:
        """Takes how moves are searched, and what takes the lines of the answers, from several threads."""
        self._options, self._say = options, say
        self._half_komi = 0
        self._size = 0  # of the game; 0: there is none
        self._position: Position | None = None
        self._thinker: Thinker | None = None
        self._rules: TakRules | None = None  # of the thinker
        self._hurries = threading.Event()
        self._commands: dict[str, Callable[[Sequence[str]], None]] = {
            "tei": self._greet,
            "isready": self._ready,
            "setoption": self._set_option,
            "teinewgame": self._new_game,
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
            "quit": self._quit,
        }

    def hurry(self) -> None:
        """Ends this thought and all further ones, soon."""
        self._hurries.set()
        if (thinker := self._thinker) is not None:
            thinker.stop()

    def answer(self, line: str, received: float) -> None:
        """Answers a line, which was received at this moment of time.monotonic."""
        self._received = received
        words = line.split()
        if not words:
            return
        try:
            if words[0] not in self._commands:
                raise TakError(f"there is no command {shown(words[0])}")
            self._commands[words[0]](words[1:])
        except LudensError as error:
            self.complain(str(error))

    def complain(self, text: str) -> None:
        """Tells that something made no sense."""
        self._say(complaint(text))

    def close(self) -> None:
        """Ends a thought, and tells its move."""
        if self._thinker is not None:
            self._thinker.end()

    # ---- Commands ----

    def _greet(self, words: Sequence[str]) -> None:
        self._say(f"id name Ludens {version('ludens')}")
        self._say("id author the Ludens developers")
        self._say(f"option name HalfKomi type spin default 0 min {-_MOST_HALF_KOMI} max {_MOST_HALF_KOMI}")
        self._say("teiok")

    def _ready(self, words: Sequence[str]) -> None:
        self._say("readyok")

    def _set_option(self, words: Sequence[str]) -> None:
        if len(words) != 4 or words[0] != "name" or words[2] != "value":
            raise TakError("setoption takes name, an option, value, and a number")
        if words[1].lower() != "halfkomi":
            raise TakError(f"there is no option {shown(words[1])}, only HalfKomi")
        half_komi = _number("HalfKomi", words[3], -_MOST_HALF_KOMI, _MOST_HALF_KOMI)
        self.close()
        self._half_komi = half_komi
        if self._position is not None:
            self._position = replace(self._position, rules=TakRules(self._size, half_komi))

    def _new_game(self, words: Sequence[str]) -> None:
        self.close()
        self._size, self._position = 0, None
        if len(words) != 1:
            raise TakError("teinewgame takes the size of the board")
        rules = TakRules(_number("teinewgame", words[0], 3, 8), self._half_komi)
        self._thinker_for(rules)
        self._size, self._position = rules.size, first_position(rules)

    def _set_position(self, words: Sequence[str]) -> None:
        self.close()
        self._position = None  # none at all is better than another one than is meant
        if not self._size:
            raise TakError("position: teinewgame comes first")
        match words:
            case ["startpos", *rest]:
                position = first_position(TakRules(self._size, self._half_komi))
            case ["tps", *rest]:
                position = read_tps(" ".join(rest[:_TPS_WORDS]), self._half_komi)
                rest = rest[_TPS_WORDS:]
                if position.rules.size != self._size:
                    raise TakError(f"TPS has {position.rules.size} ranks, and not the {self._size} of this game")
            case _:
                raise TakError("position takes startpos, or tps and a position, and perhaps moves")
        if rest and rest[0] != "moves":
            raise TakError(f"position: moves should follow, not {shown(rest[0])}")
        for number, text in enumerate(rest[1:], 1):
            try:
                position = made(position, read_move(position, text))
            except TakError as error:
                raise TakError(f"position, move {number}: {error}") from None
        self._position = position

    def _go(self, words: Sequence[str]) -> None:
        self.close()
        position = self._position
        if position is None:
            raise TakError("go: teinewgame and position come first")
        limits = read_limits(words, position.turn)
        if outcome(position) is not None:
            raise TakError("go: the game is over")
        thinker = self._thinker_for(position.rules)
        if self._hurries.is_set():
            limits = Limits(seconds=0.0)
        thinker.begin(position, limits, self._received)

    def _stop(self, words: Sequence[str]) -> None:
        self.close()

    def _quit(self, words: Sequence[str]) -> None:
        self.close()

    def _thinker_for(self, rules: TakRules) -> Thinker:
        """Returns what chooses moves by these rules."""
        if self._thinker is None or self._rules != rules:
            self._thinker = None  # gives back its memory before the next one takes some
            self._thinker = Thinker(rules, self._options, self._say)
            self._rules = rules
        return self._thinker


def _number(name: str, text: str, low: int, high: int) -> int:
    """Reads a whole number; raises `TakError`."""
    if not re.fullmatch(r"-?[0-9]{1,9}", text, re.ASCII) or not low <= int(text) <= high:
        raise TakError(f"{name} takes a whole number from {low} to {high}, not {shown(text)}")
    return int(text)
