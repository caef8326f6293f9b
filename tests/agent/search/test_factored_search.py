"""Searches by factors against minimax on the whole game, and what proves that a game may be played so."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.search import decomposition as module
from ludens.agent.search import factored_search as factored_module
from ludens.agent.search.assembly import new_search
from ludens.agent.search.decomposition import (
    Decomposition,
    Kind,
    NotDecomposableError,
    decompose,
    decomposition_of,
    factors_of,
    idle_vector,
)
from ludens.agent.search.factored_search import FactoredSearch, FactorMove, log_odds
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.policy_networks import playable
from ludens.native.core import Game, Search, SearchStats, Simulator, States, unpack_bits
from ludens.propnet.analysis.factors import Factorisation, factorise
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.interpreter import Interpreter, State
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import Propnet
from tests.support.factored_sheets import MATCHES, TWO_RACES, TWO_ROWS
from tests.support.waiting import PATIENCE

SECONDS = 60.0
OPTIONS = PlayerOptions(strategy="uct", seed=1, nodes_mb=64)


@cache
def sheet(name: str) -> RuleSheet:
    return parse_rules(MATCHES[name])


@cache
def network(name: str) -> Propnet:
    return load(sheet(name))


@cache
def decomposition(name: str) -> Decomposition:
    return decomposed(network(name))


def decomposed(net: Propnet) -> Decomposition:
    return decompose(net, factorise(net, SECONDS), SECONDS)


def search(name: str) -> FactoredSearch:
    found = new_search(prepare(network(name), OPTIONS, TimeBudget(SECONDS, 1.0)), seed=1)
    assert isinstance(found, FactoredSearch)
    return found


class RowsSolved:
    """What two rows are worth to x: a minimax value for each, found by the interpreter with the other row empty.

    It is the definition of perfect play in a game of perfect information: nothing of the factoring goes into it.
    """

    def __init__(self) -> None:
        self._rules = Interpreter(sheet("two rows"))
        self._known: dict[tuple[str, State], int] = {}

    def value(self, state: State) -> int:
        """The goal of x if both play both rows perfectly."""
        return self._row("top", state) + self._row("low", state)

    def _row(self, row: str, state: State) -> int:
        """50, 25 or 0: what x gets of a row, the other being left to whatever is legal there."""
        mine = frozenset(f for f in state if f"{row}" in str(f))
        key = (row, mine)
        if key not in self._known:
            self._known[key] = self._searched(row, state, mine)
        return self._known[key]

    def _searched(self, row: str, state: State, mine: State) -> int:
        stones = {str(f) for f in mine if str(f).startswith("(stone")}
        for who, worth in (("x", 50), ("o", 0)):
            if any({f"(stone {row} {s} {who})", f"(stone {row} {s + 1} {who})"} <= stones for s in range(1, 5)):
                return worth
        if len(stones) == 5:
            return 25
        other = "low" if row == "top" else "top"
        rest = frozenset(
            parse_term(text)
            for text in (f"(turn {other} {'o' if any(str(f) == f'(turn {row} x)' for f in mine) else 'x'})",)
        )
        alone = mine | rest
        mover = "x" if any(str(f) == f"(turn {row} x)" for f in mine) else "o"
        values = []
        for move in self._rules.legal(alone, mover):
            waiting = "o" if mover == "x" else "x"
            joint = {mover: move, waiting: self._rules.legal(alone, waiting)[0]}
            values.append(self._row(row, self._rules.next(alone, joint)))
        return max(values) if mover == "x" else min(values)


def facts(net: Propnet, state: States) -> State:
    return frozenset(
        parse_term(net.propositions[p]) for p in np.flatnonzero(unpack_bits(state.reshape(-1), net.state_bits))
    )


def test_two_rows_are_a_sum_and_one_of_rows_is_a_race() -> None:
    assert decomposition("two rows").kind is Kind.SUM
    assert decomposition("one of rows").kind is Kind.FIRST_TO_END

    def decomposed_by(name: str, seconds: float = SECONDS, **settings: Any) -> bool:
        settings = {"nodes_mb": 64, "learn": 0.0, **settings}
        return prepare(network(name), PlayerOptions(**settings), TimeBudget(seconds, 1.0)).decomposition is not None

    assert not decomposed_by("two rows", 0.0, factored="off")
    assert not decomposed_by("two rows", 0.0, strategy="rave")
    assert decomposed_by("two rows")
    assert decomposed_by("one of rows")


def test_positions_of_a_part_are_examined_a_few_at_a_time_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, real = list[int](), Simulator.next

    def following(self: Simulator, states: States, *arguments: Any, **options: Any) -> States:
        rows.append(len(np.atleast_2d(states)))
        return real(self, states, *arguments, **options)

    whole = decomposition("two rows")
    monkeypatch.setattr(Simulator, "next", following)
    monkeypatch.setattr(module, "_SLICE", 1)
    found = decomposed(network("two rows"))
    assert max(rows) == 5  # the moves of one position
    assert sum(rows) > 300
    assert (found.kind, found.offset) == (whole.kind, whole.offset)
    for one, other in zip(found.games, whole.games, strict=True):
        assert np.array_equal(one.net.gates, other.net.gates)
    monkeypatch.setattr(module, "_MOST_POSITIONS", 50)
    rows.clear()
    with pytest.raises(NotDecomposableError, match="too many positions"):
        decomposed(network("two rows"))
    assert sum(rows) < 100


def test_a_product_of_very_many_values_is_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    values: Any = range(1 << 32)
    monkeypatch.setattr(module._Decomposer, "_explored", lambda _self, _place: module._Explored(values, {}))
    with pytest.raises(NotDecomposableError, match="too many facts"):
        decomposed(network("two rows"))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(<= (goal ?p 75) (pair top ?p)", "(<= (goal ?p 60) (pair top ?p)", "constant sum"),
        (
            "(<= terminal (not (going top)) (not (going low)))",
            "(<= terminal (not (going top)))",
            "has ended can continue",
        ),
    ],
)
def test_what_is_no_sum_is_not_divided(old: str, new: str, reason: str) -> None:
    changed = TWO_ROWS.replace(old, new)
    assert changed != TWO_ROWS
    with pytest.raises(NotDecomposableError, match=reason):
        decomposed(load(parse_rules(changed)))


def test_goals_that_are_no_sums_are_not_divided() -> None:
    """Who wins both rows, or one of them and loses none, wins all: of constant sum, and no sum over rows."""
    changed = TWO_ROWS.replace("(goal ?p 75)", "(goal ?p 100)").replace("(goal ?p 25)", "(goal ?p 0)")
    with pytest.raises(NotDecomposableError, match="not sums of goals"):
        decomposed(load(parse_rules(changed)))


def think(found: FactoredSearch) -> None:
    """Searches for about a second on a quick machine."""
    enough = found.stats().playouts + 1_000_000
    while not found.stats().solved and found.stats().playouts < enough:
        found.run(0.1)


def test_a_sum_is_solved_with_the_value_that_perfect_play_has() -> None:
    net, truth = network("two rows"), RowsSolved()
    game = Game.from_propnet(net)
    simulator, found = Simulator(game, 64, seed=7), search("two rows")
    looked = 0
    for joint_moves in simulator.record()[:8]:
        state = game.initial
        for joint in joint_moves:
            if simulator.terminal(state)[0]:
                break
            found.set_root(state)
            found.run(PATIENCE)
            assert found.stats().solved
            for role, sign in ((0, 1), (1, -1)):
                known = found.root_moves(role)
                value = truth.value(facts(net, state))
                mine = value if role == 0 else 100 - value
                assert known.proven[known.best] == mine
                assert known.values[known.best] == pytest.approx(mine)
                assert known.visits[known.best] == known.visits.max() > 0
                assert check_best(truth, net, simulator, state, role, int(known.moves[known.best])) * sign >= 0
                looked += 1
            state = simulator.next(state, joint)[0]
    assert looked > 30


def check_best(truth: RowsSolved, net: Propnet, simulator: Simulator, state: States, role: int, move: int) -> int:
    """What x gains over the value of the state, at worst for `role`, if it makes the move."""
    legal = [np.flatnonzero(moves[0]) for moves in simulator.legal(state)]
    before = truth.value(facts(net, state))
    changes = []
    for reply in legal[1 - role]:
        joint = [move, int(reply)] if role == 0 else [int(reply), move]
        changes.append(truth.value(facts(net, simulator.next(state, np.array(joint, np.int32))[0])) - before)
    return min(changes) if role == 0 else max(changes)


def test_a_race_is_won_at_once_and_a_threat_is_met_wherever_it_is() -> None:
    net, game = network("one of rows"), Game.from_propnet(network("one of rows"))
    simulator, found = Simulator(game, 64), search("one of rows")

    def played(*texts: str) -> States:
        state = game.initial
        for ply, text in enumerate(texts):
            joint = [net.moves[role].index(text if role == ply % 2 else "noop") for role in (0, 1)]
            state = simulator.next(state, np.array(joint, np.int32))[0]
        return state

    def best(state: States, role: int) -> str:
        found.set_root(state)
        think(found)
        known = found.root_moves(role)
        return net.moves[role][int(known.moves[known.best])]

    assert best(played("(set top 1)", "(set low 3)"), 0) == "(set top 2)"
    assert found.stats().solved
    assert best(played("noop", "(set top 1)"), 0) == "(set top 2)"
    # On the low row a stone beside one's own loses, so the last free squares there are left alone.
    state = played("(set low 1)", "(set low 5)")
    for _ in range(3):
        assert best(state, 0) not in ("(set low 2)",)


def test_a_race_is_won_by_force_whatever_the_other_side_does() -> None:
    """A stone on the top row with both neighbours free wins: both cannot be taken at once."""
    net, game = network("one of rows"), Game.from_propnet(network("one of rows"))
    simulator, found = Simulator(game, 64), search("one of rows")

    def best(state: States) -> int:
        found.set_root(state)
        think(found)
        known = found.root_moves(0)
        return int(known.moves[known.best])

    noop = [texts.index("noop") for texts in net.moves]
    first = best(game.initial)
    assert net.moves[0][first] in ("(set top 2)", "(set top 3)", "(set top 4)")
    state = simulator.next(game.initial, np.array([first, noop[1]], np.int32))[0]
    replies = np.flatnonzero(simulator.legal(state)[1][0])
    assert len(replies) == 10
    for reply in replies:
        after = simulator.next(state, np.array([noop[0], reply], np.int32))[0]
        end = simulator.next(after, np.array([best(after), noop[1]], np.int32))
        assert simulator.terminal(end)[0]
        assert simulator.goals(end)[0].tolist() == [100, 0]


Row = tuple[str, ...]  # "x", "o" or "" for each square


def row_on_turn(rows: tuple[Row, Row]) -> int:
    """Returns the row where x has the turn in two races."""
    return sum(map(bool, rows[0])) % 2


@cache
def race_value(rows: tuple[Row, Row]) -> int:
    """Returns the goal of x in two races played perfectly, the other side seeing its move: not from the sheet."""
    pairs = {who for row in rows for who in "xo" if (who, who) in pairwise(row)}
    if pairs or "" not in rows[0]:
        return 50 if len(pairs) != 1 else 100 if "x" in pairs else 0
    return max(race_value_after(rows, move) for move, stone in enumerate(rows[row_on_turn(rows)]) if not stone)


def race_value_after(rows: tuple[Row, Row], move: int) -> int:
    """Returns the goal of x after its move in the row where it has the turn, and the best answer in the other."""
    mine, values = row_on_turn(rows), []
    for answer, stone in enumerate(rows[1 - mine]):
        if not stone:
            after = [list(row) for row in rows]
            after[mine][move], after[1 - mine][answer] = "x", "o"
            values.append(race_value((tuple(after[0]), tuple(after[1]))))
    return min(values)


def race_rows(net: Propnet, state: States) -> tuple[Row, Row]:
    stones = {tuple(str(fact).strip("()").split()) for fact in facts(net, state)}

    def row(name: str) -> Row:
        squares = ([who for who in "xo" if ("stone", name, str(square), who) in stones] for square in range(1, 6))
        return tuple(stone[0] if stone else "" for stone in squares)

    return row("top"), row("low")


def test_races_at_the_same_time_are_played_as_well_as_they_can_be() -> None:
    net, found, looked = network("two races"), search("two races"), 0
    simulator = Simulator(found.game, 64, seed=7)
    assert decomposition("two races").kind is Kind.FIRST_TO_END
    assert not decomposition("two races").compares
    for joint_moves in simulator.record()[:20]:
        state = found.game.initial
        for joint in joint_moves:
            rows = race_rows(net, state)
            found.set_root(state)
            think(found)
            known = found.root_moves(0)
            move = net.moves[0][int(known.moves[known.best])]
            assert race_value_after(rows, int(move.strip("()").split()[2]) - 1) == race_value(rows), (rows, move)
            looked += 1
            state = simulator.next(state, joint)[0]
    assert looked > 40


def test_a_part_that_can_leave_what_a_shared_end_asks_for_is_not_taken_for_over() -> None:
    """The game is over too where in both rows x has the first square, and nobody any other."""
    changed = (
        TWO_RACES
        + """
        (<= (begun ?r) (true (stone ?r 1 x)) (not (true (stone ?r 1 o)))
            (free ?r 2) (free ?r 3) (free ?r 4) (free ?r 5))
        (<= terminal (begun top) (begun low))
    """
    )
    with pytest.raises(NotDecomposableError, match="a part that has ended can continue"):
        decomposed(load(parse_rules(changed)))


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


class SlowSearch(Search):
    """A search of a part for which every run takes so many seconds of a clock of the test's own."""

    def __init__(self, game: Game, clock: Clock, seconds: float) -> None:
        super().__init__(game, seed=1, memory_bytes=1 << 20)
        self._clock, self._seconds = clock, seconds
        self.had, self.solved = 0.0, False

    def run(self, seconds: float = 0.0, playouts: int = 0) -> None:
        self._clock.now += self._seconds
        self.had += self._seconds

    def stats(self) -> SearchStats:
        return replace(super().stats(), solved=self.solved)


