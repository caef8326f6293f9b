"""Proof-number search where states come again, with symmetries, little memory, in pieces, in threads, guided."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from ludens import games
from ludens.native.core import (
    Evaluation,
    EvaluationFit,
    EvaluationWeights,
    Game,
    Search,
    Simulator,
    TrainingSamples,
    unpack_bits,
)
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet
from tests.support.racing_sheets import racing_sheet
from tests.support.searching import network, searching
from tests.support.solved_game import SolvedGame
from tests.support.waiting import PATIENCE

_GOALS = (0, 30, 50, 100)


@dataclass(frozen=True)
class Graph:
    """A game on a graph, that may go round in circles: who moves, and where to, or the first role's goal."""

    turns: list[int]
    edges: list[list[int]]
    ends: dict[int, int]

    @classmethod
    def random(cls, dice: random.Random, roles: int) -> Graph:
        size = dice.randrange(6, 30)
        ends = {v: dice.choice(_GOALS) for v in dice.sample(range(1, size), dice.randrange(2, size // 2))}
        edges = [dice.sample(range(size), dice.randrange(1, 5)) for _ in range(size)]
        return cls([dice.randrange(roles) for _ in range(size)], edges, ends)

    def sheet(self, roles: int) -> str:
        lines = [*["(role a)", "(role b)"][:roles], "(init (at 0))"]
        for v, turn in enumerate(self.turns):
            if v in self.ends:
                lines.append(f"(end {v} {self.ends[v]} {100 - self.ends[v]})")
            else:
                lines.append(f"(turn {v} {'ab'[turn]})")
                lines += [f"(edge {v} {w})" for w in self.edges[v]]
        lines += [
            "(<= (legal ?r (go ?w)) (true (at ?v)) (turn ?v ?r) (edge ?v ?w))",
            "(<= (legal ?r wait) (role ?r) (true (at ?v)) (turn ?v ?s) (distinct ?r ?s))",
            "(<= (next (at ?w)) (does ?r (go ?w)))",
            "(<= terminal (true (at ?v)) (end ?v ?x ?y))",
            "(<= (goal a ?x) (true (at ?v)) (end ?v ?x ?y))",
        ]
        if roles == 2:
            lines.append("(<= (goal b ?y) (true (at ?v)) (end ?v ?x ?y))")
        return "\n".join(lines)

    def bounds(self, state: int) -> tuple[int, int]:
        """The most that the first role can force, and the least that the second can hold it to.

        Sets grow from the ends backwards until nothing is added; what never ends is neither's achievement.
        """
        low = max(g for g in _GOALS if g == 0 or state in self._forced(0, g.__le__))
        high = min(g for g in _GOALS if g == 100 or state in self._forced(1, g.__ge__))
        return low, high

    def _forced(self, role: int, wanted: Callable[[int], bool]) -> set[int]:
        reached = {v for v, goal in self.ends.items() if wanted(goal)}
        while True:
            more = {
                v
                for v, edges in enumerate(self.edges)
                if v not in self.ends and (any if self.turns[v] == role else all)(w in reached for w in edges)
            }
            if more <= reached:
                return reached
            reached |= more


def _at(net: Propnet, state: npt.NDArray[np.uint64]) -> int:
    name = net.propositions[int(np.flatnonzero(unpack_bits(state, net.state_bits))[0])]
    return int(name.split()[-1].strip(")"))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("roles", [1, 2])
def test_proofs_hold_in_games_that_may_never_end(roles: int, threads: int) -> None:
    """All that can be forced is found, nothing else is claimed, and what is won is brought home."""
    dice = random.Random(10 * roles + threads)
    circles = 0
    for _ in range(15):
        graph = Graph.random(dice, roles)
        if 0 in graph.ends:
            continue
        net = load(graph.sheet(roles))
        game = Game.from_propnet(net)
        search = Search(game, strategy="proof", memory_bytes=1 << 20, lanes=64, threads=threads)
        search.run(seconds=PATIENCE)
        mover = graph.turns[0]
        known = search.root_moves(mover)
        for move, proven in zip(known.moves, known.proven, strict=True):
            low, high = graph.bounds(int(net.moves[mover][move].split()[-1].strip(")")))
            goal = low if mover == 0 else 100 - low
            assert proven == (goal if low == high else -1) or proven == -1
        low, high = graph.bounds(0)
        circles += low != high
        if low == high:
            assert search.stats().solved
            assert _play_out(net, search, graph, dice, mover)[mover] >= (low if mover == 0 else 100 - low)
    assert circles > 0


def _play_out(net: Propnet, search: Search, graph: Graph, dice: random.Random, role: int) -> list[int]:
    """The goals of a game between a search that has solved it and another that plays at random."""
    simulator = Simulator(search.game, lanes=64)
    state = search.game.initial
    for _ in range(len(graph.turns) + 1):
        if simulator.terminal(state[None])[0]:
            goals: list[int] = simulator.goals(state[None])[0].tolist()
            return goals
        search.set_root(state)
        search.run(playouts=20_000)
        joint = [int(dice.choice(np.flatnonzero(legal[0]))) for legal in simulator.legal(state[None])]
        known = search.root_moves(role)
        joint[role] = int(known.moves[known.best])
        state = simulator.next(state[None], np.array([joint], np.int32))[0]
    raise AssertionError("a won game goes round in circles")


def _mirrored(net: Propnet) -> npt.NDArray[np.int32]:
    """Tic-tac-toe with its columns and its rows exchanged, each [state_bits]."""

    def image(name: str, place: int) -> str:
        parts = name.strip("()").split()
        if parts[0] != "cell":
            return name
        parts[place] = str(4 - int(parts[place]))
        return f"({' '.join(parts)})"

    number = {name: i for i, name in enumerate(net.propositions)}
    return np.array([[number[image(name, place)] for name in net.propositions] for place in (1, 2)], np.int32)


def test_symmetries_save_states_and_change_no_result() -> None:
    net = network("tic_tac_toe")
    mirrors = _mirrored(net)
    made = []
    for symmetries in (None, mirrors):
        search = searching("tic_tac_toe", strategy="proof", symmetries=symmetries)
        search.run(playouts=200_000)
        assert search.stats().solved
        made.append(search.stats().nodes)
        simulator = Simulator(search.game, 64)
        dice = random.Random(1)
        for game in range(20):
            state = search.game.initial
            while not simulator.terminal(state[None])[0]:
                search.set_root(state)
                search.run(playouts=200_000)
                joint = [int(dice.choice(np.flatnonzero(legal[0]))) for legal in simulator.legal(state[None])]
                role = game % 2
                known = search.root_moves(role)
                joint[role] = int(known.moves[known.best])
                state = simulator.next(state[None], np.array([joint], np.int32))[0]
            assert simulator.goals(state[None])[0, game % 2] >= 50
    assert made[1] < made[0]


@pytest.mark.parametrize("threads", [1, 3])
def test_symmetries_count_as_memory_once(threads: int) -> None:
    """A number for each byte of a state, each value it may have, and each image; all threads share them."""
    net = network("tic_tac_toe")
    mirrors = _mirrored(net)
    plain, symmetric = (
        searching("tic_tac_toe", strategy="proof", symmetries=s, threads=threads, memory_bytes=1 << 17)
        for s in (None, mirrors)
    )
    tables = 8 * 8 * 256 * (1 + len(mirrors)) * -(-net.state_bits // 64)
    assert symmetric.stats().memory_bytes - plain.stats().memory_bytes == tables
    assert symmetric.stats().memory_bytes <= 1 << 17


@pytest.mark.parametrize("strategy", ["proof", "guided"])
def test_symmetries_that_leave_no_memory_are_refused(strategy: str) -> None:
    net = network("tic_tac_toe")
    turn = next(i for i, name in enumerate(net.propositions) if name.startswith("(control"))
    shapes = (2, net.state_bits + 1, 2), (2, net.state_bits + 1, 1), (2, 1, 2)
    evaluation = Evaluation(EvaluationWeights((turn,), *(np.zeros(shape, np.float32) for shape in shapes)))
    with pytest.raises(NativeError, match="memory_bytes is too small for the symmetries"):
        searching(
            "tic_tac_toe", strategy=strategy, symmetries=_mirrored(net), memory_bytes=1 << 16, evaluation=evaluation
        )


@pytest.mark.parametrize("rows", [[0, 0], [0, -1], [1, 2]])
def test_symmetries_that_are_no_permutations_are_refused(rows: list[int]) -> None:
    net = network("tic_tac_toe")
    symmetry = np.arange(net.state_bits, dtype=np.int32)
    symmetry[:2] = rows
    with pytest.raises(NativeError, match="no permutation"):
        searching("tic_tac_toe", strategy="proof", symmetries=symmetry[None])


@pytest.mark.parametrize("options", [{"memory_bytes": 4096}, {"threads": 2}, {"threads": 3, "memory_bytes": 1 << 16}])
def test_little_memory_and_threads_change_no_result(options: dict[str, int]) -> None:
    search = searching("tic_tac_toe", strategy="proof", **options)
    search.run(seconds=PATIENCE)
    assert search.stats().solved
    assert search.stats().memory_bytes <= options.get("memory_bytes", 1 << 24)
    known = search.root_moves(0)
    assert known.proven[known.best] == 50


def test_a_search_in_pieces_comes_to_the_same_end() -> None:
    search = searching("hex_small", strategy="proof")
    runs = 0
    while not search.stats().solved:
        search.run(playouts=20_000)
        runs += 1
        assert runs < 2_000
    assert runs > 10
    known = search.root_moves(0)
    assert known.proven[known.best] == 100


def test_what_was_solved_stays_so_from_turn_to_turn() -> None:
    net = load(games.read("hex_small"))
    search = searching("hex_small", strategy="proof")
    simulator = Simulator(search.game, 64)
    search.run(seconds=PATIENCE)
    state, solved_at = search.game.initial, search.stats().state_changes
    dice = random.Random(5)
    while not simulator.terminal(state[None])[0]:
        search.set_root(state)
        search.run(seconds=PATIENCE)
        assert search.stats().solved
        joint = [int(dice.choice(np.flatnonzero(legal[0]))) for legal in simulator.legal(state[None])]
        known = search.root_moves(0)
        joint[0] = int(known.moves[known.best])
        state = simulator.next(state[None], np.array([joint], np.int32))[0]
    assert simulator.goals(state[None])[0].tolist() == [100, 0]
    assert search.stats().state_changes < 2 * solved_at
    assert len(net.roles) == 2


# ---- With what was learned ----


def _taught(net: Propnet, solved: SolvedGame, values: npt.NDArray[np.int64]) -> Evaluation:
    """An evaluation that was fitted to goals of the first role in all states of a game."""
    dice, hidden, inputs = np.random.default_rng(1), 12, net.state_bits + 1
    turn = next(i for i, name in enumerate(net.propositions) if name.startswith("(control"))
    weights = EvaluationWeights(
        (turn,),
        np.zeros((2, inputs, 2), np.float32),
        dice.normal(0, 0.3, (2, inputs, hidden)).astype(np.float32),
        np.zeros((2, hidden, 2), np.float32),
    )
    fit = EvaluationFit(weights)
    samples = TrainingSamples(solved.states, np.stack([values, 100 - values], axis=1).astype(np.float32), 1)
    for seed in range(30):
        fit.fit(samples, 0.05, seed)
    return Evaluation(fit.weights)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_evaluation_says_where_to_look_and_not_what_is_proven(threads: int) -> None:
    """What it knows saves states, what it has wrong costs some; what is proven is what brute force finds."""
    made = dict.fromkeys(("none", "right", "wrong"), 0)
    for sheet in (0, 1, 4):
        net = load(parse_rules(racing_sheet(sheet)))
        game = Game.from_propnet(net)
        simulator = Simulator(game, lanes=64)
        solved = SolvedGame(net, game.initial[None])
        known = {
            "none": None,
            "right": _taught(net, solved, solved.values),
            "wrong": _taught(net, solved, 100 - solved.values),
        }
        for name, evaluation in known.items():
            search = Search(game, strategy="proof", lanes=64, threads=threads, evaluation=evaluation)
            search.run(playouts=1_000_000)
            made[name] += search.stats().state_changes
            for state in (game.initial, *solved.states[:: len(solved.states) // 20]):
                if simulator.terminal(state[None])[0]:
                    continue
                search.set_root(state)
                search.run(playouts=1_000_000)
                assert search.stats().solved
                _check_proven(search, simulator, solved, state)
    assert made["right"] < made["wrong"]
    if threads == 1:  # else it depends on which thread is where
        assert made["right"] < made["none"] < made["wrong"]


def _check_proven(search: Search, simulator: Simulator, solved: SolvedGame, state: npt.NDArray[np.uint64]) -> None:
    """All that is proven of the moves at a state, and that the best has its value."""
    legal = [np.flatnonzero(moves[0]) for moves in simulator.legal(state[None])]
    mover = int(len(legal[0]) == 1)
    found = search.root_moves(mover)
    goals = []
    for move, proven in zip(found.moves, found.proven, strict=True):
        joint = np.array([[move, legal[1][0]] if mover == 0 else [legal[0][0], move]], np.int32)
        goal = int(solved.values[solved.number[simulator.next(state[None], joint)[0].tobytes()]])
        goals.append(goal if mover == 0 else 100 - goal)
        assert proven in (-1, goals[-1])
    assert goals[found.best] == max(goals)
