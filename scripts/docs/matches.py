"""Tables of matches: from the games in docs/data/strength and the index docs/data/strength.json.

The index names, for each table, the files of its rows and what the games themselves do not tell: the bounds of the
sequential test (`sprt`), the number of games asked for (`games`), labels, and how a player is written today (`now`)
where its settings had other names or other defaults when the games were played.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ludens import games
from ludens.agent.statistics.sprt import decided
from scripts.common.match_runner import Outcome, numbered, percent_text, read, score_bounds
from scripts.docs.pages import DATA, markdown_table

INDEX = DATA / "strength.json"
GAMES = DATA / "strength"

_CLEAR, _EVEN = 0.6, 0.5  # scores
_CHECKERS = ("boards:", "network:", "baseline:")  # players of scripts.strength.checkers_match
_MATCH = "scripts.strength.match"
_CHECKERS_MATCH = "scripts.strength.checkers_match"
_GOMOKU_MATCH = "scripts.strength.gomoku_match"
_OPENING_MOVES = {_MATCH: 2, _CHECKERS_MATCH: 4, _GOMOKU_MATCH: 5}  # where nothing else is said
_RESOURCES = ("nodes_mb=", "threads=", "recall=")  # settings that the tables leave to the commands
_VERDICTS = {"high": "above", "low": "below", None: "open"}


@dataclass(frozen=True)
class Match:
    """One row: the games of a file, and how they come about today."""

    file: str
    label: str
    games: int  # asked for
    sprt: list[float] | None
    now: dict[str, str]

    @cached_property
    def ended(self) -> list[Outcome]:
        """The games, in the order in which they ended."""
        return list(read(GAMES / self.file).values())

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """The games, in the order in which they are numbered."""
        return numbered(self.ended)

    @cached_property
    def task(self) -> dict[str, Any]:
        """What all games have in common, as the first one tells it."""
        task: dict[str, Any] = json.loads(self.outcomes[0].key)
        return task

    @property
    def game(self) -> str:
        """Name of the game, without the ending of a file."""
        return str(self.task["game"]).removesuffix(games.SUFFIX)

    @property
    def players(self) -> tuple[str, str]:
        """Both players, as they are written today."""
        first, second = (self.now.get(text, text) for text in self.task["players"])
        return first, second

    @property
    def scores(self) -> list[float]:
        """Of the first player, 0 … 1."""
        return [outcome.score for outcome in self.outcomes]

    @property
    def mean(self) -> float:
        """The score of the first player."""
        return sum(self.scores) / len(self.scores)

    def bounds(self) -> tuple[float, float]:
        """The 95 % interval of the score."""
        return score_bounds(self.outcomes, _seats(self.game))

    def score(self) -> str:
        """The score in per cent with its interval."""
        return percent_text(self.mean, self.bounds())

    def results(self) -> str:
        """Games won, drawn and lost by the first player."""
        won, lost = sum(s > 0.5 for s in self.scores), sum(s < 0.5 for s in self.scores)
        return f"{won}–{len(self.scores) - won - lost}–{lost}"

    def verdict(self) -> str:
        """What the sequential test came to."""
        return _VERDICTS[decided([outcome.score for outcome in self.ended], self.sprt)] if self.sprt else "–"

    def effort(self) -> str:
        """Random games, or leaves, of an average move of each player, in thousands."""
        means = [sum(o.playouts[i] for o in self.outcomes) / len(self.outcomes) / 1000 for i in (0, 1)]
        return " / ".join(f"{mean:.1f} k" if mean else "–" for mean in means)

    def command(self) -> str:
        """What plays the same games again, with GAME for the name of the game."""
        module = self._module()
        words = ["python -m", module] + (["GAME"] if module == _MATCH else []) + [*self.players]
        words += [f"--games {self.games}", f"--seconds {self.task['seconds']:g}", f"--seed {self.task['opening']}"]
        if self.task["opening_moves"] != _OPENING_MOVES[module]:
            words.append(f"--opening-moves {self.task['opening_moves']}")
        if self.sprt:
            words.append("--sprt {:g} {:g}".format(*self.sprt))
        if self.task.get("wall"):
            words.append("--wall")
        return " ".join(words)

    def _module(self) -> str:
        """The script that played the games."""
        if "wall" in self.task:  # which only games of this script have
            return _GOMOKU_MATCH
        return _CHECKERS_MATCH if any(player.startswith(_CHECKERS) for player in self.players) else _MATCH


def tables() -> dict[str, dict[str, Any]]:
    """The index: what it says of each table, by name."""
    index: dict[str, dict[str, Any]] = json.loads(INDEX.read_text("utf-8"))
    return index


def matches(table: dict[str, Any]) -> list[Match]:
    """The rows of a table."""
    common = {"games": table.get("games", 100), "sprt": table.get("sprt"), "now": table.get("now", {}), "label": ""}
    return [Match(**(common | row)) for row in table["rows"]]


def render(name: str) -> str:
    """A table in Markdown, with the commands that play its games below it."""
    table = tables()[name]
    rows = matches(table)
    same = len({_short(row) for row in rows}) == 1
    head = ["game"] + ([table["label"]] if "label" in table else []) + ([] if same else ["first", "second"])
    head += ["s a move", "games", "won–drawn–lost", "score of the first [95 %]"]
    tested = any(row.sprt for row in rows)
    head += (["test"] if tested else []) + ["playouts a move"]
    lines = []
    for row in rows:
        cells = [row.game] + ([row.label] if "label" in table else [])
        cells += [] if same else [f"`{player}`" for player in _short(row)]
        cells += [f"{row.task['seconds']:g}", str(len(row.scores)), unbroken(row.results()), unbroken(row.score())]
        lines.append(cells + ([row.verdict()] if tested else []) + [unbroken(row.effort())])
    return markdown_table(head, lines) + "\n\n" + _commands(rows)


def unbroken(text: str) -> str:
    """The text with signs that keep it on one line."""
    return text.replace(" ", "\N{NO-BREAK SPACE}").replace("–", "\N{WORD JOINER}–\N{WORD JOINER}")


def _short(row: Match) -> tuple[str, str]:
    """Both players without the settings that say how much memory and how many processors they have."""

    def short(player: str) -> str:
        name, _, settings = player.rpartition(":") if "=" in player else (player, "", "")
        kept = [setting for setting in settings.split(",") if not setting.startswith(_RESOURCES)]
        return ":".join(filter(None, (name, ",".join(kept))))

    first, second = map(short, row.players)
    return first, second


def summary(name: str) -> str:
    """A sentence about how many games of a table are clearly won, and how many clearly lost."""
    rows = matches(tables()[name])
    of: dict[str, list[Match]] = {}
    for row in rows:
        of.setdefault(row.game, []).append(row)
    above = [game for game, series in of.items() if min(row.mean for row in series) > _CLEAR]
    below = [game for game, series in of.items() if max(row.bounds()[1] for row in series) < _EVEN]
    return (
        f"The score is above {100 * _CLEAR:.0f} % in {len(above)} of {len(of)} games; the interval lies below "
        f"{100 * _EVEN:.0f} % in {', '.join(below) or 'none'}."
    )


def _commands(rows: list[Match]) -> str:
    """The commands of all rows, each once, with the games that it is for where there are several."""
    of: dict[str, list[str]] = {}
    for row in rows:
        of.setdefault(row.command(), []).append(row.task["game"])
    lines = []
    for command, names in of.items():
        if " GAME " in command:
            lines.append(f"# GAME: {', '.join(dict.fromkeys(names))}")
        lines.append(command)
    return "```text\n" + "\n".join(lines) + "\n```"


def _seats(game: str) -> int:
    """How many games share an opening: one for each role."""
    return games.about(game).players if game in games.names() else 2
