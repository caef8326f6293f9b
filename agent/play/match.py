"""A match at the page: people and engines choose moves, and anyone may go back, branch off and change players.

Everything here happens on the reactor's thread and computes nothing: the rules are asked in threads, engines are
processes. While a role's choice is not complete nobody is told of the others' choices.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from twisted.internet.defer import Deferred, DeferredList

from ludens.agent.manager import players
from ludens.agent.manager.client import shortened
from ludens.agent.play.analyst import HINT_SECONDS, Analyst
from ludens.agent.play.played_game import PlayedGame
from ludens.agent.play.remote_match import RemoteMatch
from ludens.agent.play.seats import Seat
from ludens.agent.play.shown_match import ShownMatch, public_name
from ludens.agent.play.thinker import Thinker
from ludens.agent.play.tree import MatchTree, Node
from ludens.agent.protocol.clock import deadline
from ludens.agent.protocol.in_thread import in_thread
from ludens.agent.protocol.thoughts import thought
from ludens.agent.protocol.wire import SearchReport
from ludens.agent.records.record import TIMED_OUT, UNREACHABLE, illegal_mark
from ludens.propnet.base.errors import LudensError

_LATE_SECONDS = 30.0  # beyond its time, until an engine that has no move at all gets a random one


class MoveError(LudensError):
    """A move or an order that does not fit the position of the match."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How quickly a match goes; in seconds."""

    start_clock: float = 0.0
    play_clock: float = 0.0  # of each player for a move; 0: none
    delay: float = 0.0  # at least, from one move of engines to the next
    think: float = 2.0  # of an engine without a clock

    @property
    def clocks_of_players(self) -> tuple[float, float]:
        """Start clock and play clock as players are told them."""
        return self.start_clock, self.play_clock or self.think


