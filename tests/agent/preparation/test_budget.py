"""A budget counts what its time is spent on."""

from __future__ import annotations

import pytest

from ludens.agent.preparation.budget import CHOICE, FEATURES, LEARNING, TimeBudget


class FakeTime:
    """A budget of a minute by a clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.budget = TimeBudget(60.0, 1.0, clock=lambda: self.now)

    def spend(self, seconds: float) -> None:
        self.now += seconds


def test_what_is_spent_within_on_something_else_is_not_counted_twice() -> None:
    time = FakeTime()
    with time.budget.spending(CHOICE):
        time.spend(1.0)
        with time.budget.spending(LEARNING):
            time.spend(5.0)
        time.spend(2.0)
        with pytest.raises(ZeroDivisionError), time.budget.spending(FEATURES):
            time.spend(0.5)
            raise ZeroDivisionError
    with time.budget.spending(CHOICE):
        time.spend(4.0)
    assert time.budget.spent == {LEARNING: 5.0, FEATURES: 0.5, CHOICE: 7.0}


def test_a_part_counts_by_itself() -> None:
    time = FakeTime()
    part = time.budget.part(10.0, 1.0)
    with part.spending(LEARNING):
        time.spend(1.0)
    assert (time.budget.spent, part.spent) == ({}, {LEARNING: 1.0})


def test_it_says_in_words_what_took_time() -> None:
    time = FakeTime()
    assert time.budget.spent_in_words(FEATURES, CHOICE) == ""
    with time.budget.spending(FEATURES):
        time.spend(0.01)
    with time.budget.spending(CHOICE):
        time.spend(5.84)
    assert time.budget.spent_in_words(FEATURES, CHOICE) == "choosing a search took 5.8 s"
    with time.budget.spending(FEATURES):
        time.spend(2.1)
    assert time.budget.spent_in_words(FEATURES, CHOICE) == "finding features took 2.1 s, choosing a search 5.8 s"
