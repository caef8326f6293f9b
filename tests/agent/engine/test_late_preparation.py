"""A game that could not be learned in its start clock is prepared again while others move."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from ludens import games
from ludens.agent.engine import late_preparation
from ludens.agent.engine.late_preparation import LatePreparation, Task, decide, often_waits
from ludens.agent.engine.pausable_process import Result
from ludens.agent.learning.features import FeatureNetwork
from ludens.agent.learning.short_learning import learn
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare_untimed import prepare_guided
from ludens.agent.preparation.recognition import recognised_game
from ludens.agent.protocol.wire import Acknowledged, Begin, GoTo, LogMessage, NetworkReady, Position, Think
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.processors import processors
from ludens.agent.variants.early_wins import early_wins
from ludens.agent.variants.game_variant import GameVariant, compile_variant
from ludens.native.core import Evaluation, Game
from ludens.propnet.base.clock import now
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.engine_driver import Driver
from tests.support.paths import ROOT
from tests.support.processor import is_running, is_stopped, processes_of, processor_ticks_of
from tests.support.waiting import until

CONNECT_FOUR = games.read("connect_four")
FIRST = ("(drop 4)", "noop")

# An engine in which late preparation decides as a function of tests/support/late_decisions.py says; it tells when the
# agent with an evaluation thinks.
DECIDES_AS = """
import os
os.environ["PYTHONPATH"] = {root!r}
from ludens.agent.engine import engine, late_preparation

def agent(self, config, role, tell):
    made = plain(self, config, role, tell)
    think = made.think

    def telling(seconds):
        tell(f"thinks by {{config}} at step {{len(made.target.history)}}")
        return think(seconds)

    made.think = telling
    return made

