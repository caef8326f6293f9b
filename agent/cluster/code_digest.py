"""Tells by a digest which code of Ludens a process runs, whatever its version says.

Between two releases all checkouts have the same version. A native core is told by the sources of which it was built, so
that it is the same for every compiler and processor, and another one where it was not built again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import ludens
from ludens.native.core import native_sources

_OF_BUILDS = "native/build_core.py"  # which wheels have not
_DIGITS = 12


@cache
def code_digest() -> str:
    """Returns the digest of this process."""
    return digest_of(Path(ludens.__file__).parent, native_sources())


def digest_of(package: Path, native: str) -> str:
    """Returns the digest of the Python of a package and the sources of its `native` core."""
    found = hashlib.sha256(native.encode())
    for name in sorted(_modules(package)):
        found.update(f"\n{name}\n".encode() + (package / name).read_bytes())
    return found.hexdigest()[:_DIGITS]


def _modules(package: Path) -> Iterator[str]:
    """Yields the files of a package, whose folders may be links as in a checkout."""
    for folder, _, names in os.walk(package, followlinks=True):
        for name in names:
            path = (Path(folder) / name).relative_to(package).as_posix()
            if path.endswith(".py") and path != _OF_BUILDS:
                yield path
