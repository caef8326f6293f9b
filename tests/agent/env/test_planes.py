"""Planes: they tell states apart, and what random games have not shown does not vanish from them."""

from __future__ import annotations

import numpy as np
import pytest

from ludens import games
from ludens.agent.env.batch import Batch
from ludens.agent.env.opponents import random_actions

STEPS = 140  # more than the games have that planes are found from

SHEET = f"""
(role robot)
(init (step 0)) (init (level 1))
(init (cell 1 1 blank)) (init (cell 1 2 blank)) (init (cell 2 1 blank)) (init (cell 2 2 stone))
{" ".join(f"(succ {i} {i + 1})" for i in range(STEPS))}
(<= (legal robot (put ?x ?y)) (true (cell ?x ?y blank)))
(<= (legal robot (lift ?x ?y)) (true (cell ?x ?y stone)))
(<= (touched ?x ?y) (does robot (put ?x ?y)))
(<= (touched ?x ?y) (does robot (lift ?x ?y)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (cell ?x ?y stone)) (does robot (put ?x ?y)))
(<= (next (cell ?x ?y blank)) (does robot (lift ?x ?y)))
(<= (next (cell ?x ?y ?what)) (true (cell ?x ?y ?what)) (not (touched ?x ?y)))
(up 1 2) (up 2 3) (up 3 3)
(<= (next (level ?m)) (true (level ?n)) (up ?n ?m))
(<= terminal (true (step {STEPS})))
(<= (goal robot 100) (true (level ?n)))
"""
LEVELS = f"{SHEET} (<= (next (level 1)) (true (step {STEPS - 5})))"  # two at once, at last
BLANKS = f"{SHEET} (<= (next (cell 1 1 blank)) (true (step {STEPS - 5})))"  # whatever stands there

LARGE = {"tak_4", "tak_5"}  # networks, of which it takes long to prove what excludes each other


def shown(batch: Batch) -> set[int]:
    return {
        *batch.observation_layout.columns.tolist(),
        *(proposition for _, _, proposition, _ in batch.observation_layout.fills),
    }


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name for name in games.names()]
)
def test_every_proposition_of_the_built_in_games_is_shown_but_for_empty_squares(name: str) -> None:
    batch = Batch(name, 1)
    left = {text for i, text in enumerate(batch.game.propositions) if i not in shown(batch)}
    assert all(text.endswith(" blank)") for text in left)


@pytest.mark.parametrize("source", ["tic_tac_toe", "eight_puzzle", "nim", "lights_out", BLANKS, LEVELS])
def test_states_that_differ_look_different(source: str) -> None:
    planes = Batch(source, 200, also=("states",), autoreset="never")
    rng = np.random.default_rng(1)
    for _ in range(STEPS + 5):
        planes.step(np.where(planes.done, -1, random_actions(planes.legal, rng)))
        states = len(np.unique(planes.states, axis=0))
        assert len(np.unique(planes.observations.reshape(200, -1), axis=0)) == states
        if planes.done.all():
            break


def test_what_random_games_do_not_show_has_planes_of_its_own() -> None:
    plain, levels, blanks = (Batch(source, 1).observation_layout.names for source in (SHEET, LEVELS, BLANKS))
    assert "step" in plain
    assert "level" in plain
    assert "nothing on cell" not in plain
    assert {"(level 1)", "(level 2)", "(level 3)"} <= set(levels)
    assert "level" not in levels
    assert "nothing on cell" in blanks
