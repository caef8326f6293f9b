"""What is kept of a match on disk, from which it can be played on: written as JSON, and read again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ludens.agent.play.match import PlayMatch
from ludens.agent.play.pace import Pace
from ludens.agent.play.played_game import PlayedGame
from ludens.agent.play.seats import Seat, read_seats
from ludens.agent.play.tree import MatchTree
from ludens.agent.web.store import StoreError

_NOTES_KEPT = 20


@dataclass(frozen=True, slots=True)
class KeptMatch:
    """A match as it was when it was kept last."""

    game: PlayedGame
    tree: MatchTree
    seats: list[Seat]
    pace: Pace
    at: int  # the number of the present position
    began: float
    holders: dict[int, str]
    paused: bool
    notes: list[str]


def to_json(match: PlayMatch) -> Mapping[str, Any]:
    """Returns what is kept of a match."""
    return {
        "version": 1,
        "match": match.name,
        "name": match.game.name,
        "rules": match.game.text,
        "seats": [seat.text for seat in match.seats],
        "pace": asdict(match.pace),
        "paused": match.paused,
        "at": match.at.number,
        "began": match.began,
        "holders": {str(role): holder for role, holder in match.holders.items()},
        "nodes": [{**match.node_json(node), "players": list(node.players)} for node in match.tree.nodes],
        "notes": match.notes[-_NOTES_KEPT:],
    }


def read(data: Mapping[str, Any], game_of: Callable[[str, str], PlayedGame]) -> KeptMatch:
    """Plays all moves of a match again, which takes long; `game_of` makes a game of its name and its rules.

    Raises `LudensError`, of what is damaged `StoreError`.
    """
    try:
        game = game_of(data["name"], data["rules"])
        tree = _tree(data, game)
        return KeptMatch(
            game=game,
            tree=tree,
            seats=read_seats(data["seats"], game.roles),
            pace=Pace(**data["pace"]),
            at=tree[data["at"]].number,
            began=float(data["began"]),
            holders={int(role): holder for role, holder in data["holders"].items()},
            paused=bool(data.get("paused")),  # which earlier versions did not keep
            notes=list(data["notes"]),
        )
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise StoreError(f"the match is damaged: {type(error).__name__}: {error}") from error


def _tree(data: Mapping[str, Any], game: PlayedGame) -> MatchTree:
    tree = MatchTree(*game.position(()))
    for node in data["nodes"][1:]:
        parent = tree[node["parent"]]
        moves = tuple(node["moves"])
        position, view = game.position((*tree.history(parent), moves))
        tree.add(parent, moves, position, view, tuple(node.get("errors", ())))
    for node, kept in zip(tree.nodes, data["nodes"], strict=True):
        node.thoughts = {thoughts["role"]: thoughts for thoughts in kept.get("thoughts", ())}
        node.analysis = kept.get("analysis")
        node.reached = kept.get("reached", node.reached)
        node.players = tuple(map(str, kept.get("players", ())))
    return tree
