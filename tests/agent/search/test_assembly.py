"""The player is put together in one place, and every search that comes of it keeps the one contract."""

from __future__ import annotations

import ast
import io
import pickle
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from ludens import games
from ludens.agent.cluster.peer_search import PeerPlan
from ludens.agent.cluster.search_link import SearchLink
from ludens.agent.engine import puzzle_agent
from ludens.agent.engine.engine import Engine
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.search.assembly import new_search
from ludens.agent.search.config import SearchConfig
from ludens.agent.search.contract import GameSearch
from ludens.agent.search.early_win_search import EarlyWinSearch
from ludens.agent.search.factored_search import FactoredSearch
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.early_wins import early_wins
from ludens.agent.variants.game_variant import compile_variant
from ludens.native.core import Search, Simulator
from ludens.native.kernels.kernel_search import KernelGames, KernelSearch
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet
from scripts.strength import match
from tests.support import kernels
from tests.support.factored_sheets import MATCHES
from tests.support.paths import ROOT

SETTINGS = PlayerOptions(nodes_mb=16, learn=0.0, seed=1, recall="off", kernel="off")
# The scripts that make a player's search.
MEASURES = (
    *("match", "checkers_match", "solve_times", "exploitability"),
    *("gomoku_match", "gomoku_opening", "gomoku_book", "tak_match"),
)
EVALUATIONS = {"scripts/strength/feature_match.py"}  # ... and one that compares what searches know, not players


@cache
def sheet(name: str) -> RuleSheet:
    return parse_rules(MATCHES[name] if name in MATCHES else games.read(name))


@cache
def network(name: str) -> Propnet:
    return load(sheet(name))


# ---- One assembly ----


