"""The checkpoint of a training: all that it goes on from, in one file that is replaced as a whole.

A line of JSON says what is trained, with which options, and how far; then come words that hold weights and all else,
little-endian, and the SHA-256 of all before.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ludens.propnet.base.errors import LudensError

_FORMAT, _VERSION = "training of Ludens", 1
_DIGEST = hashlib.sha256().digest_size


class TrainingError(LudensError):
    """A training that cannot begin, go on, or be kept; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A game, the options of its training, how far it has come, and the numbers that it goes on from: uint64[words].

    `options` and `progress` hold what JSON can.
    """

    game: str
    options: Mapping[str, Any]
    progress: Mapping[str, Any]
    words: npt.NDArray[np.uint64]

    def to_bytes(self) -> bytes:
        """Returns the content of the file."""
        head = {
            "format": _FORMAT,
            "version": _VERSION,
            "game": self.game,
            "options": dict(self.options),
            "progress": dict(self.progress),
            "words": len(self.words),
        }
        content = json.dumps(head).encode() + b"\n" + self.words.astype("<u8").tobytes()
        return content + hashlib.sha256(content).digest()


def check_same_options(path: Path, what: str, before: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raises `TrainingError` where the `what` in a folder was begun with other options than are wanted."""
    if other := other_options(path, what, before, wanted):
        raise TrainingError(f"{other}: leave the option out to go on with it, or begin another one with --out")


def other_options(path: Path, what: str, before: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Says of the `what` in a folder which option is another one than is wanted; nothing where all are the same."""
    for name, value in wanted.items():
        if value != before[name]:
            return f"{path} has a {what} with {name.replace('_', ' ')} {before[name]}, and not {value}"
    return ""


@contextmanager
def of_this_version(path: Path) -> Iterator[None]:
    """Raises `TrainingError` where the checkpoint of a folder has more or less than what is made of it within."""
    try:
        yield
    except (TypeError, KeyError) as error:
        raise TrainingError(
            f"{path} has the checkpoint of another version of Ludens: go on with that version, or begin anew with --out"
        ) from error


def read_checkpoint(path: Path) -> Checkpoint:
    """Reads a file; raises `TrainingError`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TrainingError(f"cannot read {path}: {error.strerror}") from error
    line, _, rest = content.partition(b"\n")
    try:
        head = json.loads(line)
        if head["format"] != _FORMAT:
            raise KeyError(_FORMAT)
        version, words = head["version"], operator.index(head["words"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise TrainingError(f"{path} is not the checkpoint of a training, or only the beginning of one") from error
    if version != _VERSION:
        raise TrainingError(f"{path} is a checkpoint of version {version}, and this Ludens reads version {_VERSION}")
    whole = len(line) + 1 + 8 * words + _DIGEST
    if len(content) < whole:
        raise TrainingError(f"{path} is cut short: it has {len(content):,} of {whole:,} bytes")
    if hashlib.sha256(content[:-_DIGEST]).digest() != content[-_DIGEST:]:
        raise TrainingError(f"{path} is damaged: its checksum is another one")
    saved = np.frombuffer(rest, "<u8", words).astype(np.uint64)
    return Checkpoint(head["game"], head["options"], head["progress"], saved)
