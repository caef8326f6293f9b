"""Writes an analysis of a game as a page: one file with pictures and plots, which loads nothing from elsewhere."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ludens.agent.analysis.analysis import GameAnalysis, random_rounds
from ludens.agent.analysis.balance import RoleResults
from ludens.agent.analysis.game_statistics import GameStatistics
from ludens.agent.analysis.good_play import GoodPlay
from ludens.agent.commands.verdict import Answer, answers
from ludens.agent.manager.referee import MatchState, Referee
from ludens.agent.playable.game_view import game_view
from ludens.agent.playable.playable_game import PlayableGame
from ludens.agent.plots.page_charts import Bar, cumulative, distribution, shares
from ludens.agent.web.bundle import PAGE, bundle
from ludens.games.rules import NamedRules
from ludens.games.view.hints import read_hints
from ludens.propnet.base.words import counted
from ludens.propnet.gdl.syntax import RuleSheet

_STYLE = Path(__file__).parent / "analysis.css"
_SAMPLE_SECONDS = 1.0  # of random games, in which the board is found, and of others, one of which is shown

_DRAW = """
const shown = JSON.parse(document.querySelector("#position").textContent);
new Board(document.querySelector(".board"), shown.view, { animate: false }).show(shown.position, {});
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """A position in the middle of a game, as pages draw it."""

    view: Mapping[str, Any]
    position: Mapping[str, Any]
    step: int
    facts: Sequence[str]


def take_picture(rules: NamedRules, sheet: RuleSheet, playable: PlayableGame) -> Picture | None:
    """Returns a position in the middle of a random game; None if none is over in time."""
    for played in random_rounds(playable, _SAMPLE_SECONDS):
        ended = np.flatnonzero(played.ended)
        if not len(ended):
            continue
        game = int(ended[np.argsort(played.lengths[ended])[len(ended) // 2]])
        moves = played.moves(game)
        line = tuple(playable.game.line(playable.game.game.initial, moves[: (len(moves) + 1) // 2]))
        state = Referee(playable.game).at(line)
        return _picture(rules, sheet, playable, state, len(line))
    return None


def _picture(rules: NamedRules, sheet: RuleSheet, playable: PlayableGame, state: MatchState, step: int) -> Picture:
    net = playable.net
    reader = game_view(rules.name, sheet, net, _SAMPLE_SECONDS, read_hints(rules.text, sheet.roles))
    goals = state.goals if state.terminal else None
    position = reader.read(state.facts, state.legal, state.terminal, goals)
    return Picture(reader.view.to_json(), position.to_json(), step, state.facts)


def page(
    name: str, text: str, analysis: GameAnalysis, played: GoodPlay | None, player: str, picture: Picture | None
) -> str:
    """Returns the page; `text` is the report for terminals, with all the figures, which stands at its end."""
    statistics = analysis.statistics
    title = html.escape(name)
    style = _STYLE.read_text(encoding="utf-8") + ((PAGE / "board.css").read_text(encoding="utf-8") if picture else "")
    body = [
        f"<h1>{title}</h1><p>{_subtitle(statistics, played, player)}</p>",
        _answers(answers(statistics, played)),
        _position(picture) if picture else "",
        f'<h2>Figures</h2><div class="charts">{"".join(_charts(statistics, played))}</div>',
        f"<h2>All that is known</h2><pre>{html.escape(text)}</pre>",
        "<footer>Intervals hold the true value with a probability of 95 %.</footer>",
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    return (
        f'<!doctype html><html lang="en"><head>{head}<style>{style}</style></head><body>{"".join(body)}</body></html>\n'
    )


def _subtitle(statistics: GameStatistics, played: GoodPlay | None, player: str) -> str:
    strong = f" and {played.games:,} games of {html.escape(player)} against itself" if played else ""
    roles = html.escape(", ".join(statistics.roles))
    return f"{counted(len(statistics.roles), 'role')}: {roles}. {statistics.games:,} random games{strong}."


def _answers(found: Sequence[Answer]) -> str:
    cards = [
        f'<div><dt>{html.escape(each.question)}</dt><dd class="answer">{html.escape(each.answer)}</dd>'
        f'<dd class="reason">{html.escape(each.reason)}</dd></div>'
        for each in found
    ]
    return f'<h2>In short</h2><dl class="answers">{"".join(cards)}</dl>'


def _position(picture: Picture) -> str:
    data = json.dumps({"view": picture.view, "position": picture.position}).replace("<", "\\u003c")
    facts = html.escape("\n".join(picture.facts))
    return (
        f'<h2>A position</h2><figure class="position"><figcaption>After {picture.step} steps of a random game'
        f'</figcaption><div class="board"></div></figure><noscript><pre>{facts}</pre></noscript>'
        f'<script type="application/json" id="position">{data}</script>'
        f'<script type="module">{bundle("board.js")}{_DRAW}</script>'
    )


def _charts(statistics: GameStatistics, played: GoodPlay | None) -> Iterator[str]:
    several = len(statistics.roles) > 1
    if played and played.results and several:
        yield shares("Who wins under strong play", _results(played.results))
    if statistics.results and several:
        yield shares("Who wins at random", _results(statistics.results))
    if played:
        yield distribution("Length under strong play", played.lengths, "steps")
    if statistics.lengths:
        yield distribution("Length at random", statistics.lengths, "steps")
    if statistics.choices:
        yield distribution("Moves to choose from, at random", statistics.choices, "legal moves of who has a choice")
    if played and played.course:
        yield cumulative("Games that are settled", played.course.settled, "after this part of the game")
    if played and (thinking := played.thinking):
        bar = Bar("thinks more", thinking.score, *thinking.interval)
        yield shares(f"Score against {thinking.less} times less thought", [bar])


def _results(results: Sequence[RoleResults]) -> list[Bar]:
    wins = [
        Bar(f"{each.role} wins", each.wins.value, *each.wins.interval, series=2 * (i % 2))
        for i, each in enumerate(results)
    ]
    drawn = max(results, key=lambda each: each.draws.count).draws
    return [*wins, Bar("no winner", drawn.value, *drawn.interval, series=1)]