def test_parts_that_are_games_by_themselves_have_equal_time_until_one_is_solved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, found = Clock(), decomposition("two races")
    monkeypatch.setattr(factored_module, "time", clock)
    games = [Game.from_propnet(sub.net) for sub in found.games]
    slow, quick = (SlowSearch(game, clock, seconds) for game, seconds in zip(games, (3.0, 1.0), strict=True))
    whole = FactoredSearch(Game.from_propnet(network("two races")), found, [slow, quick])
    whole.run(seconds=60.0)
    assert (slow.had, quick.had) == (30.0, 30.0)
    slow.solved = True
    whole.run(seconds=10.0)
    assert (slow.had, quick.had) == (30.0, 40.0)
    assert not whole.stats().solved
    quick.solved = True
    assert whole.stats().solved
    whole.run()  # at once


def test_the_quickest_of_sure_wins_comes_before_making_no_move() -> None:
    quickest, later, likely = FactorMove(100, 1.0, 100), FactorMove(100, 0.0, 100), FactorMove(98, 1.0, -1)
    assert log_odds(quickest) > log_odds(later) > log_odds(likely)


@pytest.mark.parametrize("policy", ["uniform", "anti-decisive"])
def test_random_games_of_a_race_move_in_the_factor_while_they_can(policy: str) -> None:
    for sub in decomposition("one of rows").games:
        net, _ = playable(sub.net, policy, lambda _text: None)
        game, evaluator = Game.from_propnet(net), Evaluator(net)
        row = "top" if any(" top " in text for text in net.propositions) else "low"
        here = np.array([f"(set {row} " in text for moves in net.moves for text in moves])
        for joint_moves in Simulator(game, 64, seed=5).record():
            assert len(joint_moves) <= 5
            state = unpack_bits(game.initial, net.state_bits)
            for joint in joint_moves:
                legal, allowed = evaluator.legal(state), evaluator.playable(state)
                assert legal[~here].sum() == 2  # to wait, and to move elsewhere
                assert not (allowed & ~legal).any()
                assert allowed[~here].sum() == 1
                assert allowed[here].any()
                assert policy != "uniform" or allowed[here].tolist() == legal[here].tolist()
                state = evaluator.next(state, joint)


