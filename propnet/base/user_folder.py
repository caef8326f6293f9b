"""Finds the folders in which Ludens keeps files for its user, as the XDG Base Directory Specification has them."""

from __future__ import annotations

import os
from pathlib import Path

from ludens.propnet.base.errors import LudensError


class NoHomeError(LudensError):
    """Nothing says where files of the user belong."""


def user_folder(variable: str, usual: str) -> Path:
    """Returns Ludens's folder below the one that an environment variable names, or below the `usual` one at home.

    It may not exist yet. Raises `NoHomeError` where neither is known.
    """
    named = Path(os.environ.get(variable, ""))
    if named.is_absolute():  # others are to be ignored, says the specification
        return named / "ludens"
    try:
        home = Path.home()
    except RuntimeError:
        advice = "set XDG_DATA_HOME and XDG_CACHE_HOME to folders in which files may be kept"
        raise NoHomeError(f"there is no home directory: {advice}") from None
    return home / usual / "ludens"
