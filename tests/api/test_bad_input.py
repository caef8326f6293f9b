"""What makes no sense is one clear `LudensError`, and nothing happens; `make test-sanitized` runs it too."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludens
from ludens.agent.env.batch import FORCED
from ludens.agent.env.layouts import bytes_of_bits, bytes_of_slices
from ludens.agent.env.opponents import random_actions


def named(value: Any) -> str:
    """Returns a short name of a value, the same in every process."""
    return re.sub(r" at 0x\w+", "", repr(value))[:30]


NAN, HUGE = math.nan, 10**30
RAGGED: Any = [[1], [2, 3]]
HALVES, SLICES = np.zeros(33, np.uint8)[1:], np.zeros((1, 3, 8), np.uint64)


@pytest.fixture(scope="module")
def game() -> ludens.Game:
    return ludens.load("tic_tac_toe")


@pytest.fixture(scope="module")
def learned(game: ludens.Game) -> ludens.Evaluation:
    return ludens.learn(game, 0.2, seed=1)


MOVES: list[Any] = [
    *(
        HUGE,
        -1,
        True,
        1.5,
        {},
        {"cross": None},
        [None, None],
        np.array([0.5, 1.0]),
        NAN,
        object(),
        b"x",
        (0,),
        [0, 9, 9],
    ),
    *({"cross": 0, "x": 1}, np.uint64(2**63), "", "(", "mark 1 1 )", "x" * 100_000, {"cross": [0]}, {None: 0}),
]


@pytest.mark.parametrize("move", MOVES, ids=named)
def test_what_is_no_move_is_refused(game: ludens.Game, move: Any) -> None:
    with pytest.raises(ludens.LudensError):
        game.initial.play(move)


@pytest.mark.parametrize("answer", [HUGE, True, 1.5, {}, NAN, b"x", [0], None, np.float64(0), lambda: 0])
def test_what_a_player_answers_is_checked_here_too(game: ludens.Game, answer: Any) -> None:
    match = ludens.Match(game, [lambda _state, _role: answer, "random"])
    with pytest.raises(ludens.PlayerFailedError, match="chose no legal move") as raised:
        match.step()
    assert isinstance(raised.value.__cause__, ludens.IllegalMoveError)
    assert match.record.aborted
    assert not match.record.moves


@pytest.mark.parametrize("role", [1.5, b"x", -1, 2, True, "", object(), HUGE], ids=named)
def test_what_is_no_role_is_refused(game: ludens.Game, role: Any) -> None:
    with pytest.raises(ludens.RoleError):
        game.initial.legal(role)


@pytest.mark.parametrize(
    "source", [None, 5, b"x", [], "", ".", Path(), "\0(", "a\0b", "(" * 100_000, "nofile.kif"], ids=named
)
def test_what_is_no_game_is_refused(source: Any) -> None:
    with pytest.raises(ludens.LudensError):
        ludens.load(source)


def test_a_state_cannot_be_changed(game: ludens.Game) -> None:
    with pytest.raises(ValueError, match="read-only"):
        game.initial.words[0] = 1
    with pytest.raises(AttributeError):
        game.initial.terminal = True  # type: ignore[misc]


CALLS: dict[str, tuple[Callable[[ludens.Game], object], type[ludens.LudensError], str]] = {
    "load seconds": (lambda g: ludens.load(g.name, seconds=NAN), ludens.BudgetError, "seconds must be a number of"),
    "load memory": (lambda g: ludens.load(g.name, memory_mb=-5), ludens.BudgetError, "memory_mb must be"),
    "analyse": (lambda g: g.analyse(-1), ludens.BudgetError, "seconds"),
    "facts": (lambda g: g.state("(control cross)"), ludens.StateError, "list of texts"),
    "fact": (lambda g: g.state([5]), ludens.StateError, "list of texts"),  # type: ignore[list-item]
    "json": (lambda g: g.from_json(5), ludens.StateError, "whose `facts`"),  # type: ignore[arg-type]
    "search nothing": (lambda _: ludens.Search(None), ludens.StateError, "neither"),  # type: ignore[arg-type]
    "go nowhere": (lambda g: ludens.Search(g).go_to(g), ludens.StateError, "is no state"),  # type: ignore[arg-type]
    "strategy": (lambda g: ludens.Search(g, 5), ludens.OptionError, "5 is no strategy"),  # type: ignore[arg-type]
    "threads": (lambda g: ludens.Search(g, threads=0), ludens.BudgetError, "threads must be a whole number from 1"),
    "seed": (lambda g: ludens.Search(g, seed=1.5), ludens.BudgetError, "seed"),  # type: ignore[arg-type]
    "no evaluation": (lambda g: ludens.Search(g, evaluation=5), ludens.EvaluationError, "5"),  # type: ignore[arg-type]
    "part iterations": (lambda g: ludens.Search(g).run(iterations=1.5), ludens.BudgetError, "1.5"),  # type: ignore
    "many iterations": (lambda g: ludens.Search(g).run(iterations=HUGE), ludens.BudgetError, "whole number"),
    "every": (lambda g: ludens.Search(g).progress(NAN, iterations=1), ludens.BudgetError, "every must be"),
    "learn nothing": (lambda _: ludens.learn(5, 1), ludens.UnknownGameError, "is no game"),  # type: ignore[arg-type]
    "learn time": (lambda g: ludens.learn(g, "1"), ludens.BudgetError, "seconds"),  # type: ignore[arg-type]
    "learn threads": (lambda g: ludens.learn(g, 1, threads=0), ludens.BudgetError, "threads"),
    "learn features": (lambda g: ludens.learn(g, 1, features="no"), ludens.OptionError, "they are all, mobility"),
    "planes": (lambda g: ludens.Evaluation.recall(g, "planes"), ludens.OptionError, "guided:features=planes"),
    "known": (lambda g: ludens.learn(g, 1, known=5), ludens.EvaluationError, "5"),  # type: ignore[arg-type]
    "clock": (lambda g: ludens.Match(g, ["first"] * 2, seconds=-1), ludens.BudgetError, "seconds must be"),
    "turns": (lambda g: ludens.Match(g, ["first"] * 2, max_turns=-1), ludens.BudgetError, "max_turns"),
    "match of nothing": (lambda _: ludens.Match(5, []), ludens.UnknownGameError, "is no game"),  # type: ignore[arg-type]
    "no players": (lambda g: ludens.Match(g, None), ludens.PlayerError, "None are no players"),  # type: ignore[arg-type]
    "depth": (lambda g: ludens.perft(g, 1.5), ludens.BudgetError, "depth"),  # type: ignore[arg-type]
    "perft of another": (lambda g: ludens.perft(g, 1, ludens.load("nim").initial), ludens.StateError, "none of"),
    "batch seed": (lambda g: ludens.Batch(g, 4, seed="x"), ludens.BudgetError, "seed"),  # type: ignore[arg-type]
    "batch of all memory": (lambda g: ludens.Batch(g, 10**12), ludens.LayoutError, "GiB of memory"),
    "batch of more": (lambda g: ludens.Batch(g, HUGE), ludens.LayoutError, "GiB of memory"),
    "also": (lambda g: ludens.Batch(g, 4, also="states"), ludens.LayoutError, "tuple"),  # type: ignore[arg-type]
    "array": (lambda g: ludens.Batch(g, 4, arrays={"legal": None}), ludens.ArrayError, "legal: NoneType is no array"),
    "ragged": (lambda g: ludens.Batch(g, 2).step(RAGGED), ludens.ArrayError, "actions: no array"),
    "rows": (lambda g: ludens.Batch(g, 4).reset(np.ones(8, np.bool_)[::2]), ludens.ArrayError, "not contiguous"),
    "states": (lambda g: ludens.Batch(g, 4).load(np.zeros((4, 2), np.uint64)), ludens.ArrayError, "shape"),
    "playouts": (lambda g: ludens.Batch(g, 4).playouts(HUGE), ludens.BudgetError, "count"),
    "playouts time": (lambda g: ludens.Batch(g, 4).playouts(1, seconds=NAN), ludens.BudgetError, "seconds"),
    "playouts of another": (
        lambda g: ludens.Batch(g, 4).playouts(1, ludens.load("nim").initial),
        ludens.StateError,
        "nim",
    ),
    "games of nothing": (lambda g: ludens.Batch(g, 4).random_games(5), ludens.StateError, "5"),  # type: ignore[arg-type]
    "half a number": (
        lambda g: ludens.Batch(g, 4, arrays={"rewards": HALVES.view(np.float32).reshape(4, 2)}),
        ludens.ArrayError,
        "rewards: the array begins in the middle of a number",
    ),
    "no generator": (lambda _: random_actions(np.ones((2, 3)) > 0, 5), ludens.BudgetError, "rng must be"),  # type: ignore
    "too many bits": (lambda _: bytes_of_bits(np.zeros((2, 1), np.uint8), 9), ludens.ArrayError, "there are 8 bits"),
    "no bits": (lambda _: bytes_of_bits(5, 3), ludens.ArrayError, "bits: an array of int64"),  # type: ignore[arg-type]
    "too many lanes": (lambda _: bytes_of_slices(SLICES, 513), ludens.ArrayError, "there are 512 bits, not 513"),
    "no slices": (lambda _: bytes_of_slices(SLICES > 0, 4), ludens.ArrayError, "slices: an array of bool"),  # type: ignore
    "no number": (lambda _: bytes_of_slices(SLICES, "x"), ludens.ArrayError, "not 'x'"),  # type: ignore[arg-type]
    "no record": (lambda _: ludens.read_record(__file__), ludens.RecordError, "not a match record"),
    "a folder": (lambda _: ludens.read_record(Path()), ludens.RecordError, "cannot read"),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_makes_no_sense_is_one_clear_error(game: ludens.Game, name: str) -> None:
    call, error, says = CALLS[name]
    with pytest.raises(error, match=says) as raised:
        call(game)
    assert len(str(raised.value)) < 400
    assert "\n" not in str(raised.value)


STATES: list[Any] = [5, None, [5], np.zeros((2, 1)), np.zeros((2, 2), np.uint64), np.zeros((2, 1), object), "x"]


@pytest.mark.parametrize("states", STATES, ids=named)
def test_what_is_no_state_is_not_judged(learned: ludens.Evaluation, states: Any) -> None:
    with pytest.raises(ludens.LudensError):
        learned(states)


@pytest.mark.parametrize("content", [b"", b"\0\1" * 1000, None])
def test_a_file_that_is_no_evaluation_is_refused(
    game: ludens.Game, learned: ludens.Evaluation, content: bytes | None, tmp_path: Path
) -> None:
    path = tmp_path / "evaluation"
    learned.save(path)
    path.write_bytes(path.read_bytes()[:200] if content is None else content)
    with pytest.raises(ludens.EvaluationError, match="is no evaluation"):
        ludens.Evaluation.load(path, game)


def test_arrays_that_share_memory_are_refused(game: ludens.Game) -> None:
    memory = np.zeros(8, np.int32)
    arrays = {"to_move": memory[:4], "rewards": memory.view(np.float32).reshape(4, 2)}
    with pytest.raises(ludens.ArrayError, match="to_move and rewards share memory"):
        ludens.Batch(game, 4, arrays=arrays)


def test_actions_may_be_an_array_that_the_step_writes(game: ludens.Game) -> None:
    one, other = (ludens.Batch(game, 4, joint=True, also=("played", "states")) for _ in range(2))
    for batch, actions in ((one, one.played), (other, other.played.copy())):
        actions[:] = [0, FORCED]
        batch.step(actions)
    assert (one.states == other.states).all()
    assert (one.played == other.played).all()


def test_states_that_never_occur_are_played_without_harm(game: ludens.Game) -> None:
    batch = ludens.Batch(game, 4)
    batch.load(np.full((4, 1), 2**64 - 1, np.uint64))
    for _ in range(20):
        batch.step_randomly()


UNALIGNED = np.frombuffer(b"\0" + np.arange(4, dtype=np.int32).tobytes(), np.int32, offset=1)


@pytest.mark.parametrize(
    "actions", [np.array([0, 1, 2, 3], ">i4"), np.arange(4, dtype=np.uint64), np.arange(8)[::2], UNALIGNED]
)
def test_whole_numbers_of_any_kind_are_actions(game: ludens.Game, actions: Any) -> None:
    batch = ludens.Batch(game, 4, also=("played",))
    batch.step(actions)
    assert (batch.played[:, 0] == actions).all()
