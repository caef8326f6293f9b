"""Random games of two sides that race: tokens on a small board, and places at its far end that win.

Each side has random steps of its own, most of them onward: some go to empty places only, some may capture and some
must. A step may need a place that no opponent stands on, or a switch that is on, and may turn a switch over. After
so many plies it is a draw. Whoever cannot step passes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

_RULES = """
(role a) (role b)
(init (control a)) (init (ply 0))
(opponent a b) (opponent b a)

(<= (free ?p) (place ?p) (not (true (at a ?p))) (not (true (at b ?p))))
(<= (fits ?r ?u ?v) (step ?r ?u ?v quiet) (free ?v))
(<= (fits ?r ?u ?v) (step ?r ?u ?v any) (not (true (at ?r ?v))))
(<= (fits ?r ?u ?v) (step ?r ?u ?v capture) (opponent ?r ?o) (true (at ?o ?v)))
(<= (hindered ?r ?u ?v) (guard ?r ?u ?v ?w) (opponent ?r ?o) (true (at ?o ?w)))
(<= (hindered ?r ?u ?v) (gate ?r ?u ?v ?s) (not (true (on ?s))))
(<= (can ?r ?u ?v) (true (at ?r ?u)) (fits ?r ?u ?v) (not (hindered ?r ?u ?v)))
(<= (able ?r) (can ?r ?u ?v))
(<= (legal ?r (go ?u ?v)) (true (control ?r)) (can ?r ?u ?v))
(<= (legal ?r pass) (true (control ?r)) (not (able ?r)))
(<= (legal ?r wait) (opponent ?r ?o) (true (control ?o)))

(<= (left ?r ?u) (does ?r (go ?u ?v)))
(<= (entered ?r ?v) (does ?r (go ?u ?v)))
(<= (next (at ?r ?v)) (entered ?r ?v))
(<= (next (at ?r ?p)) (true (at ?r ?p)) (opponent ?r ?o) (not (left ?r ?p)) (not (entered ?o ?p)))
(<= (turned ?s) (does ?r (go ?u ?v)) (turns ?r ?u ?v ?s))
(<= (next (on ?s)) (true (on ?s)) (not (turned ?s)))
(<= (next (on ?s)) (switch ?s) (not (true (on ?s))) (turned ?s))
(<= (next (control ?o)) (opponent ?r ?o) (true (control ?r)))
(<= (next (ply ?m)) (true (ply ?n)) (succ ?n ?m))

(<= (won ?r) (true (at ?r ?p)) (target ?r ?p))
(<= (alive ?r) (true (at ?r ?p)))
(<= (won ?r) (opponent ?r ?o) (not (alive ?o)))
(<= decided (won ?r))
(<= terminal decided)
(<= terminal (true (ply ?n)) (last ?n))
(<= (goal ?r 100) (won ?r) (opponent ?r ?o) (not (won ?o)))
(<= (goal ?r 0) (opponent ?r ?o) (won ?o) (not (won ?r)))
(<= (goal ?r 50) (won a) (won b) (role ?r))
(<= (goal ?r 50) (role ?r) (not decided))
"""


def racing_sheet(seed: int) -> str:
    """The rules of one such game."""
    return _RULES + "\n".join(_facts(random.Random(seed)))


def _facts(dice: random.Random) -> Iterator[str]:
    width, height, last = 3, dice.choice([5, 6]), dice.randint(9, 14)
    places = [(x, y) for y in range(height) for x in range(width)]
    names = {place: "p{}{}".format(*place) for place in places}
    yield "".join(f"(place {name})" for name in names.values()) + f"(last {last})"
    yield "".join(f"(succ {n} {n + 1})" for n in range(last))
    yield "(switch 0) (switch 1)" + "".join(f"(init (on {s}))" for s in (0, 1) if dice.random() < 0.5)
    for side, home, far, onward in (("a", 0, height - 1, 1), ("b", height - 1, 0, -1)):
        tokens = dice.sample(range(width), 2)
        yield from (f"(init (at {side} p{x}{home}))" for x in tokens)
        yield from (f"(target {side} p{x}{far})" for x in dice.sample(range(width), dice.randint(1, width)))
        for x, y in places:
            for dx, dy, chance in ((0, 1, 0.9), (1, 1, 0.6), (-1, 1, 0.6), (0, 2, 0.1), (1, 0, 0.1), (0, -1, 0.1)):
                if dice.random() < chance and (to := (x + dx, y + dy * onward)) in names:
                    yield from _step(dice, list(names.values()), f"{side} {names[x, y]} {names[to]}")
    # Forms that no dice brought up, so that every relation has a fact.
    yield "(guard a none none p00) (gate a none none 0) (turns a none none 0)"


def _step(dice: random.Random, places: list[str], step: str) -> Iterator[str]:
    yield f"(step {step} {dice.choice(['quiet', 'any', 'any', 'any', 'capture'])})"
    if dice.random() < 0.15:
        yield f"(guard {step} {dice.choice(places)})"
    if dice.random() < 0.1:
        yield f"(gate {step} {dice.randint(0, 1)})"
    if dice.random() < 0.1:
        yield f"(turns {step} {dice.randint(0, 1)})"
