"""The tables of environments, from docs/data/environments.json, which `scripts.bench.environments --json` writes."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from typing import Any

from scripts.bench.environment_peers import INSIDE, MASKS, PACKED, PEERS, RAW
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
    head = ["game", "games", "masks", "in steps %", "inside", "packed", "packed / simulator %"]
    rows = []
    found = measured(1)
    for name, size in dict.fromkeys((each.game, each.games) for each in found if each.way == MASKS and _own(each)):
        masks, inside, packed = (_one(found, name, way, size) for way in (MASKS, INSIDE, PACKED))
        raw = next(each for each in found if each.game == name and each.way == RAW)
        shares = f"{100 * masks.simulator:.0f}", f"{100 * _ratio(packed, raw):.0f}"
        rows.append([name, f"{size:,}", _text(masks), shares[0], _text(inside), _text(packed), shares[1]])
    return markdown_table(head, rows)


def peers_table() -> str:
    """The best rates from masks beside those of others, on one core and on two."""
    head = ["game", "cores", _OWN, *PEERS]
    rows = []
    for cores in (1, 2):
        found = measured(cores)
        for name in dict.fromkeys(each.game for each in found):
            own = best(found, name, _OWN)
            cells = []
            for peer in PEERS:
                other = best(found, name, peer)
                cells.append(f"{_text(other)} (× {_factor(own, other)})" if own and other else "–")
            rows.append([name, str(cores), _text(own) if own else "–", *cells])
    return markdown_table(head, rows)


def floors_table() -> str:
    """The floors, and the least that was reached on any game."""
    rows = []
    found = measured(1)
    for floor in FLOORS:
        ratios = {}
        for name in dict.fromkeys(each.game for each in found):
            own = next(
                (each for each in found if _own(each) and each.way == MASKS and (each.game, each.games) == (name, 1)),
                None,
            )
            own, other = own if floor.one_game else best(found, name, _OWN), best(found, name, floor.peer)
            if own and other:
                ratios[name] = _ratio(own, other)
        if ratios:
            least = min(ratios, key=ratios.__getitem__)
            reached = f"× {ratios[least]:,.3g} ({least})", "yes" if ratios[least] >= floor.least else "no"
        else:
            reached = "not measured", "–"
        what = "one game at a time" if floor.one_game else "as many games as is best"
        rows.append([f"× {floor.least:,.0f} {floor.peer}, {what}", *reached])
    return markdown_table(["floor, on one core", "least that was reached", "reached"], rows)


def best(found: list[Measured], name: str, package: str) -> Measured | None:
    """Returns what a package did from masks with as many games as is best."""
    rates = [each for each in found if (each.game, each.package, each.way) == (name, package, MASKS)]
    return max(rates, key=lambda each: each.rate, default=None)


def _one(found: list[Measured], name: str, way: str, size: int) -> Measured:
    return next(each for each in found if _own(each) and (each.game, each.way, each.games) == (name, way, size))


def _own(each: Measured) -> bool:
    return each.package == _OWN


def _ratio(one: Measured, other: Measured) -> float:
    """Returns the median of the ratios of the blocks, which were measured in turns."""
    return statistics.median(a / b for a, b in zip(one.rates, other.rates, strict=True))


def _factor(own: Measured, other: Measured) -> str:
    return f"{_ratio(own, other):,.3g}" if _ratio(own, other) < 100 else f"{_ratio(own, other):,.0f}"


def _text(each: Measured) -> str:
    return f"{each.rate / 1e6:.2f} M" if each.rate >= 1e5 else f"{each.rate:,.0f}"
