"""Plays one match of a tournament: starts players of ours on processors of their own, and manages the match.

What goes wrong with a player is told in the result. A match that cannot be begun, or whose rules break, has no goals.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import DeferredList, DeferredLock
from twisted.internet.task import deferLater

from ludens.agent.manager.greeting import UnavailableError, greet
from ludens.agent.manager.manager import Manager, MatchSettings, Participant, ending_by, own_participant
from ludens.agent.manager.referee import MatchState, Referee
from ludens.agent.manager.scramble import NoScrambler, Scrambler
from ludens.agent.manager.seating import with_seeds, with_share
from ludens.agent.playable.playable_game import PlayableGame, playable_game
from ludens.agent.playable.text_game import NetworkGame, RulesGame, SheetGame
from ludens.agent.protocol.wire import LogMessage, SearchReport
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.records.record import MISSING_GOAL, Ending, MatchRecord, now
from ludens.agent.server.server import Listening, listen
from ludens.agent.settings.addresses import Address
from ludens.agent.settings.players import PlayerSpec, RemotePlayer
from ludens.agent.tournament.opening import Opening, random_opening
from ludens.agent.tournament.plan import Fixture, Plan, Settings, TournamentGame
from ludens.agent.tournament.result import Result
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError

OnTurn = Callable[[int], None]
"""Takes how many turns of a match have been played."""

_GREETINGS, _PAUSE_SECONDS = 4, 2.0  # how often, and how long apart, a player elsewhere is asked whether it is there


class GameRoom:
    """A game of a tournament with its network, made when it is first played."""

    def __init__(self, reactor: Any, game: TournamentGame, limits: Limits) -> None:
        self.game = game
        self._reactor = reactor
        self._limits = limits
        self._lock: Any = DeferredLock()
        self._playable: PlayableGame | None = None
        self._openings: dict[int, Opening] = {}  # by round

    async def referee(self, settings: Settings, number: int) -> tuple[Referee, Opening]:
        """Returns a referee that begins after the opening of a round, and this opening. Raises `LudensError`."""
        playable = await self._loaded()
        if number not in self._openings:
            self._openings[number] = await in_thread(self._reactor, self._opening, playable, settings, number)
        opening = self._openings[number]
        game = await in_thread(self._reactor, self._new_game, playable)
        return Referee(game, opening.moves), opening

    def _opening(self, playable: PlayableGame, settings: Settings, number: int) -> Opening:
        seed = f"{settings.seed} {self.game.name} {number}"
        return random_opening(self.game.sheet, Referee(self._new_game(playable)), settings.opening_moves, seed)

    def _new_game(self, playable: PlayableGame) -> SheetGame:
        return NetworkGame(playable.loaded.net) if playable.loaded else RulesGame(self.game.sheet)

    async def _loaded(self) -> PlayableGame:
        """Makes the game once, however many matches wait for it."""
        async with self._lock:
            if self._playable is None:
                self._playable = await in_thread(
                    self._reactor, playable_game, self.game.sheet, self._limits, lambda _line: None
                )
            return self._playable


@dataclass(frozen=True, slots=True)
class HostedMatch:
    """A match that was played, or was not: what is counted, and its record, None where there is none."""

    result: Result
    record: MatchRecord | None


def seat_threads(processors: Sequence[Sequence[int]], seat: int) -> int:
    """Returns how many threads the player of a seat searches on where it leaves that open.

    `processors` are those of each seat: players with the same ones share them.
    """
    sharing = sum(list(own) == list(processors[seat]) for own in processors)
    return max(1, len(processors[seat]) // sharing)


class MatchHost:
    """Plays one match; make one for each."""

    def __init__(
        self,
        reactor: Any,
        plan: Plan,
        room: GameRoom,
        fixture: Fixture,
        processors: Sequence[Sequence[int]],
        turn: OnTurn,
    ) -> None:
        """`processors` are those of each seat, none where it may run on any; `turn` is told of each turn."""
        self._reactor = reactor
        self._plan = plan
        self._room = room
        self._fixture = fixture
        self._processors = processors
        self._turn = turn
        self._listening: list[Listening] = []
        self._manager: Manager | None = None
        self._opening: Opening | None = None
        self._began, self._started = time.monotonic(), now()

    async def play(self) -> HostedMatch:
        """Returns what came of the match."""
        try:
            referee, opening = await self._room.referee(self._plan.settings, self._fixture.round)
            self._opening = opening
            manager = self._manager = await self._new_manager(referee, opening)
            await manager.play()
        except LudensError as error:
            return HostedMatch(self._result(None, str(error), ending_by(error)), self._record())
        finally:
            await DeferredList([listening.retire() for listening in self._listening])
        record = self._record()
        return HostedMatch(self._result(record), record)

    async def abort(self) -> None:
        """Ends the match at once."""
        if self._manager:
            await self._manager.abort()

    async def _new_manager(self, referee: Referee, opening: Opening) -> Manager:
        settings, fixture = self._plan.settings, self._fixture
        seed = _seed_of(settings, fixture)
        specs = with_seeds([self._plan.contestant(name).spec for name in fixture.players], seed)
        scrambler: Scrambler = NoScrambler()
        if settings.scramble:
            scrambler = await in_thread(self._reactor, Scrambler, opening.rules, seed)
        participants = [await self._participant(seat, spec) for seat, spec in enumerate(specs)]
        await DeferredList([listening.prepared for listening in self._listening])
        match = MatchSettings(
            match_id=f"Ludens.{seed:x}.{self._started}",
            start_clock=settings.startclock,
            play_clock=settings.playclock,
            scrambler=scrambler,
            seed=seed,
            max_turns=settings.max_turns,
        )
        return Manager(self._reactor, opening.rules, referee, participants, match, self)

    async def _participant(self, seat: int, spec: PlayerSpec) -> Participant:
        """Returns where the player of a seat listens; raises `UnavailableError` for one that does not."""
        role, name = self._room.game.sheet.roles[seat], self._fixture.players[seat]
        if isinstance(spec, RemotePlayer):
            await self._greet(role, spec.address)
            return Participant(role, name, spec.address)
        own = self._processors[seat]
        options = with_share(spec.options, seat_threads(self._processors, seat))
        listening = listen(
            self._reactor, options, lambda _match, news: self._heard(seat, name, news), processors=own, once=True
        )
        self._listening.append(listening)
        return own_participant(role, name, Address(listening.host, listening.port), options)

    async def _greet(self, role: str, address: Address) -> None:
        """Waits a while for a player that is still busy with tidying up, or is being started again."""
        for _ in range(_GREETINGS - 1):
            try:
                await greet(self._reactor, role, address)
                return
            except UnavailableError:
                await deferLater(self._reactor, _PAUSE_SECONDS)
        await greet(self._reactor, role, address)

    def _heard(self, seat: int, name: str, news: SearchReport | LogMessage) -> None:
        match news:
            case LogMessage(text, warning=True) if self._manager:
                self._manager.warn(f"{name}: {text}")
            case LogMessage(text, expert=False) if self._manager:
                self._manager.note_remark(seat, f"{name}: {text}")

    def _record(self) -> MatchRecord | None:
        """Returns the record of the match from the start of the game, its opening included; None if it never began."""
        if self._manager is None or self._opening is None:
            return None
        record = self._manager.record
        _begin_with(record, self._opening)
        record.game, record.rules = self._room.game.name, self._room.game.text
        record.tournament = self._plan.settings.name
        return record

    def _result(self, record: MatchRecord | None, reason: str = "", ending: str = "") -> Result:
        fixture, seats = self._fixture, range(len(self._fixture.players))
        goals = tuple(record.goals) if record else ()
        if record and record.ending == Ending.TURN_LIMIT:
            goals = (MISSING_GOAL,) * len(seats)
        turns = record.errors if record else []
        return Result(
            fixture.game,
            fixture.round,
            fixture.players,
            goals,
            str(record.ending) if record else ending,
            turns=len(record.moves) if record else 0,
            opening=self._plan.settings.opening_moves if record else 0,
            faults=tuple(tuple(turn[seat] for turn in turns if turn[seat]) for seat in seats),
            warnings=tuple(record.warnings) if record else (reason,),
            started=self._started,
            seconds=round(time.monotonic() - self._began, 3),
            match_id=record.match_id if record else "",
        )

    # ---- MatchObserver ----

    def on_start(self, position: MatchState) -> None:
        """See `MatchObserver`."""
        self._turn(0)

    def on_turn(self, turn: int, moves: Sequence[str], errors: Sequence[str], position: MatchState) -> None:
        """See `MatchObserver`."""
        self._turn(turn)

    def on_warning(self, text: str) -> None:
        """See `MatchObserver`; warnings stand in the record."""


def _seed_of(settings: Settings, fixture: Fixture) -> int:
    """Returns the seed of a match, the same whenever it is played."""
    return random.Random(f"{settings.seed} {fixture.key}").getrandbits(62)


def _begin_with(record: MatchRecord, opening: Opening) -> None:
    """Puts an opening before what was played."""
    count = len(opening.moves)
    record.states[:0] = [list(facts) for facts in opening.states]
    record.state_times[:0] = [record.start_time] * count
    record.moves[:0] = [list(joint) for joint in opening.moves]
    record.errors[1:1] = [[""] * len(record.players) for _ in range(count)]
