"""Finds the mistakes of a rule sheet by playing it, in a process of its own.

Rules that somebody has just written may need any time and memory, so a child process plays, within limits.
"""

from __future__ import annotations

from dataclasses import dataclass

from ludens.propnet.base.child import Limits, Wording, run
from ludens.propnet.base.errors import GdlError, LudensError
from ludens.propnet.diagnosis.finding import Finding, from_exception
from ludens.propnet.gdl.syntax import RuleSheet

LIMITS = Limits(seconds=30.0, memory_mb=4096)  # of the whole; most sheets need far less

_WORDING = Wording(
    "playing the rules failed",
    "playing the rules takes more than the {:g} s that validate allows",
    "playing the rules takes more than the {:,} MB of memory that validate allows",
)


@dataclass(frozen=True, slots=True)
class PlayDiagnosis:
    """What random games have shown, or making the game from its rules."""

    findings: tuple[Finding, ...] = ()
    games: int = 0  # that were played
    obstacle: str = ""  # why none could be played


def diagnose_by_play(sheet: RuleSheet, limits: Limits = LIMITS) -> PlayDiagnosis:
    """Plays random games of a sheet without errors for about a second."""
    task = "ludens.agent.diagnosis.diagnose:diagnose"
    try:
        found: PlayDiagnosis = run(task, sheet, limits, _WORDING, lambda _line: None)
    except GdlError as error:
        return PlayDiagnosis((from_exception(error),), obstacle="the rules are refused")
    except LudensError as error:
        return PlayDiagnosis(obstacle=str(error))
    return found
