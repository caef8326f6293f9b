"""Checkers data: views, values and shards are right, the same however a run was ended, and damage is noticed."""

from __future__ import annotations

import errno
import json
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludens.agent.checkers import shards
from ludens.agent.checkers.dataset import METHODS, DataOptions, Progress, ShardChoice, begin, make, with_words
from ludens.agent.checkers.games import COIN, DESCENT, SEARCH, GamePlayer, GamePositions
from ludens.agent.checkers.move_values import judge_all, random_descent, searched, searched_values
from ludens.agent.checkers.shards import DataError, read_shard, shard_path
from ludens.agent.checkers.views import MOVES, counted_rules, hashes, seen_moves, states_of, turned, words_of
from ludens.agent.commands import data
from ludens.agent.commands.cli import main
from ludens.games.checkers.bitboards.native_game import pack
from ludens.games.checkers.rules.parameters import UP, MoveTable
from ludens.games.checkers.rules.parameters import Path as MovePath
from ludens.games.checkers.rules.positions import Positions, random_positions
from ludens.games.checkers.rules.reference import Position, Reference
from ludens.native.core import RootMoves
from ludens.propnet.base.folder_lock import FolderLock
from tests.support.checkers_data import of_method
from tests.support.waiting import until

RULES = counted_rules(idle=40, cap=200)
BY_THE_BOOK, TABLE = Reference(RULES), MoveTable(RULES)
SMALL: dict[str, int | str] = {"positions": 150, "method": "mcrd", "playouts": 3, "shard": 64, "cap": 60, "seed": 5}


def bit_turned(squares: int) -> int:
    return sum(1 << 31 - square for square in range(32) if squares >> square & 1)


def seen(position: Position) -> list[int]:
    """A position as its mover sees it."""
    if position.turn == UP:
        return [position.up, position.down, position.kings]
    return [bit_turned(squares) for squares in (position.down, position.up, position.kings)]


