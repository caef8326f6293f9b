"""A kernel in a process of its own, and who plays a player's random games: what is worth more, and what works."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import ludens
from ludens import games
from ludens.agent.engine.backends import SearchBackend, network_backend
from ludens.agent.engine.native_agent import NativeAgent
from ludens.agent.preparation import game_model, kernel_choice
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.game_model import GameModel
from ludens.agent.preparation.kernel_choice import NO_BATCHES, KernelTrial, network_kernel, recognised_kernel
from ludens.agent.preparation.prepare import choose_search
from ludens.agent.preparation.prepare_untimed import prepare_interim
from ludens.agent.preparation.trial import Candidate, trial
from ludens.agent.protocol.wire import Begin, GoTo, LogMessage, Ready, Think
from ludens.agent.search import assembly
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.game_variant import GameVariant
from ludens.agent.variants.game_variants import GameVariants
from ludens.games.checkers.bitboards.native_game import native_game
from ludens.games.checkers.game import RecognisedCheckers
from ludens.games.checkers.kernels.playouts import CheckersKernel
from ludens.games.checkers.rules.parameters import CheckersRules, Jumps
from ludens.native.core import Game
from ludens.native.cuda.network import NetworkKernel
from ludens.native.kernels.kernel_process import KernelProcess
from ludens.native.kernels.kernel_search import KernelGames
from ludens.propnet.base.errors import KernelError, NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.rewrite.rule_program import compile_program
from tests.support import kernels
from tests.support.engine_driver import engine
from tests.support.paths import ROOT
from tests.support.processor import processes_of
from tests.support.search_sheets import COMMONS
from tests.support.waiting import PATIENCE, until

CHECKERS = CheckersRules(jumps=Jumps.BY_PLIES, idle_limit=40)
UCT = PlayerOptions(strategy="uct", nodes_mb=16, seed=1)


@pytest.fixture(scope="module")
def connect_four() -> Game:
    return Game.from_propnet(load(games.read("connect_four")))


@pytest.fixture(scope="module")
def slow_game() -> Game:
    """A game of which a random playout costs far more than to choose and to make a leaf."""
    return Game.from_rules(compile_program(parse_rules(games.read("breakthrough_small"))))


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kernel is late for want of a processor; and kernels of tests are found by the processes that play them."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(kernel_choice, "KernelProcess", partial(KernelProcess, patience=PATIENCE))
    monkeypatch.setattr(kernel_choice, "_COMPILING_SECONDS", PATIENCE)


def ready(make: Callable[[], Any], game: Game, patience: float = PATIENCE) -> KernelProcess:
    process = KernelProcess(make, game.initial, patience)
    assert process.ready(PATIENCE)
    return process


def test_a_kernel_in_a_process_is_told_all_and_heard(connect_four: Game) -> None:
    process, states = ready(kernels.Telling, connect_four), np.arange(6, dtype=np.uint64).reshape(3, 2)
    assert process.play(states, 10, 7).tolist() == [[0, 17], [2, 17], [4, 17]]
    assert process.play(states[:1], 1, 0).tolist() == [[0, 1]]
    process.close()
    with pytest.raises(NativeError):
        process.play(states, 10, 7)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (kernels.Raising, "the kernel failed: RuntimeError: an illegal address was met"),
        (kernels.Dying, "the kernel ended with status 3: Segmentation fault"),
        (kernels.Mute, "the kernel has not answered for 0.5 s"),
    ],
)
def test_what_happens_to_a_kernel_is_an_error_and_no_more(
    kind: type[kernels.Instant], message: str, connect_four: Game
) -> None:
    process = ready(partial(kind, after=1), connect_four, patience=0.5 if kind is kernels.Mute else PATIENCE)
    with pytest.raises(NativeError, match=message):
        process.play(connect_four.initial.reshape(1, -1), 1, 0)


def test_a_kernel_that_cannot_be_made_says_why(connect_four: Game) -> None:
    process = KernelProcess(partial(kernels.Raising, after=0), connect_four.initial)
    with pytest.raises(NativeError, match="an illegal address was met"):
        process.ready(PATIENCE)


def test_a_kernel_that_is_there_when_no_time_is_left_to_try_it_is_told_of(connect_four: Game) -> None:
    told: list[str] = []
    budget = TimeBudget(PATIENCE, 1.0, seed=1, tell=told.append)
    kernel_trial = KernelTrial(config_of(connect_four), kernels.Instant, budget)
    assert kernel_trial._process is not None
    assert kernel_trial._process.ready(PATIENCE)
    assert kernel_trial.settle(0.5) is None
    assert told == [f"{NO_BATCHES}: no time to compile and to try that"]


def test_a_kernel_outlives_the_thread_that_began_it(connect_four: Game) -> None:
    begun: list[KernelProcess] = []
    thread = threading.Thread(target=lambda: begun.append(ready(kernels.Instant, connect_four)))
    thread.start()
    thread.join()
    for _ in range(20):  # the system ends a thread a little after `join` has returned
        begun[0].play(connect_four.initial.reshape(1, -1), 1, 0)
        time.sleep(0.01)


class Large:
    """Makes a kernel, and is more than a pipe holds."""

    def __init__(self) -> None:
        self._content = bytes(10 << 20)

    def __call__(self) -> kernels.Instant:
        return kernels.Instant()


def test_a_kernel_whose_process_ends_before_it_is_told_anything_says_why(
    monkeypatch: pytest.MonkeyPatch, connect_four: Game
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    process = KernelProcess(Large(), connect_four.initial)
    with pytest.raises(KernelError, match="the kernel ended with status 1"):
        process.ready(PATIENCE)


def test_nobody_waits_for_a_process_that_never_listens(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, connect_four: Game
) -> None:
    deaf = tmp_path / "deaf"
    deaf.write_text("#!/bin/sh\nexec sleep 1000\n")
    deaf.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(deaf))
    process = KernelProcess(Large(), connect_four.initial)
    assert not process.ready(0.01)
    process.close()
    assert process._process.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("ludens.native.kernels.kernel_process.start", BlockingIOError(11, "Resource temporarily unavailable")),
        ("threading.Thread.start", RuntimeError("can't start new thread")),
        ("tempfile.TemporaryFile", OSError(28, "No space left on device")),
    ],
)
def test_where_no_process_can_be_started_a_game_is_played_without(
    what: str, error: Exception, monkeypatch: pytest.MonkeyPatch, connect_four: Game
) -> None:
    def fails(*_: object) -> None:
        raise error

    told: list[str] = []
    budget = TimeBudget(PATIENCE, 1.0, seed=1, tell=told.append)
    with monkeypatch.context() as patch:
        patch.setattr(what, fails)
        kernel_trial = KernelTrial(config_of(connect_four), kernels.Instant, budget)
    assert kernel_trial.settle(PATIENCE) is None
    assert told == [f"{NO_BATCHES}: the kernel has no process: {error}"]


def config_of(game: Game, settings: PlayerOptions = UCT) -> SearchConfig:
    return SearchConfig.from_settings(settings, GameVariant.plain(game), settings.policy)


def settled(make: Callable[[], Any] | None, game: Game, **parts: Any) -> tuple[KernelGames | None, list[str]]:
    """What a trial of a kernel comes to, and what is told."""
    told: list[str] = []
    budget = TimeBudget(PATIENCE, 1.0, seed=1, tell=told.append, **parts)
    return KernelTrial(config_of(game), make, budget).settle(PATIENCE), told


def test_a_kernel_that_is_worth_more_is_chosen(slow_game: Game) -> None:
    chosen, told = settled(kernels.Instant, slow_game)
    assert chosen is not None
    assert chosen.games in kernel_choice.GAMES
    assert "are played in large batches" in told[0]


def test_a_kernel_that_is_worth_less_is_not(connect_four: Game) -> None:
    chosen, told = settled(kernels.Slow, connect_four)
    assert chosen is None
    assert "that is not faster here" in told[0]


@pytest.mark.parametrize("after", [0, 1, 5])
def test_a_kernel_that_fails_is_not_chosen_and_it_is_told(after: int, connect_four: Game) -> None:
    chosen, told = settled(partial(kernels.Raising, after=after), connect_four)
    assert chosen is None
    assert told == [f"{NO_BATCHES}: the kernel failed: RuntimeError: an illegal address was met"]


def test_every_thread_of_the_native_search_that_is_compared_has_its_memory(
    monkeypatch: pytest.MonkeyPatch, connect_four: Game
) -> None:
    given: list[tuple[int, int]] = []  # threads and megabytes
    real = assembly.new_search

    def new_search(config: SearchConfig, seed: int) -> Any:
        given.append((config.threads, config.memory_mb))
        return real(config, seed)

    monkeypatch.setattr(kernel_choice, "new_search", new_search)
    for options in (UCT, replace(UCT, threads=4, nodes_mb=1024)):
        budget = TimeBudget(PATIENCE, 1.0, seed=1)
        KernelTrial(config_of(connect_four, options), kernels.Slow, budget).settle(PATIENCE)
    assert set(given) == {(1, UCT.nodes_mb), (4, 256)}


def test_nobody_waits_for_a_kernel_beyond_the_first_turn(connect_four: Game) -> None:
    chosen, told = settled(partial(kernels.Mute, after=0), connect_four, stopped=lambda: True)
    assert chosen is None
    assert told == [f"{NO_BATCHES}: no time to compile and to try that"]


def test_nobody_waits_for_a_kernel_without_end(connect_four: Game) -> None:
    hours = iter(range(1000))
    chosen, told = settled(partial(kernels.Mute, after=0), connect_four, clock=lambda: 3600.0 * next(hours))
    assert chosen is None
    assert told == [f"{NO_BATCHES}: no time to compile and to try that"]


def test_any_number_of_games_from_a_leaf_is_worth_at_most_three_visits_with_one() -> None:
    def tried(visits: float, games: int) -> float:
        return kernel_choice.Throughput(visits, games).worth

    assert tried(100, 1 << 40) == pytest.approx(100)
    assert tried(100, 1 << 40) == pytest.approx(tried(296, 1))
    assert tried(100, 2) == pytest.approx(50, abs=1)


def test_where_there_is_no_driver_nothing_of_numba_is_imported() -> None:
    code = """
