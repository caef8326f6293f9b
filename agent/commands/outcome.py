"""Says in a few lines how a match ended, and which mistakes its players made."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from rich.text import Text

from ludens.agent.commands.terminal import printable
from ludens.agent.records.record import ILLEGAL, TIMED_OUT, UNREACHABLE, Ending, MatchRecord
from ludens.propnet.base.words import counted


def outcome(roles: Sequence[str], record: MatchRecord) -> Text:
    """Returns the outcome in a few lines, also of a match that was not played to its end."""
    turns = counted(len(record.moves), "turn")
    if record.completed:
        lines = [f"Result after {turns}:"]
        width = max(map(len, roles))
        for role, player, goal in zip(roles, record.players, record.goals, strict=True):
            lines.append(f"  {role:<{width}}  {goal:>3}  {player}")
    elif record.ending == Ending.TURN_LIMIT:
        lines = [f"Stopped after {turns}: the game was not over (see --max-turns)."]
    else:
        lines = [f"Aborted after {turns}."]
    return Text(printable("\n".join([*lines, *_faults(roles, record)])))


def explain(error: str) -> str:
    """Returns an error mark of a match record in words."""
    if error == TIMED_OUT:
        return f"no answer in time ({TIMED_OUT})"
    if error == UNREACHABLE:
        return f"cannot be reached ({UNREACHABLE})"
    return f"no legal move: {error.removeprefix(ILLEGAL).strip() or 'an empty answer'} ({ILLEGAL})"


def _turns(turns: Sequence[int]) -> str:
    """Returns the turns of a fault in words, such as `START, turns 1-4, 7`."""
    spans = []
    for _, numbered in groupby(enumerate(turn for turn in turns if turn), lambda pair: pair[1] - pair[0]):
        span = list(map(itemgetter(1), numbered))
        spans.append(str(span[0]) if len(span) == 1 else f"{span[0]}-{span[-1]}")
    start = ["START"] if 0 in turns else []
    count = sum(1 for turn in turns if turn)
    return ", ".join([*start, *([f"turn{'s' if count > 1 else ''} {', '.join(spans)}"] if spans else [])])


def _faults(roles: Sequence[str], record: MatchRecord) -> list[str]:
    if not record.error_count:
        return ["The match completed without player errors."] if record.completed else []
    faults: dict[tuple[str, str], list[int]] = {}
    for turn, errors in enumerate(record.errors):
        for role, error in zip(roles, errors, strict=True):
            if error:
                faults.setdefault((role, explain(error)), []).append(turn)
    lines = [f"  {_turns(turns)}: {role}: {text}" for (role, text), turns in faults.items()]
    ended = "completed" if record.completed else "ended"
    return [f"The match {ended} with {counted(record.error_count, 'player error')}:", *lines]
