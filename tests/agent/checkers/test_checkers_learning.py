"""Reading checkers data, and a network that learns from them."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludens.agent.checkers.cluster_dataset import DataWorker
from ludens.agent.checkers.dataset import begin, make
from ludens.agent.checkers.reader import Examples, MoveTargets, batches, held_out, read_examples
from ludens.agent.checkers.shards import DataError, read_shard, shard_path
from ludens.agent.checkers.views import MOVES, counted_rules, states_of
from ludens.agent.cluster.actor_pool import Place
from ludens.agent.cluster.errors import ClusterError
from ludens.agent.plots.charts import CurvePoint
from ludens.games.checkers.bitboards.endgame_tables import open_endgame
from ludens.games.checkers.bitboards.native_game import unpack
from ludens.games.checkers.kernels.planes import planes
from ludens.games.checkers.networks.network_file import read_network, write_network
from ludens.games.checkers.rules.parameters import UP, MoveTable
from ludens.games.checkers.rules.reference import Reference
from ludens.native.core.checkers_network import ONE
from ludens.propnet.base.errors import LudensError
from tests.support.checkers_data import counted_pieces, of_method
from tests.support.checkers_network import random_weights

METHODS = ("outcome", "mcrd", "search")
pytestmark = pytest.mark.lanes


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """PyTorch's own threads wait for each other long where others have the processors."""
    if find_spec("torch"):
        import torch

        torch.set_num_threads(1)


