"""The share of a step that is spent in a batch is told by a clock of the test's own."""

from __future__ import annotations

import pytest

from scripts.bench.environment_peers import Contestant

LOOK, CHOICE, STEP = 10, 300, 900


def test_the_share_of_the_batch_is_what_its_steps_take_without_looks_at_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, acted = 0, []

    def look() -> int:
        nonlocal now
        now += LOOK
        return now

    def choose() -> int:
        nonlocal now
        now += CHOICE
        return 7

    def act(action: int) -> None:
        nonlocal now
        now += STEP
        acted.append(action)

    monkeypatch.setattr("time.process_time_ns", look)
    contestant = Contestant("Ludens", "masks", 1000, lambda: act(choose()), choose, act)
    assert contestant.share() == STEP / (CHOICE + STEP)
    assert set(acted) == {7}
    assert Contestant("Ludens", "inside", 1000, lambda: None).share() == 0
