"""What can be reached in a directed graph."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def reachable(starts: Iterable[Node], successors: Mapping[Node, Iterable[Node]]) -> set[Node]:
    """Returns the nodes that paths of any length lead to, the starts themselves among them."""
    found: set[Node] = set()
    pending = list(starts)
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += successors.get(node, ())
    return found
