"""Tournaments of players over real HTTP, whose games are short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from twisted.internet.process import reapAllProcesses
from twisted.internet.selectreactor import SelectReactor
from twisted.internet.task import LoopingCall

from ludens.agent.records.archive import Archive
from ludens.agent.settings.players import RemotePlayer
from ludens.agent.tournament.plan import Contestant, Fixture, Plan, TournamentGame
from ludens.agent.tournament.result import Result
from ludens.agent.tournament.results_file import ResultsFile
from ludens.agent.tournament.tournament import Tournament
from ludens.propnet.gdl.parser import parse_rules
from tests.support.fake_player import Answer, FakePlayer, on_play, run
from tests.support.talk import TALK

YES, NO = on_play("(say yes)"), on_play("(say (no 1))")

MakePlayer = Callable[[str, Answer], Contestant]


def game(text: str = TALK, name: str = "talk") -> TournamentGame:
    return TournamentGame(name, text, parse_rules(text))


class News:
    """An observer that remembers what it was told, and may stop the tournament."""

    def __init__(self, stop_after: int = 1 << 30) -> None:
        self.results: list[Result] = []
        self.warnings: list[str] = []
        self.stop: Callable[[], object] = lambda: None
        self._stop_after = stop_after

    def on_begin(self, fixture: Fixture) -> None: ...

    def on_turn(self, fixture: Fixture, turn: int) -> None: ...

    def on_result(self, result: Result) -> None:
        self.results.append(result)
        if len(self.results) >= self._stop_after:
            self.stop()

    def on_warning(self, text: str) -> None:
        self.warnings.append(text)


def play(plan: Plan, path: Path, news: News | None = None, archive: Archive | None = None) -> News:
    """Plays what is left of a plan; results go to a file."""
    told = news or News()

    async def played(reactor: Any) -> None:
        reaping = LoopingCall(reapAllProcesses)  # of players: the reactor of a test handles no signals
        reaping.clock = reactor
        reaping.start(0.05)
        with ResultsFile(path, plan.conditions()) as file:
            tournament = Tournament(reactor, plan, file, told, archive)
            told.stop = lambda: setattr(tournament, "_stopped", True)
            await tournament.play()

    run(played, SelectReactor)
    return told


@contextmanager
def contestants() -> Iterator[MakePlayer]:
    """Makes players elsewhere that are gone at the end."""
    with ExitStack() as stack:

        def make(name: str, answer: Answer) -> Contestant:
            address = stack.enter_context(FakePlayer(answer)).address
            return Contestant(name, f"http://{address.place}", RemotePlayer(name, address))

        yield make


def keys(results: Sequence[Result]) -> Counter[str]:
    return Counter(result.fixture.key for result in results)


def result(number: int = 1) -> Result:
    return Result("talk", number, ("yes", "no"), (100, 0), "terminal state", 2, 0, ((), ()), (), 1, 0.5, "m")