def calls(folder: Path) -> Iterator[tuple[str, str]]:
    """Files of a folder, and the name of each function or class that they call."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                yield path.relative_to(ROOT).as_posix(), name


def callers(name: str, *folders: str) -> set[str]:
    return {path for folder in folders for path, called in calls(ROOT / folder) if called == name}


def importers(name: str, folder: str) -> set[str]:
    """Files of a folder that import a name from where players are prepared, or its twin for games on a core."""
    twins = rf"prepare import {name}|prepare_untimed import {name}_on_core"
    wanted = re.compile(rf"^ *from ludens\.agent\.preparation\.({twins})$", re.MULTILINE)
    files = (ROOT / folder).rglob("*.py")
    return {path.relative_to(ROOT).as_posix() for path in files if wanted.search(path.read_text("utf-8"))}


def test_only_preparation_settles_how_a_game_is_searched() -> None:
    everywhere = ("agent", "scripts")
    assert not callers("SearchConfig", *everywhere)
    assert {path.rpartition("/")[0] for path in callers("from_settings", *everywhere)} == {"agent/preparation"}
    assert callers("choose_search", *everywhere) == {"agent/preparation/prepare.py"}


def test_only_the_assembly_puts_a_players_search_together() -> None:
    for kind in ("EarlyWinSearch", "FactoredSearch"):
        assert callers(kind, "agent") == {"agent/search/assembly.py"}
    assert callers("Search", "agent") == {
        "agent/search/assembly.py",
        "agent/cluster/peer_search.py",  # as the assembly says, on other machines
        "agent/commands/bench.py",  # speed alone
        "agent/checkers/move_values.py",  # labels of data, which must be the same on every machine
        "agent/env/opponents.py",  # the public one, which is put together by the assembly
    }
    assert {path for path in callers("new_search", "agent") if "/preparation/" not in path} == {
        "agent/analysis/self_play.py",
        "agent/engine/native_agent.py",
        "agent/api/search.py",
        "agent/long_learning/search_match.py",
        "agent/gomoku/strategies.py",
        "agent/tak/thinker.py",
    }


def test_scripts_that_measure_the_player_prepare_it_as_the_engine_does() -> None:
    measures = {f"scripts/strength/{name}.py" for name in MEASURES}
    assert callers("new_search", "scripts") == measures | EVALUATIONS
    players = ("engine/engine", "api/player", "gomoku/strategies", "tak/thinker", "analysis/good_play")
    assert importers("prepare", "agent") == {f"agent/{name}.py" for name in players}
    assert importers("prepare", "scripts") == measures | {"scripts/strength/puzzles.py", "scripts/bench/start_clock.py"}


def comparable(config: SearchConfig) -> dict[str, Any]:
    """What does not depend on objects that are made anew each time."""
    settled = {field.name: getattr(config, field.name) for field in fields(config)}
    variant = settled.pop("variant")
    return settled | {
        "decomposition": str(config.decomposition),
        "parts": [comparable(part) for part in config.parts],
        "factoring": config.factoring and len(config.factoring.factors),
        "ends early": variant.ends_early,
        "features": variant.game.feature_bits,
    }


@pytest.mark.parametrize("strategy", ["auto", "uct", "alphabeta", "random"])
@pytest.mark.parametrize("name", ["breakthrough_small", "two rows", "lights_out"])
def test_strength_is_measured_on_the_player_that_managers_meet(
    monkeypatch: pytest.MonkeyPatch, name: str, strategy: str
) -> None:
    settings, found = replace(SETTINGS, strategy=strategy), list[SearchConfig]()
    monkeypatch.setattr(puzzle_agent, "prepared_agent", lambda _net, config, *_: found.append(config))
    Engine(settings, io.BytesIO())._best_agent(sheet(name), network(name), sheet(name).roles[0])
    assert comparable(match.prepared(network(name), settings, 1.0)[0]) == comparable(found[0])


def test_strength_of_a_recognised_game_is_measured_on_its_own_core() -> None:
    net, settings = network("english_draughts"), replace(SETTINGS, strategy="uct", kernel="off", endgame_pieces=0)
    config, recognised = match.prepared(net, settings, 1.0)
    assert recognised is not None
    assert config.variant.game.state_bits != net.state_bits


def test_all_that_peers_are_told_of_a_search_can_be_sent() -> None:
    """Endgame tables stay where they are."""
    net, settings = network("english_draughts"), replace(SETTINGS, strategy="uct", kernel="off", endgame_pieces=2)
    config = match.prepared(net, settings, 1.0)[0]
    plans = list[PeerPlan]()
    link = SimpleNamespace(begin=plans.append, close=lambda: None)
    assert config.knowledge is not None
    assert new_search(replace(config, cluster=cast(SearchLink, link)), 1) is not None
    sent = pickle.loads(pickle.dumps(plans[0]))
    assert sent.game.state_bits == config.variant.game.state_bits and sent.arguments["knowledge"] is None


def test_the_settings_of_the_user_stay_as_they_are() -> None:
    """What preparation decides is in the configuration, with the reason in words."""
    before = replace(SETTINGS)
    config = prepare(network("breakthrough_small"), SETTINGS, TimeBudget(0.0, 1.0))
    assert before == SETTINGS
    assert (SETTINGS.strategy, config.strategy) == ("auto", "uct")
    assert config.reason


# ---- One contract ----


def native() -> GameSearch:
    return made(configured("tic_tac_toe"))


def with_a_kernel() -> GameSearch:
    return made(replace(configured("tic_tac_toe"), kernel=KernelGames(kernels.Instant(), 4)))


def ending_early() -> GameSearch:
    net = network("breakthrough_small")
    wins = early_wins(net, lambda _text: None)
    return made(replace(configured("breakthrough_small"), variant=compile_variant(net, wins)))


def in_factors() -> GameSearch:
    return made(configured("two rows"))


def configured(name: str) -> SearchConfig:
    settings = replace(SETTINGS, strategy="uct", early_wins="off")
    return prepare(network(name), settings, TimeBudget(0.0, 1.0))


def made(config: SearchConfig) -> GameSearch:
    search = new_search(config, seed=1)
    assert search is not None
    return search


ALL = {native: Search, with_a_kernel: KernelSearch, ending_early: EarlyWinSearch, in_factors: FactoredSearch}


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_every_search_keeps_the_contract(make: Any) -> None:
    search: GameSearch = make()
    assert type(search) is ALL[make]
    simulator = Simulator(search.game, 64)
    legal = [np.flatnonzero(moves[0]) for moves in simulator.legal(search.game.initial)]
    search.set_root()
    search.run(playouts=500)
    stats = search.stats()
    assert stats.solved or stats.playouts >= 500
    assert search.unguided_visits > 0
    for role, moves in enumerate(legal):
        known = search.root_moves(role)
        assert known.moves.tolist() == moves.tolist()
        assert 0 <= known.best < len(moves)
    line = search.expected_line(3)
    assert line.shape[1] == search.game.roles and 1 <= len(line) <= 3
    search.suggest(line)
    search.stop()  # without effect on later runs
    after = simulator.next(search.game.initial, line[0]).reshape(-1)
    search.set_root(after)
    search.run(playouts=200)
    assert search.stats().solved or search.stats().playouts > stats.playouts
