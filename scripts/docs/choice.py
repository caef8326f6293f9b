"""The table of choices in games that the model of strength has not seen, from docs/data/choice.jsonl."""

from __future__ import annotations

import math

from ludens.agent.preparation.strength_model import LEARNED, USUAL_LEARNING
from scripts.docs.pages import markdown_table
from scripts.strength.choice_model import RULES, mean_and_worst, read, regrets

_HEAD = ["game", "s learned", "s a move", "games", "score of guided", "expected", *RULES]


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
    lines.append(["**mean**", "", "", "", "", "", *(f"**{mean:.1%}**" for mean, _ in ends)])
    lines.append(["**worst**", "", "", "", "", "", *(f"**{worst:.0%}**" for _, worst in ends)])
    return markdown_table(_HEAD, lines)
