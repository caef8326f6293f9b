"""Writes a match as a page that is one file: it loads nothing, and is stepped through with its thoughts."""

from __future__ import annotations

import hashlib
import html
import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ludens.agent.play.replay import Replay
from ludens.agent.records.reading import PAGE_DATA
from ludens.agent.records.record import MatchRecord, to_json
from ludens.agent.web.bundle import PAGE, bundle
from ludens.games.view.vocabulary import GameView, PositionView

_STYLES = ("style.css", "board.css", "replay.css")


def record_page(replay: Replay) -> str:
    """Returns the page of a match."""
    script = bundle("replay.js")
    style = "\n".join((PAGE / name).read_text(encoding="utf-8") for name in _STYLES)
    look, views = _needed(replay)
    data = {
        "record": to_json(replay.record),  # first, so that a page that is cut still has some of it
        "notice": replay.notice,
        "view": look.to_json(),
        "positions": [view.to_json() for view in views],
    }
    content = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")  # no text in it ends the script
    title = html.escape(f"{look.game}: {' – '.join(replay.record.players)}")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(script, style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main id="match"><noscript>This page shows a match by a script, and scripts are off.</noscript></main>
{PAGE_DATA}{content}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def policy(script: str, style: str) -> str:
    """Returns the Content-Security-Policy of a page with this script and style, which may load nothing else."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _needed(replay: Replay) -> tuple[GameView, list[PositionView]]:
    """Returns the views with only those moves that the record names: nobody can make another one."""
    named = _moves_named(replay.record, len(replay.roles))
    kept = [_numbered(moves, named[role]) for role, moves in enumerate(replay.look.moves)]
    moves = tuple(tuple(every[i] for i in kept[role]) for role, every in enumerate(replay.look.moves))
    return replace(replay.look, moves=moves), [_thinned(view, replay.look, kept, named) for view in replay.views]


def _thinned(view: PositionView, look: GameView, kept: list[dict[int, int]], named: list[set[str]]) -> PositionView:
    """Returns a view without legal moves, its moves numbered as in the view of the game with the `kept` ones."""
    own = view.moves or tuple(() for _ in look.moves)
    moves = []
    steps: list[dict[int, Any]] = []
    for role, more in enumerate(own):
        mine = _numbered(more, named[role])
        first, now = len(look.moves[role]), len(kept[role])
        numbers = kept[role] | {first + old: now + new for old, new in mine.items()}
        moves.append(tuple(more[i] for i in mine))
        given: Mapping[int, Any] = view.steps[role] if view.steps else {}
        steps.append({numbers[old]: places for old, places in given.items() if old in numbers})
    return replace(view, moves=tuple(moves), steps=tuple(steps), legal=tuple(() for _ in view.legal))


def _numbered(moves: Iterable[Any], named: set[str]) -> dict[int, int]:
    """Returns for the old number of each move that is named its new one."""
    return {old: new for new, old in enumerate(i for i, move in enumerate(moves) if move.text in named)}


def _moves_named(record: MatchRecord, roles: int) -> list[set[str]]:
    """Returns for each role the moves that are made, considered or expected anywhere in a record."""
    named: list[set[str]] = [set() for _ in range(roles)]
    thoughts = [thought for each in record.thoughts for thought in each]
    joints = [*record.moves, *(joint for thought in thoughts for joint in thought.get("line", ()))]
    for joint in joints:
        for role, move in enumerate(joint[:roles]):
            named[role].add(move)
    for thought in thoughts:
        for candidate in thought.get("candidates", ()):
            role = candidate.get("role", thought["role"])
            if 0 <= role < roles:
                named[role].add(candidate["move"])
    return named
