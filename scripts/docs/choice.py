"""Tables of how well searches are chosen: in games that the model of strength has not seen, and in real matches.

The first from docs/data/choice.jsonl, the other from docs/data/served.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from pathlib import Path

from ludens.agent.preparation.strength_model import LEARNED, USUAL_LEARNING
from ludens.agent.search.strategy_choice import GUIDED
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
    surest = (max(each.beyond_chance(rule) for each in found) for rule in RULES)
    lines.append(["**worst beyond chance**", "", "", "", "", "", *(f"**{loss:.0%}**" for loss in surest)])
    return markdown_table(_HEAD, lines)


def served(folder: Path = FOLDER) -> str:
    """What the player expected of guided search against UCT, and what it scored, in matches of whole players."""
    played: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for game in all_games(folder):
        told = _EXPECTED.match(game.outcome.choices[0][-1]) if game.outcome.choices[0] else None
        if told is None or game.opponent != ("uct", ""):
            continue
        expected = int(told[1])
        low, high = next(bounds for bounds in pairwise(_BOUNDS) if expected < bounds[1])
        played.setdefault((low, high), []).append((expected / 100, game.outcome.score))
    names = {bounds: f"{bounds[0]}–{bounds[1] - 1} %" for bounds in sorted(played)}
    lines = [_served_line(name, played[bounds]) for bounds, name in names.items()]
    lines.append(_served_line("**all**", [match for some in played.values() for match in some]))
    return markdown_table(["expected", "matches", "expected, mean", "score", "95 %"], lines)


def _served_line(name: str, played: list[tuple[float, float]]) -> list[str]:
    expected, scores = zip(*played, strict=True)
    low, high = interval_over_openings(scores, 1)
    means = (sum(values) / len(values) for values in (expected, scores))
    return [name, str(len(played)), *(f"{mean:.0%}" for mean in means), f"{low:.0%}–{high:.0%}"]
