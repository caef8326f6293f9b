"""Ends a run in the midst of one of its writes, as a kill would."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class _Killed(BaseException):
    """Stands for a kill."""


@contextmanager
def killed_in_write(operation: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ends what is done within at its write of this number, counted from 1, and at all later ones.

    A write puts a draft in the place of a file. The draft stays, and beside it a part of another.
    """
    done, into_place = 0, Path.replace

    def replace(draft: Path, target: Path) -> Path:
        nonlocal done
        done += 1
        if done >= operation:
            draft.with_name(draft.name + "0").write_bytes(draft.read_bytes()[: 7 * operation])
            raise _Killed
        return into_place(draft, target)

    with monkeypatch.context() as patch, pytest.raises(_Killed):
        patch.setattr(Path, "replace", replace)
        yield