import sys
from ludens.agent.preparation.kernel_choice import network_kernel, recognised_kernel
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.protocol.wire import Begin, GoTo, LogMessage, Think, SearchReport
from ludens.agent.protocol.wire import Ready
from ludens.games.checkers.game import RecognisedCheckers
assert recognised_kernel(None, PlayerOptions()) is None
assert network_kernel(None, PlayerOptions()) is None
print("numba" in sys.modules)
"""
    environment = {"NUMBA_CUDA_DRIVER": "/no/such/driver.so", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


def checkers() -> RecognisedCheckers:
    """A game with these rules, of which nothing but them is asked."""
    game = object.__new__(RecognisedCheckers)
    game._recognised = cast("Any", SimpleNamespace(rules=CHECKERS))
    return game


def test_the_player_may_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_choice, "has_driver", lambda: True)
    net = load(games.read("tic_tac_toe"))
    assert recognised_kernel(checkers(), PlayerOptions()) is not None
    assert network_kernel(net, PlayerOptions()) is not None
    assert recognised_kernel(checkers(), PlayerOptions(kernel="processor")) is not None
    assert recognised_kernel(checkers(), PlayerOptions(kernel="off")) is None
    assert network_kernel(net, PlayerOptions(kernel="off")) is None
    assert network_kernel(net, PlayerOptions(kernel="processor")) is None
    assert network_kernel(replace(net, machine_policy="mast"), PlayerOptions()) is None


@pytest.mark.parametrize("strategy", ["alphabeta", "guided"])
def test_searches_that_hand_out_no_leaves_have_no_kernel(strategy: str, connect_four: Game) -> None:
    def unwanted() -> Any:
        raise AssertionError

    told: list[str] = []
    given = PlayerOptions(strategy=strategy, nodes_mb=16, learn=0.0)
    model = GameModel(GameVariants(GameVariant.plain(connect_four)), "auto", make_kernel=unwanted)
    config = choose_search(model, given, TimeBudget(1.0, 1.0, tell=told.append))
    assert config.kernel is None
    assert not any("kernel" in text for text in told)


@pytest.mark.parametrize("strategy", ["uct", "auto"])
def test_preparation_finds_the_kernel_that_is_worth_more(strategy: str, slow_game: Game) -> None:
    options = PlayerOptions(strategy=strategy, nodes_mb=16, learn=0.0)
    model = GameModel(GameVariants(GameVariant.plain(slow_game)), options.policy, make_kernel=kernels.Instant)
    config = choose_search(model, options, TimeBudget(PATIENCE, 1.0, seed=1))
    assert (config.strategy, config.policy, config.evaluation) == ("uct", options.policy, None)
    assert config.kernel is not None


def simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU that numba simulates: far too slow, so little is asked of it."""
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    monkeypatch.setattr(kernel_choice, "GAMES", (1,))


