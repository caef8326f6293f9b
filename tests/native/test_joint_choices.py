"""Learning and guided search where several roles choose at once, held to the values that linear programs find."""

from __future__ import annotations

import numpy as np
import pytest

from ludens.agent.learning.learning import Learner
from ludens.agent.learning.self_play_learner import LearningPace
from ludens.native.core import Evaluation, EvaluationWeights, Game, Search, SelfPlay, Simulator
from ludens.propnet.compile.loader import load
from scripts.strength.equilibrium import solve_matrix
from scripts.strength.simultaneous_sheets import matrix
from tests.support.searching import network
from tests.support.talk import TALK

pytestmark = pytest.mark.lanes

# Both say a word in each of 30 rounds; random games from the first on say nothing about it.
LONG_TALK = TALK.replace("(true (step 2))", "(true (step 30))") + "".join(f"(succ {n} {n + 1})" for n in range(2, 30))

# What they say first is remembered.
REMEMBERED = (
    LONG_TALK
    + "(<= (next (first ?r ?w)) (true (step 0)) (does ?r (say ?w))) (<= (next (first ?r ?w)) (true (first ?r ?w)))"
    + "(<= (goal ?r 0) (true (first ?r ?w)) (not (true (said ?r yes))))"
)

SOMETIMES_TOGETHER = """
(role a) (role b) (init (step 0)) (follows 0 1) (follows 1 2) (follows 2 3) (follows 3 4) (follows 4 5)
(<= (next (step ?m)) (true (step ?n)) (follows ?n ?m))
(chooses a 0) (chooses a 1) (chooses b 1) (chooses b 2) (chooses a 3) (chooses b 4)
(<= (legal ?r x) (true (step ?n)) (chooses ?r ?n))
(<= (legal ?r y) (true (step ?n)) (chooses ?r ?n))
(<= (legal ?r noop) (true (step ?n)) (role ?r) (not (chooses ?r ?n)))
(<= (next (took ?r ?n ?m)) (does ?r ?m) (true (step ?n)))
(<= (next (took ?r ?n ?m)) (true (took ?r ?n ?m)))
(<= equal (true (took a 1 ?m)) (true (took b 1 ?m)))
(<= terminal (true (step 5)))
(<= (goal a 100) equal) (<= (goal a 0) (not equal)) (<= (goal b 0) equal) (<= (goal b 100) (not equal))
"""


def blank(game: Game) -> Evaluation:
    """Expects 50 for everybody everywhere."""
    bits = game.feature_bits + 1
    linear, inner = np.zeros((1, bits, game.roles), np.float32), np.zeros((1, bits, 1), np.float32)
    return Evaluation(EvaluationWeights((), linear, inner, np.zeros((1, 1, game.roles), np.float32)))


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (4, 2), (5, 7)])
def test_self_play_backs_up_the_value_of_the_game_of_joint_moves(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(shape))
    for _ in range(3):
        payoffs = rng.integers(0, 101, shape)
        game = Game.from_propnet(load(matrix(payoffs.tolist())))
        samples = SelfPlay(game, lambda_=0.0).play(blank(game), 2_000)
        value, *_ = solve_matrix(payoffs.astype(np.float64))
        assert samples.targets == pytest.approx(np.tile([value, 100 - value], (len(samples.targets), 1)), abs=1.0)


def test_self_play_draws_moves_as_the_mixture_says() -> None:
    """In one game of these shares roles earn the value against each other, which pure moves would not."""
    game = Game.from_propnet(load(matrix([[90, 10], [20, 40]])))
    samples = SelfPlay(game, lambda_=1.0, seed=3).play(blank(game), 40_000)
    assert len(samples.targets) > 1_000
    mixed = 0.9 * np.array([[0.2, 0.8], [0.3, 0.7]]) + 0.1 * 0.5  # a share of the moves is any
    expected = mixed[0] @ np.array([[90, 10], [20, 40]]) @ mixed[1]
    assert samples.targets[:, 0].mean() == pytest.approx(expected, abs=3.0)


def test_of_very_many_joint_moves_some_are_looked_at() -> None:
    """The row player has 60 moves and the column player 40, whose goals are alike: 2,400 joint moves."""
    game = Game.from_propnet(load(matrix([[30] * 40] * 60)))
    samples = SelfPlay(game, lambda_=0.0).play(blank(game), 5_000)
    assert samples.targets == pytest.approx(np.tile([30.0, 70.0], (len(samples.targets), 1)), abs=1e-3)


