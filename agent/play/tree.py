"""The positions of a match as a tree: whoever goes back and plays another move begins a branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ludens.agent.manager.referee import MatchState
from ludens.agent.protocol.wire import History, Joint
from ludens.agent.records.record import now
from ludens.propnet.base.errors import LudensError

MOST_NODES = 5000
"""As many positions a match has at most, all branches together."""


class TreeError(LudensError):
    """A position that is not in the tree, or for which there is no room."""


class MoveError(LudensError):
    """A move or an order that does not fit the position of the match."""


@dataclass(slots=True)
class Node:
    """A position, and how it was reached."""

    number: int
    parent: int | None
    moves: Joint  # that led here; empty at the root
    step: int
    position: MatchState
    view: Mapping[str, Any]  # what it looks like, in JSON
    errors: tuple[str, ...] = ()  # of the moves that led here, by role; see `MatchRecord.errors`
    players: tuple[str, ...] = ()  # who made the moves that led here, by role; empty where that is not known
    children: list[int] = field(default_factory=list)
    thoughts: dict[int, dict[str, Any]] = field(default_factory=dict)  # of the players, by role
    analysis: dict[str, Any] | None = None
    reached: int = field(default_factory=now)  # when it was first, in milliseconds since 1970

    @property
    def choosers(self) -> list[int]:
        """The roles that have a choice here."""
        return [role for role, moves in enumerate(self.position.legal) if len(moves) > 1]


class MatchTree:
    """All positions of a match, numbered in the order in which they were reached."""

    def __init__(self, position: MatchState, view: Mapping[str, Any]) -> None:
        """Begins with the first position."""
        self.nodes = [Node(0, None, (), 0, position, view)]

    def __getitem__(self, number: int) -> Node:
        """Returns a position; raises `TreeError`."""
        if not 0 <= number < len(self.nodes):
            raise TreeError(f"there is no position {number} in this match")
        return self.nodes[number]

    def child(self, parent: Node, moves: Sequence[str]) -> Node | None:
        """Returns the position after a joint move, if it has been there."""
        return next((self.nodes[i] for i in parent.children if self.nodes[i].moves == tuple(moves)), None)

    def add(
        self,
        parent: Node,
        moves: Sequence[str],
        position: MatchState,
        view: Mapping[str, Any],
        errors: Sequence[str] = (),
    ) -> Node:
        """Adds the position after a joint move; raises `TreeError` where there is no room."""
        if len(self.nodes) >= MOST_NODES:
            raise TreeError(f"a match has room for {MOST_NODES:,} positions: begin a new one")
        node = Node(len(self.nodes), parent.number, tuple(moves), parent.step + 1, position, view, tuple(errors))
        self.nodes.append(node)
        parent.children.append(node.number)
        return node

    def line(self, node: Node) -> list[Node]:
        """Returns the positions from the first one to this one."""
        found = [node]
        while (parent := found[-1].parent) is not None:
            found.append(self.nodes[parent])
        return found[::-1]

    def history(self, node: Node) -> History:
        """Returns the joint moves that lead to a position."""
        return tuple(each.moves for each in self.line(node)[1:])
