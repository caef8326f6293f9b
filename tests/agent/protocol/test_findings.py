"""What is said of a search, in the log of a player and in the terminal."""

from __future__ import annotations

import pytest

from ludens.agent.protocol.findings import findings
from ludens.agent.protocol.wire import SearchReport
from ludens.agent.server.session import describe


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (SearchReport(3, "a", 0, 100.0, final=True, proven=True, turns_left=7), "proven win in 7 turns"),
        (SearchReport(3, "a", 12, 0.0, proven=True), "proven loss, 12 playouts"),
        (SearchReport(3, "a", 9, others=0.0), "9 playouts, every other move is a proven loss"),
        (SearchReport(3, "a", 9, others=50.0), "9 playouts, every other move is a proven draw at most"),
        (SearchReport(3, "a", 1234, 56.78), "1,234 playouts, value 56.8"),
        (SearchReport(3, "a"), ""),
    ],
)
def test_what_is_proven_is_said_rather_than_a_value(report: SearchReport, said: str) -> None:
    assert ", ".join(findings(report, roles=2)) == said


def test_half_the_points_are_a_draw_of_two_roles_only() -> None:
    report = SearchReport(3, "a", value=50.0, proven=True)
    assert findings(report, roles=2) == ["proven draw"]
    assert findings(report, roles=1) == findings(report, roles=3) == ["proven result of 50 points"]


def test_the_log_says_what_is_proven_and_where_it_was_searched() -> None:
    report = SearchReport(3, "a", 12, 100.0, (("a", "noop"),), "network", proven=True)
    assert describe(report, roles=2) == "proven win, 12 playouts, on the network, expects a / noop"
    assert describe(SearchReport(3, "a", final=True), roles=2) == "no search"
