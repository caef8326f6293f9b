"""Measures what searches that have peers tell each other, and simulates for how many machines that is too much.

    python -m scripts.bench.peer_messages connect_four breakthrough hex --picture docs/pictures/peer-messages.svg

After a second of search: the bytes of a message, and the time that it takes to make and to take one. From these follows
how many machines fit into one cluster: each hears of each other one five times a second through the process that
connects the player with it, so messages grow with the square of their number. The network is taken to carry 1 Gbit/s.
How old on the mean is what a machine hears of another one is simulated for 2 to 1,000 machines, though no search takes
more than 63 peers, and latencies of 0.2 and 2 ms. The processor time of the process that passes them on is left out.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ludens.agent.cluster.peer_search import SHARED_NODES
from ludens.agent.cluster.search_driver import ROUND_SECONDS
from ludens.agent.plots.charts import CurvePoint, curve_chart
from ludens.games.rules import find_rules
from ludens.native.core import Game, Search
from ludens.propnet.compile.loader import load
from scripts.common.tables import print_table

MACHINES = (2, 4, 8, 16, 32, 64, 125, 250, 500, 1000)
LATENCIES = (0.0002, 0.002)  # seconds, one way
_NETWORK_BYTES = 125e6  # a second
_REPETITIONS = 50
_CURVES = 4  # of a picture at most
_HEARD = 4  # times that each machine hears of others; the first is not counted
_COLUMNS = ("game", "bytes of a message", "made, µs", "taken, µs", "machines on 1 Gbit/s", "taking them, % of a thread")


class Message(NamedTuple):
    """What a machine tells five times a second: its bytes, and the seconds that it takes to make and to take."""

    size: int
    made: float
    taken: float


def measured(name: str, strategy: str) -> Message:
    """Measures the messages of one game."""
    game = Game.from_propnet(load(find_rules(name).sheet()))
    one, other = (Search(game, strategy=strategy, seed=seed, peers=1) for seed in (1, 2))
    for search in (one, other):
        search.run(seconds=1.0)
    words = one.shared_stats(SHARED_NODES)
    made = _seconds(lambda: one.shared_stats(SHARED_NODES))
    taken = _seconds(lambda: other.take_stats(0, words))
    return Message(words.nbytes, made, taken)


def row(name: str, message: Message) -> tuple[str, ...]:
    """Returns what is printed of one game."""
    most = math.floor(math.sqrt(_NETWORK_BYTES * ROUND_SECONDS / message.size))  # as many messages as pairs
    share = most * message.taken / ROUND_SECONDS
    times = (f"{seconds * 1e6:.0f}" for seconds in (message.made, message.taken))
    return name, f"{message.size:,}", *times, f"{most}", f"{100 * share:.1f}"


def age_of_news(message: Message, machines: int, latency: float) -> float:
    """Returns how many seconds ago was told, on the mean, what a machine hears of another one; by events.

    As `SearchDriver` does: every round each machine that has answered hears what others have told since it heard of
    them last, which goes through one link, as do the answers on their way back.
    """
    incoming_free = outgoing_free = now = 0.0
    come, made = np.zeros(machines), np.zeros(machines)  # in which round the last answer of each came, and when made
    asked = np.full(machines, -1.0)  # in which round each heard of others last
    waiting = [(0.0, machine, 0.0) for machine in range(machines)]  # when an answer comes, of which, and when made
    heard, ages = np.zeros(machines, int), list[float]()
    while heard.min() < _HEARD:
        ready = [answer for answer in waiting if answer[0] <= now]
        waiting = waiting[len(ready) :]
        for _, machine, when in ready:
            come[machine], made[machine] = now, when
        answers = []
        for _, machine, _ in ready:
            news = come > asked[machine]
            news[machine] = False
            others = int(news.sum())
            outgoing_free = max(outgoing_free, now) + others * message.size / _NETWORK_BYTES
            taken = outgoing_free + latency + others * message.taken
            asked[machine] = now
            heard[machine] += 1
            if others and heard[machine] > 1:
                ages.append(taken - float(made[news].mean()))
            answers.append((taken + message.made, machine))
        for when, machine in sorted(answers):
            incoming_free = max(incoming_free, when + latency) + message.size / _NETWORK_BYTES
            waiting.append((incoming_free, machine, when))
        now += ROUND_SECONDS
    return float(np.mean(ages))


def ages_table(messages: Mapping[str, Message]) -> Iterator[Sequence[str]]:
    """Yields the rows of the ages, for each number of machines."""
    for machines in MACHINES:
        ages = (age_of_news(message, machines, each) for message in messages.values() for each in LATENCIES)
        yield f"{machines:,}", *(f"{age:.2f}" for age in ages)


def picture(messages: Mapping[str, Message]) -> str:
    """Returns a picture of the ages, for the longer latency."""
    points = {
        name: [
            CurvePoint(math.log10(machines), *[math.log10(age_of_news(message, machines, LATENCIES[-1]))] * 3)
            for machines in MACHINES
        ]
        for name, message in messages.items()
    }
    title = "Age of what a machine hears of others, simulated"
    return curve_chart(title, "machines, as a power of ten", "seconds, as a power of ten", points)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    for _ in range(_REPETITIONS):
        work()
    return (time.perf_counter() - began) / _REPETITIONS


def main() -> int:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", help="built-in games or .kif files")
    parser.add_argument("--strategy", default="uct", help="one that needs no evaluation (uct)")
    parser.add_argument("--picture", type=Path, help="SVG of the simulation, for four games at most")
    args = parser.parse_args()
    if args.picture and len(args.games) > _CURVES:
        parser.error(f"--picture shows {_CURVES} games at most")
    messages = {name: measured(name, args.strategy) for name in args.games}
    print_table(_COLUMNS, (row(name, message) for name, message in messages.items()))
    names = (f"{name}, {1000 * latency:g} ms" for name in messages for latency in LATENCIES)
    print_table(("machines", *names), ages_table(messages))
    if args.picture:
        args.picture.write_text(picture(messages), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
