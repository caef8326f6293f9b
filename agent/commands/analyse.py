"""`ludens analyse`: shows what becomes of a game's rules, what kind of game it is, and how balanced."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludens.agent.analysis.analysis import GameAnalysis, NetworkSize, analyse
from ludens.agent.analysis.balance import RoleResults
from ludens.agent.analysis.game_statistics import GameStatistics
from ludens.agent.analysis.good_play import GoodPlay, good_play
from ludens.agent.commands import analysis_page
from ludens.agent.commands.analysis_report import report
from ludens.agent.commands.progress import progress
from ludens.agent.commands.random_game import show_game
from ludens.agent.commands.terminal import printable
from ludens.agent.learning.random_games import Ending
from ludens.agent.playable.game_view import game_view
from ludens.agent.playable.playable_game import playable_game
from ludens.agent.records import record as records
from ludens.agent.settings.players import read_search
from ludens.games.rules import find_rules
from ludens.games.view.hints import read_hints
from ludens.propnet.base.child import Limits
from ludens.propnet.gdl.fingerprint import fingerprint


@dataclass(frozen=True, slots=True)
class Strength:
    """Who plays against itself, to show what good play makes of a game."""

    player: str
    games: int
    move_seconds: float


_SAMPLE_SECONDS = 0.5  # of random play, to find the board in it


def run(
    game: str,
    *,
    seconds: float,
    limits: Limits,
    strength: Strength | None,
    page: Path | None,
    as_json: bool,
    verbose: bool,
) -> int:
    """Analyses a built-in game or a file for about `seconds`, and plays for `strength`; raises `LudensError`.

    Writes the report to `page` too, if there is to be one.
    """
    options = read_search(strength.player) if strength else None
    if page:
        records.check_writable(page)
    rules = find_rules(game)
    sheet = rules.sheet()
    played = None
    with progress(f"analysing {rules.name}") as tell:
        playable = playable_game(sheet, limits, tell)
        analysis = analyse(playable, seconds, tell)
        if strength and options:
            played = good_play(playable, options, strength.move_seconds, strength.games, tell)
        player = strength.player if strength else ""
        text = report(rules.name, game, analysis, played, player, verbose=verbose)
        if page:
            tell("drawing a position")
            picture = analysis_page.take_picture(rules, sheet, playable)
            records.write_text(analysis_page.page(rules.name, text, analysis, played, player, picture), page)
    if as_json:
        print(json.dumps(to_json(rules.name, fingerprint(sheet).digest, analysis, played), allow_nan=False))
        return 0
    print(printable(text))
    if page:
        print(f"\nReport: {page}")
    return 0


def show(game: str, *, ending: str, seconds: float, limits: Limits) -> int:
    """Shows a random game that ended so; raises `LudensError`."""
    rules = find_rules(game)
    with progress(f"looking for a game of {rules.name}") as tell:
        sheet = rules.sheet()
        playable = playable_game(sheet, limits, tell)
        tell("playing random games")
        net = playable.net
        reader = game_view(rules.name, sheet, net, _SAMPLE_SECONDS, read_hints(rules.text, sheet.roles))
        shown: list[str] = []
        show_game(playable, reader, Ending(ending), seconds, shown.append)
    print(printable("\n".join(shown)))
    return 0


def to_json(name: str, digest: str, analysis: GameAnalysis, played: GoodPlay | None) -> dict[str, Any]:
    """Returns an analysis as the object that `--json` prints; `digest` is that of the fingerprint of the rules."""
    size = analysis.network
    sizes = [field.name for field in dataclasses.fields(NetworkSize)]
    return {
        "game": name,
        "roles": analysis.statistics.roles,
        "fingerprint": digest,  # the same whatever the names and the order of the rules
        **(dict.fromkeys(sizes) if size is None else dataclasses.asdict(size)),
        "fallback_reason": analysis.fallback_reason,
        "profile": analysis.profile and dataclasses.asdict(analysis.profile),
        "random_games": _games(analysis.statistics),
        "good_play": played and _games(played),
        "recognised_as": analysis.recognised_as,
        "not_recognised_as": analysis.not_recognised_as,
    }


def _games(played: GameStatistics | GoodPlay) -> dict[str, Any]:
    return {**dataclasses.asdict(played), "results": list(map(_result, played.results))}


def _result(of_role: RoleResults) -> dict[str, Any]:
    shares = {"wins": of_role.wins, "draws": of_role.draws, "losses": of_role.losses}
    return {
        "role": of_role.role,
        **{name: {"count": share.count, "interval": share.interval} for name, share in shares.items()},
        "mean_goal": {"value": of_role.mean_goal, "interval": of_role.mean_goal_interval},
    }
