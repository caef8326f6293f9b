"""The simulation of machines that tell each other what they find out holds where it can be worked out by hand."""

from __future__ import annotations

import pytest

from ludens.agent.cluster.search_driver import ROUND_SECONDS
from scripts.bench.peer_messages import Message, age_of_news


def test_small_messages_are_a_round_old() -> None:
    """They are answered at once, wait for the next round, and come a latency later."""
    for machines in (2, 100):
        for latency in (0.0, 0.002):
            age = age_of_news(Message(0, 0.0, 0.0), machines, latency)
            assert age == pytest.approx(ROUND_SECONDS, abs=1e-9)


def test_who_takes_and_makes_messages_slowly_is_heard_of_later() -> None:
    """What is made after half a round waits for the other half."""
    age = age_of_news(Message(0, ROUND_SECONDS / 2, 0.0), 2, 0.0)
    assert age == pytest.approx(ROUND_SECONDS / 2, abs=1e-9)


def test_messages_that_fill_the_link_are_as_old_as_it_takes_to_send_them_all() -> None:
    """A round of n machines sends n (n - 1) messages, one after the other."""
    machines, size = 50, 1_250_000  # 10 ms each
    sending = machines * (machines - 1) * 0.01
    assert sending / 4 < age_of_news(Message(size, 0.0, 0.0), machines, 0.0) < 2 * sending
    ages = [age_of_news(Message(size, 0.0, 0.0), count, 0.0) for count in (10, 20, 40)]
    assert ages[1] / ages[0] > 3 and ages[2] / ages[1] > 3
