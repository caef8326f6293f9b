"""Environments that are used in the wrong way say so in one clear error, and nothing happens."""

from __future__ import annotations

import copy
import os
import pickle
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

for _package, _extra in (("gymnasium", "gym"), ("pettingzoo", "pettingzoo")):
    pytest.importorskip(_package, reason=f"{_package} is not installed: pip install 'ludens[{_extra}]'")

import ludens  # noqa: E402
from ludens.agent.settings.errors import OptionError  # noqa: E402
from ludens.env import ArrayError, Env, LayoutError, NotResetError, VectorEnv, aec_env, parallel_env  # noqa: E402
from ludens.propnet.base.errors import LudensError  # noqa: E402

RAGGED = [[0], [1, 2]]
ENVS, ENV, AEC, PARALLEL = "VectorEnv", "Env", "aec_env", "parallel_env"


@pytest.fixture(scope="module")
def game() -> ludens.Game:
    return ludens.load("tic_tac_toe")


def made(kind: str, game: ludens.Game, **settings: Any) -> Any:
    """An environment, of which `reset` was called."""
    makers: dict[str, Callable[..., Any]] = {ENVS: VectorEnv, ENV: Env, AEC: aec_env, PARALLEL: parallel_env}
    env = makers[kind](game, **({"num_envs": 2} if kind == ENVS else {}), **settings)
    env.reset(seed=1)
    return env


def position(env: Any) -> list[int]:
    env = env.unwrapped
    batch = env.batch if isinstance(env, VectorEnv) else env._row.batch if isinstance(env, Env) else env._table.batch
    return list(batch.states.ravel())


USES: dict[str, tuple[str, Callable[[Any], object], type[Exception], str]] = {
    "too few actions": (ENVS, lambda e: e.step([0]), ArrayError, r"whole numbers \[2\], not int64\[1\]"),
    "actions of two dimensions": (ENVS, lambda e: e.step([[0], [1]]), ArrayError, r"not int64\[2, 1\]"),
    "parts of actions": (ENVS, lambda e: e.step([0.0, 1.0]), ArrayError, "not float64"),
    "ragged actions": (ENVS, lambda e: e.step(RAGGED), ArrayError, "no array can be made of list"),
    "no actions": (ENVS, lambda e: e.step(None), ArrayError, "not object"),
    "no seed": (ENVS, lambda e: e.reset(seed="x"), ludens.BudgetError, "seed must be a whole number, not 'x'"),
    "seeds": (ENVS, lambda e: e.reset(seed=[1, 2.5]), ludens.BudgetError, "not 2.5"),
    "options": (ENVS, lambda e: e.reset(options=5), ArrayError, "options must be a dictionary, not 5"),
    "mask": (ENVS, lambda e: e.reset(options={"reset_mask": [True, False]}), ArrayError, "reset_mask"),
    "part of an action": (ENV, lambda e: e.step(1.5), ArrayError, "not float64"),
    "two actions": (ENV, lambda e: e.step([0, 1]), ArrayError, r"not int64\[1, 2\]"),
    "none for one": (ENV, lambda e: e.step(None), ArrayError, "not object"),
    "out of the space": (AEC, lambda e: e.unwrapped.step(99), ludens.IllegalActionError, "row 0"),
    "part for an agent": (AEC, lambda e: e.unwrapped.step(1.5), ArrayError, "of cross must be a whole number, not 1.5"),
    "none of an agent": (AEC, lambda e: e.unwrapped.step(None), ludens.IllegalActionError, "row 0"),
    "unknown agent": (AEC, lambda e: e.observe("crosss"), ludens.RoleError, "did you mean cross"),
    "no mapping": (PARALLEL, lambda e: e.step(5), ArrayError, "a mapping from agents, not 5"),
    "text": (PARALLEL, lambda e: e.step({"cross": "x"}), ArrayError, "of cross must be a whole number, not 'x'"),
    "part": (PARALLEL, lambda e: e.step({"cross": 0.5}), ArrayError, "not 0.5"),
}


