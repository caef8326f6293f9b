"""Of which sources the native core was built."""

from __future__ import annotations

from ludens.native._core import lib

from ludens.native.core.binding import decoded


def native_sources() -> str:
    """Returns the SHA-256 of the sources of which the native core was built: the same for every compiler."""
    return decoded(lib.ludens_sources())
