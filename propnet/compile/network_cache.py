"""Keeps compiled networks in the user's cache, so that a game that was compiled once is there at once.

A file is named by a digest of the rules, word for word but for comments and white space: the order of moves and
propositions follows from the text, so sheets that differ in names or order have files of their own. Its kind names the
version of the format and a digest of the compiler's own source, so that no network outlives the code that made it. The
file is read and written as `base.array_file` does. When all files together grow too large, those that
were not used for the longest time go.
"""

from __future__ import annotations

import contextlib
from functools import cache
from hashlib import sha256
from pathlib import Path

import clingo

from ludens.propnet.base.array_file import read_arrays, write_arrays
from ludens.propnet.base.cache import cache_directory, mark_used, remove_least_used
from ludens.propnet.base.child import Limits, Tell
from ludens.propnet.base.user_folder import NoHomeError
from ludens.propnet.compile.loader import load
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.network_arrays import from_arrays, to_arrays
from ludens.propnet.network.propnet import Propnet

_VERSION = 1
_PREFIX, _SUFFIX = "network-", ".npz"
_COMPILER = ("base", "gdl", "rewrite", "network", "passes", "compile")  # the folders whose code decides about a network

MOST_BYTES = 256 << 20
"""As much as all networks in the cache may take; a typical one takes 20 kB, a large one 5 MB."""


def load_cached(
    sheet: RuleSheet, limits: Limits | None = None, progress: Tell | None = None, directory: Path | None = None
) -> Propnet:
    """Returns the network of checked rules from the cache, or compiles it as `load` does and keeps it.

    `directory` is the user's cache if None. A cache that has no place, or cannot be written, is no error: the next time
    takes as long.
    """
    try:
        path = network_path(sheet, directory or cache_directory())
    except NoHomeError:
        return load(sheet, limits, progress)
    if (net := read_network(path)) is not None:
        mark_used(path)
        return net
    net = load(sheet, limits, progress)
    with contextlib.suppress(OSError):
        write_network(path, net)
        remove_least_used(path.parent, f"{_PREFIX}*{_SUFFIX}", MOST_BYTES)
    return net


def network_path(sheet: RuleSheet, directory: Path) -> Path:
    """Returns where the network of a sheet is kept."""
    return directory / f"{_PREFIX}{sha256(str(sheet).encode()).hexdigest()[:32]}{_SUFFIX}"


def read_network(path: Path) -> Propnet | None:
    """Reads a network; None if the file is missing, damaged, or made by another version of the compiler."""
    stored = read_arrays(path, _kind())
    try:
        return None if stored is None else from_arrays(stored)
    except (ValueError, TypeError, LookupError):
        return None


def write_network(path: Path, net: Propnet) -> None:
    """Replaces the file by the network, as a whole or not at all. Raises `OSError`."""
    write_arrays(path, _kind(), to_arrays(net), compressed=True)


def _kind() -> dict[str, object]:
    return {"holds": "network", "version": _VERSION, "compiler": _compiler_digest()}


@cache
def _compiler_digest() -> str:
    """Returns a digest of the source of the compiler, and of the version of its grounder."""
    root = Path(__file__).resolve().parents[1]
    sources = sorted(path for name in _COMPILER for path in (root / name).iterdir() if path.suffix in (".py", ".lark"))
    parts = [clingo.__version__.encode(), *(path.read_bytes() for path in sources)]
    return sha256(b"\0".join(parts)).hexdigest()[:16]
