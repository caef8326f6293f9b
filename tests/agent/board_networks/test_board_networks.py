"""Networks over the boards of games: what is trained is what plays, and it is kept for the game under other names."""

from __future__ import annotations

import itertools
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludens import games
from ludens.agent.learning.evaluation_cache import EvaluationCache
from ludens.agent.learning.fit import Learned
from ludens.agent.manager.scramble import Scrambler
from ludens.agent.preparation.budget import TimeBudget
from ludens.agent.preparation.prepare import prepare
from ludens.agent.settings.errors import OptionError
from ludens.agent.settings.options import PlayerOptions
from ludens.native.core import Game, Simulator, TrainingSamples, random_samples, unpack_bits
from ludens.propnet.base.array_file import read_kind
from ludens.propnet.base.errors import NativeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.parser import parse_rules
from tests.support.command import status

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'ludens[learn]'")

from ludens.agent.board_networks.board_planes import find_planes  # noqa: E402
from ludens.agent.board_networks.layers import within  # noqa: E402
from ludens.agent.board_networks.network_fit import NetworkFit  # noqa: E402
from ludens.agent.board_networks.weights import BoardEntry, BoardWeights  # noqa: E402

GAME = "breakthrough_small"
CONFIG = """
features = "planes"
blocks = 1
random_games = 500
round_states = 4000
searched_after = 2
searched_leaves = 8
searched_visits = 2
searched_states = 4000
first_gate = 2
gate_games = 4
gate_leaves = 8
rated_games = 2
reference_seconds = 0.05
rated_seconds = 0.001
"""


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A file of options for runs that end soon."""
    path = tmp_path / "small.toml"
    path.write_text(CONFIG)
    return path


def a_fit(name: str = GAME, width: int = 32, blocks: int = 1) -> tuple[Game, NetworkFit]:
    sheet = parse_rules(games.read(name))
    net = load(sheet)
    return Game.from_propnet(net), NetworkFit(find_planes(name, sheet, net), len(net.roles), width, blocks, seed=1)


def learn(config: Path, *more: str) -> int:
    return status("learn", GAME, "--config", str(config), "--threads", "1", "--hours", "0.0005", *more)


@pytest.mark.parametrize(("name", "width", "blocks"), [(GAME, 32, 1), ("tic_tac_toe", 64, 2), ("hex", 32, 0)])
def test_what_was_trained_is_what_plays(name: str, width: int, blocks: int) -> None:
    """The native network says what the model says, to the last bit."""
    game, fit = a_fit(name, width, blocks)
    samples = random_samples(game, 600, seed=2)
    fit.fit(samples, 1, 0.002)
    told = fit.weights.evaluation(game).values(samples.features)
    planes = fit._planes.of_bits(unpack_bits(samples.features, game.state_bits).astype(np.uint8))
    with torch.no_grad():
        expected = 100 * torch.sigmoid(fit._model(torch.from_numpy(planes))).numpy()
    np.testing.assert_allclose(told, expected, atol=1e-3)
    assert np.ptp(told) > 1


def test_beyond_the_ends_a_small_part_of_gradients_passes_if_they_lead_back() -> None:
    """None that lead on; within the ends all do."""
    numbers = torch.tensor([-5.0, -5.0, 60.0, 60.0, 200.0, 200.0], requires_grad=True)
    within(numbers).backward(torch.tensor([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]))
    assert numbers.grad is not None
    on_below, back_below, *inside, back_above, on_above = numbers.grad.tolist()
    assert on_below == on_above == 0.0 and inside == [1.0, -1.0]
    assert -0.2 < back_below == -back_above < 0.0


def counted(game: Game, games_played: int, seed: int) -> TrainingSamples:
    """Positions whose goals say how many pieces each role has more than the other."""
    samples = random_samples(game, games_played, seed=seed)
    bits = unpack_bits(samples.features, game.state_bits)
    texts = load(parse_rules(games.read(GAME))).propositions
    own, others = (
        bits[:, [i for i, text in enumerate(texts) if f" {role})" in text and "control" not in text]]
        for role in ("white", "black")
    )
    ahead = (own.sum(axis=1) - others.sum(axis=1)).astype(np.float32)
    assert np.ptp(ahead) > 4
    goals = 100 / (1 + np.exp(-ahead))
    return samples._replace(targets=np.column_stack((goals, 100 - goals)).astype(np.float32))


def test_a_fit_learns() -> None:
    """Who has more pieces, also of positions that were not seen."""
    game, fit = a_fit()
    known, unseen = counted(game, 3000, 3), counted(game, 1000, 4)
    for seed in range(5):
        fit.take(known, seed, 0.0005)
    assert [each.positions for each in fit.history] == [len(known.features)] * 5
    errors = [
        float(np.mean((weights.evaluation(game).values(unseen.features) - unseen.targets) ** 2))
        for weights in (fit.weights, fit.learned().weights)
    ]
    assert max(errors) < 0.5 * float(np.var(unseen.targets))
    assert fit.history[-1].error < 0.5 * fit.history[0].error


def test_a_fit_goes_on_as_if_it_had_never_ended() -> None:
    game, fit = a_fit()
    samples = random_samples(game, 1000, seed=5)
    fit.take(samples, 1, 0.002)
    state = fit.state()
    _, other = a_fit()
    other.restore(state.words, json.loads(json.dumps(state.shape)))
    for each in (fit, other):
        each.take(samples, 2, 0.002)
    assert fit.rounds == other.rounds == 2
    for one, same in zip(fit.learned().weights.network, other.learned().weights.network, strict=True):
        np.testing.assert_array_equal(one, same)
    np.testing.assert_array_equal(fit.state().words, other.state().words)
    with pytest.raises(NativeError, match="fewer numbers"):
        other.restore(state.words[:-1], state.shape)


def test_weights_that_are_no_numbers_are_said_to_be() -> None:
    game, fit = a_fit()
    samples = random_samples(game, 100, seed=5)
    with pytest.raises(NativeError, match="no number"):
        fit.take(samples._replace(targets=np.full_like(samples.targets, np.nan)), 1, 0.002)


def test_a_scrambled_game_finds_its_own(tmp_path: Path) -> None:
    """The same state is worth the same, whatever the names of its propositions and wherever they stand."""
    sheet = parse_rules(games.read(GAME))
    scrambler = Scrambler(sheet, seed=4)
    scrambled = scrambler.scramble(sheet)
    net, other_net = load(sheet), load(scrambled)
    game, fit = a_fit()
    fit.take(random_samples(game, 500, seed=6), 1, 0.002)
    BoardEntry(EvaluationCache.of_sheet(sheet, "planes", tmp_path), net).write(fit.learned())
    found = BoardEntry(EvaluationCache.of_sheet(scrambled, "planes", tmp_path), other_net).read()
    assert found is not None and found.rounds == 1
    other_game = Game.from_propnet(other_net)
    for weights, there in ((fit.learned().weights, game), (found.weights, other_game)):
        assert isinstance(weights, BoardWeights)
        simulator = Simulator(there, 64)
        values = weights.evaluation(there).values(there.initial[None])
        legal = simulator.legal(there.initial[None])
        joints = itertools.product(*(np.flatnonzero(moves[0]) for moves in legal))
        children = np.concatenate(
            [simulator.next(there.initial[None], np.array([joint], np.int32)) for joint in joints]
        )
        told = np.sort(np.concatenate([values, weights.evaluation(there).values(children)]), axis=0)
        if there is game:
            expected = told
    np.testing.assert_array_equal(told, expected)


def test_a_damaged_file_is_as_good_as_none(tmp_path: Path) -> None:
    sheet = parse_rules(games.read(GAME))
    net, (_, fit) = load(sheet), a_fit()
    cache = EvaluationCache.of_sheet(sheet, "planes", tmp_path)
    entry = BoardEntry(cache, net)
    entry.write(fit.learned())
    whole = cache.path.read_bytes()
    assert entry.read() is not None
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        cache.path.write_bytes(whole[:length])
        assert entry.read() is None
    network = fit.learned().weights.network
    wrong = network._replace(seen=np.full_like(network.seen, 1000))
    entry.write(Learned(BoardWeights(fit.learned().weights.planes, wrong), 1))
    assert entry.read() is None


def test_a_run_is_kept_goes_on_and_is_carried_elsewhere(
    tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "run")
    assert learn(config, "--out", out) == 0
    before = json.loads((tmp_path / "run" / "curve.json").read_text())["curve"]
    assert before and learn(config, "--out", out, "--resume", "--hours", longer(tmp_path / "run")) == 0
    assert read_kind(tmp_path / "run" / "reference.npz")["features"] == "state"  # what can be seen without a board
    after = json.loads((tmp_path / "run" / "curve.json").read_text())["curve"]
    assert after[: len(before)] == before and after[-1]["rounds"] > before[-1]["rounds"]
    capsys.readouterr()
    assert status("learn", GAME, "--features", "planes", "--status") == 0
    assert "1 block of width 32" in capsys.readouterr().out
    kept = str(tmp_path / "kept.npz")
    assert status("learn", GAME, "--features", "planes", "--export", kept) == 0
    EvaluationCache.of_sheet(parse_rules(games.read(GAME)), "planes").path.unlink()
    assert status("learn", GAME, "--features", "planes", "--import", kept) == 0
    assert status("learn", GAME, "--import", kept) == 1
    assert "sees the features planes, and not all" in capsys.readouterr().err


def test_players_use_it_under_other_names(tmp_path: Path, config: Path) -> None:
    assert learn(config, "--out", str(tmp_path / "run")) == 0
    sheet = parse_rules(games.read(GAME))
    scrambled = Scrambler(sheet, seed=3).scramble(sheet)
    for strategy in ("auto", "guided"):
        settings = PlayerOptions(strategy=strategy, nodes_mb=16, features="planes")
        found = prepare(load(scrambled), settings, TimeBudget(6.0, 0.1), sheet=scrambled)
        assert found.strategy == "guided" and "a network over the board judges positions" in found.reason


def test_players_without_one_say_so() -> None:
    sheet, told = parse_rules(games.read(GAME)), list[str]()
    settings = PlayerOptions(nodes_mb=16, features="planes", learn=0.0)
    found = prepare(load(sheet), settings, TimeBudget(0.5, 0.1, tell=told.append), sheet=sheet)
    assert found.evaluation is None
    assert any("`ludens learn GAME --features planes` learns one" in line for line in told)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--hidden", "8"), "hidden is of no use with the features planes"),
        (("--width", "40"), "width is 40, and none of 32, 64, 96, 128"),
        (("--features", "all", "--width", "64"), "width is of no use without the features planes"),
        (("--features", "all"), "blocks is of no use without the features planes"),
    ],
)
def test_options_of_no_use_are_refused(
    tmp_path: Path, config: Path, options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert learn(config, "--out", str(tmp_path / "run"), *options) == 1
    assert message in capsys.readouterr().err


def test_games_on_cores_of_their_own_have_no_planes(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("learn", "english_draughts", "--features", "planes") == 1
    assert "on a game core of its own, without planes" in capsys.readouterr().err


@pytest.mark.parametrize(
    "others", [{"recall": "off"}, {"level": 3}, {"iterations": 100}], ids=["recall", "level", "iterations"]
)
def test_planes_are_nothing_without_what_is_kept(others: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        PlayerOptions(features="planes", **others)


def test_players_who_learn_nothing_do_as_they_do_without_planes(tmp_path: Path, config: Path) -> None:
    assert learn(config, "--out", str(tmp_path / "run")) == 0
    sheet = parse_rules(games.read(GAME))
    settings = PlayerOptions(strategy="uct", nodes_mb=16, features="planes", kernel="off")
    found = prepare(load(sheet), settings, TimeBudget(0.5, 0.1), sheet=sheet)
    assert found.strategy == "uct" and found.evaluation is None and "network" not in found.reason


def test_a_run_goes_on_with_the_planes_that_it_began_with(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever boards would be found now."""
    from ludens.agent.long_learning import approximation

    out = str(tmp_path / "run")
    assert learn(config, "--out", out) == 0
    monkeypatch.setattr(approximation, "find_planes", lambda *_given: pytest.fail("the boards are looked for again"))
    assert learn(config, "--out", out, "--resume", "--hours", longer(tmp_path / "run")) == 0