def test_a_policy_that_suits_no_factor_is_told_of_and_games_are_uniform() -> None:
    told = list[str]()
    settings = PlayerOptions(nodes_mb=64, learn=0.0, policy="captures")
    found = prepare(network("one of rows"), settings, TimeBudget(SECONDS, 1.0, tell=told.append))
    assert [part.policy for part in found.parts] == ["uniform"] * 2
    [reason] = [text for text in told if "policy=captures does not suit the game" in text]
    assert "parts" not in reason


@pytest.mark.parametrize(
    ("left", "seconds"), [(0.0, (1.0, 1.0)), (6.0, (1.5, 1.5)), (10.0, (2.0, 2.5)), (60.0, (2.0, 5.0))]
)
def test_a_short_start_clock_leaves_time_for_more_than_factors(
    monkeypatch: pytest.MonkeyPatch, left: float, seconds: tuple[float, float]
) -> None:
    net, had = network("one of rows"), list[float]()
    factoring = factorise(net, SECONDS)

    def finding(_net: Propnet, seconds: float) -> Factorisation:
        had.append(seconds)
        return factoring

    def refusing(_net: Propnet, _factoring: Factorisation, seconds: float) -> Decomposition:
        had.append(seconds)
        raise NotDecomposableError("it is not tried")

    monkeypatch.setattr(module, "factorise", finding)
    monkeypatch.setattr(module, "decompose", refusing)
    assert factors_of(net, left) is factoring
    assert decomposition_of(net, factoring, left) is None
    assert tuple(had) == seconds


def test_the_vector_of_no_move_is_found() -> None:
    assert idle_vector([(0, 9), (1, 9), (2, 9), (0, 5)]) == (0, 9)
    assert idle_vector([(0, 9), (1, 5)]) is None


def test_a_search_by_factors_can_be_stopped_and_keeps_to_its_time() -> None:
    found = search("one of rows")
    found.stop()  # concerns no run that begins later
    while not found.stats().playouts:
        found.run(0.05)
    assert len(found.expected_line()) == 1