@pytest.mark.parametrize("name", USES)
def test_what_makes_no_sense_is_one_clear_error_and_steps_nothing(game: ludens.Game, name: str) -> None:
    kind, use, error, says = USES[name]
    env = made(kind, game)
    before = position(env)
    with pytest.raises(error, match=says) as raised:
        use(env)
    assert isinstance(raised.value, LudensError)
    assert "\n" not in str(raised.value)
    assert position(env) == before


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda g: VectorEnv(g, 2, autoreset_mode="now"), LayoutError, "'now' is unknown: it is one of NextStep, Same"),
        (lambda g: VectorEnv(g, 2, opponent=5), OptionError, "5 is no opponent"),  # type: ignore[arg-type]
        (lambda g: VectorEnv(g, 2, opponent={"a": 5}), OptionError, "{'a': 5} is no opponent"),  # type: ignore[arg-type]
        (lambda g: VectorEnv(g, 2, opponent="utc:iterations=1"), OptionError, "there is no strategy 'utc'"),
        (lambda g: VectorEnv(g, 2, opponent="uct"), LayoutError, "say how long it thinks, as in 'uct:iterations=1000'"),
        (lambda g: VectorEnv(g, 2, opponent="td:iterations=9"), LayoutError, "td plays only on a game core of its own"),
        (lambda g: VectorEnv(g, 2, opponent="guided:iterations=9"), OptionError, "iterations does not go with guided"),
        (lambda g: VectorEnv(g, 2, role="x"), ludens.RoleError, "no role 'x'"),
        (lambda g: VectorEnv(g, 0), LayoutError, "there must be one at least"),
        (lambda g: Env(g, render_mode="human"), LayoutError, "'human' is unknown: it is ansi"),
        (lambda g: aec_env(g, render_mode="human"), LayoutError, "'human' is unknown"),
        (lambda g: parallel_env(g, observation="pixels"), LayoutError, "'pixels' is unknown"),
    ],
)
def test_what_cannot_be_is_not_made(game: ludens.Game, make: Callable[..., Any], error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        make(game)


def test_nothing_is_stepped_before_the_first_reset(game: ludens.Game) -> None:
    for mode in ("NextStep", "SameStep", "Disabled"):
        envs = VectorEnv(game, 2, role="nought", autoreset_mode=mode)
        with pytest.raises(NotResetError, match="call reset before the first step"):
            envs.step([0, 1])
        _, infos = envs.reset(options={"reset_mask": np.array([True, False])})  # the first reset is of all games
        assert infos["to_move"].tolist() == [1, 1]
    for env, action in ((Env(game), 0), (parallel_env(game), {"cross": 0})):
        with pytest.raises(NotResetError, match="call reset before the first step"):
            env.step(action)  # type: ignore[arg-type]


@pytest.mark.parametrize("breaks_in", ["step", "reset"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_was_broken_off_while_others_think_begins_anew(
    game: ludens.Game, monkeypatch: pytest.MonkeyPatch, error: type[BaseException], breaks_in: str
) -> None:
    envs = VectorEnv(game, 2, role="nought", opponent="first")
    begun = envs.reset()[0]
    envs.step([8, 8])

    def breaks(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch, pytest.raises(error):
        patch.setattr(envs._opponent, "choose", breaks)
        envs.step([7, 7]) if breaks_in == "step" else envs.reset()
    with pytest.raises(NotResetError, match="after one that was broken off"):
        envs.step([2, 2])
    observations, infos = envs.reset(options={"reset_mask": np.array([True, False])})
    assert (observations == begun).all()
    assert infos["to_move"].tolist() == [1, 1]
    envs.step([8, 8])


def test_nothing_is_stepped_after_the_end(game: ludens.Game) -> None:
    env, together = made(ENV, game), made(PARALLEL, game)
    env.step(99)  # which loses
    with pytest.raises(NotResetError, match="were not reset: rows"):
        env.step(0)
    together.step({"cross": 99})
    assert not together.agents
    with pytest.raises(NotResetError, match="after the end"):
        together.step({"cross": 0})
    together.reset()
    together.step({"cross": 0})


@pytest.mark.parametrize("kind", [ENVS, ENV, AEC, PARALLEL])
def test_what_was_closed_is_used_no_more(game: ludens.Game, kind: str) -> None:
    env = made(kind, game)
    env.close()
    env.close()
    with pytest.raises(ludens.ClosedError):
        env.reset()
    with pytest.raises(ludens.ClosedError):
        env.step({ENVS: [0, 0], ENV: 0, AEC: 0, PARALLEL: {"cross": 0}}[kind])


def test_the_search_of_an_opponent_is_closed_with_its_environment(game: ludens.Game) -> None:
    envs = VectorEnv(game, 2, role="nought", opponent="uct:iterations=10")
    envs.reset(seed=1)
    search = envs._opponent._search  # type: ignore[attr-defined]
    search.run(iterations=1)
    envs.close()
    with pytest.raises(ludens.ClosedError, match="this search is closed"):
        search.run(iterations=1)


@pytest.mark.parametrize("kind", [ENVS, ENV, AEC, PARALLEL])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_environments_are_not_copied(game: ludens.Game, kind: str, copied: Callable[[Any], object]) -> None:
    with pytest.raises(LudensError, match="neither copied nor pickled"):
        copied(made(kind, game).unwrapped)


@pytest.mark.parametrize("kind", [ENVS, AEC, PARALLEL])
def test_a_second_thread_is_told_that_the_environment_is_in_use(game: ludens.Game, kind: str) -> None:
    env = made(kind, game)
    before, told = position(env), []

    def use() -> None:
        for act in (env.reset, lambda: env.step({ENVS: [0, 0], AEC: 0, PARALLEL: {"cross": 0}}[kind])):
            try:
                act()
            except ludens.InUseError as error:
                told.append(str(error))

    with env.unwrapped._entry:
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
    assert len(told) == 2
    assert "in use by another thread" in told[0]
    assert position(env) == before
    env.step({ENVS: [0, 0], AEC: 0, PARALLEL: {"cross": 0}}[kind])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_process_that_was_forked_is_told_to_make_its_own(game: ludens.Game) -> None:
    envs = made(ENVS, game)
    child = os.fork()
    if child == 0:
        try:
            envs.step([0, 0])
        except ludens.ClosedError:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.mark.parametrize(
    ("name", "package", "extra"), [("aec_env", "pettingzoo", "pettingzoo"), ("VectorEnv", "gymnasium", "gym")]
)
def test_a_package_that_is_missing_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, name: str, package: str, extra: str
) -> None:
    for module in ("ludens.agent.env.gym", "ludens.agent.env.zoo"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=rf"{package} is not installed: pip install 'ludens\[{extra}\]'"):
        getattr(ludens.env, name)


def test_openspiel_is_named_with_its_extra_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("ludens.openspiel", "ludens.agent.env.spiel"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ModuleNotFoundError, match=r"pyspiel is not installed: pip install 'ludens\[openspiel\]'"):
        import_module("ludens.openspiel")


def test_openspiel_is_told_what_is_wrong(game: ludens.Game) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'ludens[openspiel]'")
    import ludens.openspiel

    state = pyspiel.load_game("ludens(game=tic_tac_toe)").new_initial_state()
    before = str(state)
    for action in (99, -5, 9):
        with pytest.raises(ludens.IllegalMoveError, match="is no legal move of cross here"):
            state.apply_action(action)
    assert (str(state), state.history()) == (before, [])
    with pytest.raises(ludens.IllegalMoveError, match="99 is no action of cross: there are 10"):
        state.action_to_string(0, 99)
    with pytest.raises(ludens.RoleError, match="no role 5"):
        state.action_to_string(5, 0)
    for action in (0, 3, 1, 4, 2):
        state.apply_action(action)
    with pytest.raises(ludens.GameOverError):
        state.apply_action(5)
    assert state.history() == [0, 3, 1, 4, 2]
    with pytest.raises(ludens.UnknownGameError, match="did you mean tic_tac_toe"):
        pyspiel.load_game("ludens(game=tictactoe)")
    with pytest.raises(ludens.BudgetError, match="max_game_length must be a whole number from 1 on"):
        pyspiel.load_game("ludens(game=tic_tac_toe,max_game_length=0)")