class PlayMatch(ShownMatch):
    """A match that people may play in; `keep` is called after every change that should outlast this process."""

    watched = False

    def __init__(
        self,
        reactor: Any,
        name: str,
        game: PlayedGame,
        tree: MatchTree,
        seats: Sequence[Seat],
        pace: Pace,
        keep: Callable[[PlayMatch], None],
        on_end: Callable[[PlayMatch, Node], None],
    ) -> None:
        """Stands at the first position of a tree, and asks nobody yet; `on_end` gets each end that is played to."""
        super().__init__(reactor, name, game, tree)
        self.seats = list(seats)
        self.pace = pace
        self.paused = False
        self.holders: dict[int, str] = {}  # of the seats of people: the tab in which each plays
        self._keep = keep
        self._on_end = on_end
        self._choices: dict[int, tuple[str, str]] = {}  # move and error mark, by role
        self._untold: dict[int, dict[str, Any]] = {}  # what players think here, by role, until others may know it
        self._overdue: set[int] = set()  # roles of engines that had no move when their time was over
        self._turn = 0  # numbers the positions that were entered, so that late answers are known as such
        self._entered_at = 0.0
        self._due: dict[int, float] = {}  # by when a role has to move, or to be ready for it
        self._doing: dict[int, str] = {}  # what players do who are not ready to be asked
        self._timers: list[Any] = []
        self._thinkers: dict[int, Thinker] = {}
        self._others: dict[int, RemoteMatch] = {}
        self._analyst = Analyst(reactor, tree, game.text, game.roles[0], self._analysed, self.note)
        self._reviewed: tuple[int, int] | None = None  # how many positions of how many, while a review is on
        self._hinted: set[tuple[int, int]] = set()  # roles and positions for which a hint is on its way
        self._prepared = False  # the start clock is over
        self._step_once = False
        self._moving = False

    # ---- What people do ----

    def begin(self, at: int = 0) -> None:
        """Lets the match begin, or go on, at a position; engines that will be asked start at once."""
        self.go_to(at)
        for role, seat in enumerate(self.seats):
            if isinstance(seat.player, players.LocalPlayer) and not self.at.position.terminal:
                self._thinker(role).prepare()

    def choose(self, role: int, move: str, number: int, branch: bool = False) -> None:
        """Takes the move of a person at a position; raises `LudensError`.

        At another position than the present one only if the match is to branch off there.
        """
        if not 0 <= role < len(self.seats) or not self.seats[role].is_person:
            raise MoveError("nobody at a page plays this role")
        node = self.tree[number]
        if move not in node.position.legal[role] or node.position.terminal:
            raise MoveError(f"{move} is not legal here")
        if node is not self.at:
            if not branch:
                raise MoveError("the match has gone on in the meantime")
            self.go_to(number)
        if role in self._choices and self._choices[role][0] != move and self._moving:
            raise MoveError("your move has been made already")
        self._take(self._turn, role, move)

    def go_to(self, number: int) -> None:
        """Goes on from any position."""
        self._enter(self.tree[number])

    def take_back(self, roles: Sequence[int]) -> None:
        """Goes back to the last position before this one where one of the roles had a choice.

        Without roles it is any person who had one or, where no person plays, anybody.
        """
        wanted = set(roles or self._people or range(len(self.seats)))
        for node in reversed(self.tree.line(self.at)[:-1]):
            if wanted & set(node.choosers) or node.parent is None:
                self._enter(node)
                return
        raise MoveError("there is no move to take back")

    def change_seats(self, seats: Sequence[Seat], tab: str) -> None:
        """Lets others play from here on; people who are new play in this tab."""
        new = [role for role, seat in enumerate(seats) if seat.is_person and role not in self._people]
        self._seat(seats, self.holders | dict.fromkeys(new, tab))

    def swap_sides(self) -> None:
        """Lets who plays a role play the one before it from here on, and who plays the first one the last one."""
        seats = [*self.seats[1:], self.seats[0]]
        self._seat(seats, {(role - 1) % len(seats): tab for role, tab in self.holders.items()})

    def _seat(self, seats: Sequence[Seat], holders: Mapping[int, str]) -> None:
        """Lets others play from here on; `holders` are the tabs of people, by role."""
        for role, (old, new) in enumerate(zip(self.seats, seats, strict=True)):
            if old != new or self.holders.get(role) != holders.get(role):
                self._dismiss(role)
                self._choices.pop(role, None)
                self._untold.pop(role, None)
        self.seats = list(seats)
        self.holders = {role: tab for role, tab in holders.items() if seats[role].is_person}
        self._enter(self.at, again=True)

    def set_pace(self, pace: Pace) -> None:
        """Changes clocks and delay; engines keep what they have learned, players elsewhere begin anew."""
        self.pace = pace
        for other in self._others.values():
            other.set_clocks(self._clocks_elsewhere)
        self._enter(self.at, again=True)

    def pause(self, paused: bool) -> None:
        """Holds engines and the clocks of people back, or lets them go on."""
        self.paused = paused
        self._step_once = False
        if not paused:
            self._enter(self.at, again=True)
            return
        for role in self._people:
            self._due.pop(role, None)
        self.changed()
        self._keep(self)

    def step(self) -> None:
        """Makes one move of a match that is paused, unless one is being made."""
        if not self._moving:
            self._step_once = not self.at.position.terminal
            self._enter(self.at, again=True)

    # ---- Analysis ----

    def analyse(self, number: int | None) -> None:
        """Thinks about a position for those who look on; None: about nothing any more."""
        self._analyst.look_at(None if number is None else self.tree[number])
        self.changed()

    def hint(self, role: int, number: int) -> None:
        """Tells which move a role might make at a position, once it has been thought about."""
        node = self.tree[number]
        if not 0 <= role < len(self.seats) or role not in node.choosers or node.position.terminal:
            raise MoveError("there is nothing to choose here")
        if (role, node.number) not in self._hinted:
            self._run(self._tell_hint(role, node))

    async def _tell_hint(self, role: int, node: Node) -> None:
        self._hinted.add((role, node.number))
        analysis = await self._analyst.consider(node, HINT_SECONDS)
        self._hinted.discard((role, node.number))
        move = hinted_move(analysis, role, node) if analysis else ""
        if not move and self.present:
            self.note(f"{self.game.roles[role]}: no hint was found in time")
        self.feed.publish({"type": "hint", "node": node.number, "role": role, "move": move})

    def review(self, number: int) -> None:
        """Thinks about every position that leads to this one, in turn."""
        if self._reviewed is not None:
            raise MoveError("the match is being gone through already")
        self._run(self._review(self.tree.line(self.tree[number])))

    async def _review(self, line: Sequence[Node]) -> None:
        def tell(done: int) -> None:
            self._reviewed = done, len(line)
            self.changed()

        tell(0)
        try:
            await self._analyst.review(line, tell)
        finally:
            self._reviewed = None
            self.changed()
        self._keep(self)

    def _analysed(self, node: Node) -> None:
        self.feed.publish({"type": "analysis", "node": node.number, "analysis": node.analysis})

    # ---- Who looks on ----

    def arrive(self, tab: str) -> None:
        """Takes note of a tab that looks at the match; one that comes first plays what nobody holds."""
        if not self.present and tab not in self.holders.values():
            self.holders = dict.fromkeys(self._people, tab)
        super().arrive(tab)
        if tab in self.holders.values():
            self.changed()

    def leave(self, tab: str) -> None:
        """Takes note that a tab has gone; nobody is left to analyse for when it was the last one."""
        super().leave(tab)
        if not self.present:
            self._analyst.rest()
        if tab in self.holders.values():
            self.changed()

    def sit_down(self, role: int, tab: str) -> None:
        """Lets a tab play a role of a person, whoever did before."""
        if role not in self._people:
            raise MoveError("nobody at a page plays this role")
        self.holders[role] = tab
        self.changed()
        self._keep(self)

    def check_holds(self, role: int, tab: str) -> None:
        """Raises `MoveError` if another tab plays a role."""
        if role not in self._people:
            raise MoveError("nobody at a page plays this role")
        if self.holders.setdefault(role, tab) != tab:
            raise MoveError(f"{self.game.roles[role]} is played in another tab: take the role over to play it here")

    @property
    def _people(self) -> list[int]:
        return [role for role, seat in enumerate(self.seats) if seat.is_person]

    # ---- What is told ----

    @property
    def players(self) -> list[str]:
        """See `ShownMatch`."""
        return [seat.text for seat in self.seats]

    @property
    def clocks(self) -> tuple[float, float]:
        """See `ShownMatch`."""
        return self.pace.start_clock, self.pace.play_clock

    def state(self) -> dict[str, Any]:
        """See `ShownMatch`."""
        now = self.reactor.seconds()
        return super().state() | {
            "held": [public_name(self.holders.get(role, "")) for role in range(len(self.seats))],
            "absent": [role for role, tab in self.holders.items() if not self.present[tab]],
            "chosen": sorted(self._choices),
            "due": {role: round(due - now, 2) for role, due in self._due.items() if role not in self._choices},
            "doing": {role: doing for role, doing in self._doing.items() if doing},
            "paused": self.paused,
            "pace": asdict(self.pace),
            "analysing": self._analyst.wanted.number if self._analyst.wanted else None,
            "reviewed": self._reviewed,
        }

    def close(self) -> Deferred[Any]:
        """Ends all engines; fires when they are gone."""
        self._cancel_timers()
        self._turn += 1
        for role in list(self._others):
            self._dismiss(role)
        thinkers, self._thinkers = self._thinkers, {}
        return DeferredList([self._analyst.close(), *(thinker.close() for thinker in thinkers.values())])

    # ---- A position ----

    def _enter(self, node: Node, again: bool = False) -> None:
        """Makes a position the present one, and asks who has to move there; `again` keeps what has been chosen."""
        self._turn += 1
        self._moving = False
        if not again or node is not self.at:
            self._choices = {}
            self._untold = {}
            self._step_once = False
        self._due = {}
        self._overdue = set()
        self._cancel_timers()
        for thinker in self._thinkers.values():
            thinker.let_go()
        self.at = node
        self._entered_at = self.reactor.seconds()
        if not node.position.terminal:
            self._ask_all()
        else:
            for other in self._others.values():
                self._run(other.finish(self.tree.history(node)))
        self.changed()
        self._keep(self)

    def _ask_all(self) -> None:
        legal, turn = self.at.position.legal, self._turn
        idle = [self.game.roles[role] for role, moves in enumerate(legal) if not moves]
        if idle:
            self.notes.append(f"the rules leave {', '.join(idle)} without a legal move before the end")
            return
        asks = self._who_is_asked()
        for role in range(len(self.seats)):
            if turn == self._turn and role not in self._choices:
                self._ask(role) if role in asks else self._take(turn, role, legal[role][0])
        if turn == self._turn:
            self._move_if_complete()

    def _who_is_asked(self) -> set[int]:
        """Returns the roles with a choice; where there is none, a person who can do more than wait on the board."""
        if choosers := self.at.choosers:
            return set(choosers)
        legal, turn = self.at.position.legal, self.at.view["turn"]
        acting = [role for role in self._people if role in turn and legal[role][0].lower() != "noop"]
        return set(acting[:1])

    def _ask(self, role: int) -> None:
        seat = self.seats[role]
        if self._held_back or (seat.is_person and self.paused):  # people may choose without being asked
            return
        if seat.is_person:
            self._let_time_run(role)
            if self.pace.play_clock:
                self._after(self.pace.play_clock, self._time_is_over, role)
        elif isinstance(seat.player, players.RemotePlayer):
            self._run(self._ask_other(self._turn, role))
        else:
            self._run(self._ask_engine(self._turn, role))

    def _let_time_run(self, role: int) -> None:
        """Lets the time of a role for this move begin."""
        if self.pace.play_clock and not self.seats[role].keeps_no_time:
            self._due[role] = self.reactor.seconds() + self.pace.play_clock

    def _let_prepare(self, role: int) -> None:
        """Lets the start clock of a role begin."""
        if self.pace.start_clock:
            self._due[role] = self.reactor.seconds() + self.pace.start_clock

    def _progress(self, role: int, doing: str) -> None:
        """Tells all what a player does before it is ready, empty once it is."""
        if doing != self._doing.get(role, ""):
            self._doing[role] = doing
            self.changed()

    @property
    def _held_back(self) -> bool:
        return self.paused and not self._step_once

    def _time_is_over(self, role: int) -> None:
        if role not in self._choices and not self.paused:
            self._take_random(self._turn, role, TIMED_OUT, "the time is over")

    async def _ask_engine(self, turn: int, role: int) -> None:
        thinker = self._thinker(role)
        ready = thinker.prepare()
        if waits := not self._prepared and self.pace.start_clock > 0:
            self._let_prepare(role)
            await first_of(self.reactor, ready, self.pace.start_clock)
        self._prepared = True
        if turn != self._turn:
            return
        self._let_time_run(role)
        if waits:
            self.changed()
        thinker.go_to(self.tree.history(self.at))
        if not self.seats[role].keeps_no_time:
            seconds = deadline(self.pace.play_clock, 0.3).answer if self.pace.play_clock else self.pace.think
            self._after(seconds, self._answer, turn, role)

    def _answer(self, turn: int, role: int) -> None:
        """Takes the best move that an engine knows when its time is over, or the first one that it finds after that."""
        if role in self._choices:
            return
        report = self._thinkers[role].report if role in self._thinkers else None
        if report and report.move:
            self._take(turn, role, report.move)
        else:
            self._overdue.add(role)
            self._after(_LATE_SECONDS, self._take_random, turn, role, TIMED_OUT, "the engine has no move in time")

    def _reported(self, role: int, report: SearchReport) -> None:
        self._untold[role] = {**thought(report, role)}
        if not self._is_secret:
            self._tell_thoughts()
        if report.move and (report.final or role in self._overdue):
            self._take(self._turn, role, report.move)

    def _tell_thoughts(self) -> None:
        for thoughts in self._untold.values():
            self.publish_thoughts(self.at, thoughts)
        self._untold = {}

    def _failed(self, role: int, reason: str) -> None:
        self._take_random(self._turn, role, UNREACHABLE, f"cannot play: {reason}")

    async def _ask_other(self, turn: int, role: int) -> None:
        self._let_time_run(role)
        try:
            move = await self._other(role).move(self.tree.history(self.at))
        except LudensError as error:
            self._take_random(turn, role, UNREACHABLE, str(error))
        else:
            self._take(turn, role, move)

    def _take_random(self, turn: int, role: int, mark: str, why: str) -> None:
        """Makes any legal move for a role that has failed to, as Game Managers do."""
        if turn == self._turn and role not in self._choices:
            move = random.choice(self.at.position.legal[role])
            drawn = "a move" if self._is_secret else move
            self.note(f"{self.game.roles[role]}: {why}; {drawn} was drawn at random in its place")
            self._take(turn, role, move, mark)

    # ---- Moves ----

    def _take(self, turn: int, role: int, move: str, error: str = "") -> None:
        """Takes a role's choice, if it is still the turn for which it was made; moves when all have chosen."""
        if turn != self._turn or self._moving:
            return
        if move not in self.at.position.legal[role]:
            said = shortened(move)
            self._take_random(turn, role, illegal_mark(said), f"{said} is not legal")
            return
        self._choices[role] = move, error
        if role in self._thinkers:
            self._thinkers[role].let_go()
        if len(self._choices) < len(self.seats):
            if self.seats[role].is_person and len(self.at.position.legal[role]) > 1:
                self.changed()
            return
        self._move_if_complete()

    def _move_if_complete(self) -> None:
        """Moves if all have chosen: at once where a person did, else after the delay, and not while that is paused."""
        if self._may_move:
            at_once = self._is_of_people or self._step_once
            wait = 0.0 if at_once else self._entered_at + self.pace.delay - self.reactor.seconds()
            self._after(wait, self._move, self._turn) if wait > 0 else self._move(self._turn)

    @property
    def _may_move(self) -> bool:
        complete = len(self._choices) == len(self.seats) and not self.at.position.terminal
        return complete and not self._moving and (self._is_of_people or not self._held_back)

    @property
    def _is_of_people(self) -> bool:
        """Whether a person has a choice here."""
        return any(self.seats[role].is_person for role in self.at.choosers)

    @property
    def _is_secret(self) -> bool:
        """Whether a person chooses at the same time as others, of whom nothing is told before."""
        return self._is_of_people and len(self.at.choosers) > 1

    def _move(self, turn: int) -> None:
        if turn == self._turn and self._may_move:
            self._moving = True
            self._step_once = False
            self._tell_thoughts()
            self._run(self._make_move(turn))

    async def _make_move(self, turn: int) -> None:
        parent, roles = self.at, range(len(self.seats))
        moves = tuple(self._choices[role][0] for role in roles)
        errors = tuple(self._choices[role][1] for role in roles)
        node = self.tree.child(parent, moves)
        if is_new := node is None:
            history = (*self.tree.history(parent), moves)
            position, view = await in_thread(self.reactor, self.game.position, history)
            if turn != self._turn:  # somebody has gone elsewhere meanwhile
                return
            node = self.tree.add(parent, moves, position, view, errors)
            self.publish_node(node)
        node.players = tuple(self.players)
        if is_new and node.position.terminal:
            self._on_end(self, node)
        self._enter(node)

    # ---- Who plays ----

    def _thinker(self, role: int) -> Thinker:
        if role not in self._thinkers:
            player = self.seats[role].player
            assert isinstance(player, players.LocalPlayer)
            name = self.game.roles[role]
            self._thinkers[role] = Thinker(
                self.reactor,
                player.options,
                self.game.text,
                name,
                lambda report: self._reported(role, report),
                lambda text: self.note(f"{name}: {text}"),
                lambda reason: self._failed(role, reason),
                self.pace.clocks_of_players,
                lambda doing: self._progress(role, doing),
            )
        return self._thinkers[role]

    def _other(self, role: int) -> RemoteMatch:
        if role not in self._others:
            player = self.seats[role].player
            assert isinstance(player, players.RemotePlayer)
            name = self.game.roles[role]

            def tell(doing: str) -> None:
                self._due.pop(role, None)
                if doing:
                    self._let_prepare(role)
                else:
                    self._let_time_run(role)
                self._progress(role, doing)

            self._others[role] = RemoteMatch(
                self.reactor, player.address, self.game.plain_rules, name, self._clocks_elsewhere, tell
            )
        return self._others[role]

    @property
    def _clocks_elsewhere(self) -> tuple[float, float]:
        """The clocks of players elsewhere, who are never asked for more haste than Game Managers ask for."""
        start, play = self.pace.clocks_of_players
        return max(1.0, start), max(1.0, play)

    def _dismiss(self, role: int) -> None:
        if thinker := self._thinkers.pop(role, None):
            thinker.close()
        if other := self._others.pop(role, None):
            self._run(other.abort())

    # ---- Time ----

    def _after(self, seconds: float, action: Callable[..., None], *arguments: Any) -> None:
        self._timers.append(self.reactor.callLater(max(0.0, seconds), action, *arguments))

    def _cancel_timers(self) -> None:
        for timer in self._timers:
            if timer.active():
                timer.cancel()
        self._timers = []

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        Deferred.fromCoroutine(work).addErrback(lambda failure: self.note(f"the match cannot go on: {failure.value}"))