@pytest.fixture(scope="module", params=METHODS)
def data(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp(request.param)
    options = of_method(request.param, {"positions": 300, "playouts": 10, "shard": 200, "cap": 80})
    make(folder, begin(folder, options, resume=False), 1, lambda _: None, pytest.fail)
    return request.param, folder


def test_targets_are_of_legal_moves_and_sum_to_one(data: tuple[str, Path]) -> None:
    method, folder = data
    examples = read_examples(folder)
    assert len(examples) == 300
    assert np.allclose(examples.policy.sum(axis=1), 1)
    assert not examples.policy[~examples.legal].any()
    assert np.isnan(examples.value).all() == (method == "outcome")


def test_legal_moves_are_those_of_the_rules(data: tuple[str, Path]) -> None:
    examples, rules = read_examples(data[1]), counted_rules(40, 80)
    reference, numbers = Reference(rules), MoveTable(rules).numbers
    positions = unpack(states_of(examples.words))
    for row, legal in enumerate(examples.legal):
        known = [numbers[path] % MOVES for path in reference.legal(positions.one(row), UP)]
        assert legal.nonzero()[0].tolist() == sorted(known)


def test_moves_are_learned_where_only_those_that_were_played_are_known(tmp_path: Path) -> None:
    """And nothing is said of best moves, which nobody knows."""
    torch = pytest.importorskip("torch")
    from ludens.agent.checkers.training import TrainingOptions, endgames, in_percent, learning_curve, test, train

    options: dict[str, int | str] = {"positions": 600, "method": "outcome", "cap": 80}
    make(tmp_path, begin(tmp_path, options, resume=False), 1, lambda _: None, pytest.fail)
    examples = read_examples(tmp_path)

    taught = TrainingOptions("outcome", width=16, blocks=1, epochs=12, batch=16, step=5e-3)
    network, curve = train(examples, taught, lambda _: None)
    assert [epoch.best_moves for epoch in curve] == [None] * 12
    assert "best moves" not in learning_curve("title", curve)
    known = test(network, examples, endgames(open_endgame(2), 100, np.random.default_rng(1)))
    assert known["best_moves"] is None and in_percent(known["best_moves"]) == "–"
    with torch.no_grad():
        _, logits = network(torch.from_numpy(planes(examples.words)))
    legal, policy = torch.from_numpy(examples.legal), torch.from_numpy(examples.policy)
    loss = float(torch.nn.functional.cross_entropy(logits.masked_fill(~legal, -1e9), policy))
    assert loss < 0.97 * np.log(examples.legal.sum(axis=1)).mean()  # that of an equal choice of all legal moves


def test_values_and_best_moves_are_those_of_the_shard(data: tuple[str, Path]) -> None:
    method, folder = data
    shard, examples = read_shard(shard_path(folder, 0)), read_examples(folder)
    for row in range(200):
        mine = slice(shard["first"][row], shard["first"][row + 1])
        if method == "outcome":
            assert examples.policy[row].argmax() == shard["played"][row]
            continue
        by = shard["visits" if method == "search" else "values"][mine]
        assert examples.legal[row].nonzero()[0].tolist() == sorted(shard["moves"][mine])
        assert by[shard["moves"][mine].tolist().index(examples.policy[row].argmax())] == by.max()
        assert examples.value[row] == pytest.approx(2 * shard["values"][mine][by.argmax()] - 1, abs=1e-6)


def test_whole_games_are_held_out_and_batches_hold_every_position_once(data: tuple[str, Path]) -> None:
    examples = read_examples(data[1])
    tested = held_out(examples, 0.3)
    assert 0 < tested.sum() < len(examples)
    assert not set(examples.game[tested]) & set(examples.game[~tested])
    rows = np.random.default_rng(1).permutation(300)
    seen = [part.words for part in batches(examples, rows, 64)]
    assert [len(part) for part in seen] == [64] * 4 + [44]
    assert np.array_equal(np.concatenate(seen), examples.words[rows])


@pytest.mark.parametrize(
    "rows", [slice(3, 50), np.random.default_rng(1).permutation(300)[:70], np.arange(300) % 3 == 1]
)
def test_a_choice_of_positions_keeps_their_moves(rows: Any, data: tuple[str, Path]) -> None:
    examples = read_examples(data[1])
    chosen = examples[rows]
    for name in ("words", "value", "policy", "legal"):
        assert np.array_equal(getattr(chosen, name), getattr(examples, name)[rows], equal_nan=True), name


def test_a_million_positions_take_little_memory(data: tuple[str, Path]) -> None:
    """A tenth of what they would with a table of all moves for each."""
    examples = read_examples(data[1])
    parts = [getattr(examples, name) for name in Examples.__slots__ if name != "moves"]
    parts += [getattr(examples.moves, name) for name in MoveTargets.__slots__]
    assert sum(part.nbytes for part in parts) < 120 * len(examples)


def test_a_folder_without_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no checkers data"):
        read_examples(tmp_path)


def test_a_network_learns_what_pieces_are_worth() -> None:
    pytest.importorskip("torch")
    from ludens.agent.checkers.training import TrainingOptions, learning_curve, train

    examples = counted_pieces(3000)
    options = TrainingOptions(width=16, blocks=1, epochs=6, batch=32, step=1e-3)
    network, curve = train(examples, options, lambda _: None)
    assert curve[-1].held_out < 0.4 * np.var(examples.value)
    best_moves = curve[-1].best_moves
    assert best_moves is not None and best_moves > 0.1 > 3 / 128
    assert "held-out games" in learning_curve("title", curve)
    again, _ = train(examples, options, lambda _: None)
    from ludens.agent.checkers.network import values

    assert np.allclose(values(network, planes(examples.words)), values(again, planes(examples.words)), atol=1e-5)


def test_what_was_trained_is_what_plays(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from ludens.agent.checkers.training import TrainingOptions, train

    examples = counted_pieces(1000)
    network, _ = train(examples, TrainingOptions(width=32, blocks=2, epochs=1, batch=64), lambda _: None)
    write_network(tmp_path / "trained", network.whole_numbers())
    values, logits = read_network(tmp_path / "trained").evaluate(examples.words)
    with torch.no_grad():
        told, told_logits = network(torch.from_numpy(planes(examples.words)))
    assert np.array_equal(logits, np.rint(told_logits.numpy() * ONE))
    assert np.allclose(np.tanh(values / ONE), told.numpy(), atol=1e-6)
    assert len(set(values.tolist())) > 100


def test_networks_with_weights_that_are_no_numbers_are_not_written() -> None:
    torch = pytest.importorskip("torch")
    from ludens.agent.checkers.network import Network

    network = Network(32, 1)
    with torch.no_grad():
        network.hidden.biases[3] = float("nan")
    with pytest.raises(LudensError, match="no numbers"):
        network.whole_numbers()


def test_tables_replace_the_values_of_their_positions() -> None:
    pytest.importorskip("torch")
    from ludens.agent.checkers.training import endgames, with_tables

    table = open_endgame(3)
    found = endgames(table, 200, np.random.default_rng(2))
    examples = counted_pieces(200)
    mixed = replace(examples, words=np.where(np.arange(200)[:, None] < 100, found.words, examples.words))
    taught = with_tables(mixed, table).value
    assert taught[:100].tolist() == found.worth[:100].tolist()
    many = np.bitwise_count(mixed.words[:, 0] | mixed.words[:, 1]) > 3
    assert taught[many].tolist() == examples.value[many].tolist()


def test_data_by_guided_search_hold_its_visits_and_name_their_network(tmp_path: Path) -> None:
    file = tmp_path / "a.network"
    write_network(file, random_weights(32, 1, 3))
    options: dict[str, int | str] = {
        "positions": 60,
        "method": "search",
        "strategy": "guided",
        "network": str(file),
        "playouts": 5,
        "cap": 60,
    }
    found = begin(tmp_path / "data", options, resume=False)
    make(tmp_path / "data", found, 1, lambda _: None, pytest.fail)
    shard = read_shard(shard_path(tmp_path / "data", 0))
    visits = np.add.reduceat(shard["visits"], shard["first"][:-1])
    moves = np.diff(shard["first"])
    assert (visits[moves > 1] >= 4 * moves[moves > 1]).mean() > 0.8  # none are wasted on what is proven
    assert begin(tmp_path / "data", {}, resume=True) == found
    moved = file.rename(tmp_path / "moved.network")
    assert begin(tmp_path / "data", {"network": str(moved)}, resume=True) == replace(found, network=str(moved))
    write_network(other := tmp_path / "other.network", random_weights(32, 1, 4))
    with pytest.raises(DataError, match="is not the network"):
        begin(tmp_path / "data", {"network": str(other)}, resume=True)
    other.rename(file)
    with pytest.raises(DataError, match="is not the network"):
        begin(tmp_path / "data", {}, resume=True)
    with pytest.raises(ClusterError, match=r"^elsewhere: .* is not the network"):  # with another file of that name
        DataWorker(found, Place("node", "elsewhere", 0, 1))
    file.unlink()
    with pytest.raises(DataError, match="cannot read"):
        begin(tmp_path / "data", {}, resume=True)
    refused: list[dict[str, int | str]] = [{"network": str(file)}, {"method": "search", "strategy": "guided"}]
    for wrong in refused:
        with pytest.raises(DataError, match="a network is needed"):
            begin(tmp_path / "other", wrong | {"positions": 1}, resume=False)


def test_endgames_are_worth_what_the_tables_say() -> None:
    pytest.importorskip("torch")
    from ludens.agent.checkers.network import Network, values
    from ludens.agent.checkers.training import endgames

    found = endgames(open_endgame(2), 500, np.random.default_rng(1))
    assert set(found.worth.tolist()) == {-1, 0, 1}
    network = Network(4, 1)
    told = values(network, planes(found.words))
    assert replace(found, worth=told).error(network) == (0, 1)
    assert replace(found, worth=-told).error(network) == pytest.approx((np.mean((2 * told) ** 2), 0))


def test_calibration_shows_mean_results_by_what_was_told_with_their_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for what was told once, of whose error nothing is known."""
    pytest.importorskip("torch")
    from ludens.agent.checkers import training

    shown = dict[str, list[CurvePoint]]()

    def draw(_title: str, _along: str, _unit: str, curves: dict[str, list[CurvePoint]]) -> str:
        shown.update(curves)
        return "picture"

    monkeypatch.setattr(training, "curve_chart", draw)
    told, happened = np.array([-0.9] * 4 + [0.5] * 2 + [1], np.float32), np.array([-1, -1, -1, 0, 1, 0, 1], np.float32)
    assert training.calibration("title", told, happened) == "picture"
    points = [(point.place, point.value, point.low, point.high) for point in shown["network"]]
    errors = 2 * np.sqrt([0.1875 / 4, 0.25 / 2])
    expected = [(-0.9, -0.75), (0.5, 0.5)]
    assert np.allclose(points, [(*each, each[1] - e, each[1] + e) for each, e in zip(expected, errors, strict=True)])
    assert [(point.place, point.value) for point in shown["perfect"]] == [(-1, -1), (1, 1)]


def test_data_that_cannot_teach_are_refused() -> None:
    pytest.importorskip("torch")
    from ludens.agent.checkers.training import TrainingOptions, train

    examples = counted_pieces(50)
    with pytest.raises(LudensError, match="too few games"):
        train(examples, TrainingOptions(held_out=0.0), lambda _: None)
    examples.value[:] = np.nan
    with pytest.raises(LudensError, match="no label 'value'"):
        train(examples, TrainingOptions(), lambda _: None)
    examples.value[:] = np.inf
    with pytest.raises(LudensError, match="diverges"):
        train(examples, TrainingOptions(), lambda _: None)


def test_where_a_search_proved_all_without_visits_the_best_moves_are_the_target(data: tuple[str, Path]) -> None:
    method, folder = data
    if method != "search":
        pytest.skip("only searches prove anything")
    before, path = read_examples(folder), shard_path(folder, 0)
    content = path.read_bytes()
    arrays: dict[str, Any] = dict(read_shard(path))
    first, last = arrays["first"][7:9]
    arrays["visits"] = arrays["visits"].copy()
    arrays["visits"][first:last] = 0
    np.savez_compressed(path, **arrays)
    try:
        after = read_examples(folder)
    finally:
        path.write_bytes(content)
    best = arrays["values"][first:last].max()
    moves = arrays["moves"][first:last][arrays["values"][first:last] == best]
    assert after.policy[7].nonzero()[0].tolist() == sorted(moves.tolist())
    assert after.value[7] == pytest.approx(2 * best - 1, abs=1e-6)
    assert np.array_equal(np.delete(after.policy, 7, 0), np.delete(before.policy, 7, 0))