def test_the_kernel_of_checkers_is_compared_on_a_simulated_device(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    simulated(monkeypatch)
    make = checkers().make_kernel(gpu=True, max_steps=1)
    assert isinstance(make, partial)
    assert make.func is CheckersKernel
    chosen, told = settled(make, native_game(CHECKERS))
    assert chosen is None
    assert "that is not faster here" in told[0]


def test_the_kernel_of_a_network_is_compared_on_a_simulated_device(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    simulated(monkeypatch)
    net = load(parse_rules(COMMONS))  # of three, which is not solved at once
    chosen, told = settled(partial(NetworkKernel, net, lanes=64, max_steps=1), Game.from_propnet(net))
    assert chosen is None
    assert "that is not faster here" in told[0]


def backend(net: Propnet, settings: PlayerOptions, kernel: KernelGames) -> SearchBackend:
    return network_backend(net, replace(prepare_interim(net, settings), kernel=kernel))


@pytest.mark.parametrize("kind", [kernels.Raising, kernels.Dying])
def test_a_kernel_that_fails_in_a_match_does_not_lose_it(kind: type[kernels.Instant]) -> None:
    net = load(games.read("connect_four"))
    process = ready(partial(kind, after=6), Game.from_propnet(net))
    told: list[str] = []
    agent = NativeAgent(backend(net, UCT, KernelGames(process, 32)), "red", UCT.seed, told.append)
    legal = agent.go_to(()).legal
    until(lambda: agent.think(0.2).move in legal and bool(told))
    assert "kernel" in told[0]
    assert len(told) == 1
    until(lambda: agent.think(0.2).playouts > 1000)  # the native machine goes on


def test_a_kernel_that_fails_in_a_trial_is_told_from_other_failures(connect_four: Game) -> None:
    process = ready(partial(kernels.Raising, after=6), connect_four)
    config = config_of(connect_four)
    ways = [replace(config, kernel=KernelGames(process, 32)), replace(config, strategy="rave")]
    with pytest.raises(KernelError, match="an illegal address was met"):
        trial([Candidate(way) for way in ways], TimeBudget(1e6, 1.0, 1))


def test_what_a_kernel_finds_counts_once_a_batch_is_chosen_by_its_results() -> None:
    """After two batches of 32; threads, which have hundreds of games in flight, are for native searches."""
    net, options = load(games.read("connect_four")), replace(UCT, threads=4)
    agent = NativeAgent(backend(net, options, KernelGames(kernels.Slow(), 10)), "red", 1, lambda _text: None)
    agent.go_to(())
    until(lambda: bool(agent.think(0.05)) and agent.known() is not None)
    report = agent.known()
    assert report is not None
    assert 64 < report.playouts / 10 < 500


def test_a_player_in_this_process_keeps_its_kernel_and_plays_on_when_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_model, "network_kernel", lambda *_: kernels.Instant)
    monkeypatch.setattr(kernel_choice, "_CONVINCING", 0.0)
    player, game = ludens.StrategyPlayer("uct:nodes_mb=16", seed=1), ludens.load("connect_four")
    player.start(game, "red", ludens.Clocks(PATIENCE, 0.2))
    config = player._config
    assert config is not None and config.kernel is not None
    process = config.kernel.kernel
    assert isinstance(process, KernelProcess)
    assert player.choose(game.initial, 0.2) in game.initial.legal("red")
    assert player._config is config
    process._process.kill()
    assert player.choose(game.initial, 0.2) in game.initial.legal("red")
    assert player._config is not None and player._config.kernel is None


ENGINE = """
from functools import partial
from ludens.agent.engine import engine
from ludens.agent.preparation import game_model, kernel_choice
from ludens.native.kernels.kernel_process import KernelProcess
from tests.support.kernels import Pessimist
kernel_choice.KernelProcess = partial(KernelProcess, patience=600.0)
game_model.network_kernel = lambda net, options: Pessimist
kernel_choice._CONVINCING = 0.0
kernel_choice._COMPILING_SECONDS = 600.0
engine.main()
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up as Linux shows them")
def test_an_engine_plays_on_when_its_kernel_is_killed() -> None:
    with engine(code=("-c", ENGINE), strategy="uct") as it:
        it.send(Begin(games.read("connect_four"), "red", 3600.0), Think())
        assert "are played in large batches" in it.next(LogMessage).text
        it.next(Ready)
        it.send(GoTo(()))
        report = it.next_that(lambda report: report.value is not None and report.value < 10, step=0, machine="network")
        (kernel,) = processes_of(it.process.pid, "kernel_process")
        of_engine, of_kernel = (resource.prlimit(pid, resource.RLIMIT_AS) for pid in (it.process.pid, kernel))
        assert of_engine[0] == PlayerOptions().process_mb << 20
        assert of_kernel == 2 * (of_engine[1],)  # drivers need more
        os.kill(kernel, signal.SIGKILL)
        assert "the kernel ended with status -9" in it.next(LogMessage).text
        it.send(GoTo(((report.move, "noop"), ("noop", "(drop 1)"))))
        it.next_that(lambda report: (report.value or 0) > 20, step=2, machine="network")  # it loses by no force
    assert not Path(f"/proc/{kernel}").exists()