plain = late_preparation.LatePreparation.agent
late_preparation.LatePreparation.agent = agent
late_preparation._DECIDE = "tests.support.late_decisions:{decision}"
engine.main()
"""

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere a paused process would be left behind, so nothing is done later"
)


def task(seconds: float, *, beside_search: bool = False) -> Task:
    """A game to be prepared in so many seconds at first."""
    sheet, options = parse_rules(CONNECT_FOUR), PlayerOptions(endgame_pieces=4)
    return Task(
        net=load(sheet),
        sheet=sheet,
        recognised=None,
        settings=options,
        seconds=seconds,
        move_seconds=1.0,
        seed=7,
        beside_search=beside_search,
        relative=False,
    )


@pytest.mark.parametrize(
    ("results", "chosen", "given"),
    [
        ([("guided", False)], "guided", [10.0]),
        ([("uct", True), ("guided", False)], "guided", [10.0, 20.0]),
        ([("uct", False)], "uct", [10.0]),
        ([("uct", True)] * 4, None, [10.0, 20.0, 40.0]),
    ],
)
def test_there_is_more_and_more_time_until_enough_was_learned(
    monkeypatch: pytest.MonkeyPatch, results: list[tuple[str, bool]], chosen: str | None, given: list[float]
) -> None:
    seconds, told, its = list[float](), list[tuple[str, str]](), task(10.0)
    plain = SearchConfig.from_settings(its.settings, GameVariant.of_network(its.net), "uniform")

    def prepare(_net: object, settings: PlayerOptions, budget: TimeBudget, **_: object) -> SearchConfig:
        assert (budget.clock, budget.seed, settings.endgame_pieces) == (now, 7, 0)
        seconds.append(budget.seconds)
        budget.tell("learned")
        budget.explain("why")
        strategy, rushed = results[len(seconds) - 1]
        return replace(plain, strategy=strategy, rushed=rushed)

    monkeypatch.setattr(late_preparation, "prepare_later", prepare)
    config = decide(its, told.append)
    assert (config.strategy if config else None) == chosen
    assert seconds == given
    assert told == [("tell", "learned"), ("explain", "why")] * len(given)


@pytest.mark.parametrize(("start", "known", "first"), [(1.0, False, 10.0), (15.0, False, 30.0), (15.0, True, 15.0)])
def test_the_first_try_has_twice_the_start_clock_or_once_where_features_are_known(
    start: float, known: bool, first: float
) -> None:
    features = FeatureNetwork(load(parse_rules(CONNECT_FOUR))) if known else None
    it = preparation(TimeBudget(start, 1.0), features)
    assert (it._task.seconds, it._task.features) == (first, features)


def test_each_try_goes_on_from_what_the_one_before_has_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    its = task(10.0)
    reached = [FeatureNetwork(its.net), FeatureNetwork(its.net, hurried=True), None, None]
    plain = SearchConfig.from_settings(its.settings, GameVariant.of_network(its.net), "uniform")
    given: list[FeatureNetwork | None] = []

    def prepare(*_: object, features: FeatureNetwork | None, **__: object) -> SearchConfig:
        given.append(features)
        return replace(plain, rushed=True, features=reached[len(given)])

    monkeypatch.setattr(late_preparation, "prepare_later", prepare)
    decide(replace(its, features=reached[0]), lambda _told: None)
    assert given == [reached[0], reached[1], reached[1]]


def preparation(budget: TimeBudget, features: FeatureNetwork | None = None) -> LatePreparation:
    its = task(1.0)
    plain = SearchConfig.from_settings(its.settings, GameVariant.of_network(its.net), "uniform")
    rushed = replace(plain, rushed=True, features=features)
    return LatePreparation(its.net, its.sheet, None, its.settings, rushed, budget, beside_search=False)


@pytest.mark.parametrize(("decision", "strategy"), [("guided", "guided"), ("rave", "rave"), ("uct", None), ("", None)])
def test_only_another_search_takes_over(monkeypatch: pytest.MonkeyPatch, decision: str, strategy: str | None) -> None:
    it = preparation(TimeBudget(1.0, 1.0))
    config = replace(it.in_the_meantime(), strategy=decision) if decision else None
    answers = iter([None, Result(config)])
    monkeypatch.setattr(late_preparation, "PausableProcess", lambda *_: FakeProcess(lambda: next(answers)))
    found = it.run(lambda: False)
    assert (found.strategy if found else None) == strategy


@pytest.mark.parametrize(("paused", "log"), [(False, ["goes on", "closed"]), (True, [])])
def test_nothing_takes_over_once_it_was_stopped_and_nothing_begins_in_our_turn(
    monkeypatch: pytest.MonkeyPatch, paused: bool, log: list[str]
) -> None:
    made, said = FakeProcess(lambda: None), iter([False, False, True])
    monkeypatch.setattr(late_preparation, "PausableProcess", lambda *_: made)
    it = preparation(TimeBudget(1.0, 1.0))
    it.pause(paused)
    assert it.run(lambda: next(said)) is None
    assert made.log == log


class FakeProcess:
    """A `PausableProcess` whose results a function makes."""

    def __init__(self, result: Callable[[], object]) -> None:
        self._result, self.log = result, list[str]()

    def receive(self, _seconds: float, _told: object) -> object:
        return self._result()

    def pause(self, paused: bool) -> None:
        self.log.append("paused" if paused else "goes on")

    def close(self) -> None:
        self.log.append("closed")


@contextmanager
def engine_of(
    decision: str, role: str, threads: int = 1, clocks: tuple[float, float] = (0.1, 1.0), game: str = "connect_four"
) -> Iterator[Driver]:
    """An engine that was sent to the first position of a game, in connect four one where red has to move."""
    code = DECIDES_AS.format(root=str(ROOT), decision=decision)
    it = Driver(code=("-c", code), recall="off", threads=threads)
    try:
        it.send(Begin(games.read(game), role, *clocks), Think())
        it.send(GoTo((), ticket=1))
        it.next(NetworkReady)
        yield it
    finally:
        it.close()


def next_log(it: Driver, begin: str) -> str:
    """The next line of the log that begins so."""
    while not (text := it.next(LogMessage).text).startswith(begin):
        pass
    return text


@on_linux
def test_another_search_is_prepared_and_takes_over() -> None:
    with engine_of("finds_another", "red") as it:
        next_log(it, "plays by uct")
        it.send(GoTo((FIRST,), ticket=2))
        next_log(it, "prepares later")
        next_log(it, "plays by guided")
        assert next_log(it, "thinks by guided") == "thinks by guided at step 1"
        assert it.next_that(lambda report: report.value is not None, ticket=2).step == 1


@on_linux
def test_after_a_failure_of_late_preparation_the_search_goes_on() -> None:
    with engine_of("fails", "red") as it:
        next_log(it, "plays by uct")
        it.send(GoTo((FIRST,), ticket=2))
        assert next_log(it, "the game is not learned") == "the game is not learned while others move: no room"
        it.next_that(lambda report: report.playouts > 0, ticket=2)  # also while we wait
        it.send(GoTo((FIRST, ("noop", "(drop 4)")), ticket=3))
        it.next_that(lambda report: report.playouts > 0, ticket=3)


@on_linux
def test_preparation_has_the_processor_while_we_wait_and_the_search_in_our_turn() -> None:
    with engine_of("lasts_for_ever", "yellow", threads=processors()) as it:
        next_log(it, "lasts for ever")
        (child,) = processes_of(it.process.pid, "pausable_process")
        until(lambda: processor_ticks_of(it.process.pid, over=0.5) == 0)
        assert not is_stopped(child)
        it.send(GoTo((FIRST,), ticket=2))
        it.next_that(lambda report: report.playouts > 0, ticket=2)
        until(lambda: processor_ticks_of(it.process.pid, over=0.5) > 0)
        assert is_stopped(child)
        it.send(GoTo((FIRST, ("noop", "(drop 4)")), ticket=3))
        until(lambda: not is_stopped(child))
    until(lambda: not is_running(child))  # it ends with the engine


@pytest.mark.parametrize(("game", "waits"), [("connect_four", True), ("connect_four_three", True), ("tron", False)])
def test_in_games_by_turns_a_role_often_waits(game: str, waits: bool) -> None:
    native = Game.from_propnet(load(games.read(game)))
    assert [often_waits(native, role, seed=3) for role in range(native.roles)] == [waits] * native.roles


@on_linux
def test_where_nobody_waits_for_others_nothing_is_prepared_later() -> None:
    with engine_of("fails", "blue", threads=processors(), game="tron") as it:
        next_log(it, "plays by")
        it.next_that(lambda report: report.playouts > 10_000, ticket=1)
        assert not processes_of(it.process.pid, "pausable_process")


@on_linux
def test_without_time_before_the_first_turn_the_game_is_prepared_later() -> None:
    with engine_of("lasts_for_ever", "yellow", threads=processors(), clocks=(0.0, 1.0)) as it:
        next_log(it, "lasts for ever")


@on_linux
def test_without_clocks_nothing_is_prepared_later() -> None:
    with engine_of("fails", "yellow", threads=processors(), clocks=(0.1, 0.0)) as it:
        next_log(it, "plays by uct")
        it.next_that(lambda report: report.playouts > 100_000, ticket=1)  # it thinks on though it waits
        assert not processes_of(it.process.pid, "pausable_process")


@on_linux
def test_whoever_waits_in_the_first_turn_prepares_then() -> None:
    it = Driver(
        code=("-c", DECIDES_AS.format(root=str(ROOT), decision="lasts_for_ever")), recall="off", threads=processors()
    )
    try:
        it.send(Begin(CONNECT_FOUR, "yellow", 0.1, 1.0), Think())
        it.next(Position)
        next_log(it, "plays by uct")
        it.send(GoTo(()))  # as the first PLAY is sent: to where it stands already
        it.next(Acknowledged)
        next_log(it, "lasts for ever")
        (child,) = processes_of(it.process.pid, "pausable_process")
        until(lambda: not is_stopped(child) and processor_ticks_of(it.process.pid, over=0.5) == 0)
    finally:
        it.close()


@pytest.mark.parametrize("beside_search", [True, False])
def test_beside_the_search_preparation_is_nice(monkeypatch: pytest.MonkeyPatch, beside_search: bool) -> None:
    its, nice = task(1.0, beside_search=beside_search), list[bool]()
    plain = SearchConfig.from_settings(its.settings, GameVariant.of_network(its.net), "uniform")
    monkeypatch.setattr(late_preparation, "be_nice", lambda: nice.append(True))
    monkeypatch.setattr(late_preparation, "prepare_later", lambda *_, **__: plain)
    assert decide(its, lambda _told: None) is plain
    assert bool(nice) == beside_search


def test_what_was_decided_travels_between_processes() -> None:
    net = load(parse_rules(games.read("breakthrough_small")))
    variant = compile_variant(net, early_wins(net, lambda _text: None))
    config = prepare_guided(variant, PlayerOptions(), Evaluation(learn(variant.full_game, 0.05).weights))
    plain = replace(config, variant=GameVariant.plain(variant.full_game))
    for sent in (config, plain):
        received = pickle.loads(pickle.dumps(sent))
        assert received.variant.ends_early == sent.variant.ends_early
        assert str(received) == str(sent)
    assert config.variant.ends_early


def test_a_game_with_a_core_of_its_own_travels_to_the_process() -> None:
    net = load(parse_rules(games.read("english_draughts")))
    recognised = recognised_game(net, PlayerOptions(), lambda _text: None)
    assert recognised is not None
    sent = pickle.loads(pickle.dumps(replace(task(1.0), net=net, recognised=recognised)))
    assert str(sent.recognised) == str(recognised)
    assert sent.recognised.native_game().roles == 2
