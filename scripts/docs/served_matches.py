"""Tables of real matches at several clocks: from the games in docs/data/served, which scripts.strength.test_set writes.

Games are grouped by the conditions under which they were played, by game and by opponent; nothing is shown that has not
been played.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ludens import games
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.strategies import AUTO, EXPLANATIONS
from ludens.agent.statistics.intervals import interval_over_openings
from scripts.common.match_runner import Outcome, read, score_bounds
from scripts.docs.matches import unbroken
from scripts.docs.pages import DATA, markdown_table
from scripts.strength.test_set import read_test_set

FOLDER = DATA / "served"

_CONDITIONS = ("start_clock", "seconds", "instruction_set", "threads", "slow_down", "margin", "scrambled")
_UNUSUAL = {  # what is said of a condition that is not the usual one
    "threads": (1, "{} threads"),
    "slow_down": (1, "processors shared {}-fold"),
    "margin": (PlayerOptions().margin, "margin {} s"),
    "scrambled": (False, "names scrambled"),
}
_STRATEGY = re.compile(r"\w+")
_NONE = "–"
_OFTEN = 6  # matches of one game, by which it is known a little
_LOWEST = f"lowest game of {_OFTEN} matches and more"
_DECIDED = {"checkLines.kif", "sheepAndWolf.kif", "tictactoe_3d_small_2player.kif"}
"""Games that are proven to be won from one seat, whatever the other side does (docs/experiments/solving.md)."""


@dataclass(frozen=True)
class Game:
    """One game played, and what its key says of it."""

    outcome: Outcome

    @cached_property
    def task(self) -> dict[str, Any]:
        """The game, the players and the conditions."""
        task: dict[str, Any] = json.loads(self.outcome.key)
        return task

    @property
    def conditions(self) -> tuple[Any, ...]:
        """Under which it was played."""
        return tuple(self.task[name] for name in _CONDITIONS)

    @property
    def program(self) -> str:
        """The program that the second player is of, whatever its margin."""
        name: str = self.task["players"][1]
        return name.partition("-")[0] if self.task["manager"] else name

    @property
    def opponent(self) -> tuple[str, str]:
        """The second player, and the manager that played the match; empty for `ludens match`."""
        return self.task["players"][1], self.task["manager"]


@dataclass(frozen=True)
class Series:
    """The games of one player against another in one game; empty where there are none."""

    played: list[Game]

    @property
    def scores(self) -> list[float]:
        """Of the first player, 0 … 1."""
        return [game.outcome.score for game in self.played]

    @property
    def seats(self) -> int:
        """How many games share an opening: one for each seat of the first player."""
        return 1 + max(int(game.task["seat"]) for game in self.played)

    @property
    def mean(self) -> float:
        """The score of the first player."""
        return sum(self.scores) / len(self.scores)

    def cell(self) -> str:
        """The score in per cent, its interval and the number of games."""
        if not self.played:
            return _NONE
        low, high = score_bounds((game.outcome for game in self.played), self.seats)
        return unbroken(f"{100 * self.mean:.0f} [{100 * low:.0f}, {100 * high:.0f}] {len(self.scores)}")


def render(folder: Path = FOLDER) -> str:
    """The tables of all conditions in Markdown, each with the command that plays its games again."""
    played = all_games(folder)
    groups = sorted({game.conditions for game in played})
    return "\n\n".join(_group([game for game in played if game.conditions == group]) for group in groups) or (
        "No matches have been played yet."
    )


def summary(folder: Path = FOLDER) -> str:
    """A line for each opponent of `auto` and clock, with any margin and instruction set, and with scrambled names too.

    What follows a hyphen in the name of a player of another program is its margin; where a program has played with
    several, all its games have a line, too.
    """
    groups: dict[tuple[float, float, str, str], list[Game]] = {}
    for game in (each for each in all_games(folder) if each.task["players"][0] == AUTO):
        for player in {"", game.task["players"][1]}:
            groups.setdefault((game.task["start_clock"], game.task["seconds"], game.program, player), []).append(game)
    rows = []
    for start_clock, seconds, program, player in sorted(groups):
        played = groups[start_clock, seconds, program, player]
        if player or len({game.task["players"][1] for game in played}) > 1:
            against = f"`{player}`" if player else f"`{program}`, any margin"
            rows.append([unbroken(f"{start_clock:g} / {seconds:g}"), against, *_summary_cells(played)])
    means = ["mean of the games", "without those that are decided"]
    head = ["clocks, s", "against", "games", "matches", "score of all matches", *means, _LOWEST, "faults"]
    return markdown_table(head, rows)


def _summary_cells(played: Sequence[Game]) -> list[str]:
    of: dict[str, list[Game]] = {}
    for game in played:
        of.setdefault(game.task["game"], []).append(game)
    series = {name: Series(games) for name, games in of.items()}
    return [
        str(len(of)),
        str(len(played)),
        f"{100 * Series(list(played)).mean:.0f} %",
        _mean(list(series.values())),
        _mean([each for name, each in series.items() if name not in _DECIDED]),
        _lowest(series),
        _faults(played),
    ]


def _lowest(series: dict[str, Series]) -> str:
    """The game with the lowest score of those that were played often, with its score and number of matches."""
    often = {name: each for name, each in series.items() if len(each.played) >= _OFTEN}
    if not often:
        return _NONE
    name = min(often, key=lambda name: often[name].mean)
    return unbroken(f"{name} {100 * often[name].mean:.0f} {len(often[name].played)}")


def all_games(folder: Path) -> list[Game]:
    """Returns the games of all files of a folder, each once."""
    found: dict[str, Outcome] = {}
    for path in sorted(folder.glob("*.jsonl")):
        found |= read(path)
    return [Game(outcome) for outcome in found.values()]


def games_by_kind() -> str:
    """The games of the test set by their kinds, the quick ones in bold, files of the ggp-base repository in italics."""
    of: dict[str, list[str]] = {}
    for entry in read_test_set():
        name = entry.game.removesuffix(games.SUFFIX) if entry.built_in else f"*{entry.game}*"
        of.setdefault(entry.kind, []).append(f"**{name}**" if entry.quick else name)
    return markdown_table(["kind", "games"], [[kind, ", ".join(names)] for kind, names in of.items()])


def _group(played: list[Game]) -> str:
    """The tables of one group of conditions, one for each first player."""
    heading = f"## {_title(played[0])}"
    firsts = sorted({game.task["players"][0] for game in played}, key=lambda name: (name != "auto", name))
    parts = [_table(first, [game for game in played if game.task["players"][0] == first]) for first in firsts]
    return "\n\n".join([heading, *parts])


def _title(game: Game) -> str:
    clocks = f"Start clock {game.task['start_clock']:g} s, play clock {game.task['seconds']:g} s"
    unusual = [text.format(game.task[name]) for name, (usual, text) in _UNUSUAL.items() if game.task[name] != usual]
    return ", ".join([clocks, game.task["instruction_set"], *unusual])


def _table(first: str, played: list[Game]) -> str:
    """One row for each game, one column for each opponent, the mean below, and the commands."""
    known = {entry.game: place for place, entry in enumerate(read_test_set())}
    names = sorted({game.task["game"] for game in played}, key=lambda name: (known.get(name, len(known)), name))
    opponents = sorted({game.opponent for game in played})
    of = {name: [game for game in played if game.task["game"] == name] for name in names}
    series = [[Series([game for game in of[name] if game.opponent == rival]) for rival in opponents] for name in names]
    rows = [
        [name, _choices(of[name]), *(each.cell() for each in row), _faults(of[name])]
        for name, row in zip(names, series, strict=True)
    ]
    means = [_mean(column) for column in zip(*series, strict=True)]
    head = ["game", f"`{first}` plays by", *map(_against, opponents), "faults"]
    table = markdown_table(head, [*rows, ["**mean**", "", *means, _faults(played)]])
    managers = sorted({game.task["manager"] for game in played})
    commands = [_command(first, [game for game in played if game.task["manager"] == manager]) for manager in managers]
    return "\n".join([table, "", "```text", *commands, "```"])


def _against(opponent: tuple[str, str]) -> str:
    player, manager = opponent
    return f"against `{player}`" + (f" through {manager}" if manager else "")


def _choices(played: Sequence[Game]) -> str:
    """How often the first player settled on each strategy, the most frequent first."""
    names = [_STRATEGY.match(choice) for game in played for choice in game.outcome.choices[0][-1:]]
    counts = Counter(found[0] for found in names if found)
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or _NONE


def _faults(played: Sequence[Game]) -> str:
    own, others = (sum(game.outcome.faults[side] for game in played) for side in (0, 1))
    return unbroken(f"{own} / {others}")


def _mean(rows: Sequence[Series]) -> str:
    """The mean of the scores of all games, and its interval over games."""
    means = [row.mean for row in rows if row.played]
    if not means:
        return _NONE
    low, high = interval_over_openings(means, 1)
    return unbroken(f"**{100 * sum(means) / len(means):.0f}** [{100 * low:.0f}, {100 * high:.0f}]")


def _command(first: str, played: Sequence[Game]) -> str:
    """What plays the games of one manager again; HOST:PORT is where a player of another program is."""
    task, openings = played[0].task, [game.task["opening"] for game in played]
    longest = Counter((game.task["game"], game.task["players"][1]) for game in played).most_common(1)[0][1]
    opponents = sorted({game.task["players"][1] for game in played})
    ours = [name.partition(":")[0] in EXPLANATIONS for name in opponents]
    words = [first, *(name if own else f"'{name}=HOST:PORT'" for name, own in zip(opponents, ours, strict=True))]
    words += [f"--clocks {task['start_clock']:g}/{task['seconds']:g}", f"--instruction-set {task['instruction_set']}"]
    words += [f"--{name.replace('_', '-')} {task[name]:g}" for name in ("threads", "slow_down", "margin")]
    words += ["--scramble"] if task["scrambled"] else []
    words += [f"--manager '{task['manager']}=COMMAND'"] if task["manager"] else []
    words += [f"--games {longest}", f"--seed {min(openings)}"]
    names, every = {game.task["game"] for game in played}, [entry.game for entry in read_test_set()]
    words += ["--only", *sorted(names)] if names != set(every) else []
    words += ["--sheets FOLDER"] if any(name.endswith(games.SUFFIX) for name in names) else []
    return " ".join(["python -m scripts.strength.test_set", *words])