def positions(count: int) -> Positions:
    return random_positions(RULES, count, np.random.default_rng(2))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"strategy": "uct"}, "search"),
        ({"method": "search", "shares": "equal"}, "mcrd"),
        ({"method": "outcome", "playouts": 1000}, "mcrd or search"),
    ],
)
def test_what_a_method_has_no_use_for_is_refused(tmp_path: Path, given: dict[str, str], said: str) -> None:
    with pytest.raises(DataError, match=f"is for the method {said}"):
        begin(tmp_path, given, resume=False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("method", METHODS)
def test_what_a_method_has_no_use_for_is_not_recorded(tmp_path: Path, method: str) -> None:
    begin(tmp_path, {"method": method}, resume=False)
    recorded = json.loads((tmp_path / "dataset.json").read_text())["configuration"]
    unused = {"outcome": {"playouts", "strategy", "shares", "kernel"}, "mcrd": {"strategy"}}
    assert set(vars_of(DataOptions())) - set(recorded) == unused.get(method, {"shares", "kernel"})
    for name in unused.get(method, ()):
        with pytest.raises(DataError, match=f"--{name} is for the method"):
            begin(tmp_path, {name: getattr(DataOptions(), name)}, resume=True)


def test_shards_that_nothing_says_the_meaning_of_are_not_taken_for_new_ones(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "dataset.json").unlink()
    with pytest.raises(DataError, match=r"has shards, and no dataset\.json .*--out"):
        begin(tmp_path, SMALL, resume=False)


def test_data_begun_on_a_gpu_go_on_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def make(_folder: Path, options: DataOptions, *_: object) -> Progress:
        played_by.append(options.kernel)
        return Progress()

    played_by = list[str]()
    begin(tmp_path, SMALL, resume=False)
    about = tmp_path / "dataset.json"
    about.write_text(about.read_text().replace('"kernel": "off"', '"kernel": "gpu"'))
    monkeypatch.setattr(data, "available", lambda: False)
    monkeypatch.setattr(data, "make", make)
    assert main(["data", "checkers", "--out", str(tmp_path), "--resume"]) == 0
    assert played_by == ["processor"]
    assert "! there is no GPU here: random games are played on the processor" in capsys.readouterr().err


def test_a_kernel_is_of_random_games_and_of_one_machine(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="--kernel is for the method mcrd"):
        begin(tmp_path, {"method": "outcome", "kernel": "off"}, resume=False)
    pytest.importorskip("numba")
    with pytest.raises(DataError, match="with the kernel processor no data are made on a cluster"):
        begin(tmp_path, {"kernel": "processor"}, resume=False, kernels=("off",))
    assert not list(tmp_path.iterdir())
    assert begin(tmp_path, {"kernel": "processor"}, resume=False).kernel == "processor"
    with pytest.raises(DataError, match="on a cluster"):
        begin(tmp_path, {}, resume=True, kernels=("off",))


def test_positions_are_seen_from_the_side_of_the_mover() -> None:
    several = positions(100)
    words = words_of(pack(several))
    assert words.tolist() == [seen(several.one(row)) for row in range(len(words))]
    assert (turned(turned(words)) == words).all()
    assert (words_of(states_of(words)) == words).all()


def test_moves_are_turned_with_the_board() -> None:
    several = positions(200)
    for row, words in enumerate(words_of(pack(several)).tolist()):
        position = several.one(row)
        paths = BY_THE_BOOK.legal(position, position.turn)
        numbers = np.array([TABLE.numbers[path] for path in paths], np.int64)
        image = [TABLE.numbers[path] % MOVES for path in BY_THE_BOOK.legal(Position(*words), UP)]
        assert sorted(seen_moves(numbers, np.full(len(numbers), position.turn)).tolist()) == sorted(image)


def random_result(position: Position, rng: random.Random) -> float:
    """The goal of UP, 0 to 1, of a random game by the book."""
    while not BY_THE_BOOK.terminal(position):
        position = BY_THE_BOOK.next(position, rng.choice(BY_THE_BOOK.legal(position, position.turn)))
    return BY_THE_BOOK.goals(position)[UP] / 100


@pytest.mark.lanes
@pytest.mark.parametrize(("proportional", "kernel"), [(False, "off"), (True, "off"), (True, "processor")])
def test_values_are_the_win_rates_of_random_games_by_the_book(proportional: bool, kernel: str) -> None:
    if kernel != "off":
        pytest.importorskip("numba")
    position, games, rng = (
        Position(up=1 << 13 | 1 << 22, down=1 << 25 | 1 << 18 | 1 << 30, kings=1 << 22),
        300,
        random.Random(1),
    )
    words = np.array([[position.up, position.down, position.kings]], np.uint32)
    judge = random_descent(RULES, 4000, proportional, kernel)
    known = judge_all(judge, words, np.random.SeedSequence(3), threads=1)
    expected: dict[int, MovePath] = {TABLE.numbers[path] % MOVES: path for path in BY_THE_BOOK.legal(position, UP)}
    assert known.moves.tolist() == sorted(expected)
    assert known.visits.sum() == pytest.approx(4000 * len(expected), rel=0.01)
    for move, value in zip(known.moves.tolist(), known.values.tolist(), strict=True):
        child = BY_THE_BOOK.next(position, expected[move])
        mean = sum(random_result(child, rng) for _ in range(games)) / games
        assert abs(value - mean) < 5 * 0.5 / games**0.5


@pytest.mark.lanes
def test_proportional_games_go_to_the_promising_moves() -> None:
    words = words_of(pack(positions(40)))
    known = judge_all(random_descent(RULES, 400, proportional=True), words, np.random.SeedSequence(1), threads=2)
    compared = 0
    for a, b in zip(known.first[:-1], known.first[1:], strict=True):
        if b - a > 1 and np.ptp(known.values[a:b]) > 0.2:
            assert known.visits[a:b][known.values[a:b].argmax()] > known.visits[a:b][known.values[a:b].argmin()]
            compared += 1
    assert compared > 5


@pytest.mark.lanes
def test_a_search_finds_the_winning_capture() -> None:
    words = np.array([[1 << 9 | 1 << 0, 1 << 13, 1 << 9]], np.uint32)
    known = judge_all(searched(RULES, "uct", 50), words, np.random.SeedSequence(1), threads=1)
    legal = [TABLE.numbers[path] % MOVES for path in BY_THE_BOOK.legal(Position(*words[0].tolist()), UP)]
    assert known.moves.tolist() == sorted(legal)
    assert known.values.tolist() == [1.0] * len(legal)


@pytest.mark.parametrize(
    ("visits", "proven", "best", "expected_values", "expected_visits"),
    [
        ([200, 90, 10], [-1, -1, -1], 0, [0.5, 0.4, 0.3], [200, 90, 10]),
        ([200, 90, 10], [0, -1, -1], 1, [0.0, 0.4, 0.3], [0, 90, 10]),  # refuted after most visits
        ([200, 90, 30], [-1, -1, 100], 2, [0.5, 0.4, 1.0], [0, 0, 320]),  # won, as few visits have shown
        ([0, 0, 0], [100, 0, 50], 0, [1.0, 0.0, 0.5], [0, 0, 0]),
    ],
)
def test_what_a_search_has_proven_of_moves_counts_for_more_than_their_visits(
    visits: list[int], proven: list[int], best: int, expected_values: list[float], expected_visits: list[int]
) -> None:
    means = np.array([50.0, 40.0, 30.0])
    known = RootMoves(np.arange(3, dtype=np.int32), np.array(visits), means, np.array(proven, np.int32), best)
    found = searched_values(known, 300)
    np.testing.assert_allclose(found.values, expected_values)
    assert found.visits.tolist() == expected_visits
    assert known.visits.tolist() == visits


@pytest.mark.lanes
def test_labels_rise_from_nothing_to_the_result_of_the_game() -> None:
    found = GamePlayer(RULES, (COIN,)).play(20, np.random.default_rng(4))
    assert (found.label[found.ply == 0] == 0).all()
    assert (found.words[found.ply == 0] == words_of(pack(Positions.of([BY_THE_BOOK.initial()])))).all()
    for game in range(20):
        mine = found[found.game == game]
        assert (np.diff(mine.ply) > 0).all()
        assert len(set(np.abs(mine.result).tolist())) == 1
        steps = np.abs(mine.label) / np.maximum(mine.ply, 1)
        assert np.ptp(steps[mine.ply > 0]) < 1e-6
        assert np.abs(mine.label).max() < 1
        assert (np.sign(mine.label) == mine.result * (mine.ply > 0)).all()


@pytest.mark.lanes
def test_every_policy_plays_legal_games_to_their_end() -> None:
    for policies in ((COIN, DESCENT), (COIN, SEARCH)):
        player = GamePlayer(RULES, policies)
        found = player.play(8, np.random.default_rng(1))
        assert set(found.game.tolist()) == set(range(8))
        for number in range(8):
            game = found[found.game == number]
            ends = [position for position in replayed(game) if BY_THE_BOOK.terminal(position)]
            assert game.result[0] in [np.sign(BY_THE_BOOK.goals(position)[UP] - 50) for position in ends]


def replayed(game: GamePositions) -> set[Position]:
    """Replays a game by the book; returns the positions to which its last known move may have led.

    Of captures that go on only the first is known, and the position in which it is the other's turn.
    """
    reached = {BY_THE_BOOK.initial()}
    for words, ply, played in zip(game.words.tolist(), game.ply.tolist(), game.played.tolist(), strict=True):
        before = [position for position in reached if (seen(position), position.step) == (words, ply)]
        assert before
        reached = {after for position in before for after in after_turn(position, played)}
    return reached


def after_turn(position: Position, played: int) -> Iterator[Position]:
    """Yields all positions after a move, as its side sees it, and after the captures that may follow."""
    for path in BY_THE_BOOK.legal(position, position.turn):
        plain = TABLE.numbers[path] % MOVES
        if played == (plain if position.turn == UP else MOVES - 1 - plain):
            yield from after_captures(BY_THE_BOOK.next(position, path))


def after_captures(position: Position) -> Iterator[Position]:
    """Yields all positions to which the captures that follow, if any, may lead."""
    if position.chain is None or BY_THE_BOOK.terminal(position):
        yield position
        return
    for path in BY_THE_BOOK.legal(position, position.turn):
        yield from after_captures(BY_THE_BOOK.next(position, path))


def made(folder: Path, threads: int = 1, **changes: Any) -> list[bytes]:
    given = SMALL | changes
    options = begin(folder, of_method(str(given["method"]), given), resume=False)
    make(folder, options, threads, lambda _: None, pytest.fail)
    return contents(folder)


def contents(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob("shard-*.npz"))]


