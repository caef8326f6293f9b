"""A match at the page: people and engines choose moves, and anyone may go back, branch off and change players.

Everything here happens on the reactor's thread and computes nothing: the rules are asked in threads, engines are
processes. While a role's choice is not complete nobody is told of the others' choices.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from twisted.internet.defer import Deferred, DeferredList

from ludens.agent.manager.client import shortened
from ludens.agent.play.analyses import Analyses
from ludens.agent.play.pace import Pace
from ludens.agent.play.played_game import PlayedGame
from ludens.agent.play.programs import Programs
from ludens.agent.play.seats import Seat
from ludens.agent.play.shown_match import ShownMatch, public_name
from ludens.agent.play.tree import MatchTree, MoveError, Node
from ludens.agent.protocol.thoughts import thought
from ludens.agent.protocol.wire import SearchReport
from ludens.agent.reactor.in_thread import in_thread
from ludens.agent.reactor.timers import Timers
from ludens.agent.records.record import TIMED_OUT, illegal_mark


class PlayMatch(ShownMatch):
    """A match that people may play in."""

    watched = False

    def __init__(
        self,
        reactor: Any,
        name: str,
        game: PlayedGame,
        tree: MatchTree,
        seats: Sequence[Seat],
        pace: Pace,
        keep: Callable[[PlayMatch], None] = lambda _match: None,
        on_enter: Callable[[PlayMatch], None] = lambda _match: None,
        on_end: Callable[[PlayMatch, Node], None] = lambda _match, _node: None,
    ) -> None:
        """Stands at the first position of a tree, and asks nobody yet.

        `keep` is called after every change that should outlast this process, `on_enter` at each position that the match
        comes to or goes on from, and `on_end` with each end that is played to.
        """
        super().__init__(reactor, name, game, tree)
        self.seats = list(seats)
        self.pace = pace
        self.paused = False
        self.holders: dict[int, str] = {}  # of the seats of people: the tab in which each plays
        self._keep = keep
        self._on_enter = on_enter
        self._on_end = on_end
        self._choices: dict[int, tuple[str, str]] = {}  # move and error mark, by role
        self._untold: dict[int, dict[str, Any]] = {}  # what players think here, by role, until others may know it
        self._turn = 0  # numbers the positions that were entered, so that late answers are known as such
        self._entered_at = 0.0
        self._due: dict[int, float] = {}  # by when a person has to move
        self._timers = Timers(reactor)
        self._programs = Programs(self, pace, self._take, self._take_random, self._reported)
        self.analyses = Analyses(self, lambda: keep(self))
        self._step_once = False
        self._moving = False

    # ---- What people do ----

    def begin(self, at: int = 0) -> None:
        """Lets the match begin, or go on, at a position; engines that will be asked start at once."""
        self.go_to(at)
        for role, seat in enumerate(self.seats):
            if seat.player is not None and not self.at.position.terminal:
                self._programs.prepare(role, seat.player)

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
        self._take(role, move)

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
                self._programs.dismiss(role)
                self._choices.pop(role, None)
                self._untold.pop(role, None)
        self.seats = list(seats)
        self.holders = {role: tab for role, tab in holders.items() if seats[role].is_person}
        self._enter(self.at, again=True)

    def set_pace(self, pace: Pace) -> None:
        """Changes clocks and delay; engines keep what they have learned, players elsewhere begin anew."""
        self.pace = pace
        self._programs.set_pace(pace)
        self._enter(self.at, again=True)

    def pause(self, paused: bool) -> None:
        """Holds engines and the clocks of people back, or lets them go on."""
        self.paused = paused
        self._step_once = False
        if not paused:
            self._enter(self.at, again=True)
            return
        self._due = {}
        self.changed()
        self._keep(self)

    def step(self) -> None:
        """Makes one move of a match that is paused, unless one is being made."""
        if not self._moving:
            self._step_once = not self.at.position.terminal
            self._enter(self.at, again=True)

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
            self.analyses.rest()
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
        due = {**self._programs.due, **self._due}
        return super().state() | {
            "held": [public_name(self.holders.get(role, "")) for role in range(len(self.seats))],
            "absent": [role for role, tab in self.holders.items() if not self.present[tab]],
            "chosen": sorted(self._choices),
            "due": {role: round(due[role] - now, 2) for role in due if role not in self._choices},
            "doing": {role: doing for role, doing in self._programs.doing.items() if doing},
            "paused": self.paused,
            "pace": asdict(self.pace),
            **self.analyses.state(),
        }

    def close(self) -> Deferred[Any]:
        """Ends all engines; fires when they are gone."""
        self._timers.cancel()
        self._turn += 1
        return DeferredList([self.analyses.close(), self._programs.close()])

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
        self._timers.cancel()
        self._programs.leave()
        self.at = node
        self._entered_at = self.reactor.seconds()
        if not node.position.terminal:
            self._ask_all()
        else:
            self._programs.finish(self.tree.history(node))
        self.changed()
        self._keep(self)
        self._on_enter(self)

    def _ask_all(self) -> None:
        legal, turn = self.at.position.legal, self._turn
        idle = [self.game.roles[role] for role, moves in enumerate(legal) if not moves]
        if idle:
            self.notes.append(f"the rules leave {', '.join(idle)} without a legal move before the end")
            return
        asks = self._who_is_asked()
        for role in range(len(self.seats)):
            if turn == self._turn and role not in self._choices:
                self._ask(role) if role in asks else self._take(role, legal[role][0])
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
        player = self.seats[role].player
        if self._held_back or (player is None and self.paused):  # people may choose without being asked
            return
        if player is not None:
            self._programs.ask(role, player, self.tree.history(self.at))
        elif self.pace.play_clock:
            self._due[role] = self.reactor.seconds() + self.pace.play_clock
            self._timers.after(self.pace.play_clock, self._time_is_over, role)

    @property
    def _held_back(self) -> bool:
        return self.paused and not self._step_once

    def _time_is_over(self, role: int) -> None:
        if role not in self._choices and not self.paused:
            self._take_random(role, TIMED_OUT, "the time is over")

    def _reported(self, role: int, report: SearchReport) -> None:
        self._untold[role] = {**thought(report, role)}
        if not self._is_secret:
            self._tell_thoughts()

    def _tell_thoughts(self) -> None:
        for thoughts in self._untold.values():
            self.publish_thoughts(self.at, thoughts)
        self._untold = {}

    def _take_random(self, role: int, mark: str, why: str) -> None:
        """Makes any legal move for a role that has failed to, as Game Managers do."""
        if role not in self._choices:
            move = random.choice(self.at.position.legal[role])
            drawn = "a move" if self._is_secret else move
            self.note(f"{self.game.roles[role]}: {why}; {drawn} was drawn at random in its place")
            self._take(role, move, mark)

    # ---- Moves ----

    def _take(self, role: int, move: str, error: str = "") -> None:
        """Takes a role's choice at the present position, and moves when all have chosen."""
        if self._moving:
            return
        if move not in self.at.position.legal[role]:
            said = shortened(move)
            self._take_random(role, illegal_mark(said), f"{said} is not legal")
            return
        self._choices[role] = move, error
        self._programs.let_go(role)
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
            self._timers.after(wait, self._move) if wait > 0 else self._move()

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

    def _move(self) -> None:
        if self._may_move:
            self._moving = True
            self._step_once = False
            self._tell_thoughts()
            self.run(self._make_move())

    async def _make_move(self) -> None:
        parent, turn, roles = self.at, self._turn, range(len(self.seats))
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
