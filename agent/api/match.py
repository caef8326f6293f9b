"""Matches in this process, between any players.

    >>> record = play_match(load("tic_tac_toe"), ["uct:iterations=500", "random"], seed=1)
    >>> record.completed
    True
    >>> len(record.states) == len(record.moves) + 1
    True

Nobody watches the clock here: a player that takes longer than it is told holds up the match. `ludens match` plays with
clocks that are kept, each player in a process of its own.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from ludens.agent.api.errors import GameOverError, IllegalMoveError, PlayerFailedError
from ludens.agent.api.failures import describe_failure
from ludens.agent.api.game import Game, Move, State, a_game
from ludens.agent.api.numbers import check_clocks, seed_of, whole
from ludens.agent.api.player import Clocks, Player, StrategyPlayer, load_player
from ludens.agent.manager.manager import MatchSettings, new_record
from ludens.agent.manager.scramble import NoScrambler
from ludens.agent.records import reading
from ludens.agent.records.record import ILLEGAL, Ending, MatchRecord, RecordError, counted_goals, now, write
from ludens.agent.settings.errors import PlayerError
from ludens.agent.settings.player_files import PlayerFile
from ludens.agent.settings.players import read_player
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.words import counted

Choose: TypeAlias = Callable[[State, str], Move]
"""A function of a state and a role that returns the move to be made."""

AnyPlayer: TypeAlias = Player | type[Player] | str | Choose
"""A player, its class, a text as `ludens match` takes it (`uct:iterations=500`, `my_player.py:Cautious`), or a function
of a state and a role."""


class Match:
    """A match in this process, turn by turn; `play` plays all of it.

    `players` are one for each role, in their order or by name. With the same `seed`, and players that choose without a
    clock, the match is the same. A player that raises an error, or chooses no legal move, ends the match with a
    `PlayerFailedError`; if `forgiving`, it is noted in the record, and a legal move is drawn in its place. After
    `max_turns` the match is stopped; 0: never. Raises `PlayerError`, `OptionError`, `RoleError` and `BudgetError` for
    players, settings, roles and numbers that cannot be.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[AnyPlayer] | Mapping[str, AnyPlayer],
        *,
        start_seconds: float = 10.0,
        seconds: float = 1.0,
        seed: int = 0,
        forgiving: bool = False,
        max_turns: int = 1000,
    ) -> None:
        self.game = a_game(game)
        self.state = game.initial
        check_clocks(start_seconds=start_seconds, seconds=seconds)
        whole("max_turns", max_turns)
        seed = seed_of(seed) or random.SystemRandom().getrandbits(32)
        self._random = random.Random(seed)
        given = _by_role(game, players)
        _check_seats(given, game.roles)
        self.players = tuple(_made(player, self._random.getrandbits(62) + 1) for player in given)
        self._clocks = Clocks(start_seconds, seconds)
        self._forgiving = forgiving
        self._started = False
        settings = MatchSettings(
            match_id=f"Ludens.{game.name}.{time.time_ns() // 1_000_000}",
            start_clock=start_seconds,
            play_clock=seconds,
            scrambler=NoScrambler(),
            seed=seed,
            max_turns=max_turns,
        )
        self.record: MatchRecord = new_record(settings, [_name(player) for player in given])
        self.record.game, self.record.rules = game.name, game.rules
        self._note_state()

    @property
    def over(self) -> bool:
        """Whether the match has ended: the game is over, or the match was stopped."""
        return self.record.completed or self.record.aborted

    def play(self) -> MatchRecord:
        """Plays until the match is over, and returns its record. Raises what `step` does."""
        while not self.over:
            self.step()
        return self.record

    def step(self) -> State:
        """Plays one turn, and returns the state after it.

        Raises `GameOverError` if the match is over, and `PlayerFailedError` where a player fails, after which it is.
        """
        if self.over:
            raise GameOverError("the match is over")
        try:
            self._start()
            if not self.state.terminal:
                self._turn()
            self._end_if_over()
        except BaseException:
            self._end(Ending.INTERRUPTED)
            raise
        return self.state

    def save(self, path: str | Path) -> None:
        """Writes the record in ggp-base's JSON, as `ludens match --record` does. Raises `RecordError`."""
        write(self.record, Path(path))

    def _start(self) -> None:
        if self._started:
            return
        self._started = True
        self.record.errors.append([""] * len(self.players))
        for role, player in zip(self.game.roles, self.players, strict=True):
            if not isinstance(player, Player):
                continue
            try:
                player.start(self.game, role, self._clocks)
            except Exception as error:
                failure = self._failed(role, "failed in start", error)
                if not self._forgiving:
                    raise failure from error

    def _turn(self) -> None:
        moves, errors = zip(*map(self._move, range(len(self.players))), strict=True)
        joint = self.state.joint_move(list(moves))
        play = self.game._play
        self.record.moves.append([play.move(role, int(i), self.state.words) for role, i in enumerate(joint)])
        self.record.errors.append(list(errors))
        self.state = self.state.play(list(moves))
        self._note_state()

    def _move(self, role: int) -> tuple[str, str]:
        """Returns the move of a role, and its error mark for the record."""
        legal = self.state.legal(role)
        if not legal:
            text = f"the rules leave {self.game.roles[role]} without a legal move before the end"
            self.record.warnings.append(text)
            self._end(Ending.RULES)
            raise LudensError(text)
        if len(legal) == 1:
            return legal[0], ""
        try:
            return self._chosen(role), ""
        except PlayerFailedError:
            if not self._forgiving:
                raise
            return self._random.choice(sorted(legal)), ILLEGAL

    def _chosen(self, role: int) -> str:
        """Returns what a player chooses; raises `PlayerFailedError`."""
        player, name = self.players[role], self.game.roles[role]
        try:
            choice = (
                player.choose(self.state, self._clocks.play) if isinstance(player, Player) else player(self.state, name)
            )
        except Exception as error:
            raise self._failed(name, "failed in choose", error) from error
        try:
            index = self.state.legal_index(role, choice)
        except IllegalMoveError as error:
            raise self._failed(name, "chose no legal move", error) from error
        return self.game._play.move(role, index, self.state.words)

    def _failed(self, role: str, what: str, error: Exception) -> PlayerFailedError:
        """Notes and returns that a player has failed."""
        why = str(error) if isinstance(error, IllegalMoveError) else describe_failure(error)
        text = f"{role}: {self.record.players[self.game.roles.index(role)]} {what}: {why}"
        if text not in self.record.warnings:
            self.record.warnings.append(text)
        return PlayerFailedError(text)

    def _note_state(self) -> None:
        self.record.states.append(list(self.state.facts))
        self.record.state_times.append(now())

    def _end_if_over(self) -> None:
        if self.state.terminal:
            self.record.goals = counted_goals(self.state.goals)
            self._end(Ending.TERMINAL)
        elif len(self.record.moves) == self.record.max_turns > 0:
            self._end(Ending.TURN_LIMIT)

    def _end(self, ending: Ending) -> None:
        """Ends the match, and lets all players stop."""
        if self.over:
            return
        self.record.ending = ending
        self.record.completed, self.record.aborted = ending == Ending.TERMINAL, ending != Ending.TERMINAL
        for role, player in zip(self.game.roles, self.players, strict=True):
            if isinstance(player, Player):
                try:
                    player.stop()
                except Exception as error:  # noqa: BLE001 - the match is over all the same
                    self._failed(role, "failed in stop", error)


