"""A match of tic-tac-toe as a record, with what one of its players thought and said of how it plays."""

from __future__ import annotations

from ludens import games
from ludens.agent.records.record import Ending, MatchRecord

RULES = games.read("tic_tac_toe")
MOVES = [
    ["(mark 1 1)", "noop"],
    ["noop", "(mark 3 3)"],
    ["(mark 1 2)", "noop"],
    ["noop", "(mark 3 2)"],
    ["(mark 1 3)", "noop"],
]
THOUGHT = {
    "role": 0,
    "move": "(mark 1 2)",
    "playouts": 900,
    "value": 88.5,
    "proven": False,
    "candidates": [{"role": 0, "move": "(mark 2 2)", "visits": 70, "value": 61.0, "proven": False}],
    "line": [["(mark 1 2)", "noop"], ["noop", "(mark 2 1)"]],
}
RECORD = MatchRecord(
    match_id="M.1",
    random_token="",
    start_time=0,
    start_clock=10,
    play_clock=5,
    players=["Ann", "<b>Ben</b>"],
    scrambled=False,
    completed=True,
    moves=MOVES,
    goals=[100, 0],
    ending=Ending.TERMINAL,
    remarks=["cross: plays by <b>uct</b>: no other search suits the game"],
    rules=RULES,
    game="tic_tac_toe",
    thoughts=[[], [], [THOUGHT]],
)
