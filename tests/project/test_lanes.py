"""What plays games on machines is among the tests that `make test-lanes` runs on every instruction set."""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.conftest import plays_on_machines
from tests.support.paths import ROOT

API = sorted(f"api.{path.stem}" for path in (ROOT / "tests" / "api").glob("test_*.py"))
OTHERS = (
    *("agent.env.test_batch", "agent.env.test_environment_faults", "agent.env.test_gymnasium"),
    *("agent.env.test_pettingzoo", "agent.env.test_planes", "agent.commands.test_perft"),
    *("agent.engine.test_engine", "agent.preparation.test_preparation"),
    *("games.test_games", "native.test_search", "native.test_simulator"),
)


@pytest.mark.parametrize("name", [*API, *OTHERS])
def test_what_plays_games_runs_on_every_instruction_set(name: str) -> None:
    assert plays_on_machines(import_module(f"tests.{name}"))


@pytest.mark.parametrize("name", ["agent.tournament.test_ratings", "propnet.test_parser"])
def test_what_plays_none_runs_on_one(name: str) -> None:
    assert not plays_on_machines(import_module(f"tests.{name}"))