def test_a_game_without_turns_is_learned() -> None:
    """Games of self-play end as expected: better than by random games alone, of which it knows at first."""
    game = Game.from_propnet(network("goofspiel"))
    learner = Learner(game, seed=1, pace=LearningPace(random_seconds=0.0, round_seconds=0.0))  # by no clock
    before = Evaluation(learner.learned().weights)
    for _ in range(5):
        learner.round()
    after = Evaluation(learner.learned().weights)
    samples = SelfPlay(game, random_moves=3, lambda_=1.0, seed=9).play(after, 20_000)
    unknown, early, late = (
        np.var(samples.targets - each.values(samples.features)) for each in (blank(game), before, after)
    )
    assert late < 0.9 * early < 0.6 * unknown


def test_guided_search_finds_the_mixture_where_it_sees_all_ends() -> None:
    game = Game.from_propnet(load(matrix([[90, 10], [20, 40]])))
    search = Search(game, strategy="guided", evaluation=blank(game), memory_bytes=1 << 20, seed=1)
    search.run(playouts=50_000)
    for role, shares in enumerate(([0.2, 0.8], [0.3, 0.7])):
        visits = search.root_moves(role).visits
        assert visits / visits.sum() == pytest.approx(shares, abs=0.1)


@pytest.mark.parametrize("iterations", [100, 4_000])
def test_guided_search_asks_its_evaluation_once_of_a_position(iterations: int) -> None:
    game = Game.from_propnet(network("tron"))
    search = Search(game, strategy="guided", evaluation=blank(game), memory_bytes=1 << 24, seed=1)
    search.run(playouts=iterations)
    assert search.stats().nodes > 0.8 * search.stats().iterations


def test_guided_search_goes_by_its_evaluation_where_no_end_is_in_sight() -> None:
    """White is told that it does well having said yes first, and black that it does not having said so."""
    net = load(REMEMBERED)
    game = Game.from_propnet(net)
    weights = EvaluationWeights(
        (),
        np.zeros((1, game.feature_bits + 1, 2), np.float32),
        np.zeros((1, game.feature_bits + 1, 1), np.float32),
        np.zeros((1, 1, 2), np.float32),
    )
    for role, fact in enumerate(("(first white yes)", "(first black yes)")):
        weights.linear[0, net.propositions.index(fact), role] = 3.0 if role == 0 else -3.0
    search = Search(game, strategy="guided", evaluation=Evaluation(weights), memory_bytes=1 << 20, seed=2)
    search.run(playouts=500)
    for role, words in enumerate(("(say yes)", "(say (no 1))")):
        known = search.root_moves(role)
        assert net.moves[role][known.moves[known.best]] == words


@pytest.mark.parametrize(("roles", "moves"), [(10, 100), (16, 17)])
def test_more_joint_moves_than_a_number_can_hold_are_looked_at_by_some(roles: int, moves: int) -> None:
    """10 roles with 100 moves have 10^20 joint moves."""
    names, words = (" ".join(f"{word}{n}" for n in range(count)) for word, count in (("r", roles), ("m", moves)))
    sheet = "(init (step 0)) (<= (next (step 1)) (true (step 0))) (<= terminal (true (step 1)))"
    sheet += "".join(f"(role {name}) (goal {name} 40)" for name in names.split())
    sheet += "".join(f"(word {word})" for word in words.split()) + "(<= (legal ?r ?w) (role ?r) (word ?w))"
    game = Game.from_propnet(load(sheet))
    samples = SelfPlay(game, lambda_=0.0).play(blank(game), 200)
    assert samples.targets == pytest.approx(np.full((len(samples.targets), roles), 40.0), abs=1e-3)


def test_a_game_may_go_on_without_turns() -> None:
    """One role chooses at the first root, both at the second, one at the third."""
    net = load(SOMETIMES_TOGETHER)
    game = Game.from_propnet(net)
    search = Search(game, strategy="guided", evaluation=blank(game), memory_bytes=1 << 20, seed=1)
    state = game.initial
    for choosing in ([0], [0, 1], [1]):
        search.set_root(state)
        search.run(playouts=500)
        assert [role for role in (0, 1) if len(search.root_moves(role).moves) > 1] == choosing
        joint = [int(known.moves[known.best]) for known in map(search.root_moves, (0, 1))]
        state = Simulator(game, 64).next(state, np.array([joint], np.int32))[0]
