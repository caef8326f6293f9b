"""The folder of a training: its checkpoint, its curve, and the weights that it has made."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from ludens.agent.training.checkpoint import Checkpoint, TrainingError, read_checkpoint
from ludens.propnet.base.folder_lock import FolderLock
from ludens.propnet.base.owned_files import make_folder
from ludens.propnet.base.whole_file import remove_drafts, replace_file

CHECKPOINT = "checkpoint"
"""The file that a training goes on from."""

_OTHERS = ("weights*.td", "curve.*", "*.npz", "config.toml", "*.network", "network.json", "calibration.svg")


class TrainingFolder:
    """A folder for one training, in which no other process trains while it is open."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        """Makes the folder of a new training, or opens that of one which has begun. Raises `TrainingError`."""
        self.path = path
        try:
            if not resume:
                make_folder(path)
            self._lock = FolderLock(path)
        except BlockingIOError as error:
            raise TrainingError(f"{path}: another process is training here") from error
        except OSError as error:
            advice = ": there is no training to resume" if resume and error.errno == errno.ENOENT else ""
            raise TrainingError(f"cannot open the folder {path}: {error.strerror}{advice}") from error
        try:
            remove_drafts(path, CHECKPOINT)  # of a training that was killed before it began, or later
            self._check(resume)
            if resume:  # so that the folder is that of a training
                for names in _OTHERS:
                    remove_drafts(path, names)
        except BaseException:
            self._lock.close()
            raise

    def __enter__(self) -> TrainingFolder:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._lock.close()

    def read(self) -> Checkpoint:
        """Returns the checkpoint; raises `TrainingError`."""
        return read_checkpoint(self.path / CHECKPOINT)

    def write(self, checkpoint: Checkpoint) -> None:
        """Replaces the checkpoint; it is on the disk when this returns. Raises `TrainingError`."""
        self.write_file(CHECKPOINT, checkpoint.to_bytes())

    def write_file(self, name: str, content: bytes) -> None:
        """Replaces a file; raises `TrainingError`."""
        with self.writing(name):
            replace_file(self.path / name, content)

    @contextmanager
    def writing(self, name: str) -> Iterator[None]:
        """Raises `TrainingError` where a file cannot be written within, and says whether there is what can go on."""
        try:
            yield
        except OSError as error:
            goes_on = "; what was written before is whole, and --resume goes on from there" if self.has_begun else ""
            raise TrainingError(f"cannot write {self.path / name}: {error.strerror}{goes_on}") from error

    @property
    def has_begun(self) -> bool:
        """Whether there is a checkpoint to go on from."""
        return (self.path / CHECKPOINT).exists()

    def _check(self, resume: bool) -> None:
        """Raises `TrainingError` where a training would be overwritten, or there is none to resume."""
        if resume:
            if not self.has_begun:
                raise TrainingError(f"{self.path} has no checkpoint: there is no training to resume")
            return
        if self.has_begun:
            raise TrainingError(
                f"{self.path} has a training already: go on with it by --resume, or choose another --out"
            )
        if any(self.path.iterdir()):
            raise TrainingError(f"{self.path} is not empty: choose another folder with --out")
