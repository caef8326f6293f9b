"""What was learned of a game is found again whatever its names, and never trusted blindly."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import numpy as np
import pytest

import games
from agent.learned import Shelf
from agent.scramble import Scrambler
from native.core import Evaluation, EvaluationWeights, Game, pack_bits, random_lessons, unpack_bits
from propnet.loader import load
from propnet.network import Propnet
from propnet.parser import parse_rules, parse_term
from propnet.syntax import RuleSheet


def known(name: str) -> tuple[RuleSheet, Propnet]:
    sheet = parse_rules(games.read(name))
    return sheet, load(sheet)


def some_weights(net: Propnet, control: tuple[int, ...] = (3,)) -> EvaluationWeights:
    rng = np.random.default_rng(1)
    shapes = ((net.state_bits + 1, len(net.roles)), (net.state_bits + 1, 5), (5, len(net.roles)))
    return EvaluationWeights(control, *(rng.normal(size=(2, *shape)).astype(np.float32) for shape in shapes))


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    sheet, net = known("connect_four")
    shelf = Shelf(sheet, net, tmp_path)
    assert shelf.read() is None
    weights = some_weights(net)
    shelf.write(weights)
    again = Shelf(sheet, net, tmp_path).read()
    assert again is not None
    assert again.control == weights.control
    for now, then in zip(again[1:], weights[1:], strict=True):
        np.testing.assert_array_equal(now, then)


def test_a_scrambled_game_finds_its_own(tmp_path: Path) -> None:
    """The same state is worth the same, whatever the names of its propositions and wherever they stand."""
    sheet, net = known("breakthrough_small")
    scrambler = Scrambler(sheet, seed=4)
    other = scrambler.scramble(sheet)
    other_net = load(other)
    weights = some_weights(net)
    Shelf(sheet, net, tmp_path).write(weights)
    found = Shelf(other, other_net, tmp_path).read()
    assert found is not None
    place = [other_net.propositions.index(str(scrambler.scramble_term(parse_term(p)))) for p in net.propositions]
    states = random_lessons(Game.from_propnet(net), 200).features
    bits = unpack_bits(states, net.state_bits)
    others = np.zeros_like(bits)
    others[:, place] = bits
    assert (others != bits).any()
    values = Evaluation(found).values(pack_bits(others))
    np.testing.assert_allclose(values, Evaluation(weights).values(states), atol=1e-3)


def test_another_game_finds_nothing(tmp_path: Path) -> None:
    sheet, net = known("connect_four")
    Shelf(sheet, net, tmp_path).write(some_weights(net))
    assert Shelf(*known("tic_tac_toe"), tmp_path).read() is None


@pytest.mark.parametrize("damage", ["cut", "flip", "version", "garbage", "names"])
def test_damaged_and_foreign_files_are_as_good_as_none(tmp_path: Path, damage: str) -> None:
    sheet, net = known("tic_tac_toe")
    shelf = Shelf(sheet, net, tmp_path)
    shelf.write(some_weights(net))
    header, _, body = shelf.path.read_bytes().partition(b"\n")
    match damage:
        case "cut":
            body = body[:-100]
        case "flip":
            body = body[:500] + bytes([body[500] ^ 1]) + body[501:]
        case "version":
            header = json.dumps(json.loads(header) | {"version": 0}).encode()
        case "garbage":
            header = b"\xff\xfe"
        case "names":
            other = Shelf(*known("nim"), tmp_path)
            other.write(some_weights(known("nim")[1]))
            header, _, body = other.path.read_bytes().partition(b"\n")
    shelf.path.write_bytes(header + b"\n" + body)
    assert shelf.read() is None


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    sheet, net = known("tic_tac_toe")
    weights = some_weights(net)
    weights.inner[0, 0, 0] = np.nan
    shelf = Shelf(sheet, net, tmp_path)
    shelf.write(weights)
    assert shelf.read() is None


def test_control_beyond_the_propositions_is_refused(tmp_path: Path) -> None:
    sheet, net = known("tic_tac_toe")
    shelf = Shelf(sheet, net, tmp_path)
    shelf.write(some_weights(net))
    body = io.BytesIO(shelf.path.read_bytes().partition(b"\n")[2])
    with np.load(body) as stored:
        parts = {name: stored[name] for name in stored.files}
    forged = io.BytesIO()
    np.savez(forged, **parts | {"control": np.array([net.state_bits])})
    header = {"version": 1, "sha256": hashlib.sha256(forged.getvalue()).hexdigest()}
    shelf.path.write_bytes(json.dumps(header).encode() + b"\n" + forged.getvalue())
    assert shelf.read() is None


def test_control_survives(tmp_path: Path) -> None:
    sheet, net = known("breakthrough_small")
    shelf = Shelf(sheet, net, tmp_path)
    shelf.write(some_weights(net, (net.state_bits - 1,)))
    found = shelf.read()
    assert found is not None
    assert found.control == (net.state_bits - 1,)
    Evaluation(found)
