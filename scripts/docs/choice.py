"""Tables of how well searches are chosen: in games that the model of strength has not seen, and in real matches.

The first from docs/data/choice.jsonl, the other from docs/data/served.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from ludens.agent.preparation.strength_model import LEARNED, USUAL_LEARNING
from ludens.agent.search.strategy_choice import GUIDED
from ludens.agent.settings.strategies import AUTO
from ludens.agent.statistics.intervals import interval_over_openings
from scripts.docs.pages import markdown_table
from scripts.docs.served_matches import FOLDER, all_games
from scripts.strength.choice_model import RULES, mean_and_worst, read, regrets

_HEAD = ["game", "s learned", "s a move", "games", "score of guided", "expected", *RULES]
_EXPECTED = re.compile(rf"{GUIDED}\b.*? can expect (\d+) %")
_BOUNDS = 0, 60, 70, 75, 80, 101  # of what is expected, in per cent, between which matches are put together


def render() -> str:
    """The table in Markdown, and its means."""
    found = regrets(read())
    lines = [
        [
            each.row.path.removesuffix(".kif"),
            f"{USUAL_LEARNING * math.exp(each.row.figures[LEARNED]):.0f}",
            f"{each.row.seconds:g}",
            str(len(each.row.scores)),
            f"{sum(each.row.scores) / len(each.row.scores):.0%}",
            f"{each.expected:.0%}",
            *(f"{loss:.0%}" for loss in each.losses.values()),
        ]
        for each in sorted(found, key=lambda regret: (regret.row.path, regret.row.figures[LEARNED], regret.row.seconds))
    ]
    ends = [mean_and_worst(found, rule) for rule in RULES]
    for seconds in sorted({each.row.seconds for each in found}):
        some = [each for each in found if each.row.seconds == seconds]
        means = (mean_and_worst(some, rule)[0] for rule in RULES)
        games = str(sum(len(each.row.scores) for each in some))
        lines.append(["**mean**", "", f"{seconds:g}", games, "", "", *(f"{mean:.1%}" for mean in means)])
    lines.append(["**mean**", "", "", "", "", "", *(f"**{mean:.1%}**" for mean, _ in ends)])
    lines.append(["**worst**", "", "", "", "", "", *(f"**{worst:.0%}**" for _, worst in ends)])
    surest = (max(each.least_loss(rule) for each in found) for rule in RULES)
    lines.append(["**worst at the least**", "", "", "", "", "", *(f"**{loss:.0%}**" for loss in surest)])
    return markdown_table(_HEAD, lines)


def served(folder: Path = FOLDER) -> str:
    """What the player expected of guided search against UCT, and what it scored, in matches of whole players."""
    openings: dict[tuple[Any, ...], list[tuple[float, float]]] = {}
    for game in all_games(folder):
        told = _EXPECTED.match(game.outcome.choices[0][-1]) if game.outcome.choices[0] else None
        if told and game.opponent == ("uct", "") and game.task["players"][0] == AUTO:
            opening = game.task["game"], game.task["opening"], game.conditions
            openings.setdefault(opening, []).append((int(told[1]) / 100, game.outcome.score))
    played: dict[tuple[int, int], list[list[tuple[float, float]]]] = {}
    for matches in openings.values():
        expected = 100 * _mean(matches, 0)
        bounds = next(bounds for bounds in pairwise(_BOUNDS) if expected < bounds[1])
        played.setdefault(bounds, []).append(matches)
    names = {bounds: f"{bounds[0]}–{bounds[1] - 1} %" for bounds in sorted(played)}
    lines = [_served_line(name, played[bounds]) for bounds, name in names.items()]
    lines.append(_served_line("**all**", list(openings.values())))
    return markdown_table(["expected", "matches", "expected, mean", "score", "95 %"], lines)


def _served_line(name: str, openings: Sequence[Sequence[tuple[float, float]]]) -> list[str]:
    """The cells of some openings; matches of one opening, from both seats, count as one for the interval."""
    matches = [match for played in openings for match in played]
    low, high = interval_over_openings([_mean(played, 1) for played in openings], 1)
    return [name, str(len(matches)), *(f"{_mean(matches, i):.0%}" for i in (0, 1)), f"{low:.0%}–{high:.0%}"]


def _mean(matches: Sequence[tuple[float, float]], place: int) -> float:
    """The mean of what was expected (0) or scored (1)."""
    return sum(match[place] for match in matches) / len(matches)
