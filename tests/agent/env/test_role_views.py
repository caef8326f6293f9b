"""Views of roles: what is seen is a state of the game in which the first role moves, and goes on as the game does."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ludens.agent.api.game import load
from ludens.agent.env.batch import FORCED, Batch
from ludens.agent.env.errors import IllegalActionError, LayoutError
from ludens.agent.env.opponents import random_actions
from ludens.agent.env.role_views import RoleViews
from ludens.games.view.planes import flat
from ludens.native.core import pack_bits, unpack_bits

UNEQUAL = """
(role white) (role black)
(init (control white)) (init (heap 3))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (legal ?r (take 1)) (true (control ?r)))
(<= (legal white (take 2)) (true (control white)))
(minus 3 1 2) (minus 2 1 1) (minus 1 1 0) (minus 3 2 1) (minus 2 2 0) (minus 1 2 0)
(<= (next (heap ?m)) (does ?r (take ?k)) (true (heap ?n)) (minus ?n ?k ?m))
(<= (next (control black)) (true (control white)))
(<= (next (control white)) (true (control black)))
(<= terminal (true (heap 0)))
(<= (goal white 100) (true (control black)))
(<= (goal white 0) (true (control white)))
(<= (goal black 100) (true (control white)))
(<= (goal black 0) (true (control black)))
"""

NEVER_OPEN = """
(role p) (role q) (init (control p)) (init on) (next on)
(<= (next off) (not (true on)))
(<= (next (control q)) (true (control p)))
(<= (next (control p)) (true (control q)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (legal ?r (to a)) (true (control ?r)))
(<= (legal ?r win) (true (control ?r)) (reach z))
(<= (next (start a)) (does ?r (to a)))
(<= (reach ?x) (true (start ?x)))
(<= (reach ?y) (reach ?x) (door ?x ?y))
(<= (door a z) (true off)) (<= (door z a) (true on))
(<= terminal (reach a))
(<= (goal ?r 100) (reach a) (true (control ?r)))
(<= (goal ?r 0) (role ?r) (not (true (control ?r))))
"""


def bits_of(batch: Batch) -> npt.NDArray[np.uint8]:
    return np.stack([unpack_bits(row, len(batch.game.propositions)) for row in batch.states]).astype(np.uint8)


@pytest.mark.parametrize("name", ["tic_tac_toe", "hex_small", "breakthrough_small", "connect_four_three", "nim"])
def test_a_view_is_a_state_in_which_the_first_role_moves_and_the_game_goes_on_in_it(name: str) -> None:
    game, count = load(name), 60
    seen = Batch(game, count, observation="bits", egocentric=True, also=("states",), autoreset="never")
    planes = Batch(game, count, egocentric=True, autoreset="never")
    plain = Batch(game, count, also=("states",), autoreset="never")
    views = RoleViews(game, flat(game.net), seen.actions)
    rng, movers_seen = np.random.default_rng(1), set()
    while not seen.done.all():
        going, movers = ~seen.done, seen.to_move.copy()
        movers_seen |= set(movers[going].tolist())
        planes.load(seen.states)
        plain.load(np.stack([pack_bits(row != 0) for row in seen.observations]))
        assert (plain.to_move[going] == 0).all()
        assert (planes.observations[going] == plain.observations[going]).all()
        assert (seen.legal[going] == plain.legal[going]).all()
        actions = np.where(going, random_actions(seen.legal, rng), FORCED)
        for batch in (seen, plain):
            batch.step(actions)
        assert (views.observe(bits_of(seen), movers) == bits_of(plain))[going].all()
        assert (seen.done == plain.done).all()
        assert (seen.rewards[np.arange(count), movers] == plain.rewards[:, 0])[going].all()
    assert movers_seen == set(range(len(game.roles)))


def test_boards_are_turned_as_the_rules_demand() -> None:
    batch = Batch("breakthrough_small", 1, egocentric=True)
    moves = batch.game.moves[0]
    assert batch.observation_layout.names[:2] == ("white on cell", "black on cell")
    for move in ("(move 1 2 1 3)", "(move 3 2 3 3)"):  # each of its own, upwards
        batch.step([moves.index(move)])
    own, others = batch.observations[0, 0], batch.observations[0, 1]
    assert (own[2].tolist(), others[2].tolist()) == ([1, 0, 0, 0, 0], [0, 0, 1, 0, 0])
    seen, plain = Batch("hex_small", 1, egocentric=True), Batch("hex_small", 1)
    red, blue = plain.game.moves
    seen.step([red.index("(place 1 2)")])
    seen.step([red.index("(place 3 1)")])
    plain.step([red.index("(place 1 2)")])
    plain.step([blue.index("(place 1 3)")])  # blue's edges are the other two
    assert (seen.observations == plain.observations).all()


def test_games_without_a_symmetry_are_refused() -> None:
    with pytest.raises(LayoutError, match="no symmetry of its rules was found that carries black into white"):
        Batch(UNEQUAL, 1, egocentric=True)
    equal = UNEQUAL.replace("(<= (legal white (take 2)) (true (control white)))", "")
    Batch(equal, 1, egocentric=True)
    with pytest.raises(LayoutError, match="has no egocentric views"):
        Batch(equal.replace("(goal black 100)", "(goal black 90)"), 1, egocentric=True)
    with pytest.raises(LayoutError, match="joint moves have none"):
        Batch("rock_paper_scissors", 1, egocentric=True)


def test_games_whose_symmetries_are_those_of_other_moves_are_refused() -> None:
    """A move that never becomes legal, which only loops with few feedback inputs show."""
    assert load(NEVER_OPEN).moves == (("(to a)", "noop"),) * 2
    with pytest.raises(LayoutError, match="its rules recurse through what never holds"):
        Batch(NEVER_OPEN, 1, egocentric=True)


def test_actions_of_a_view_are_checked_as_others_are() -> None:
    batch = Batch("tic_tac_toe", 2, egocentric=True)
    batch.step([0, 1])
    for wrong in (0, 9, 10, 1 << 20, -4):
        with pytest.raises(IllegalActionError, match="row 0"):
            batch.step([wrong, 2])
    batch.step([1, 0])
    assert batch.to_move.tolist() == [0, 0]


def test_agents_of_environments_see_the_game_as_the_first_one_does() -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: pip install 'ludens[pettingzoo]'")
    from ludens.env import aec_env, parallel_env

    env: Any = parallel_env("rock_paper_scissors", egocentric=True)
    lead = env._table.batch.observation_layout.names.index("lead")
    paper, rock = (env._table.game.moves[0].index(f"(show {what})") for what in ("paper", "rock"))
    env.reset()
    seen, *_ = env.step({"left": paper, "right": rock})
    won, lost = (int(seen[agent]["observation"][lead].max()) for agent in ("left", "right"))
    assert won != lost
    seen, *_ = env.step({"left": rock, "right": paper})
    assert (seen["left"]["observation"] == seen["right"]["observation"]).all()
    turns = aec_env("breakthrough_small", egocentric=True)
    turns.reset()
    before = turns.observe("white")["observation"]
    assert (turns.observe("black")["observation"][:2] == before[:2]).all()
    turns.step(int(turns.observe("white")["action_mask"].argmax()))
    assert turns.observe("black")["action_mask"].any()


def test_an_agent_of_gymnasium_plays_any_role_in_the_same_view() -> None:
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'ludens[gym]'")
    from ludens.env import VectorEnv

    first = VectorEnv("breakthrough_small", 2, role=0, egocentric=True)
    second = VectorEnv("breakthrough_small", 2, role=1, egocentric=True)
    alone = VectorEnv("breakthrough_small", 2, opponent="self", egocentric=True, copy=False, autoreset_mode="SameStep")
    (one, told), (two, _) = first.reset(seed=1), second.reset(seed=1)
    assert (one[:, 0] == two[:, 0]).all()  # own pieces
    assert (one[:, 1] != two[:, 1]).any()  # the opponent has moved one of its own
    seen, infos = alone.reset(seed=1)
    assert (infos["action_mask"] == told["action_mask"]).all()
    rng = np.random.default_rng(1)
    over = np.zeros(2, np.bool_)
    while not over.any():
        before = seen.copy()
        seen, rewards, over, _, infos = alone.step(random_actions(infos["action_mask"], rng))
        assert (before != seen).any()
    assert set(rewards[over]) == {1.0}
    final = infos["final_obs"][over][0]
    assert final[0, -1].any() or not final[1].any()  # who moved last is on the far row, or has taken everything
