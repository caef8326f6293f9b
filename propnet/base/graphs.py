"""What can be reached in a directed graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache
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


def successors(edges: Iterable[tuple[Node, Node]]) -> Mapping[Node, set[Node]]:
    """Returns for each node the ends of the edges that begin there."""
    found: defaultdict[Node, set[Node]] = defaultdict(set)
    for start, end in edges:
        found[start].add(end)
    return found


def reached(edges: Iterable[tuple[Node, Node]]) -> Callable[[Node], set[Node]]:
    """Returns the function from a node to those that paths lead to, itself among them."""
    after = successors(edges)
    return cache(lambda start: reachable([start], after))
