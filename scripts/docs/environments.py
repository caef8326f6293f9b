"""The tables of environments, from docs/data/environments.json, which `scripts.bench.environments --json` writes."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from typing import Any

from scripts.bench.environment_peers import HELPED, INSIDE, MASKS, PACKED, PACKED_MASKS, PEERS, RAW
from scripts.bench.environments import Measured
from scripts.docs.pages import DATA, markdown_table

FILE = DATA / "environments.json"

_OWN = "Ludens"


@dataclass(frozen=True, slots=True)
class Floor:
    """What is demanded of every game that both have: a rate, as a multiple of that of another package."""

    peer: str
    least: float
    one_game: bool = False  # with one game at a time, else as many as is best


FLOORS = (Floor("EnvPool", 3), Floor("pgx", 10), Floor("PettingZoo", 1000), Floor("OpenSpiel", 1, one_game=True))


def data() -> dict[str, Any]:
    """What was measured, and where."""
    read: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return read


def measured(cores: int) -> list[Measured]:
    """What was measured on so many cores."""
    return [Measured(**each | {"rates": tuple(each["rates"])}) for each in data()["measured"] if each["cores"] == cores]


def machine() -> str:
    """A sentence about the machine and the packages."""
    versions = ", ".join(f"{name} {text}" for name, text in data()["versions"].items())
    return f"Measured on {data()['machine']}; {versions}."


def own_table() -> str:
    """How fast batches are, on one core."""
    chosen = [text for way in (MASKS, PACKED_MASKS, HELPED) for text in (way, "in steps %")]
    head = ["game", "games", *chosen, INSIDE, PACKED, "packed / simulator %"]
    rows = []
    found = measured(1)
    for name, size in dict.fromkeys((each.game, each.games) for each in found if each.way == MASKS and _own(each)):
        cells = []
        for way in (MASKS, PACKED_MASKS, HELPED):
            each = _one(found, name, way, size)
            cells += [_text(each), f"{100 * each.simulator:.0f}"] if each else ["–", "–"]
        inside, packed = _one(found, name, INSIDE, size), _one(found, name, PACKED, size)
        raw = next(each for each in found if each.game == name and each.way == RAW)
        cells += [_text(each) if each else "–" for each in (inside, packed)]
        rows.append([name, f"{size:,}", *cells, f"{100 * _ratio(packed, raw):.0f}" if packed else "–"])
    return markdown_table(head, rows)


def peers_table() -> str:
    """The best rates from masks beside those of others, on one core and on two."""
    head = ["game", "cores", f"{_OWN}, in bytes", f"{_OWN}, packed", *PEERS]
    rows = []
    for cores in (1, 2):
        found = measured(cores)
        for name in dict.fromkeys(each.game for each in found):
            own = [best(found, name, _OWN, way) for way in (MASKS, PACKED_MASKS)]
            cells = [_text(each) if each else "–" for each in own]
            for peer in PEERS:
                other = best(found, name, peer)
                factors = [f"× {_factor(each, other)}" for each in own if each and other]
                cells.append(f"{_text(other)} ({', '.join(factors)})" if other else "–")
            rows.append([name, str(cores), *cells])
    return markdown_table(head, rows)


def floors_table() -> str:
    """The floors, and the least that was reached on any game."""
    rows = []
    found = measured(1)
    for floor in FLOORS:
        what = "one game at a time" if floor.one_game else "as many games as is best"
        cells = [_least_reached(found, floor, way) for way in (MASKS, PACKED_MASKS)]
        rows.append([f"× {floor.least:,.0f} {floor.peer}, {what}", *cells])
    return markdown_table(["floor, on one core", "least that was reached, in bytes", "packed"], rows)


def _least_reached(found: list[Measured], floor: Floor, way: str) -> str:
    """Returns the least multiple of a peer's rate in any game, and whether it is enough."""
    ratios = {}
    for name in dict.fromkeys(each.game for each in found):
        own = _one(found, name, way, 1) if floor.one_game else best(found, name, _OWN, way)
        other = best(found, name, floor.peer)
        if own and other:
            ratios[name] = _ratio(own, other)
    if not ratios:
        return "–"
    least = min(ratios, key=ratios.__getitem__)
    return f"× {ratios[least]:,.3g} ({least}): {'reached' if ratios[least] >= floor.least else 'not reached'}"


def best(found: list[Measured], name: str, package: str, way: str = MASKS) -> Measured | None:
    """Returns what a package did from masks with as many games as is best."""
    rates = [each for each in found if (each.game, each.package, each.way) == (name, package, way)]
    return max(rates, key=lambda each: each.rate, default=None)


def _one(found: list[Measured], name: str, way: str, size: int) -> Measured | None:
    of_size = (each for each in found if _own(each) and (each.game, each.way, each.games) == (name, way, size))
    return next(of_size, None)


def _own(each: Measured) -> bool:
    return each.package == _OWN


def _ratio(one: Measured, other: Measured) -> float:
    """Returns the median of the ratios of the blocks, which were measured in turns."""
    return statistics.median(a / b for a, b in zip(one.rates, other.rates, strict=True))


def _factor(own: Measured, other: Measured) -> str:
    return f"{_ratio(own, other):,.3g}" if _ratio(own, other) < 100 else f"{_ratio(own, other):,.0f}"


def _text(each: Measured) -> str:
    return f"{each.rate / 1e6:.2f} M" if each.rate >= 1e5 else f"{each.rate:,.0f}"
