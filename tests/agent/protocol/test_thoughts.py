"""What players think is told in one JSON object, in the words of the unscrambled rules."""

from __future__ import annotations

import json

from ludens.agent.protocol.thoughts import thought
from ludens.agent.protocol.wire import SearchReport

REPORT = SearchReport(
    3,
    "(put a)",
    playouts=900,
    value=61.2345,
    line=(("(put a)", "noop"), ("noop", "(put b)")),
    candidates=((0, "(put a)", 600, 61.2345, False), (1, "noop", 300, None, True)),
    values=(61.2345, 38.7655),
)


def test_a_thought_is_plain_json_with_all_that_a_report_says() -> None:
    told = thought(REPORT, 0)
    assert (
        json.loads(json.dumps(told))
        == told
        == {
            "role": 0,
            "move": "(put a)",
            "playouts": 900,
            "value": 61.23,
            "proven": False,
            "candidates": [
                {"role": 0, "move": "(put a)", "visits": 600, "value": 61.23, "proven": False},
                {"role": 1, "move": "noop", "visits": 300, "value": None, "proven": True},
            ],
            "line": [["(put a)", "noop"], ["noop", "(put b)"]],
            "values": [61.23, 38.77],
        }
    )


def test_every_move_of_a_thought_is_renamed() -> None:
    told = thought(REPORT, 0, str.upper)
    assert told["move"] == "(PUT A)"
    assert [candidate["move"] for candidate in told["candidates"]] == ["(PUT A)", "NOOP"]
    assert told["line"] == [["(PUT A)", "NOOP"], ["NOOP", "(PUT B)"]]


def test_long_lines_and_lists_are_cut() -> None:
    report = SearchReport(0, "a", line=(("a",),) * 100, candidates=((0, "a", 1, None, False),) * 100)
    told = thought(report, 0)
    assert len(told["line"]) < 20
    assert len(told["candidates"]) < 20
