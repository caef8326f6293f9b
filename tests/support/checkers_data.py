"""Options of checkers data."""

from __future__ import annotations

from collections.abc import Mapping


def of_method(method: str, options: Mapping[str, int | str]) -> dict[str, int | str]:
    """Returns the same options for a method, without random games for moves where it judges none."""
    kept = {name: value for name, value in options.items() if method != "outcome" or name != "playouts"}
    return kept | {"method": method}
