"""A playout policy as gates is a file, a line in a table, and its test: a toy one is added by the table alone."""

from __future__ import annotations

import subprocess
import sys

from tests.support.paths import ROOT

ADDED = """
from ludens.propnet.analysis.composition import Composition
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.policies.table import POLICIES, PlayoutPolicy


def first_legal(net: Propnet, composition: Composition, seconds: float) -> list[int]:
    # A move is playable where it is legal and no earlier one of its role is.
    circuit = composition.circuit
    playable = []
    for moves in circuit.role_moves():
        none_before = 1
        for legal in circuit.legal[moves.start - circuit.first_move : moves.stop - circuit.first_move]:
            playable.append(composition.both(legal, none_before))
            none_before = composition.both(none_before, legal ^ 1)
    return playable


POLICIES["first-legal"] = PlayoutPolicy(first_legal, "makes the first move that is legal")
"""

USED = """
import numpy as np

from ludens import games
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.policy_networks import playable
from ludens.native.core import Game, Search, Simulator
from ludens.propnet.compile.loader import load

options = PlayerOptions.from_texts({"policy": "first-legal", "strategy": "uct"})
plain = load(games.read("connect_four"))
net, policy = playable(plain, options.policy, print)
assert policy == "first-legal", policy
rules, game = Simulator(Game.from_propnet(plain)), Game.from_propnet(net)
for joint_moves in Simulator(game, 64, 1).record()[:8]:
    state = rules.game.initial[None]
    for joint in joint_moves:
        assert not rules.terminal(state)[0]
        assert joint.tolist() == [np.flatnonzero(moves[0]).min() for moves in rules.legal(state)]
        state = rules.next(state, joint)
    assert rules.terminal(state)[0]
search = Search(game, strategy=options.strategy, threads=1, seed=1)
search.run(playouts=1000)
assert set(search.root_moves(0).moves.tolist()) == set(range(7))
print("played")
"""


def run(code: str, *arguments: str) -> str:
    """The output of a fresh process, since settings read the table when they are imported."""
    command = [sys.executable, "-P", "-c", code, *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def test_a_policy_in_the_table_is_a_setting_and_plays_legal_games() -> None:
    assert run(ADDED + USED).endswith("played\n")


def test_a_policy_in_the_table_is_offered_on_the_command_line() -> None:
    cli = "from ludens.agent.commands.cli import main\nmain(['serve', '--help'])"
    assert "first-legal" in run(ADDED + f"try:\n    exec({cli!r})\nexcept SystemExit:\n    pass")
