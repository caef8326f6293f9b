"""What a network over a board sees: every fact has a place, and states that differ look different."""

from __future__ import annotations

import numpy as np
import pytest

from ludens import games
from ludens.agent.board_networks import board_planes
from ludens.agent.board_networks.board_planes import BoardPlanes, find_planes
from ludens.games.view.planes import Observations
from ludens.native.core import Game, Simulator, unpack_bits
from ludens.native.core.board_network import FULL
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.network.propnet import Propnet


def seen(name: str) -> tuple[Propnet, BoardPlanes]:
    sheet = parse_rules(games.read(name))
    net = load(sheet)
    return net, find_planes(name, sheet, net)


def some_bits(net: Propnet, count: int = 200) -> np.ndarray:
    """Bits of states of random games."""
    game = Game.from_propnet(net)
    simulator, rng = Simulator(game), np.random.default_rng(1)
    states, found = np.repeat(game.initial[None], 64, axis=0), list[np.ndarray]()
    while sum(len(bits) for bits in found) < count:
        found.append(unpack_bits(states, net.state_bits))
        joint = [(moves * rng.random(moves.shape)).argmax(axis=1) for moves in simulator.legal(states)]
        states = simulator.next(states, np.stack(joint, axis=1).astype(np.int32))
        states[simulator.terminal(states)] = game.initial
    return np.concatenate(found).astype(np.uint8)


@pytest.mark.parametrize(
    ("name", "board"),
    [("tic_tac_toe", (3, 3)), ("breakthrough_small", None), ("connect_four", (6, 7)), ("amazons", None), ("hex", None)],
)
def test_states_that_differ_look_different(name: str, board: tuple[int, int] | None) -> None:
    net, planes = seen(name)
    if board:
        assert {planes.height, planes.width} == set(board)
    bits = some_bits(net)
    look = planes.of_bits(bits)
    assert look.shape == (len(bits), planes.number, planes.height, planes.width)
    assert look.min() >= 0 and look.max() <= 1
    assert len(np.unique(look.reshape(len(bits), -1), axis=0)) == len(np.unique(bits, axis=0))


def test_a_piece_is_where_it_stands() -> None:
    """The oracle: the words of the facts."""
    net, planes = seen("tic_tac_toe")
    places = {}
    for proposition, text in enumerate(net.propositions):
        found = np.argwhere(planes.columns == proposition)
        fact = text.strip("()").split()
        if "(cell" in text and fact[-1] in ("cross", "nought"):
            ((plane, square),) = found.tolist()
            places[fact[-1], plane, fact[1], fact[2]] = square
    assert len(places) == 18 and len({(mark, plane) for mark, plane, *_ in places}) == 2
    assert len({(x, y, square) for (_, _, x, y), square in places.items()}) == 9


def test_facts_on_no_board_fill_a_plane() -> None:
    net, planes = seen("breakthrough_small")
    control = {proposition for proposition, text in enumerate(net.propositions) if "control" in text}
    filling = {int(proposition): (int(plane), int(value)) for proposition, plane, value in planes.fills}
    assert control and all(filling[proposition][1] == FULL for proposition in control)
    assert not set(planes.columns.reshape(-1).tolist()) & control
    bits = np.zeros((1, net.state_bits), np.uint8)
    bits[0, min(control)] = 1
    plane = filling[min(control)][0]
    assert (planes.of_bits(bits)[0, plane] == 1).all()


def test_every_number_of_a_long_counter_looks_different() -> None:
    counts = 200
    seen = Observations(
        (2, 1, 2), ("a", "n"), np.full(4, -1, np.int32), tuple((2, 2, i, i + 1) for i in range(counts)), counts
    )
    planes = board_planes._arranged(seen)
    assert planes.number == 3
    look = planes.of_bits(np.eye(counts, dtype=np.uint8))
    assert len(np.unique(look.reshape(counts, -1), axis=0)) == counts
    assert look.max() == 1 and (planes.fills[:, 2] <= FULL).all()


def test_a_game_of_more_roles_than_a_network_has_outputs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_planes, "MOST_OUTPUTS", 1)
    with pytest.raises(LudensError, match="2 roles, and a network judges for 1 at most"):
        seen("tic_tac_toe")


def test_boards_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_planes, "MOST_SQUARES", 8)
    with pytest.raises(LudensError, match="3 x 3 squares, and a network sees"):
        seen("tic_tac_toe")
