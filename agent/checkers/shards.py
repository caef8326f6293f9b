"""The files of checkers data: shards of positions, and what they are and come from beside them.

A folder has `dataset.json`, with the schema and the configuration from which everything follows, and shards
`shard-00000.npz`, compressed as numpy writes them. Files are replaced as a whole, so that whatever ends a run leaves
only whole shards; the zip format has checksums, by which damage is noticed.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ludens.agent.checkers.games import GamePositions
from ludens.agent.checkers.move_values import MoveValues
from ludens.agent.cluster.code_digest import code_digest
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.suggestions import did_you_mean
from ludens.propnet.base.whole_file import remove_drafts, replace_file

_FORMAT, _VERSION, _FILE, _SHARDS = "ludens-checkers-data", 1, "dataset.json", "shard-*.npz"
SCHEMA = {
    "words": ("uint32", "[n, 3]: own pieces, the other side's, kings, as sets of squares; the mover goes up"),
    "game": ("int64", "[n]: the number of the game that the position is from; 0 is the first of all shards"),
    "ply": ("int16", "[n]: moves made in the game before it"),
    "played": ("uint8", "[n]: the move made in the game, 4 * square + direction"),
    "result": ("int8", "[n]: of the game for the mover, 1, 0 or -1"),
    "label": ("float32", "[n]: the result, interpolated from 0 at the start of the game to the whole at its end"),
    "first": ("int64", "[n + 1]: where the moves of a position begin in the arrays of moves"),
    "moves": ("uint8", "[m]: 4 * square + direction"),
    "values": ("float32", "[m]: win rate of the mover after the move, 0 to 1; NaN without games"),
    "visits": ("int32", "[m]: random games from the move"),
}
Shard = Mapping[str, npt.NDArray[Any]]


class DataError(LudensError):
    """Checkers data that cannot be read or written; the text names the file."""


def shard_path(folder: Path, number: int) -> Path:
    """Returns where a shard is, whether it exists or not."""
    return folder / f"shard-{number:05d}.npz"


def remove_shard_drafts(folder: Path) -> None:
    """Removes what runs that were killed had not finished; nobody else may be writing."""
    for names in (_SHARDS, _FILE):
        remove_drafts(folder, names)


def check_no_shards(folder: Path) -> None:
    """Raises `DataError` for a folder with shards of which nothing says what they are."""
    if any(folder.glob(_SHARDS)):
        raise DataError(
            f"{folder} has shards, and no {_FILE} that says what they are: put that back and go on by --resume, or "
            "choose another --out"
        )


def write_shard(path: Path, positions: GamePositions, known: MoveValues) -> None:
    """Writes a shard as a whole or not at all; raises `DataError`."""
    content = io.BytesIO()
    arrays = {name: getattr(known if hasattr(known, name) else positions, name) for name in SCHEMA}
    np.savez_compressed(content, **arrays)
    _write(path, content.getvalue())


def read_shard(path: Path) -> Shard:
    """Returns the arrays of a shard; raises `DataError` if it is missing, cut short, or not of the schema."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except FileNotFoundError:
        raise DataError(f"{path} is missing") from None
    except (OSError, EOFError, ValueError, LookupError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"{path} is damaged: {error}") from None
    for name in arrays:
        if name not in SCHEMA:
            raise DataError(f"{path} has an unknown array {name!r}{did_you_mean(name, list(SCHEMA))}")
    _check_shapes(path, arrays)
    return arrays


def _check_shapes(path: Path, arrays: Shard) -> None:
    for name, (kind, _) in SCHEMA.items():
        if name not in arrays or arrays[name].dtype != kind:
            raise DataError(f"{path} lacks an array {name!r} of {kind}")
    n, m = (len(np.atleast_1d(arrays[name])) for name in ("words", "moves"))
    wanted = dict.fromkeys(SCHEMA, (n,)) | {"words": (n, 3), "first": (n + 1,)}
    wanted |= dict.fromkeys(("moves", "values", "visits"), (m,))
    for name, shape in wanted.items():
        if arrays[name].shape != shape:
            raise DataError(f"{path}: {name!r} has shape {arrays[name].shape}, not {shape}")
    first = arrays["first"]
    if first[0] != 0 or first[-1] != m or (np.diff(first) < 0).any():
        raise DataError(f"{path}: 'first' does not divide {m} moves")


def write_configuration(folder: Path, configuration: Mapping[str, Any]) -> None:
    """Writes what the data are and come from; raises `DataError`."""
    about = {
        "format": _FORMAT,
        "version": _VERSION,
        "ludens": version("ludens"),
        "code": code_digest(),
        "configuration": dict(configuration),
        "schema": {name: {"type": kind, "meaning": meaning} for name, (kind, meaning) in SCHEMA.items()},
    }
    _write(folder / _FILE, (json.dumps(about, indent=2) + "\n").encode())


def read_configuration(
    folder: Path, known: Mapping[str, Any], *, going_on: bool = False, warn: Callable[[str], None] = lambda _line: None
) -> dict[str, Any] | None:
    """Returns the configuration of the data in a folder, None if there are none; raises `DataError`.

    `known` are the keys that it may have, with values of the same types, which hold where it lacks them. Data that are
    `going_on` must be of this version of Ludens: another may play other games by the same configuration. Other code of
    the same version may, too: `warn` is told of it.
    """
    path = folder / _FILE
    try:
        about = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None
    if not isinstance(about, dict) or (about.get("format"), about.get("version")) != (_FORMAT, _VERSION):
        raise DataError(f"{path} is not of {_FORMAT} {_VERSION}")
    if going_on:
        _check_code(path, about, warn)
    found = about.get("configuration")
    if not isinstance(found, dict):
        raise DataError(f"{path} has no configuration")
    for name in found:
        if name not in known:
            raise DataError(f"{path} has an unknown key {name!r}{did_you_mean(name, list(known))}")
    found = {**known, **found}
    for name, value in known.items():
        if type(found[name]) is not type(value):
            raise DataError(f"{path}: {name!r} must be of type {type(value).__name__}")
    return found


def _check_code(path: Path, about: Mapping[str, Any], warn: Callable[[str], None]) -> None:
    """Raises `DataError` where another version of Ludens has begun the data, and warns of other code of this one."""
    begun, ours = about.get("ludens", "of an unknown version"), version("ludens")
    if begun != ours:
        raise DataError(
            f"{path}: these data were begun by Ludens {begun}, and this is {ours}: go on with that version, or make "
            "others with another --out"
        )
    if about.get("code") != code_digest():
        warn(f"{path}: these data were begun by other code of Ludens {ours}, which may have made other shards")


def _write(path: Path, content: bytes) -> None:
    try:
        replace_file(path, content)
    except OSError as error:
        begun = path.with_name(_FILE).exists()
        goes_on = "; what was written before is whole, and --resume goes on from there" if begun else ""
        raise DataError(f"cannot write {path}: {error.strerror}{goes_on}") from None
