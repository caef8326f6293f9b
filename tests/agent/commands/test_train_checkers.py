"""`ludens train checkers`: networks of checkers are trained in folders, and go on wherever they were ended."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pytest
from click import Choice, Option

from ludens.agent.checkers.dataset import begin, make
from ludens.agent.checkers.reader import Examples, read_examples
from ludens.agent.commands.interface.train import command
from ludens.agent.training.checkpoint import TrainingError, read_checkpoint
from ludens.agent.training.folder import TrainingFolder
from ludens.games.checkers.networks.network_file import read_network
from ludens.native.core.board_network import WIDTHS
from tests.support.command import running, status, without_progress
from tests.support.killed_writes import killed_in_write
from tests.support.waiting import PATIENCE, until

if TYPE_CHECKING:
    from ludens.agent.checkers.training_run import CheckersTrainingRun

WITH_TORCH = pytest.mark.skipif(not find_spec("torch"), reason="PyTorch is not installed: pip install 'ludens[learn]'")
SMALL = ("--epochs", "4", "--blocks", "0", "--threads", "1")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of data whose moves are judged."""
    folder = tmp_path_factory.mktemp("data")
    made: dict[str, int | str] = {"positions": 400, "playouts": 5, "shard": 256, "cap": 60}
    make(folder, begin(folder, made, resume=False), 1, lambda _: None, pytest.fail)
    return folder


