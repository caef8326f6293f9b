"""The report of a tournament: one HTML file that needs nothing else, and the plots in it as files of their own."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import datetime
from html import escape
from pathlib import Path

from ludens.agent.plots.charts import Interval, box_chart, interval_chart, share_table
from ludens.agent.records.record import ILLEGAL, TIMED_OUT, UNREACHABLE, write_text
from ludens.agent.tournament.ratings import Rating
from ludens.agent.tournament.result import Result
from ludens.agent.tournament.standings import Standings
from ludens.propnet.base.words import counted

_REFRESH_SECONDS = 10
_STYLE = """
:root { color-scheme: light dark; --ink: #1f2933; --faint: #616e7c; --line: #d5dae0; --paper: #fff; --plot: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7eb; --faint: #9aa5b1; --line: #3e4c59; --paper: #15191e; --plot: #e8eaed; }
}
body { font: 16px/1.5 Helvetica, Arial, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 54rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } h2 { margin-top: 2.5rem; }
p.about { color: var(--faint); margin-top: .3rem; }
figure { margin: 1rem 0; padding: .5rem; background: var(--plot); border-radius: 8px; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; display: block; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } td.text { text-align: left; white-space: normal; }
code { font-size: .95em; }
"""
_MARKS = {TIMED_OUT: "no answer in time", UNREACHABLE: "could not be reached", ILLEGAL: "illegal moves"}


def plots(found: Standings) -> dict[str, str]:
    """Returns the plots of a tournament as SVG, by the names of their files; none before the first match."""
    if not found.results:
        return {}
    players = [rating.player for rating in found.ratings]
    games = [game.name for game in found.plan.games if any(name == game.name for _, name in found.in_game)]
    lengths = {game: [float(r.turns) for r in found.results if r.game == game] for game in games}
    drawn = {
        "scores.svg": share_table("Mean score in each game", players, games, found.in_game),
        "lengths.svg": box_chart("Length of matches", "turns", lengths),
    }
    if found.ratings:
        drawn["ratings.svg"] = interval_chart("Ratings with 95 % intervals", "Elo", _intervals(found.ratings))
        drawn["cross.svg"] = share_table("Wins, draws as half, against", players, players, found.against)
    by_game = [row for game in games for row in _intervals(found.game_ratings[game], game)]
    if by_game and len(games) > 1:
        drawn["ratings-by-game.svg"] = interval_chart("Ratings in each game with 95 % intervals", "Elo", by_game)
    return drawn


def write_plots(found: Standings, folder: Path) -> None:
    """Writes each plot as a file; raises `RecordError`."""
    for name, svg in plots(found).items():
        write_text(svg, folder / name)


def write_report(found: Standings, path: Path) -> None:
    """Writes the page; one of a tournament that goes on loads itself again. Raises `RecordError`."""
    write_text(report(found), path)


def report(found: Standings) -> str:
    """Returns the page."""
    name = escape(found.plan.settings.name)
    drawn = plots(found)
    parts = [
        f"<h1>{name}</h1>",
        f'<p class="about">{_about(found)}</p>',
        *_section("Ratings", _rating_table(found), drawn, "ratings.svg"),
        *_section("Who against whom", "", drawn, "cross.svg"),
        *_section("Games", _game_table(found), drawn, "scores.svg", "ratings-by-game.svg", "lengths.svg"),
        *_section("Faults", _faults(found), drawn),
        *_section("Conditions", _conditions(found), drawn),
    ]
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    refresh = "" if found.over else f'<meta http-equiv="refresh" content="{_REFRESH_SECONDS}">\n'
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{name}</title>\n'
        '<meta name="viewport" content="width=device-width">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n{refresh}'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def _section(title: str, text: str, drawn: dict[str, str], *names: str) -> list[str]:
    """Returns a part of the page, none where it would be empty."""
    figures = [f"<figure>{drawn[name]}</figure>" for name in names if name in drawn]
    return [f"<h2>{title}</h2>", *figures, text] if figures or text else []


def _intervals(ratings: Sequence[Rating], group: str = "") -> list[Interval]:
    return [Interval(rating.player, rating.elo, rating.low, rating.high, group) for rating in ratings]


def _about(found: Standings) -> str:
    plan = found.plan
    what = f"{plan.settings.kind} of {counted(len(plan.players), 'player')} in {counted(len(plan.games), 'game')}"
    played = f"{len(found.results):,} {'match' if len(found.results) == 1 else 'matches'} played"
    if not found.results:
        return f"{what}; nothing played yet"
    first, last = (each(result.started for result in found.results) / 1000 for each in (min, max))
    dates = sorted({f"{datetime.fromtimestamp(moment):%Y-%m-%d}" for moment in (first, last)})
    rest = "" if found.over else f", {found.left} left"
    return f"{what}; {played}{rest}; {' to '.join(dates)}"


def _rating_table(found: Standings) -> str:
    rows = []
    for rating in found.ratings:
        tally = found.tallies[rating.player]
        cells = (
            f"{round(rating.elo):+}",
            f"{round(rating.low):+} … {round(rating.high):+}",
            f"{100 * tally.mean:.1f} %",
        )
        rows.append([rating.player, *cells, *map(str, (tally.matches, tally.won, tally.drawn, tally.lost))])
    head = ("player", "Elo", "95 % interval", "score", "seats", "won", "drawn", "lost")
    note = (
        "<p>Bradley–Terry ratings over all games, relative to their mean; a draw is half a win. A score is the mean of "
        "the goals, less those of the others.</p>"
    )
    return _table(head, rows) + note + _verdicts(found) if rows else ""


def _verdicts(found: Standings) -> str:
    bounds = found.plan.settings.sprt
    if not bounds:
        return ""
    words = {"high": f"at least {bounds[1]:g}", "low": f"at most {bounds[0]:g}", None: "not decided"}
    rows = [[f"{first} against {second}", words[verdict]] for (first, second), verdict in found.verdicts.items()]
    return f"<p>Sequential test between scores of {bounds[0]:g} and {bounds[1]:g}:</p>" + _table(
        ("pair", "score"), rows
    )


def _game_table(found: Standings) -> str:
    rows = []
    for game in found.plan.games:
        results = [result for result in found.results if result.game == game.name]
        if results:
            drawn = sum(len(set(result.goals)) == 1 < len(result.goals) for result in results) / len(results)
            turns = sum(result.turns for result in results) / len(results)
            seconds = sum(result.seconds for result in results) / len(results)
            cells = (
                str(len(results)),
                f"{100 * drawn:.0f} %",
                f"{turns:.1f}",
                f"{seconds:.1f} s",
                _seats(found, game.name),
            )
            rows.append([game.name, *cells])
    return _table(("game", "matches", "drawn", "turns", "duration", "mean goal of each role"), rows) if rows else ""


def _seats(found: Standings, game: str) -> str:
    """Returns what each role has earned on the mean: whether a seat is better than another."""
    goals = [result.goals for result in found.results if result.game == game]
    roles = found.plan.game(game).sheet.roles
    means = [sum(each[seat] for each in goals) / len(goals) for seat in range(len(roles))]
    return ", ".join(f"{role} {mean:.0f}" for role, mean in zip(roles, means, strict=True))


def _faults(found: Standings) -> str:
    rows = [
        [name, *(str(tally.marks.get(mark, 0)) for mark in _MARKS)]
        for name, tally in found.tallies.items()
        if tally.faults
    ]
    text = (
        _table(("player", *_MARKS.values()), rows)
        if rows
        else "<p>No player failed to answer in time, and legally.</p>"
    )
    if found.unplayed:
        text += f"<p>Not played, and not counted: {len(found.unplayed)}. They are tried again when it is resumed.</p>"
    return text + _warnings(found)


def _warnings(found: Standings) -> str:
    """Returns each warning once, with how many matches it was in and which was the first."""
    matches: dict[str, list[Result]] = {}
    for result in (*found.results, *found.unplayed):
        for warning in dict.fromkeys(result.warnings):
            matches.setdefault(warning, []).append(result)
    items = [f"<li>{escape(warning)} ({escape(_where(results))})</li>" for warning, results in matches.items()]
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _where(results: Sequence[Result]) -> str:
    first = f"{results[0].game}, round {results[0].round}, {' – '.join(results[0].players)}"
    return first if len(results) == 1 else f"in {len(results)} matches, first {first}"


def _conditions(found: Standings) -> str:
    settings = found.plan.settings
    said = {
        "start clock, play clock": f"{settings.startclock:g} s, {settings.playclock:g} s",
        "rounds, each with an opening of its own": str(settings.rounds),
        "random moves of an opening": str(settings.opening_moves),
        "rules scrambled": "yes" if settings.scramble else "no",
        "seed": str(settings.seed),
        "matches at once": str(settings.jobs),
    } | {f"player {player.name}": player.text for player in found.plan.players if player.name != player.text}
    rows = "".join(
        f'<tr><td>{escape(what)}</td><td class="text">{escape(value)}</td></tr>' for what, value in said.items()
    )
    return f'<div class="wide"><table>{rows}</table></div>'


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