def hinted_move(analysis: Mapping[str, Any], role: int, node: Node) -> str:
    """Returns the move of a role that an analysis expects, or else the one it has looked at most; empty for none."""
    expected = str(analysis["line"][0][role]) if analysis["line"] else ""
    visited = [str(candidate["move"]) for candidate in analysis["candidates"] if candidate["role"] == role]
    return expected if expected in node.position.legal[role] else next(iter(visited), "")


def first_of(reactor: Any, event: Deferred[None], seconds: float) -> Deferred[None]:
    """Fires with an event, or after so many seconds."""
    done: Deferred[None] = Deferred()

    def fire(_: object = None) -> None:
        if not done.called:
            done.callback(None)

    timer = reactor.callLater(seconds, fire)
    event.addCallback(fire)
    done.addCallback(lambda _: timer.cancel() if timer.active() else None)
    return done


def match_json(match: PlayMatch) -> Mapping[str, Any]:
    """Returns what is kept of a match on disk, from which it can be played on."""
    return {
        "version": 1,
        "match": match.name,
        "name": match.game.name,
        "rules": match.game.text,
        "seats": [seat.text for seat in match.seats],
        "pace": asdict(match.pace),
        "paused": match.paused,
        "at": match.at.number,
        "began": match.began,
        "holders": {str(role): holder for role, holder in match.holders.items()},
        "nodes": [{**match.node_json(node), "players": list(node.players)} for node in match.tree.nodes],
        "notes": match.notes[-20:],
    }
