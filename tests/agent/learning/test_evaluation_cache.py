"""What was learned of a game is found again whatever its names, and never trusted blindly."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from ludens import games
from ludens.agent.learning import evaluation_cache
from ludens.agent.learning.averaged_fit import TrainedWeights
from ludens.agent.learning.evaluation_cache import CacheEntry, EvaluationCache
from ludens.agent.learning.features import with_features
from ludens.agent.manager.scramble import Scrambler
from ludens.native.core import Evaluation, EvaluationWeights, Game, pack_bits, random_samples, unpack_bits
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.fingerprint import fingerprint
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.evaluate import Evaluator
from ludens.propnet.network.propnet import FeatureName, Propnet


def known(name: str) -> tuple[RuleSheet, Propnet]:
    sheet = parse_rules(games.read(name))
    return sheet, load(sheet)


def some_weights(net: Propnet, control: tuple[int, ...] = (3,)) -> EvaluationWeights:
    rng = np.random.default_rng(1)
    inputs, roles = net.state_bits + len(net.features) + 1, len(net.roles)
    shapes = (inputs, roles), (inputs, 5), (5, roles)
    return EvaluationWeights(control, *(rng.normal(size=(2, *shape)).astype(np.float32) for shape in shapes))


def place_of(sheet: RuleSheet, net: Propnet, directory: Path, choice: str = "all") -> CacheEntry:
    return EvaluationCache.of_sheet(sheet, choice, directory).entry(net)


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    sheet, net = known("connect_four")
    place = place_of(sheet, net, tmp_path)
    assert place.read() is None
    weights = some_weights(net)
    place.write(TrainedWeights(weights, 7))
    again = place_of(sheet, net, tmp_path).read()
    assert again is not None
    assert again.rounds == 7
    assert again.weights.control == weights.control
    for now, then in zip(again.weights[1:], weights[1:], strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize("imported", [False, True])
def test_what_was_not_used_for_the_longest_time_goes_first(
    tmp_path: Path, imported: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet, net = known("tic_tac_toe")
    learned = TrainedWeights(some_weights(net), 7)
    old, used, new = (EvaluationCache.of_sheet(sheet, choice, tmp_path) for choice in ("old", "used", "new"))
    for cache in (old, used):
        cache.entry(net).write(learned)
        os.utime(cache.path, (1, 1))
    assert used.entry(net).read() is not None
    content = used.path.read_bytes()
    monkeypatch.setattr(evaluation_cache, "MOST_BYTES", 2 * used.path.stat().st_size + 1)
    (tmp_path / "other.npz").write_bytes(bytes(10_000))  # is no evaluation of the cache
    drafts = abandoned, written = [tmp_path / f".{old.path.name}.{number}" for number in (123, 124)]
    for draft in drafts:
        draft.write_bytes(b"half an evaluation")
    os.utime(abandoned, (1, 1))  # by a process that was killed
    if imported:
        new.put(content)
    else:
        new.entry(net).write(learned)
    assert set(tmp_path.iterdir()) == {used.path, new.path, tmp_path / "other.npz", written}


def test_files_outside_the_cache_stay_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet, net = known("tic_tac_toe")
    learned, cache = TrainedWeights(some_weights(net), 7), EvaluationCache.of_sheet(sheet, "all", tmp_path)
    monkeypatch.setattr(evaluation_cache, "MOST_BYTES", 1)
    mine, theirs = tmp_path / "evaluation-mine.npz", tmp_path / "best.npz"
    mine.write_bytes(b"mine")
    cache.at(theirs).entry(net).write(learned)
    os.utime(theirs, (1, 1))
    assert cache.at(theirs).entry(net).read() is not None
    assert theirs.stat().st_mtime == 1 and mine.exists()


def test_what_cannot_be_removed_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet, net = known("tic_tac_toe")
    (tmp_path / "evaluation-folder.npz").mkdir()
    monkeypatch.setattr(evaluation_cache, "MOST_BYTES", 1)
    cache = EvaluationCache.of_sheet(sheet, "all", tmp_path)
    cache.entry(net).write(TrainedWeights(some_weights(net), 7))
    assert (tmp_path / "evaluation-folder.npz").exists()


def test_a_scrambled_game_finds_its_own(tmp_path: Path) -> None:
    """The same state is worth the same, whatever the names of its propositions and wherever they stand."""
    sheet, net = known("breakthrough_small")
    scrambler = Scrambler(sheet, seed=4)
    other = scrambler.scramble(sheet)
    other_net = load(other)
    weights = some_weights(net)
    place_of(sheet, net, tmp_path).write(TrainedWeights(weights, 1))
    found = place_of(other, other_net, tmp_path).read()
    assert found is not None
    place = [other_net.propositions.index(str(scrambler.scramble(parse_term(p)))) for p in net.propositions]
    states = random_samples(Game.from_propnet(net), 200).features
    bits = unpack_bits(states, net.state_bits)
    others = np.zeros_like(bits)
    others[:, place] = bits
    assert (others != bits).any()
    values = Evaluation(found.weights).values(pack_bits(others))
    np.testing.assert_allclose(values, Evaluation(weights).values(states), atol=1e-3)


def test_another_game_finds_nothing(tmp_path: Path) -> None:
    sheet, net = known("connect_four")
    place_of(sheet, net, tmp_path).write(TrainedWeights(some_weights(net), 1))
    assert place_of(*known("tic_tac_toe"), tmp_path).read() is None


def test_what_was_learned_from_other_kinds_of_features_is_another(tmp_path: Path) -> None:
    """Else a player that once saw the state alone would see no more for good."""
    sheet, net = known("tic_tac_toe")
    place_of(sheet, net, tmp_path, "state").write(TrainedWeights(some_weights(net), 1))
    assert EvaluationCache.of_sheet(sheet, "state", tmp_path).saved_features() is not None
    assert EvaluationCache.of_sheet(sheet, "all", tmp_path).saved_features() is None
    assert place_of(sheet, net, tmp_path, "all").read() is None


@pytest.mark.parametrize("damage", ["cut", "flip", "version", "garbage", "names"])
def test_damaged_and_foreign_files_are_as_good_as_none(tmp_path: Path, damage: str) -> None:
    sheet, net = known("tic_tac_toe")
    cache, place = EvaluationCache.of_sheet(sheet, "all", tmp_path), place_of(sheet, net, tmp_path)
    place.write(TrainedWeights(some_weights(net), 1))
    header, _, body = cache.path.read_bytes().partition(b"\n")
    match damage:
        case "cut":
            body = body[:-100]
        case "flip":
            body = body[:500] + bytes([body[500] ^ 1]) + body[501:]
        case "version":
            header = json.dumps(json.loads(header) | {"version": 1}).encode()
        case "garbage":
            header = b"\xff\xfe"
        case "names":
            place_of(*known("nim"), tmp_path).write(TrainedWeights(some_weights(known("nim")[1]), 1))
            header, _, body = (
                EvaluationCache.of_sheet(known("nim")[0], "all", tmp_path).path.read_bytes().partition(b"\n")
            )
    cache.path.write_bytes(header + b"\n" + body)
    assert place.read() is None


def test_what_another_version_has_kept_is_neither_read_nor_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet, net = known("tic_tac_toe")
    earlier, weights = place_of(sheet, net, tmp_path), some_weights(net)
    earlier.write(TrainedWeights(weights, 1))
    with monkeypatch.context() as patch:
        patch.setattr(evaluation_cache, "_VERSION", evaluation_cache._VERSION + 1)
        later = place_of(sheet, net, tmp_path)
        assert later.read() is None
        later.write(TrainedWeights(weights, 2))
        found = later.read()
        assert found is not None and found.rounds == 2
    kept = earlier.read()
    assert kept is not None and kept.rounds == 1


def test_that_a_file_cannot_be_used_is_told(tmp_path: Path) -> None:
    sheet, net = known("tic_tac_toe")
    cache = EvaluationCache.of_sheet(sheet, "all", tmp_path)
    assert cache.found_fault("tic_tac_toe") == ""
    cache.entry(net).write(TrainedWeights(some_weights(net), 1))
    assert cache.found_fault("tic_tac_toe") == ""
    cache.path.write_bytes(cache.path.read_bytes()[:-1])
    assert "damaged or cut short" in cache.found_fault("tic_tac_toe") == cache.entry(net).fault("tic_tac_toe")


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    sheet, net = known("tic_tac_toe")
    weights = some_weights(net)
    weights.inner[0, 0, 0] = np.nan
    place = place_of(sheet, net, tmp_path)
    place.write(TrainedWeights(weights, 1))
    assert place.read() is None


@pytest.mark.parametrize(
    "change",
    [
        {"control": np.array([20])},
        {"control": np.array([21])},
        {"rounds": np.array(-1)},
        {"rounds": np.array("many")},
        {"linear": np.zeros(3)},
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, change: dict[str, npt.NDArray[np.generic]]) -> None:
    """Though nothing happened to the file."""
    sheet, net = known("tic_tac_toe")
    net = replace(net, features=net.legal[:1], feature_names=(FeatureName("zzz"),))
    assert net.state_bits == 20
    cache, place = EvaluationCache.of_sheet(sheet, "all", tmp_path), place_of(sheet, net, tmp_path)
    place.write(TrainedWeights(some_weights(net), 1))
    stored = cache.load()
    assert stored is not None
    assert place.read() is not None
    cache.store({**stored, **change})
    assert cache.load() is not None
    assert place.read() is None


def test_what_there_was_no_time_for_is_noted(tmp_path: Path) -> None:
    sheet, net = known("tic_tac_toe")
    cache, late = EvaluationCache.of_sheet(sheet, "all", tmp_path), frozenset({"threat", "territory"})
    assert cache.saved_features() is None
    cache.entry(net, late).write(TrainedWeights(some_weights(net), 1))
    kept = cache.saved_features()
    assert kept is not None and kept.timed_out == late
    assert cache.entry(net).read() is not None


def test_control_survives(tmp_path: Path) -> None:
    sheet, net = known("breakthrough_small")
    place = place_of(sheet, net, tmp_path)
    place.write(TrainedWeights(some_weights(net, (net.state_bits - 1,)), 1))
    found = place.read()
    assert found is not None
    assert found.weights.control == (net.state_bits - 1,)
    Evaluation(found.weights)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("name", "threats"), [("connect_four", 84), ("breakthrough_small", 0)])
def test_a_scrambled_game_sees_what_it_saw_before(tmp_path: Path, name: str, threats: int, seed: int) -> None:
    """The oracle: features are worked out anew from the scrambled states, by the scrambled game's own network."""
    sheet, plain = known(name)
    net = with_features(plain, "all", 600.0).net
    weights = some_weights(net)
    place_of(sheet, net, tmp_path).write(TrainedWeights(weights, 1))
    other = Scrambler(sheet, seed).scramble(sheet)
    cache = EvaluationCache.of_sheet(other, "all", tmp_path)
    other_net = with_features(load(other), "all", 600.0, cache.saved_features()).net
    found = cache.entry(other_net).read()
    assert found is not None
    assert sum(feature.what.startswith("threat") for feature in net.feature_names) == threats
    features = random_samples(Game.from_propnet(net), 200, seed=seed).features
    bits = unpack_bits(features, net.state_bits + len(net.features))
    states = np.zeros_like(bits[:, : net.state_bits])
    states[:, same_propositions(sheet, net, other, other_net)] = bits[:, : net.state_bits]
    assert other_net.propositions != net.propositions
    seen = np.concatenate([states, Evaluator(other_net).features(states)], axis=1)
    values = Evaluation(found.weights).values(pack_bits(seen))
    np.testing.assert_allclose(values, Evaluation(weights).values(features), atol=2e-3)


