"""Finds the mistakes of a rule sheet by playing it, in a process of its own.

Rules that somebody has just written may need any time and memory, so a child process plays, within limits: on the
network if one can be made soon, else on the rule machine, which is slower and there at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from ludens.agent.diagnosis.marks import with_marks
from ludens.agent.diagnosis.mistakes import find
from ludens.agent.diagnosis.played import play
from ludens.agent.preparation.playable_game import playable_game
from ludens.propnet.base.child import Limits, Tell, run
from ludens.propnet.base.errors import LudensError, NativeError
from ludens.propnet.diagnosis.finding import Finding
from ludens.propnet.gdl.syntax import RuleSheet

LIMITS = Limits(seconds=30.0, memory_mb=4096)  # of the whole; most sheets need far less

_NETWORK_LIMITS = Limits(seconds=3.0, memory_mb=1024)  # of making a network; everyday games take less than a second

_SECONDS, _GAMES = 1.0, 1000  # of random play, at most


@dataclass(frozen=True, slots=True)
class PlayDiagnosis:
    """What random games have shown."""

    findings: tuple[Finding, ...] = ()
    games: int = 0  # that were played
    obstacle: str = ""  # why none could be played


def diagnose_by_play(sheet: RuleSheet, limits: Limits = LIMITS) -> PlayDiagnosis:
    """Plays random games of a sheet without errors for about a second."""
    try:
        found: PlayDiagnosis = run(f"{__name__}:diagnose", sheet, limits, lambda _line: None, lambda: False)
    except LudensError as error:
        return PlayDiagnosis(obstacle=str(error))
    return found


def diagnose(
    sheet: RuleSheet, tell: Tell, seconds: float = _SECONDS, games: int = _GAMES, network: Limits = _NETWORK_LIMITS
) -> PlayDiagnosis:
    """Does the work of `diagnose_by_play` in this process: plays about so many games; raises `LudensError`."""
    marked, marks = with_marks(sheet)
    try:
        played = play(playable_game(marked, network, tell), marks, seconds, games)
    except NativeError:  # marks ask for all that a relation holds for, which may be too much
        marks = {}
        played = play(playable_game(sheet, network, tell), marks, seconds, games)
    return PlayDiagnosis(tuple(find(sheet, played, marks.values())), played.games)
