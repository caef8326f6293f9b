"""Digests of files, which tell contents apart, such as those of weights that descriptions of players name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

_BETWEEN_WORDS = re.compile(r"[\s:,=@]+")


def digest(path: Path) -> str:
    """Returns what tells a file from one with another content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def digests(players: Iterable[str]) -> tuple[str, ...]:
    """Returns the digest of each file that players name, as in `td:weights=FILE` or `FILE.td@3`; often of none."""
    words = [Path(word) for text in players for word in _BETWEEN_WORDS.split(text)]
    return tuple(digest(path) for path in words if path.is_file())