def play_match(
    game: Game,
    players: Sequence[AnyPlayer] | Mapping[str, AnyPlayer],
    *,
    start_seconds: float = 10.0,
    seconds: float = 1.0,
    seed: int = 0,
    forgiving: bool = False,
    max_turns: int = 1000,
) -> MatchRecord:
    """Plays a match and returns its record; see `Match`, which takes the same, for what it raises."""
    match = Match(
        game, players, start_seconds=start_seconds, seconds=seconds, seed=seed, forgiving=forgiving, max_turns=max_turns
    )
    return match.play()


def read_record(path: str | Path) -> MatchRecord:
    """Reads the record of a match that `Match.save`, `ludens match --record` or another manager has written.

    Raises `RecordError` for a file that is none, or that is damaged; `ludens replay` shows what is left of those.
    """
    found = reading.read_record(reading.read_text(Path(path)))
    if found.notice:
        raise RecordError(f"{path}: {found.notice}")
    return found.record


def _by_role(game: Game, players: Sequence[AnyPlayer] | Mapping[str, AnyPlayer]) -> list[AnyPlayer]:
    if isinstance(players, Mapping):
        named = {game.role_index(role): player for role, player in players.items()}
        players = [named[role] for role in sorted(named)]
    if not isinstance(players, Sequence):
        raise PlayerError(f"{players!r} are no players: give one for each role, in a list or by role")
    if isinstance(players, str) or len(players) != len(game.roles):
        given = 1 if isinstance(players, str) else len(players)
        raise PlayerError(f"{counted(given, 'player')} for {counted(len(game.roles), 'role')} of {game.name}")
    return list(players)


def _check_seats(players: Sequence[AnyPlayer], roles: Sequence[str]) -> None:
    """Raises `PlayerError` if one player is to play two roles: it keeps which one it plays."""
    seats: dict[int, str] = {}
    for player, role in zip(players, roles, strict=True):
        if isinstance(player, Player) and role != (first := seats.setdefault(id(player), role)):
            raise PlayerError(f"{_name(player)} cannot play both {first} and {role}: give each a player of its own")


def _made(player: AnyPlayer, seed: int) -> Player | Choose:
    """Returns a player ready for a match; raises `PlayerError`, `OptionError`, or what its class does."""
    match player:
        case Player():
            return player
        case str():
            return _described(player, seed)
        case type() if issubclass(player, Player):
            return player()
    if isinstance(player, type) or not callable(player):
        raise PlayerError(f"{player!r} is no player: give a ludens.Player, a text such as 'uct', or a function")
    return player


def _described(text: str, seed: int) -> Player:
    """Returns the player that `text` describes; raises `PlayerError` or `OptionError`."""
    read_player(text)  # of whose mistakes users are told as `ludens match` does
    if (own := PlayerFile.of_text(text)) is None:
        return StrategyPlayer(text, seed)
    file, settings = own
    if settings:
        raise PlayerError(f"{text}: in this process a player of your own has no settings: leave out {settings}")
    return load_player(file)()


def _name(player: AnyPlayer) -> str:
    match player:
        case str():
            return player
        case Player():
            return type(player).__name__
    return str(getattr(player, "__name__", type(player).__name__))
