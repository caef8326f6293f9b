"""Guesses which name is meant by one that is not known.

>>> did_you_mean("conect_four", ["connect_four", "nim"])
'; did you mean connect_four?'
>>> did_you_mean("MCTS", ["uct", "flat"], {"mcts": "uct"})
'; did you mean uct?'
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

_MOST = 3  # names that are suggested
_ALIKE = 0.6  # from 0 to 1, how alike names must be


def nearest(
    name: str,
    known: Iterable[str],
    other_names: Mapping[str, str] | None = None,
    *,
    most: int = _MOST,
    alike: float = _ALIKE,
) -> list[str]:
    """Returns the names that `name` resembles, the most similar one first; capitals and punctuation do not count.

    `other_names` gives the known name for names by which a thing is called elsewhere. No more than `most` are
    returned, each at least as similar as `alike`, from 0 to 1 (the ratio of `difflib`).
    """
    meant = {_plain(other): target for other, target in (other_names or {}).items()}
    meant |= {_plain(one): one for one in known}
    wanted = _plain(name)
    if wanted in meant:
        return [meant[wanted]]
    similar = difflib.get_close_matches(wanted, meant, most, alike)
    return list(dict.fromkeys(meant[one] for one in similar))


def did_you_mean(
    name: str,
    known: Iterable[str],
    other_names: Mapping[str, str] | None = None,
    *,
    most: int = _MOST,
    alike: float = _ALIKE,
) -> str:
    """Returns the end of a sentence that names what `name` resembles, as `nearest` finds it; empty if nothing."""
    found = nearest(name, known, other_names, most=most, alike=alike)
    return f"; did you mean {' or '.join(found)}?" if found else ""


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower()) or name
