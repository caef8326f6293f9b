"""The pictures of the site: the pipeline, and charts of the tables of strength and speed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ludens.agent.plots.picture import BLUE, FAINT, GRID, ORANGE, PALE, Picture
from scripts.bench import contention
from scripts.bench.environment_peers import PEERS
from scripts.docs import environments, matches, speed, tak

_ROW = 26


def pipeline() -> str:
    """From the text of the rules to a move."""
    picture = Picture(820, 330, "The pipeline from the rules of a game to a move")
    stages = [
        ("GDL text", "rules as a manager", "sends them"),
        ("Rule sheet", "parsed, checked,", "rewritten"),
        ("Ground rules", "no variables left,", "by clingo"),
        ("Circuit", "and-gates; one file", "for each pass"),
        ("Propnet", "frozen arrays:", "next, legal, goals"),
    ]
    for place, (name, *words) in enumerate(stages):
        _stage(picture, 20 + 160 * place, 50, name, words)
    for place in range(len(stages) - 1):
        picture.arrow((160 + 160 * place, 90), (180 + 160 * place, 90))
    picture.text(20, 32, "propnet: once, in the start clock", bold=True, colour=BLUE)
    below = [
        ("Answer", "a move as GDL text,", "before the deadline"),
        ("Choice", "visits, values,", "proofs at the root"),
        ("Search", "UCT, guided, RAVE,", "alpha-beta, …"),
        ("Simulator", "512 games at once,", "one bit for each"),
        ("Analysis", "turns, threats, wins,", "symmetries, factors"),
    ]
    for place, (name, *words) in enumerate(below):
        _stage(picture, 20 + 160 * place, 200, name, words)
    for place in range(len(below) - 1):
        picture.arrow((180 + 160 * place, 240), (160 + 160 * place, 240))
    picture.arrow((730, 130), (730, 200))
    picture.arrow((700, 130), (700, 165), (570, 165), (570, 200))
    picture.text(20, 182, "agent and native: at every move", bold=True, colour=BLUE)
    picture.text(20, 312, "Text is used only at both ends; in between a proposition is a bit and a move is an integer.")
    return picture.svg()


def strength() -> str:
    """Scores of the player that chooses for itself against UCT, with intervals."""
    rows = matches.matches(matches.tables()["auto-against-uct"])
    height = 70 + _ROW * len(rows)
    picture = Picture(720, height, "Scores of auto against UCT, 0.1 s a move")
    left, right = 200.0, 690.0

    def across(score: float) -> float:
        return left + (right - left) * score

    for tenth in range(0, 11, 2):
        x = across(tenth / 10)
        picture.line(x, 30, x, height - 25, GRID, 1)
        picture.text(x, 22, f"{10 * tenth} %", "middle", FAINT)
    picture.line(across(0.5), 30, across(0.5), height - 25, FAINT, 1.5)
    for place, row in enumerate(rows):
        y = 48 + _ROW * place
        low, high = row.bounds()
        again = row.game in [other.game for other in rows[:place]]
        name = f"{row.game}, seed {row.task['opening']}" if again else row.game
        picture.text(left - 12, y + 4, name, "end")
        picture.line(across(low), y, across(high), y, BLUE, 3)
        picture.dot(across(row.mean), y, BLUE)
    note = "Score of auto against UCT with uniform random games; lines are 95 % intervals"
    picture.text(left, height - 8, note, size=12)
    return picture.svg()


def speeds() -> str:
    """How many times OpenSpiel's speed, on a logarithmic scale."""
    ratios = [
        (
            row.playouts_per_s / row.openspiel_playouts_per_s,
            row.iterations_per_s / row.openspiel_iterations_per_s,
            row.game,
        )
        for row in speed.rows()
        if row.openspiel_playouts_per_s and row.openspiel_iterations_per_s
    ]
    height = 80 + 2 * _ROW * len(ratios)
    picture = Picture(720, height, "Speed beside OpenSpiel")
    left, decade = 170.0, 140.0  # where × 1 lies, and how wide a factor of ten is
    for power in range(4):
        x = left + decade * power
        picture.line(x, 30, x, height - 40, GRID, 1)
        picture.text(x, 22, f"× {10**power:,}", "middle", FAINT)
    for place, (playouts, search, game) in enumerate(sorted(ratios, reverse=True)):
        y = 40 + 2 * _ROW * place
        picture.text(left - 12, y + 24, game, "end")
        _bars(picture, (left, decade), y, (playouts, search))
    _legend(picture, left, height - 18, (("random games", BLUE), ("UCT against MCTSBot", ORANGE)))
    return picture.svg()


def environment_speeds() -> str:
    """Steps a second of environments beside others, on a logarithmic scale."""
    found = environments.measured(1)
    packages = ("Ludens", *PEERS)
    bars = [
        (game, [each for package in packages if (each := environments.best(found, game, package))])
        for game in dict.fromkeys(each.game for each in found)
    ]
    left, decade = 130.0, 100.0  # where a thousand lies, and how wide a factor of ten is
    height = 60 + sum(18 * len(rates) + 14 for _, rates in bars)
    picture = Picture(720, height, "Steps a second of environments on one core")
    for power, label in enumerate(("1,000", "10,000", "100,000", "1 M", "10 M", "100 M")):
        picture.line(left + decade * power, 30, left + decade * power, height - 10, GRID, 1)
        picture.text(left + decade * power, 22, label, "middle", FAINT)
    y = 40.0
    for game, rates in bars:
        picture.text(left - 12, y + 12, game, "end")
        for each in rates:
            width = decade * max(math.log10(each.rate / 1000), 0.02)
            picture.box(left, y, width, 15, BLUE if each.package == "Ludens" else ORANGE, 2)
            picture.text(left + width + 6, y + 12, each.package, size=12)
            y += 18
        y += 14
    return picture.svg()


def threads() -> str:
    """What more threads would gain, by the model of contention."""
    return contention.picture(speed.contention_run())


PICTURES: dict[str, Callable[[], str]] = {
    "pipeline.svg": pipeline,
    "strength.svg": strength,
    "speed.svg": speeds,
    "environments.svg": environment_speeds,
    "threads.svg": threads,
    "tak-training.svg": tak.training,
    "tak-strength.svg": tak.strength,
}
"""What makes each file of docs/pictures."""


def _stage(picture: Picture, x: float, y: float, name: str, words: Sequence[str]) -> None:
    picture.box(x, y, 140, 80, PALE, 6)
    picture.text(x + 70, y + 24, name, "middle", bold=True)
    for place, line in enumerate(words):
        picture.text(x + 70, y + 46 + 18 * place, line, "middle", size=12)


def _bars(picture: Picture, scale: tuple[float, float], y: float, ratios: tuple[float, float]) -> None:
    """Two bars, one below the other; `scale`: where × 1 lies, and how wide a factor of ten is."""
    left, decade = scale
    for place, (ratio, colour) in enumerate(zip(ratios, (BLUE, ORANGE), strict=True)):
        width = decade * math.log10(max(ratio, 1))
        label = f"{ratio:,.0f}" if ratio else "solved at once"
        picture.box(left, y + 18 * place, width, 15, colour, 2)
        picture.text(left + width + 6, y + 12 + 18 * place, label, size=12)


def _legend(picture: Picture, x: float, y: float, entries: Sequence[tuple[str, str]]) -> None:
    for name, colour in entries:
        picture.box(x, y - 11, 14, 12, colour, 2)
        picture.text(x + 20, y, name, size=12)
        x += 40 + 8 * len(name)