@pytest.fixture(scope="module")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training that is over."""
    folder = tmp_path_factory.mktemp("trained") / "new" / "folder"
    assert status("train", "checkers", str(data), "--out", str(folder), *SMALL) == 0
    return folder


def resumed(folder: Path, *given: str) -> int:
    """The exit status of going on."""
    return status("train", "checkers", "--resume", "--out", str(folder), "--threads", "1", *given)


def network(folder: Path) -> bytes:
    """The network of a training."""
    return (folder / "checkers.network").read_bytes()


@WITH_TORCH
def test_a_training_leaves_its_network_and_what_it_knows(trained: Path, data: Path) -> None:
    examples = read_examples(data)
    values, _ = read_network(trained / "checkers.network").evaluate(examples.words)
    assert len(set(values.tolist())) > 50
    known = json.loads((trained / "network.json").read_text())
    assert (len(known["curve"]), known["positions"], known["options"]["blocks"]) == (4, 400, 0)
    assert 0 < known["held_out"] < 100 and 0 <= known["best_moves"] <= 1 and 0 < known["error_of_endgames"] < 4
    for name in ("curve.svg", "calibration.svg"):
        ElementTree.parse(trained / name)


@WITH_TORCH
@pytest.mark.parametrize("operation", [1, 2, 3, 4, 7, 11])
def test_a_training_that_ends_in_any_write_goes_on_to_the_same_network(
    operation: int, data: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "ended"
    with killed_in_write(operation, monkeypatch):
        status("train", "checkers", str(data), "--out", str(folder), *SMALL, "--interval", "1e-9")
    if (folder / "checkpoint").exists():
        assert resumed(folder) == 0
    else:
        assert status("train", "checkers", str(data), "--out", str(folder), *SMALL) == 0
    assert not list(folder.glob(".*"))
    assert network(folder) == network(trained)


@WITH_TORCH
def test_a_training_that_was_killed_goes_on_to_the_same_network(data: Path, tmp_path: Path) -> None:
    options = ("--epochs", "60", "--blocks", "0", "--threads", "1", "--interval", "0.001")
    folder, checkpoint = tmp_path / "killed", tmp_path / "killed" / "checkpoint"

    def written() -> int:
        return checkpoint.stat().st_ino if checkpoint.exists() else 0

    for given in ((str(data), *options), ("--resume", *options[-4:])):
        with running("train", "checkers", *given, "--out", str(folder)) as run:
            before = [written()]
            until(lambda: written() != before[0] or run.poll() is not None)  # noqa: B023
            run.send_signal(signal.SIGKILL)
        read_checkpoint(checkpoint)
    assert resumed(folder) == 0
    assert status("train", "checkers", str(data), "--out", str(tmp_path / "whole"), *options) == 0
    assert network(folder) == network(tmp_path / "whole")


@WITH_TORCH
def test_ctrl_c_says_how_to_go_on(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "long"
    with running("train", "checkers", str(data), "--out", str(folder), "--epochs", "10000", "--threads", "1") as run:
        until((folder / "checkers.network").exists)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate()
    assert run.returncode == 130
    assert f"`ludens train checkers --resume --out {folder}`" in said and "Traceback" not in said
    assert read_checkpoint(folder / "checkpoint").progress["made"] > 0


@WITH_TORCH
def test_a_training_that_is_over_writes_its_network_again(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "over"
    folder.mkdir()
    (folder / "checkpoint").write_bytes((trained / "checkpoint").read_bytes())
    assert resumed(folder) == 0
    assert network(folder) == network(trained)


@pytest.fixture
def short_run(tmp_path: Path) -> Iterator[CheckersTrainingRun]:
    """A training of two epochs of six steps."""
    from ludens.agent.checkers.training import Training, TrainingOptions
    from ludens.agent.checkers.training_run import CheckersTrainingRun
    from tests.support.checkers_data import counted_pieces

    training = Training(counted_pieces(400), TrainingOptions(blocks=0, epochs=2, batch=64))
    with TrainingFolder(tmp_path / "run", resume=False) as folder:
        yield CheckersTrainingRun(folder, tmp_path, training)


@WITH_TORCH
def test_a_stop_is_seen_after_each_step_and_epoch(
    short_run: CheckersTrainingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = Event()
    monkeypatch.setattr(short_run, "_keep_epoch", stopped.set)
    short_run._train(1, PATIENCE, stopped)
    assert short_run.training.state().made == 6
    short_run._train(1, 1e-9, stopped)  # a checkpoint is due after each step
    assert short_run.training.state().made == 7


@WITH_TORCH
def test_a_second_ctrl_c_leaves_the_last_checkpoint(
    short_run: CheckersTrainingRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ludens.agent.checkers import training_run

    threads, begun, goes_on = threading.active_count(), Event(), Event()
    step = short_run.training._step

    class Impatient(Event):
        def set(self) -> None:
            super().set()
            if threading.current_thread() is threading.main_thread():
                raise KeyboardInterrupt

    def long_step(part: Examples) -> float:
        error = step(part)
        if short_run.training.positions_done:
            begun.set()
            goes_on.wait(PATIENCE)
        return error

    def interrupted(_: str) -> None:
        if begun.is_set():
            raise KeyboardInterrupt

    monkeypatch.setattr(training_run, "Event", Impatient)
    monkeypatch.setattr(short_run.training, "_step", long_step)
    with pytest.raises(KeyboardInterrupt):
        short_run.run(1, PATIENCE, interrupted)
    made = read_checkpoint(tmp_path / "run" / "checkpoint").progress["made"]
    goes_on.set()
    until(lambda: threading.active_count() == threads)
    assert made == 0


@WITH_TORCH
def test_a_training_that_diverged_when_it_is_interrupted_says_so(
    short_run: CheckersTrainingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    def diverging(_: Examples) -> float:
        with torch.no_grad():
            short_run.training.network.hidden.biases[3] = float("nan")
        begun.set()
        stopped.wait(PATIENCE)
        return 0.0

    def interrupted(_: str) -> None:
        if begun.is_set():
            stopped.set()
            raise KeyboardInterrupt

    begun, stopped = Event(), Event()
    monkeypatch.setattr(short_run.training, "_step", diverging)
    monkeypatch.setattr(short_run, "_keep_epoch", lambda: None)
    with pytest.raises(TrainingError, match="its weights are no numbers any more; choose a smaller --step with"):
        short_run.run(1, PATIENCE, interrupted)


@WITH_TORCH
def test_a_training_goes_on_within_an_epoch_as_if_never_ended() -> None:
    from ludens.agent.checkers.training import Training, TrainingOptions
    from tests.support.checkers_data import counted_pieces

    options = TrainingOptions(blocks=0, epochs=2, batch=64)
    whole, ended, begun = (Training(counted_pieces(400), options) for _ in range(3))
    for _ in whole.steps():
        pass
    for _, _ in zip(range(3), ended.steps(), strict=False):
        pass
    begun.restore(ended.state())
    assert begun.positions_done == 192
    for _ in begun.steps():
        pass
    assert np.array_equal(begun.state().numbers, whole.state().numbers)
    assert begun.curve == whole.curve and begun.positions_done == begun.positions


@WITH_TORCH
@pytest.mark.parametrize("steps", [1, 2, 3, 4, 10, 1000])
def test_steps_grow_and_shrink_as_pytorch_has_it(steps: int) -> None:
    import torch

    from ludens.agent.checkers.training import one_cycle

    optimiser = torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))], lr=1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 1, total_steps=steps)
    for step in range(steps):
        group = optimiser.param_groups[0]
        assert one_cycle(step, steps) == pytest.approx((group["lr"], group["betas"][0]))
        optimiser.step()
        if step + 1 < steps:
            schedule.step()


@WITH_TORCH
def test_a_training_that_diverges_goes_on_with_smaller_steps(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ludens.agent.checkers import training

    folder, step, made = tmp_path / "diverging", training.Training._step, 0

    def diverging(self: training.Training, part: Examples) -> float:
        nonlocal made
        made += 1
        if made > 5:
            raise training.DivergedError("its loss is no number")
        return step(self, part)

    with monkeypatch.context() as patch:
        patch.setattr(training.Training, "_step", diverging)
        assert status("train", "checkers", str(data), "--out", str(folder), *SMALL) == 1
    said = without_progress(capsys.readouterr().err)
    assert "the training diverges: its loss is no number; choose a smaller --step with --resume" in said
    read_network(folder / "checkers.network")
    assert read_checkpoint(folder / "checkpoint").progress["made"] == 4
    assert resumed(folder, "--step", "0.001") == 0
    known = json.loads((folder / "network.json").read_text())
    assert (known["options"]["step"], len(known["curve"])) == (0.001, 4)


@WITH_TORCH
def test_weights_that_are_no_numbers_are_never_kept() -> None:
    import torch

    from ludens.agent.checkers.training import DivergedError, Training, TrainingOptions
    from tests.support.checkers_data import counted_pieces

    training = Training(counted_pieces(200), TrainingOptions(blocks=0))
    with torch.no_grad():
        training.network.hidden.biases[3] = float("nan")
    with pytest.raises(DivergedError, match="no numbers any more; choose a smaller --step"):
        training.state()


@WITH_TORCH
def test_a_full_disk_loses_nothing(
    data: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, synced, sync = tmp_path / "full", 0, os.fsync

    def full(file: int) -> None:
        nonlocal synced
        synced += 1
        if synced > 12:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert status("train", "checkers", str(data), "--out", str(folder), *SMALL) == 1
    assert "No space left on device; what was written before is whole, and --resume goes" in capsys.readouterr().err
    assert not list(folder.glob(".*"))
    assert resumed(folder) == 0
    assert network(folder) == network(trained)


@WITH_TORCH
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--epochs", "5"), "has a training with epochs 4, and not 5"),
        (("--width", "64"), "with width 32, and not 64"),
        (("--label", "result"), "with label value, and not result"),
        (("--seed", "1"), "with seed 0, and not 1"),
    ],
)
def test_a_training_goes_on_with_its_own_options(
    given: tuple[str, str], said: str, trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (trained / "checkpoint").read_bytes()
    assert resumed(trained, *given) == 1
    assert said in capsys.readouterr().err
    assert (trained / "checkpoint").read_bytes() == before


@WITH_TORCH
def test_a_training_goes_on_with_its_own_data(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ludens.agent.checkers import training_run

    moved, folder = tmp_path / "moved", tmp_path / "trained"
    moved.mkdir()
    for path in data.iterdir():
        (moved / path.name).write_bytes(path.read_bytes())
    assert status("train", "checkers", str(moved), "--out", str(folder), *SMALL) == 0
    moved.rename(tmp_path / "elsewhere")
    assert resumed(folder) == 1
    assert "moved is gone: if the data were moved, name their new folder as DATA" in capsys.readouterr().err
    assert status("train", "checkers", str(tmp_path / "elsewhere"), "--resume", "--out", str(folder)) == 0
    found = read_examples(data)
    others = replace(found.moves, numbers=found.moves.numbers[::-1])
    for other in (replace(found, value=-found.value), replace(found, moves=others)):
        monkeypatch.setattr(training_run, "read_examples", lambda _: other)  # noqa: B023
        assert resumed(folder) == 1
        assert "has other data than those that the training in" in capsys.readouterr().err


@WITH_TORCH
def test_options_have_the_defaults_and_choices_of_a_training() -> None:
    from ludens.agent.checkers.training import LABELS, TrainingOptions

    of = {each.name: each for each in command.params if isinstance(each, Option)}
    defaults = {name: value for name, value in asdict(TrainingOptions()).items() if name in of}
    assert set(defaults) == {"label", "width", "blocks", "epochs", "step", "seed"}
    for name, value in defaults.items():
        assert (of[name].help or "").endswith(f" [default: {value}]")
    for name, choices in (("label", LABELS), ("width", WIDTHS)):
        kind = of[name].type
        assert isinstance(kind, Choice) and list(kind.choices) == [str(choice) for choice in choices]


@WITH_TORCH
def test_checkpoints_of_another_kind_or_version_are_refused(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("train", "tak", "--size", "3", "--games", "20", "--out", str(tmp_path / "tak")) == 0
    assert resumed(tmp_path / "tak") == 1
    assert "has a training of tak, and not of checkers" in capsys.readouterr().err
    assert status("train", "tak", "--resume", "--out", str(trained)) == 1
    assert "has a training of checkers, and not of tak" in capsys.readouterr().err
    known = read_checkpoint(trained / "checkpoint")
    folder = tmp_path / "other"
    folder.mkdir()
    for other, said in (
        (replace(known, options={**known.options, "later": 1}), "the checkpoint of another version"),
        (replace(known, progress={**known.progress, "curve": [[1, 2]]}), "the checkpoint of another version"),
        (replace(known, progress={}), "the checkpoint of another version"),
        (replace(known, words=known.words[:-1]), "has fewer numbers than its network"),
    ):
        (folder / "checkpoint").write_bytes(other.to_bytes())
        assert resumed(folder) == 1
        assert said in capsys.readouterr().err


def test_without_pytorch_it_says_what_to_install(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert status("train", "checkers", str(data), "--out", str(tmp_path / "none")) == 1
    assert "training a network of checkers needs PyTorch" in (said := capsys.readouterr().err)
    assert "pip install 'ludens[learn]'" in said
    assert not (tmp_path / "none").exists()


@WITH_TORCH
def test_data_that_cannot_teach_make_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games: dict[str, int | str] = {"positions": 60, "method": "outcome", "cap": 60}
    make(tmp_path / "games", begin(tmp_path / "games", games, resume=False), 1, lambda _: None, pytest.fail)
    assert status("train", "checkers", str(tmp_path / "games"), "--out", str(tmp_path / "none")) == 1
    assert (
        "have no label 'value': their moves were not judged; choose the label outcome or result"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "none").exists()


@WITH_TORCH
def test_nothing_is_overwritten(data: Path, trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("train", "checkers", str(data), "--out", str(trained), *SMALL) == 1
    assert "has a training already: go on with it by --resume" in capsys.readouterr().err
    with TrainingFolder(trained, resume=True):
        assert resumed(trained) == 1
    assert "another process is training here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["checkers"], "checkers need DATA"),
        (["checkers", "."], "has no checkers data"),
        (["checkers", "nowhere"], "'nowhere' does not exist"),
        (["checkers", ".", "--size", "5"], "--size is not for checkers"),
        (["checkers", ".", "--width", "48"], "'48' is not one of"),
        (["checkers", ".", "--step", "0"], "above 0"),
        (["tak", "."], "DATA is not for tak"),
        (["tak", "--epochs", "3"], "--epochs is not for tak"),
    ],
)
def test_bad_input(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if said == "has no checkers data":
        pytest.importorskip("torch")
    assert status("train", *arguments, "--out", "none") != 0
    assert said in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