@pytest.mark.lanes
@pytest.mark.parametrize("method", ["outcome", "mcrd", "search"])
def test_shards_follow_from_the_options_alone(tmp_path: Path, method: str) -> None:
    first = made(tmp_path / "one", method=method)
    assert len(first) == 3
    assert made(tmp_path / "two", method=method, threads=3) == first
    assert made(tmp_path / "other", method=method, seed=6) != first


@pytest.mark.lanes
def test_no_two_positions_are_alike_and_few_pieces_are_as_frequent_as_many(tmp_path: Path) -> None:
    made(tmp_path, method="outcome", positions=600, shard=200)
    words = np.concatenate([read_shard(shard_path(tmp_path, n))["words"] for n in range(3)])
    assert len(np.unique(words, axis=0)) == len(np.unique(hashes(words))) == 600
    pieces = np.bitwise_count(words[:, 0] | words[:, 1])
    assert 0.5 < (pieces <= 12).mean() / (pieces > 12).mean() < 2


@pytest.mark.lanes
def test_positions_that_are_known_already_are_not_sorted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    played = GamePlayer(RULES, (COIN,)).play(4, np.random.default_rng(1))
    own = hashes(played.words)
    others = np.random.default_rng(2).integers(0, 1 << 64, 100_000, np.uint64)
    known = np.sort(np.concatenate((others, own[::2])))
    grown = np.sort(np.concatenate((known, own)))
    sizes = []

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arrays: Any, **options: Any) -> Any:
            sizes.append(max(map(np.size, arrays)))
            return function(*arrays, **options)

        return call

    for name in ("sort", "isin", "unique"):
        monkeypatch.setattr(np, name, counted(getattr(np, name)))
    wanted = set(own.tolist()) - set(own[::2].tolist())
    choice = ShardChoice(0, len(wanted), known)
    choice.add(played)
    chosen = hashes(choice.chosen(np.random.default_rng(3)).words)
    assert set(chosen.tolist()) == wanted and len(chosen) == len(wanted)
    assert with_words(known, played.words).tolist() == grown.tolist()
    assert sizes and max(sizes) <= len(own)


