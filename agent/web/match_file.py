"""What is kept of a match on disk, from which it can be played on: written as JSON, and read again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ludens.agent.play.match import PlayMatch
from ludens.agent.play.pace import Pace
from ludens.agent.play.played_game import PlayedGame
from ludens.agent.play.seats import PERSON, Seat, read_seat
from ludens.agent.play.tree import MatchTree
from ludens.agent.web.store import StoreError
from ludens.propnet.base.errors import LudensError

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

    A person is in the place of a player that there is no more, and a note says so.
    Raises `LudensError`, of what is damaged `StoreError`.
    """
    try:
        game = game_of(data["name"], data["rules"])
        tree = _tree(data, game)
        seats, lost = _seats(data["seats"], game.roles)
        return KeptMatch(
            game=game,
            tree=tree,
            seats=seats,
            pace=Pace(**data["pace"]),
            at=tree[data["at"]].number,
            began=float(data["began"]),
            holders={int(role): holder for role, holder in data["holders"].items()},
            paused=bool(data.get("paused")),  # which earlier versions did not keep
            notes=[*data["notes"], *lost],
        )
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise StoreError(f"the match is damaged: {type(error).__name__}: {error}") from error


def _seats(texts: Sequence[str], roles: Sequence[str]) -> tuple[list[Seat], list[str]]:
    """Returns who plays, and notes of whoever cannot any more, as without its file: a person is in its place."""
    seats, lost = [], []
    for role, text in zip(roles, texts, strict=True):
        try:
            seats.append(read_seat(text))
        except LudensError as error:
            seats.append(read_seat(PERSON))
            lost.append(f"{role} is left to a person, since {text} cannot play: {error}")
    return seats, lost


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