def same_propositions(sheet: RuleSheet, net: Propnet, other: RuleSheet, other_net: Propnet) -> list[int]:
    """For each proposition of a game its index in the scrambled one; symbols that are alike may change places."""
    mine, theirs = fingerprint(sheet), fingerprint(other)
    places = {theirs.canonical(text): i for i, text in enumerate(other_net.propositions)}
    return [places[mine.canonical(text)] for text in net.propositions]


def test_what_another_network_of_the_game_has_kept_is_none_in_the_way_of_the_next(tmp_path: Path) -> None:
    """But what sees more than there is time to find is: it took longer, and others can use it."""
    sheet, net = known("breakthrough_small")
    cache, plain = EvaluationCache.of_sheet(sheet, "all", tmp_path), place_of(sheet, net, tmp_path)
    seen = with_features(net, "mobility", 600.0).net
    assert seen.feature_names
    cache.entry(seen).write(TrainedWeights(some_weights(seen), 1, seconds=7.0))
    assert plain.read() is None and plain.seconds() == 7.0
    stored = dict(cache.load() or {})
    for others in (stored["names"].tolist()[1:], [*stored["names"].tolist(), "(another fact)"]):
        cache.store(stored | {"names": np.array(others)})
        assert plain.read() is None and plain.seconds() == 0.0
        assert cache.seconds() == 7.0 and not cache.is_of(map(cache.canonical, net.propositions))