def test_damaged_and_missing_shards_are_made_again(tmp_path: Path) -> None:
    whole = made(tmp_path)
    for damage in (b"", whole[1][:-30], whole[1][:100] + b"x" * 20 + whole[1][120:]):
        shard_path(tmp_path, 1).write_bytes(damage)
        shard_path(tmp_path, 2).unlink()
        warnings: list[str] = []
        make(tmp_path, begin(tmp_path, {}, resume=True), 1, lambda _: None, warnings.append)
        assert contents(tmp_path) == whole
        assert len(warnings) == 1
        assert "shard-00001.npz" in warnings[0]


@pytest.mark.lanes
def test_a_shard_with_any_wrong_bit_is_damaged_or_as_it_was(tmp_path: Path) -> None:
    made(tmp_path)
    path = shard_path(tmp_path, 1)
    whole, arrays = path.read_bytes(), read_shard(path)
    step = max(1, len(whole) // 1500)
    for place in [*range(0, len(whole), step), *range(len(whole) - 1200, len(whole))]:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        try:
            found = read_shard(path)
        except DataError:
            continue
        assert all(np.array_equal(found[name], arrays[name], equal_nan=True) for name in arrays)


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"shard": 0}, "shard must be at least 1"), ({"method": "x"}, "method must be one of outcome, mcrd, search")],
)
def test_configurations_that_make_no_sense_are_refused(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    made(tmp_path)
    path = tmp_path / "dataset.json"
    about = json.loads(path.read_bytes())
    about["configuration"] |= changes
    path.write_text(json.dumps(about), "utf-8")
    with pytest.raises(DataError, match=said):
        begin(tmp_path, {}, resume=True)


@pytest.mark.lanes
def test_a_run_that_was_killed_goes_on_to_the_same_shards(tmp_path: Path) -> None:
    options = [f"--{name}={value}" for name, value in (SMALL | {"positions": 2000, "playouts": 30}).items()]
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "ludens.agent.commands.cli", "data", "checkers", f"--out={folder}", *options]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        until(shard_path(folder, 1).exists)
        process.send_signal(signal.SIGKILL)
    assert len(contents(folder)) < 2000 // 64 + 1
    for path in sorted(folder.glob("shard-*.npz"))[3:]:  # so that there is little left to compare
        path.unlink()
    about = folder / "dataset.json"
    about.write_text(about.read_text().replace('"positions": 2000', '"positions": 300'))
    make(folder, begin(folder, {}, resume=True), 1, lambda _: None, pytest.fail)
    assert contents(folder)[:4] == made(tmp_path / "whole", positions=300, playouts=30)[:4]


def test_a_full_disk_is_one_message_and_the_run_can_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, _content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(shards, "replace_file", full)
        with pytest.raises(DataError, match=r"dataset\.json: No space left on device$"):  # nothing to go on from yet
            begin(tmp_path, of_method("outcome", SMALL), resume=False)
    options = begin(tmp_path, of_method("outcome", SMALL), resume=False)
    with monkeypatch.context() as patch:
        patch.setattr(shards, "replace_file", full)
        with pytest.raises(DataError, match=r"shard-00000.npz: No space left on device; .*--resume"):
            make(tmp_path, options, 1, lambda _: None, pytest.fail)
    make(tmp_path, begin(tmp_path, {}, resume=True), 1, lambda _: None, pytest.fail)
    assert len(contents(tmp_path)) == 3


