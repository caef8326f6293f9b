"""Says in words what a search has found out."""

from __future__ import annotations

from ludens.agent.protocol.wire import SearchReport
from ludens.propnet.base.words import counted


def findings(report: SearchReport, roles: int) -> list[str]:
    """Returns what is proven in a game of so many roles, how many games were searched, and else what the move is worth.

    A move that is proven has no other worth; nor has one where all others are proven to be worse.
    """
    found = [_verdict(report, roles)] if report.proven else []
    if report.playouts:
        found.append(f"{report.playouts:,} playouts")
    if report.others is not None:
        most = " at most" if report.others else ""
        found.append(f"every other move is a proven {_outcome(report.others, roles)}{most}")
    elif not report.proven and report.value is not None:
        found.append(f"value {report.value:.1f}")
    return found


def _verdict(report: SearchReport, roles: int) -> str:
    verdict = f"proven {_outcome(report.value or 0.0, roles)}"
    return verdict if report.turns_left is None else f"{verdict} in {counted(report.turns_left, 'turn')}"


def _outcome(goal: float, roles: int) -> str:
    """Returns a goal in the words of games that are won, lost and drawn, where it is such."""
    words = {100.0: "win", 0.0: "loss"} | ({50.0: "draw"} if roles == 2 else {})
    return words.get(goal, f"result of {goal:g} points")
