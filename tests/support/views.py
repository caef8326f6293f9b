"""Views of games that are given by a few facts."""

from __future__ import annotations

from collections.abc import Sequence

from ludens.games.view.find import find_view
from ludens.games.view.reader import PositionReader
from ludens.games.view.sample import Sample, SampledState
from ludens.games.view.text import TextBoard
from ludens.games.view.words import words
from ludens.propnet.gdl.syntax import RuleSheet


def reader_of(
    vocabulary: Sequence[str],
    *states: Sequence[str],
    roles: tuple[str, ...] = ("robot",),
    legal: Sequence[Sequence[str]] = (),
    name: str = "game",
) -> PositionReader:
    """Returns what reads the positions of a game with these facts; `states` were played, the first one first."""
    moves = tuple(map(tuple, legal)) or tuple(() for _ in roles)
    played = [SampledState(frozenset(map(words, state)), moves, None) for state in states or ((),)]
    sample = Sample(roles, tuple((state,) for state in played), tuple(vocabulary), moves)
    return find_view(name, RuleSheet(()), sample)


def drawn(reader: PositionReader, facts: Sequence[str]) -> list[str]:
    """Returns the lines that show a state in the terminal."""
    legal = tuple(() for _ in reader.view.roles)
    return TextBoard(reader.view).draw(reader.read(facts, legal, terminal=False)).splitlines()