def longer(run: Path) -> str:
    """Hours in which a run learns for some seconds more."""
    minutes = json.loads((run / "curve.json").read_text())["curve"][-1]["minutes"]
    return str((60 * minutes + 5) / 3600)


def test_a_fit_to_nothing_changes_nothing() -> None:
    game, fit = a_fit()
    samples, before = random_samples(game, 10, seconds=0.01, seed=1, max_steps=1), fit.weights.network.hidden.copy()
    assert not len(samples.features) and fit.fit(samples, 1, 0.001) == 0.0
    np.testing.assert_array_equal(fit.weights.network.hidden, before)


@pytest.mark.parametrize(
    "change",
    [
        {"columns": np.zeros((4, 3), np.int64)},
        {"columns": np.full((4, 25), 10**6)},
        {"columns": np.full((4, 25), -2)},
        {"columns": np.full((4, 25), 2**40)},
        {"fills": np.array([[0, 300, 1]])},
        {"fills": np.array([[0, 0, 200]])},
        {"seen": np.zeros((1, 10**6), np.int32), "stem": np.zeros((10**6, 1, 1), np.int8)},
        {"shape": np.array([0, 0])},
    ],
    ids=["squares", "facts", "negative", "wide", "planes", "values", "huge", "empty"],
)
def test_files_that_say_what_cannot_be_are_as_good_as_none(tmp_path: Path, change: dict[str, Any]) -> None:
    sheet = parse_rules(games.read(GAME))
    net, (_, fit) = load(sheet), a_fit()
    cache = EvaluationCache.of_sheet(sheet, "planes", tmp_path)
    entry = BoardEntry(cache, net)
    entry.write(fit.learned())
    whole = cache.load()
    assert whole is not None and entry.read() is not None
    assert whole["columns"].shape[1] == 25
    cache.store({**whole, **change})
    assert entry.read() is None


THREE = """
(role red) (role green) (role blue)
(init (step 0))
(<= (legal ?r (say ?n)) (role ?r) (number ?n))
(number 1) (number 2)
(<= (next (said ?r ?n)) (does ?r (say ?n)))
(<= (next (step 1)) (true (step 0)))
(<= terminal (true (step 1)))
(<= (goal ?r 100) (true (said ?r 2)))
(<= (goal ?r 0) (true (said ?r 1)))
"""


def test_games_without_a_board_of_three_roles_who_choose_together_are_learned(tmp_path: Path, config: Path) -> None:
    rules = tmp_path / "three.kif"
    rules.write_text(THREE)
    given = ("--config", str(config), "--threads", "2", "--hours", "0.0005", "--out", str(tmp_path / "run"))
    assert status("learn", str(rules), *given) == 0
    assert (tmp_path / "run" / "best.npz").exists()


def test_networks_travel_to_other_processes() -> None:
    game, fit = a_fit()
    samples = random_samples(game, 50, seed=1)
    weights = pickle.loads(pickle.dumps(fit.weights))
    np.testing.assert_array_equal(
        weights.evaluation(game).values(samples.features), fit.weights.evaluation(game).values(samples.features)
    )
