"""The states along a history: each new move is one step, also after one that failed."""

from __future__ import annotations

import pytest

from ludens.agent.protocol.state_history import StateHistory
from ludens.agent.protocol.wire import Joint
from ludens.propnet.base.errors import NativeError


def test_a_path_takes_one_step_for_each_new_move_and_goes_back_where_histories_differ() -> None:
    steps: list[Joint] = []

    def step(state: str, moves: Joint) -> str:
        steps.append(moves)
        return state + "".join(moves)

    path = StateHistory("", step)
    assert path.follow((("a",), ("b",))) == "ab"
    assert path.follow((("a",), ("b",), ("c",))) == "abc"
    assert len(steps) == 3
    assert path.follow((("a",), ("x",))) == "ax"
    assert len(steps) == 4
    assert path.follow(()) == ""


def test_a_path_whose_step_fails_goes_on_from_before_it() -> None:
    def step(state: str, moves: Joint) -> str:
        if moves == ("x",):
            raise NativeError("no room")
        return state + "".join(moves)

    path = StateHistory("", step)
    path.follow((("a",), ("b",), ("c",)))
    with pytest.raises(NativeError):
        path.follow((("a",), ("x",)))
    assert path.follow((("a",), ("b",), ("d",))) == "abd"
