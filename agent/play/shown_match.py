"""A match as pages look at it: its positions, where it stands, and who looks on."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Coroutine
from typing import Any

from twisted.internet.defer import Deferred

from ludens.agent.play.feed import Feed
from ludens.agent.play.match_record import record_of
from ludens.agent.play.played_game import PlayedGame
from ludens.agent.play.tree import MatchTree, Node
from ludens.agent.records.record import MatchRecord

MOST_SPECTATORS = 300
_NOTES_SHOWN = 20


def public_name(tab: str) -> str:
    """Returns a name of a tab that others may know; empty for none."""
    return hashlib.sha256(tab.encode()).hexdigest()[:12] if tab else ""


class ShownMatch:
    """What all matches at the page have in common. All on the reactor's thread."""

    watched = True
    """Whether pages can only look on."""

    def __init__(self, reactor: Any, name: str, game: PlayedGame, tree: MatchTree) -> None:
        """Stands at the first position of a tree."""
        self.reactor = reactor
        self.name = name
        self.game = game
        self.tree = tree
        self.at = tree[0]
        self.notes: list[str] = []  # what went wrong, for all to see
        self.feed = Feed(MOST_SPECTATORS)
        self.present: Counter[str] = Counter()  # tabs that look at the match
        self.began = time.time()
        self.touched = reactor.seconds()

    @property
    def players(self) -> list[str]:
        """Who plays, in role order, as texts."""
        raise NotImplementedError

    @property
    def clocks(self) -> tuple[float, float]:
        """Start clock and play clock."""
        raise NotImplementedError

    def state(self) -> dict[str, Any]:
        """Returns where the match stands, as all may know it."""
        return {
            "at": self.at.number,
            "watched": self.watched,
            "seats": self.players,
            "held": [""] * len(self.game.roles),
            "absent": [],
            "chosen": [],
            "due": {},
            "doing": {},
            "paused": False,
            "analysing": None,
            "reviewed": None,
            "failures": 0,
            "ended": "",
            "notes": self.notes[-_NOTES_SHOWN:],
        }

    def snapshot(self) -> dict[str, Any]:
        """Returns all that who begins to look has to know."""
        return {
            "type": "snapshot",
            "match": self.name,
            "name": self.game.name,
            "game": self.game.key,
            "roles": list(self.game.roles),
            "nodes": [self.node_json(node) for node in self.tree.nodes],
            "views": {self.at.number: self.at.view},
            "state": self.state(),
        }

    def node_json(self, node: Node) -> dict[str, Any]:
        """Returns a position in short, without what it looks like."""
        data: dict[str, Any] = {"parent": node.parent, "moves": list(node.moves), "choosers": node.choosers}
        data["reached"] = node.reached
        if any(node.errors):
            data["errors"] = list(node.errors)
        if node.position.terminal:
            data["goals"] = list(node.position.goals)
        if node.thoughts:
            data["thoughts"] = list(node.thoughts.values())
        if node.analysis:
            data["analysis"] = node.analysis
        return data

    def record(self, number: int) -> MatchRecord:
        """Returns the record of the line that leads to a position."""
        game = self.game
        return record_of(self.name, game.name, game.text, self.tree, self.tree[number], self.players, self.clocks)

    def note(self, text: str) -> None:
        """Tells all of something that went wrong."""
        if not self.notes or self.notes[-1] != text:
            self.notes.append(text)
            self.changed()

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Begins a work of several steps, and tells all if it fails."""
        Deferred.fromCoroutine(work).addErrback(lambda failure: self.note(f"the match cannot go on: {failure.value}"))

    def arrive(self, tab: str) -> None:
        """Takes note of a tab that looks at the match."""
        self.present[tab] += 1

    def leave(self, tab: str) -> None:
        """Takes note that a tab has gone."""
        self.present[tab] -= 1
        self.present = +self.present

    def close(self) -> Deferred[Any]:
        """Ends all that works for the match; fires when that is gone."""
        raise NotImplementedError

    def changed(self) -> None:
        """Tells all where the match stands."""
        self.touched = self.reactor.seconds()
        self.feed.publish({"type": "state", **self.state()})

    def publish_node(self, node: Node) -> None:
        """Tells all of a position that is new."""
        self.feed.publish({"type": "node", "number": node.number, **self.node_json(node), "view": node.view})

    def publish_thoughts(self, node: Node, thoughts: dict[str, Any]) -> None:
        """Keeps what a player thinks of a position, and tells all."""
        node.thoughts[thoughts["role"]] = thoughts
        self.feed.publish({"type": "thoughts", "node": node.number, **thoughts})
