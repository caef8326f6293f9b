"""Draws states of a game for people: as text for terminals, as SVG for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from ludens.agent.playable.game_view import game_view
from ludens.games.view.hints import read_hints
from ludens.games.view.svg import Note, SvgBoard
from ludens.games.view.text import TextBoard
from ludens.games.view.vocabulary import PositionView, legal_steps
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_SAMPLE_SECONDS = 0.5  # of random games, which show what the board is


class DrawnState(NamedTuple):
    """A state in the words of its rules."""

    facts: Sequence[str]
    legal: Sequence[Sequence[str]]  # of each role
    terminal: bool
    goals: Sequence[int | None]


class MarkedMove(NamedTuple):
    """A move to be marked on the board, with a word."""

    role: int
    move: str
    word: str
    best: bool


class Renderer:
    """Draws the states of one game; for one thread at a time."""

    def __init__(self, name: str, rules: str, sheet: RuleSheet, net: Propnet | None) -> None:
        """Finds the board, with the hints of the sheet's author. Raises `LudensError` for hints that do not fit."""
        self._reader = game_view(name, sheet, net, _SAMPLE_SECONDS, read_hints(rules, sheet.roles))
        self._view = self._reader.view
        self._text, self._svg = TextBoard(self._view), SvgBoard(self._view)

    def text(self, state: DrawnState) -> str:
        """Returns a state as lines of text."""
        return self._text.draw(self._reader.read(*state))

    def svg(self, state: DrawnState, marked: Sequence[MarkedMove] = ()) -> str:
        """Returns a state as SVG, below which stands whose turn it is, or how it ended; the first marks count most."""
        position = self._reader.read(*state)
        steps = {role: legal_steps(self._view, position, role) for role in {each.role for each in marked}}
        notes = [Note(steps[each.role].get(each.move, ()), each.word, each.best) for each in marked]
        return self._svg.draw(position, notes, self._situation(position))

    def _situation(self, position: PositionView) -> str:
        roles = self._view.roles
        if not position.terminal:
            return f"to move: {' and '.join(roles[role] for role in position.turn)}"
        goals = position.goals or ()
        ended = ", ".join(f"{role} {'–' if goal is None else goal}" for role, goal in zip(roles, goals, strict=True))
        return f"over: {ended}"


def with_table(svg: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns HTML: a picture with a table beside it."""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start">{svg}{table}</div>'
