"""Searches as Python objects: budgets, progress, what is found, and what bad use says."""

from __future__ import annotations

import _thread
import gc
import math
import os
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from typing import Any

import pytest

import ludens
from ludens.native.strategies import STRATEGIES
from tests.support.waiting import PATIENCE, until


@pytest.fixture(scope="module")
def game() -> ludens.Game:
    return ludens.load("tic_tac_toe")


@pytest.fixture(scope="module")
def long_game() -> ludens.Game:
    return ludens.load("breakthrough")


@pytest.fixture
def collector_paused() -> Iterator[None]:
    """Pauses the garbage collector: what is raised in a callback of it (hypothesis has one) is reported and lost."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="module")
def learned(long_game: ludens.Game) -> ludens.Evaluation:
    return ludens.learn(long_game, seconds=0.5, seed=1, features="state")


def won_at_once(game: ludens.Game) -> ludens.State:
    state = game.initial
    for move in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)"):
        state = state.play(move)
    return state


@pytest.mark.parametrize(
    "strategy",
    [name for name, of in STRATEGIES.items() if not of.needs_evaluation and not of.needs_core and name != "puzzle"],
)
def test_any_strategy_finds_a_win_in_one(game: ludens.Game, strategy: str) -> None:
    with ludens.Search(won_at_once(game), strategy, seed=1) as search:
        found = search.run(iterations=3000)
    assert found.move() == "(mark 1 3)"
    assert {move.move for move in found.moves("cross")} == set(found.state.legal())
    assert [move.move for move in found.moves("nought")] == ["noop"]


def test_what_is_found_fits_together(game: ludens.Game) -> None:
    with ludens.Search(won_at_once(game), "uct", seed=1) as search:
        found = search.run(iterations=5000)
    moves = found.moves()
    assert [move.visits for move in moves] == sorted((move.visits for move in moves), reverse=True)
    assert all(game.moves[0][move.index] == move.move for move in moves)
    assert found.value() == found.value("cross") == 100
    assert found.line[0] == ("(mark 1 3)", "noop")
    assert found.nodes > 0
    assert found.seconds > 0


def test_the_same_seed_and_iterations_find_the_same(long_game: ludens.Game) -> None:
    def found(seed: int) -> object:
        with ludens.Search(long_game, "uct", seed=seed) as search:
            return search.run(iterations=2000).found

    assert found(1) == found(1)
    assert found(1) != found(2)


def test_the_iterations_of_a_strategy_limit_runs_that_have_no_other_limit(long_game: ludens.Game) -> None:
    with ludens.Search(long_game, "uct:iterations=300", seed=1) as search:
        assert 300 <= search.run().iterations < 1000
        for _ in search.progress():
            pass
        assert search.result().iterations >= 600
        assert search.run(iterations=2000).iterations >= 2600
    with ludens.Search(long_game, "uct:iterations=300") as search, pytest.raises(ludens.BudgetError):
        search.run(iterations=0)


def test_a_search_keeps_what_it_knows_after_a_move(long_game: ludens.Game) -> None:
    with ludens.Search(long_game, "uct", seed=1) as search:
        best = search.run(iterations=20_000).move()
        after = search.advance(best)
        assert search.state == after == long_game.initial.play(best)
        kept = search.result()
    assert kept.iterations == 0
    assert sum(move.visits for move in kept.moves()) > 0


def test_a_search_is_an_iterator_of_its_progress(long_game: ludens.Game) -> None:
    with ludens.Search(long_game, "uct", seed=1) as search:
        seen = []
        for result in search.progress(every=0.001, seconds=PATIENCE):
            seen.append(result.iterations)
            if len(seen) == 3:
                break
        assert seen == sorted(seen)
        assert search.run(iterations=100).iterations > seen[-1]  # leaving the loop has ended that run


def test_progress_may_be_shown_as_seldom_as_one_likes(long_game: ludens.Game) -> None:
    with ludens.Search(long_game, "uct", seed=1) as search:
        assert not list(search.progress(every=1e10, iterations=100))
        assert search.result().iterations >= 100


def test_a_budget_of_nodes_ends_a_search(long_game: ludens.Game) -> None:
    with ludens.Search(long_game, "uct", seed=1) as search:
        assert search.run(nodes=100).nodes >= 100


def test_a_solved_search_ends_whatever_its_budget(game: ludens.Game) -> None:
    with ludens.Search(won_at_once(game), "proof") as search:
        found = search.run(seconds=PATIENCE)
    assert found.solved
    assert next(move for move in found.moves() if move.move == "(mark 1 3)").proven == 100


def test_several_threads_search_at_once(long_game: ludens.Game) -> None:
    with ludens.Search(long_game, "uct", threads=2) as search:
        assert search.run(iterations=2000).iterations >= 2000


def test_other_python_threads_run_while_a_search_does(long_game: ludens.Game) -> None:
    with ludens.Search(long_game, "uct") as search:
        run = threading.Thread(target=search.run, kwargs={"seconds": PATIENCE})
        run.start()
        until(lambda: search.result().iterations > 0)
        search.stop()
        run.join(PATIENCE)
        assert not run.is_alive()


@pytest.mark.usefixtures("collector_paused")
def test_ctrl_c_ends_a_search(long_game: ludens.Game) -> None:
    with ludens.Search(long_game, "uct") as search:

        def interrupt() -> None:
            until(lambda: search.result().iterations > 0)
            _thread.interrupt_main()

        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            search.run(seconds=PATIENCE)
        assert search.run(iterations=10).iterations > 0


def test_an_interpreted_game_is_searched_too(game: ludens.Game) -> None:
    interpreted = ludens.load(game.rules + "(extra 1)", seconds=0, interpret=True)
    with ludens.Search(interpreted, seed=1) as search:
        assert search.run(iterations=500).move() in interpreted.initial.legal()


# ---- Evaluations ----


def test_an_evaluation_guides_a_search(long_game: ludens.Game, learned: ludens.Evaluation) -> None:
    with ludens.Search(long_game, evaluation=learned, seed=1) as search:
        assert search.strategy == "guided"
        assert search.run(iterations=200).move() in long_game.initial.legal()


def test_an_evaluation_judges_one_state_or_many_alike(long_game: ludens.Game, learned: ludens.Evaluation) -> None:
    states = [long_game.initial, long_game.initial.play(long_game.initial.legal()[0])]
    one, many = learned(states[1]), learned(states)
    assert one.shape == (2,)
    assert many.shape == (2, 2)
    assert (many[1] == one).all()
    assert (learned(states[1].words) == many[1:]).all()
    assert learned([]).shape == (0, 2)
    assert ((many >= 0) & (many <= 100)).all()


def test_what_was_learned_tells_a_won_state_from_a_lost_one(long_game: ludens.Game, learned: ludens.Evaluation) -> None:
    facts = [fact for fact in long_game.initial.facts if not fact.startswith("(cell")]
    white_ahead = long_game.state([*facts, "(cell 1 7 white)", "(cell 8 7 black)"])
    assert learned(white_ahead)[0] > learned(white_ahead)[1]


def test_an_evaluation_is_saved_and_loaded(tmp_path: Any, long_game: ludens.Game) -> None:
    import pickle

    learned = ludens.learn(long_game, seconds=1.2, seed=1, features="mobility")
    assert learned.net.feature_names
    learned.save(tmp_path / "file")
    again = ludens.Evaluation.load(tmp_path / "file", long_game)
    states = (
        [long_game.initial, long_game.initial.play(0)]
        if 0 in long_game.initial.legal_indices()
        else [long_game.initial]
    )
    assert (again(states) == learned(states)).all()
    assert (pickle.loads(pickle.dumps(learned))(states) == learned(states)).all()
    seconds = (0.2 * 2**tried for tried in count())
    until(lambda: ludens.learn(long_game, seconds=next(seconds), known=again).rounds > again.rounds)
    with pytest.raises(ludens.EvaluationError, match="of another game than tic_tac_toe"):
        ludens.Evaluation.load(tmp_path / "file", ludens.load("tic_tac_toe"))
    other_goals = re.sub(r"100\)", "50)", long_game.rules, count=1)
    assert other_goals != long_game.rules
    with pytest.raises(ludens.EvaluationError, match="of another game than"):
        ludens.Evaluation.load(tmp_path / "file", ludens.load(other_goals))
    content = (tmp_path / "file").read_bytes()
    for damaged in (content[:-10], b"", b"{}\n", b"cos\nsystem\n"):
        (tmp_path / "file").write_bytes(damaged)
        with pytest.raises(ludens.EvaluationError, match="is no evaluation"):
            ludens.Evaluation.load(tmp_path / "file", long_game)
    with pytest.raises(ludens.EvaluationError, match="there is no file"):
        ludens.Evaluation.load(tmp_path / "other", long_game)
    with pytest.raises(ludens.EvaluationError, match="cannot write"):
        learned.save(tmp_path)


@pytest.mark.usefixtures("collector_paused")
def test_ctrl_c_ends_learning(long_game: ludens.Game) -> None:
    threading.Timer(0.2, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        ludens.learn(long_game, seconds=PATIENCE)


def test_a_state_of_an_equal_interpreted_game_is_searched_as_what_it_is(game: ludens.Game) -> None:
    """Though both games number facts as they turned up."""
    one, other = (ludens.load(game.rules + "(extra 2)", seconds=0, interpret=True) for _ in range(2))
    moves = ("(mark 1 1)", "(mark 2 2)", "(mark 3 3)")
    state, elsewhere = one.initial, other.initial
    for move, another in zip(moves, reversed(moves), strict=True):
        state, elsewhere = state.play(move), elsewhere.play(another)
    with ludens.Search(other, seed=1) as search:
        search.go_to(state)
        assert search.state.facts == state.facts
        found = search.run(iterations=50).moves("nought")
        assert {move.move for move in found} == set(state.legal("nought"))


@pytest.mark.parametrize("strategy", ["uct", "rave", "decoupled"])
def test_a_search_ends_once_it_has_no_memory_for_more_nodes(long_game: ludens.Game, strategy: str) -> None:
    with ludens.Search(long_game, strategy, memory_mb=1, seed=1) as search:
        assert 0 < search.run(nodes=10**9).nodes < 10**6


@pytest.mark.parametrize("seed", [-1, 2**63, 2**64 - 1, -(2**70)])
def test_any_whole_number_is_a_seed(game: ludens.Game, seed: int) -> None:
    with ludens.Search(game, seed=seed) as one, ludens.Search(game, seed=seed) as other:
        assert one.run(iterations=50).moves() == other.run(iterations=50).moves()


# ---- Bad use ----


@pytest.mark.parametrize(
    "budget",
    [
        {},
        {"seconds": 0},
        {"seconds": -1},
        {"iterations": 0},
        {"seconds": math.inf},
        {"nodes": -5},
        {"iterations": "many"},
        {"seconds": math.nan},
        {"nodes": True},
    ],
)
def test_a_budget_that_is_none_is_refused(game: ludens.Game, budget: Any) -> None:
    with ludens.Search(game) as search, pytest.raises(ludens.BudgetError):
        search.run(**budget)


def test_no_time_to_learn_is_refused(game: ludens.Game) -> None:
    for seconds in (0, -1, math.inf, math.nan):
        with pytest.raises(ludens.BudgetError):
            ludens.learn(game, seconds)


def test_games_that_cannot_be_learned_are_refused(game: ludens.Game, learned: ludens.Evaluation) -> None:
    with pytest.raises(ludens.NoNetworkError):
        ludens.learn(ludens.load(game.rules + "(extra 1)", seconds=0, interpret=True), 1)
    with pytest.raises(ludens.EvaluationError, match="of breakthrough, not of tic_tac_toe"):
        ludens.learn(game, 1, known=learned)


def test_a_strategy_that_is_none_or_does_not_fit_is_refused(game: ludens.Game, learned: ludens.Evaluation) -> None:
    cases: list[tuple[type[Exception], str, dict[str, Any]]] = [
        (ludens.OptionError, "did you mean uct", {"strategy": "utc"}),
        (ludens.OptionError, "there is no setting", {"strategy": "uct:expl=1"}),
        (ludens.OptionError, "without a search", {"strategy": "random"}),
        (ludens.OptionError, "cluster is only for players", {"strategy": "uct:cluster=auto"}),
        (ludens.OptionError, "none of its games", {"strategy": "td"}),
        (ludens.BudgetError, "must be", {"threads": -1}),
        (ludens.EvaluationError, "needs an evaluation", {"strategy": "guided"}),
        (ludens.EvaluationError, "of breakthrough was given for tic_tac_toe", {"evaluation": learned}),
    ]
    for error, says, arguments in cases:
        with pytest.raises(error, match=says):
            ludens.Search(game, **arguments)
    with pytest.raises(ludens.EvaluationError, match="uct has no use"):
        ludens.Search(learned.game, "uct", evaluation=learned)


def test_states_of_another_game_are_refused(game: ludens.Game, learned: ludens.Evaluation) -> None:
    with pytest.raises(ludens.EvaluationError, match="is no state of breakthrough"):
        learned([game.initial])
    with pytest.raises(ludens.NativeError, match="shape"):
        learned(learned.game.initial.words[:1])
    with pytest.raises(ludens.NativeError, match="float64"):
        learned(learned.game.initial.words.astype(float))
    with (
        ludens.Search(learned.game) as search,
        pytest.raises(ludens.StateError, match="a state of tic_tac_toe is none of breakthrough"),
    ):
        search.go_to(game.initial)


def test_a_state_where_the_game_is_over_is_not_searched(game: ludens.Game) -> None:
    over = won_at_once(game).play("(mark 1 3)")
    with pytest.raises(ludens.GameOverError):
        ludens.Search(over)
    with ludens.Search(won_at_once(game)) as search, pytest.raises(ludens.GameOverError):
        search.advance("(mark 1 3)")


def test_a_closed_search_says_so(game: ludens.Game) -> None:
    search = ludens.Search(game)
    search.close()
    search.close()
    for use in (search.run, search.result, search.stop):
        with pytest.raises(ludens.ClosedError):
            use(**({"seconds": 1} if use == search.run else {}))


def test_a_search_in_use_is_closed_by_another_thread(long_game: ludens.Game) -> None:
    search = ludens.Search(long_game)

    def run() -> None:
        with suppress(ludens.ClosedError):  # depending on who is first
            search.run(seconds=PATIENCE)

    thread = threading.Thread(target=run)
    thread.start()
    until(lambda: search.result().iterations > 0)
    with pytest.raises(ludens.InUseError):
        search.go_to(long_game.initial)
    with pytest.raises(ludens.InUseError):
        search.run(seconds=1)
    search.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    with pytest.raises(ludens.ClosedError):
        search.result()


def test_a_search_may_be_closed_between_two_steps_of_its_progress(long_game: ludens.Game) -> None:
    search = ludens.Search(long_game)
    steps = 0
    for _ in search.progress(0.01, seconds=PATIENCE):
        steps += 1
        search.close()
    assert steps == 1
    with ludens.Search(long_game) as other:
        left = other.progress(0.01, seconds=PATIENCE)
        assert next(left).state == long_game.initial
    assert next(left, None) is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_closes_a_search_that_runs_in_another(long_game: ludens.Game) -> None:
    search = ludens.Search(long_game)

    def run() -> None:
        with suppress(ludens.ClosedError):
            search.run(seconds=PATIENCE)

    worker = threading.Thread(target=run)
    worker.start()
    until(lambda: search.result().iterations > 0)
    if (child := os.fork()) == 0:
        try:
            search.close()
            os._exit(7)
        finally:
            os._exit(1)
    search.close()
    worker.join()
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_is_told_to_make_its_own_search(game: ludens.Game) -> None:
    search = ludens.Search(game)
    if (child := os.fork()) == 0:
        try:
            search.run(seconds=1)
        except ludens.ClosedError:
            os._exit(7)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7