def test_what_does_not_fit_the_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no data to go on with"):
        begin(tmp_path, {}, resume=True)
    begin(tmp_path, SMALL, resume=False)
    with pytest.raises(DataError, match="has data already"):
        begin(tmp_path, SMALL, resume=False)
    with pytest.raises(DataError, match="have seed 5, not 6: leave --seed out"):
        begin(tmp_path, {"seed": 6}, resume=True)
    about = tmp_path / "dataset.json"
    text = about.read_text()
    for old, new, fault in (
        ('"playouts"', '"playout"', "unknown key 'playout'"),
        ('"playouts": 3', '"playouts": "3"', "'playouts' must be of type int"),
        ('"version": 1', '"version": 2', "is not of ludens-checkers-data 1"),
        ('"ludens": "', '"ludens": "9.', "were begun by Ludens 9."),
        ("{", "", "cannot be read"),
    ):
        about.write_text(text.replace(old, new, 1))
        with pytest.raises(DataError, match=fault):
            begin(tmp_path, {}, resume=True)


def test_data_begun_by_other_code_of_the_same_version_go_on_with_a_warning(tmp_path: Path) -> None:
    warnings = list[str]()
    begun = begin(tmp_path, SMALL, resume=False, warn=warnings.append)
    assert begin(tmp_path, {}, resume=True, warn=warnings.append) == begun
    assert not warnings
    about = tmp_path / "dataset.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"code": "0123456789ab"}))
    assert begin(tmp_path, {}, resume=True, warn=warnings.append) == begun
    assert len(warnings) == 1 and "begun by other code of Ludens" in warnings[0]


def test_shards_of_another_schema_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "shard.npz"
    np.savez(path, words=np.zeros((1, 3), np.uint32), wards=np.zeros(1))
    with pytest.raises(DataError, match="unknown array 'wards'"):
        read_shard(path)
    np.savez(path, words=np.zeros((1, 3), np.int64))
    with pytest.raises(DataError, match="lacks an array 'words' of uint32"):
        read_shard(path)


@pytest.mark.parametrize("name", ["words", "moves", "first"])
def test_arrays_without_dimensions_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "shard.npz"
    arrays: dict[str, Any] = {each: np.zeros(0, kind) for each, (kind, _) in shards.SCHEMA.items()}
    arrays |= {"words": np.zeros((0, 3), np.uint32), "first": np.zeros(1, np.int64)}
    np.savez(path, **arrays)
    assert not len(read_shard(path)["words"])
    np.savez(path, **(arrays | {name: np.array(0, arrays[name].dtype)}))
    with pytest.raises(DataError, match=rf"'{name}' has shape \(\)"):
        read_shard(path)


def test_progress_tells_what_is_done_how_fast_and_how_long_the_rest_takes() -> None:
    assert Progress().line(0, 1000) == "0 of 1,000 positions"
    after = Progress(positions=2000, playouts=50_000, seconds=4.0)
    assert after.line(2500, 10_000) == "2,500 of 10,000 positions, 500/s, 12,500 playouts/s, 15 s left"


@pytest.mark.lanes
def test_the_command_tells_how_fast_it_was_and_what_the_data_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [f"--{name}={value}" for name, value in SMALL.items()]
    assert main(["data", "checkers", "--out", str(tmp_path), *options]) == 0
    assert "150 positions and" in capsys.readouterr().out
    about = json.loads((tmp_path / "dataset.json").read_text())
    assert about["configuration"] == {k: v for k, v in (vars_of(DataOptions()) | SMALL).items() if k != "strategy"}
    assert set(about["schema"]) == set(read_shard(shard_path(tmp_path, 0)))
    assert main(["data", "checkers", "--out", str(tmp_path)]) == 1
    assert "--resume" in capsys.readouterr().err


def test_the_command_keeps_others_out_and_removes_what_killed_runs_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["data", "checkers", "--out", str(tmp_path), *(f"--{name}={value}" for name, value in SMALL.items())]
    drafts = [tmp_path / ".shard-00000.npz.17", tmp_path / ".dataset.json.18"]
    others = [tmp_path / ".profile", tmp_path / ".notes.1", tmp_path / ".shard-00000.npz.old"]
    for path in (*drafts, *others):
        path.touch()
    with FolderLock(tmp_path):
        assert main(command) == 1
    assert "another process is making data here" in capsys.readouterr().err
    assert main(command) == 0
    assert [path.exists() for path in (*drafts, *others)] == [False, False, True, True, True]
    assert main(["data", "checkers", "--resume", "--out", str(tmp_path / "missing")]) == 1
    assert "cannot open the folder" in capsys.readouterr().err


def vars_of(options: DataOptions) -> dict[str, Any]:
    return {name: getattr(options, name) for name in DataOptions.__slots__}
