"""Paths in a directed graph: what they lead to, and where they run in circles.

Source of `components`: H. N. Gabow, "Path-based depth-first search for strong and biconnected components",
Information Processing Letters 74 (2000), here without recursion.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def successors(edges: Iterable[tuple[Node, Node]]) -> Mapping[Node, set[Node]]:
    """Returns for each node the ends of the edges that begin there."""
    found: defaultdict[Node, set[Node]] = defaultdict(set)
    for start, end in edges:
        found[start].add(end)
    return found


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


def leading(ends: Iterable[Node], edges: Iterable[tuple[Node, Node]]) -> set[Node]:
    """Returns the nodes from which paths of any length lead to one of `ends`, these themselves among them."""
    return reachable(ends, successors((end, start) for start, end in edges))


def components(graph: Mapping[Node, Iterable[Node]]) -> Iterator[list[Node]]:
    """Yields the strongly connected components of a graph, given by the successors of each node.

    Each comes after those that paths lead to from it.
    """
    place: dict[Node, int] = {}  # of the nodes that were found, in `pending` as long as they are there
    pending: list[Node] = []  # those in no component yet
    firsts: list[int] = []  # where in `pending` the components on the path begin, as far as is known
    done: set[Node] = set()
    path: list[Node] = []
    ahead = [iter(graph)]  # the starts, and for each node of the path the successors that are left
    while ahead:
        for node in ahead[-1]:
            if node not in place:
                place[node] = len(pending)
                firsts.append(place[node])
                pending.append(node)
                path.append(node)
                ahead.append(iter(graph.get(node, ())))
                break
            while node not in done and firsts[-1] > place[node]:  # whatever lies between is on a cycle with it
                firsts.pop()
        else:
            ahead.pop()
            if path and firsts[-1] == place[path[-1]]:
                component = pending[firsts[-1] :]
                del pending[firsts.pop() :]
                done.update(component)
                yield component
            del path[-1:]
