"""Plays random games of a rule sheet, on its network if that is ready soon, and reports the mistakes that they show."""

from __future__ import annotations

from ludens.agent.diagnosis.child_process import PlayDiagnosis
from ludens.agent.diagnosis.marks import with_marks
from ludens.agent.diagnosis.mistakes import find
from ludens.agent.diagnosis.random_play import play
from ludens.agent.playable.playable_game import playable_game
from ludens.propnet.base.child import Limits, Tell
from ludens.propnet.base.errors import GdlError, NativeError
from ludens.propnet.gdl.syntax import RuleSheet

_NETWORK_LIMITS = Limits(seconds=3.0, memory_mb=1024)  # of making a network; everyday games take less than a second

_SECONDS, _GAMES = 1.0, 1000  # of random play, at most


def diagnose(
    sheet: RuleSheet, tell: Tell, seconds: float = _SECONDS, games: int = _GAMES, network: Limits = _NETWORK_LIMITS
) -> PlayDiagnosis:
    """Plays about so many games, fewer if `seconds` do not suffice; raises `LudensError`."""
    marked, marks = with_marks(sheet)
    try:
        played = play(playable_game(marked, network, tell), marks, seconds, games)
    except (
        NativeError,
        GdlError,
    ):  # marks ask for all that a relation holds for, which may be too much, or mean nothing
        marks = {}
        played = play(playable_game(sheet, network, tell), marks, seconds, games)
    return PlayDiagnosis(tuple(find(sheet, played, marks.values())), played.games)
