"""Engines that hang are noticed wherever a match goes, also where it goes back and on by another move."""

from __future__ import annotations

from twisted.internet.task import Clock

from ludens.agent.protocol.wire import Begin, Event, GoTo
from ludens.agent.server.supervisor import Supervisor
from tests.support.player_harness import FakeEngine, FakeEngines

ONE_WAY, OTHER_WAY = (("left", "noop"),), (("right", "noop"),)


class Supervised:
    """A supervisor of a match whose first engine is ready and whose second one stands by."""

    def __init__(self) -> None:
        self.clock, self.engines = Clock(), FakeEngines()
        heard: list[Event] = []
        self.supervisor = Supervisor(self.clock, self.engines, Begin("rules", "x"), heard.append, lambda _: None)
        self.clock.advance(3)
        self.thinking.reads_rules()
        self.thinking.has_network()

    @property
    def thinking(self) -> FakeEngine:
        return self.engines.taken[0]

    @property
    def standing_by(self) -> FakeEngine:
        return self.engines.taken[1]

    def go_to(self, target: GoTo) -> None:
        self.supervisor.go_to(target)
        self.standing_by.hears()
        self.standing_by.arrives(len(target.history))

    def check(self, times: int = 2, seconds: float = 3.0) -> None:
        """Waits and checks, as often as that; an engine that is sent on needs two seconds at most."""
        for _ in range(times):
            self.clock.advance(seconds)
            self.supervisor.check()


def test_an_engine_that_hangs_once_a_move_was_taken_back_is_replaced() -> None:
    """It had told of another position after as many moves."""
    it = Supervised()
    it.go_to(GoTo(ONE_WAY, ticket=1))
    it.thinking.hears()
    it.thinking.arrives(1)
    it.check()
    assert not it.thinking.killed
    it.go_to(GoTo(OTHER_WAY, ticket=2))
    it.check()
    assert it.thinking.killed
    assert it.standing_by.thinking


def test_an_engine_that_hangs_once_a_match_went_back_is_replaced_though_it_is_sent_on_and_on() -> None:
    it = Supervised()
    it.go_to(GoTo(ONE_WAY, ticket=1))
    it.thinking.hears()
    it.thinking.arrives(1)
    for ticket in range(2, 5):
        it.go_to(GoTo((), ticket=ticket))
        it.check(times=1, seconds=1.5)
    assert it.thinking.killed


def test_an_engine_that_follows_back_and_forth_is_kept() -> None:
    it = Supervised()
    for ticket, history in enumerate((ONE_WAY, (), OTHER_WAY, ONE_WAY), 1):
        it.go_to(GoTo(history, ticket=ticket))
        it.thinking.hears()
        it.thinking.arrives(len(history))
        it.check()
    assert not it.thinking.killed
