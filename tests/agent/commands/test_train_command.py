"""`ludens train`: trainings end in every way and go on to the same weights, and nothing is overwritten or lost."""

from __future__ import annotations

import csv
import dataclasses
import errno
import itertools
import json
import os
import random
import signal
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ludens.agent.tak.training import TakOptions, TakTrainingRun
from ludens.agent.training.checkpoint import TrainingError, read_checkpoint
from ludens.agent.training.folder import TrainingFolder
from ludens.games.tak.rules.parameters import TakRules
from ludens.games.tak.temporal_differences.inputs import input_count
from ludens.games.tak.temporal_differences.network import Network
from ludens.games.tak.temporal_differences.weights_file import TrainedWeights, read_weights
from ludens.native.core import TakTraining
from tests.support.command import running, status
from tests.support.killed_writes import killed_in_write
from tests.support.waiting import until

SMALL = ("train", "tak", "--size", "3", "--games", "400", "--threads", "1")
OPTIONS = TakOptions(size=3, games=400)


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """The folder of a training that is over."""
    folder = tmp_path / "trained"
    assert status(*SMALL, "--out", str(folder)) == 0
    return folder


def silent(_text: str) -> None:
    """Hears how far a training is."""


def test_a_training_leaves_its_weights_and_its_curve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trained = tmp_path / "new" / "folder"
    assert status(*SMALL, "--out", str(trained)) == 0
    assert "400 games in " in capsys.readouterr().out
    rules = TakRules(3)
    begun = TrainedWeights.of_network(Network.random(input_count(rules), 0), rules, 0, 0)
    directly = TakTraining(3, begun.weights, games=400)
    directly.run()
    found = read_weights(trained / "weights.td")
    assert (found.weights == directly.weights).all() and (found.rules, found.games) == (rules, 400)
    rows = list(csv.DictReader((trained / "curve.csv").read_text().splitlines()))
    known = json.loads((trained / "curve.json").read_text())
    assert known["options"]["games"] == 400
    assert [float(row["loss"]) for row in rows] == [point["loss"] for point in known["curve"]]
    assert int(rows[-1]["games"]) == 400 and all(float(row["games_per_second"]) > 0 for row in rows)
    games = [0, *(int(row["games"]) for row in rows)]
    weighted = [float(row["roads"]) * (n - m) for row, (m, n) in zip(rows, itertools.pairwise(games), strict=True)]
    assert sum(weighted) == pytest.approx(directly.stats.roads)
    lines = ElementTree.parse(trained / "curve.svg").iter("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [len(rows)] * 5
    kept = sorted(path.name for path in trained.glob("weights-*"))
    assert len(kept) == 13 and kept[-1] == "weights-0000400.td"


def test_a_training_killed_at_any_moments_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    options = ("train", "tak", "--size", "3", "--games", "1500", "--seed", "3", "--threads", "1", "--interval", "0.001")
    folder, rng = tmp_path / "killed", random.Random(5)
    checkpoint = folder / "checkpoint"

    def written() -> int:
        return checkpoint.stat().st_ino if checkpoint.exists() else 0

    kills = 0
    for _ in range(12):
        given = (*options[:2], "--resume", *options[-4:]) if written() else options
        with running(*given, "--out", str(folder)) as run:
            if rng.random() < 0.8:  # else perhaps before it begins
                before = written()
                until(lambda: written() != before or run.poll() is not None)  # noqa: B023
            time.sleep(rng.uniform(0, 0.1))
            kills += run.poll() is None
            run.send_signal(signal.SIGKILL)
        if written():
            read_checkpoint(checkpoint)
    assert kills
    assert status(*options[:2], *(["--resume"] if written() else options[2:]), "--out", str(folder)) == 0
    assert status(*options, "--out", str(tmp_path / "whole")) == 0
    assert not list(folder.glob(".*"))
    for name in ("weights.td", *(path.name for path in (tmp_path / "whole").glob("weights-*"))):
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    told = [
        [{**point, "games_per_second": 0} for point in json.loads((each / "curve.json").read_text())["curve"]]
        for each in (folder, tmp_path / "whole")
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize("operation", range(1, 36, 5))
def test_a_training_that_ends_in_any_write_goes_on(
    trained: Path, tmp_path: Path, operation: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "ended"
    with killed_in_write(operation, monkeypatch), TrainingFolder(folder, resume=False) as opened:
        run = TakTrainingRun(opened, OPTIONS)
        while True:
            run.run(1, 0.0, silent)
    begun = (folder / "checkpoint").exists()
    assert status(*SMALL[:4], *(["--resume"] if begun else SMALL[4:]), "--out", str(folder)) == 0
    assert not list(folder.glob(".*"))
    assert (folder / "weights.td").read_bytes() == (trained / "weights.td").read_bytes()


@pytest.mark.parametrize("number", [0, 5, -1])
def test_weights_that_a_ctrl_c_kept_from_being_written_are_written_later(
    trained: Path, tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, replace = tmp_path / "ended", Path.replace
    kept = sorted(trained.glob("weights-*"))[number]

    def ended(draft: Path, target: Path) -> Path:
        if target.name == kept.name:
            raise KeyboardInterrupt
        return replace(draft, target)

    with monkeypatch.context() as patch, TrainingFolder(folder, resume=False) as opened:
        patch.setattr(Path, "replace", ended)
        with pytest.raises(KeyboardInterrupt):
            TakTrainingRun(opened, OPTIONS).run(1, 600.0, silent)
    assert status(*SMALL[:4], "--resume", "--out", str(folder)) == 0
    for path in trained.glob("weights*"):
        assert (folder / path.name).read_bytes() == path.read_bytes(), path.name
    assert len((folder / "curve.csv").read_text().splitlines()) == len((trained / "curve.csv").read_text().splitlines())


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    folder = tmp_path / "long"
    with running("train", "tak", "--out", str(folder)) as run:
        until((folder / "checkpoint").exists)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate()
    assert run.returncode == 130
    assert f"`ludens train tak --resume --out {folder}`" in said and "Traceback" not in said
    with TrainingFolder(folder, resume=True) as opened:
        resumed = TakTrainingRun.resume(opened, {})
    assert resumed.options == TakOptions() and resumed.stats.games < 500_000


def test_nothing_is_overwritten(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (trained / "checkpoint").read_bytes()
    assert status(*SMALL, "--out", str(trained)) != 0
    assert "has a training already: go on with it by --resume" in capsys.readouterr().err
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").touch()
    assert status(*SMALL, "--out", str(tmp_path / "letters")) != 0
    assert "is not empty" in capsys.readouterr().err
    assert status(*SMALL, "--out", str(tmp_path / "letters" / "a.txt")) != 0
    assert "File exists" in capsys.readouterr().err
    assert (trained / "checkpoint").read_bytes() == before


def test_one_process_trains_in_a_folder(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with TrainingFolder(trained, resume=True):
        assert status("train", "tak", "--resume", "--out", str(trained)) != 0
    assert "another process is training here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--games", "500"), "has a training with games 400, and not 500"),
        (("--size", "4"), "with size 3, and not 4"),
        (("--seed", "1"), "with seed 0, and not 1"),
        (("--half-komi", "4"), "with half komi 0, and not 4"),
        (("--rate", "0.1"), "with rate 0.005, and not 0.1"),
        (("--trace", "0.5"), "with trace 0.0, and not 0.5"),
        (("--symmetries", "8"), "with symmetries 1, and not 8"),
    ],
)
def test_a_training_goes_on_with_its_own_options(
    given: tuple[str, str], said: str, trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("train", "tak", "--resume", "--out", str(trained), *given) != 0
    assert said in capsys.readouterr().err


@pytest.fixture
def begun(tmp_path: Path) -> bytes:
    """The checkpoint of a training that has just begun."""
    with TrainingFolder(tmp_path / "begun", resume=False) as opened:
        TakTrainingRun(opened, OPTIONS).save()
    return (tmp_path / "begun" / "checkpoint").read_bytes()


def test_a_checkpoint_that_is_cut_anywhere_is_told(begun: bytes, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    path.write_bytes(begun)
    with path.open("r+b") as file:
        for length in range(len(begun) - 1, -1, -1):
            file.truncate(length)
            with pytest.raises(TrainingError, match=r"is cut short|or only the beginning") as error:
                read_checkpoint(path)
            assert str(path) in str(error.value)


def test_a_bit_of_a_checkpoint_that_is_another_one_is_noticed(begun: bytes, tmp_path: Path) -> None:
    path, rng = tmp_path / "checkpoint", random.Random(2)
    path.write_bytes(begun)
    with path.open("r+b", buffering=0) as file:
        for place in [*range(600), *rng.sample(range(600, len(begun)), 2000)]:
            file.seek(place)
            file.write(bytes([begun[place] ^ 1 << rng.randrange(8)]))
            with pytest.raises(TrainingError, match=str(path)):
                read_checkpoint(path)
            file.seek(place)
            file.write(begun[place : place + 1])
    assert (read_checkpoint(path).options, path.read_bytes()) == (dataclasses.asdict(OPTIONS), begun)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]\n",
        b"[" * 100_000,
        b'{"format": "training of Ludens"}\n',
        b'{"format": "training of Ludens", "version": 1, "words": "many"}\n',
        b'{"format": "training of Ludens", "version": 1, "words": 1e3}\n',
        b"\xff\xfe\x00" * 1000,
    ],
)
def test_what_is_no_checkpoint_is_told(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_bytes(content)
    with pytest.raises(TrainingError, match="is not the checkpoint of a training, or only the beginning of one"):
        read_checkpoint(tmp_path / "checkpoint")


@pytest.mark.parametrize("share", [0.0, 0.001, 0.2, 0.999])
def test_a_checkpoint_that_is_cut_short_is_told(
    share: float, trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkpoint = trained / "checkpoint"
    whole = checkpoint.read_bytes()
    checkpoint.write_bytes(whole[: int(len(whole) * share)])
    assert status("train", "tak", "--resume", "--out", str(trained)) != 0
    told = capsys.readouterr().err
    assert str(checkpoint) in told and ("cut short" in told or "only the beginning" in told)
    assert checkpoint.read_bytes() == whole[: int(len(whole) * share)]


def test_a_checkpoint_that_is_damaged_or_none_is_told(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint = trained / "checkpoint"
    whole = bytearray(checkpoint.read_bytes())
    for place in (200, len(whole) // 2, len(whole) - 1):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        checkpoint.write_bytes(damaged)
        assert status("train", "tak", "--resume", "--out", str(trained)) != 0
        assert "checkpoint" in capsys.readouterr().err
    checkpoint.write_bytes(whole.replace(b'"version": 1', b'"version": 9'))
    assert status("train", "tak", "--resume", "--out", str(trained)) != 0
    assert "version 9, and this Ludens reads version 1" in capsys.readouterr().err
    checkpoint.unlink()
    assert status("train", "tak", "--resume", "--out", str(trained)) != 0
    assert "has no checkpoint: there is no training to resume" in capsys.readouterr().err
    assert status("train", "tak", "--resume", "--out", str(trained / "elsewhere")) != 0
    assert "there is no training to resume" in capsys.readouterr().err
    assert not (trained / "elsewhere").exists()


def test_a_checkpoint_of_another_version_is_told(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = read_checkpoint(trained / "checkpoint")
    longer = [[*point, 1] for point in known.progress["curve"]]
    for other in (
        dataclasses.replace(known, options={**known.options, "later": 1}),
        dataclasses.replace(known, progress={**known.progress, "curve": longer}),
        dataclasses.replace(known, progress={}),
    ):
        (trained / "checkpoint").write_bytes(other.to_bytes())
        assert status("train", "tak", "--resume", "--out", str(trained)) == 1
        assert f"{trained} has the checkpoint of another version of Ludens" in capsys.readouterr().err


def test_a_full_disk_loses_nothing(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, synced = tmp_path / "full", 0

    def full(_file: int) -> None:
        nonlocal synced
        synced += 1
        if synced > 6:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch, TrainingFolder(folder, resume=False) as opened:
        run = TakTrainingRun(opened, OPTIONS)
        patch.setattr(os, "fsync", full)
        with pytest.raises(TrainingError, match="No space left on device; what was written before is whole"):
            run.run(1, 0.0, silent)
    assert not list(folder.glob(".*"))
    assert status("train", "tak", "--resume", "--out", str(folder)) == 0
    assert (folder / "weights.td").read_bytes() == (trained / "weights.td").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess"], "'chess' is not"),
        (["tak", "--size", "9"], "from 3 to 8"),
        (["tak", "--games", "0"], "from 1 to 1,000,000,000"),
        (["tak", "--rate", "0"], "above 0"),
        (["tak", "--size", "3", "--half-komi", "19"], "at most 9"),
    ],
)
def test_bad_input(arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("train", *arguments, "--out", str(tmp_path / "none")) != 0
    assert said in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
