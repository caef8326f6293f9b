"""The table of players against a perfect player of connect four, from the games in docs/data/strength."""

from __future__ import annotations

import json
from dataclasses import dataclass

from scripts.docs.matches import GAMES
from scripts.docs.pages import markdown_table
from scripts.strength.connect_four_perfect import Played, read

FILES = {
    "perfect-play": (
        "connect_four-auto-perfect-learn60.jsonl",
        "connect_four-auto-perfect-seed41.jsonl",
        "connect_four-auto-perfect-avx2-seed1.jsonl",
        "connect_four-auto-perfect-avx2-seed101.jsonl",
        "connect_four-auto-perfect-avx2-seed201.jsonl",
        "connect_four-auto-perfect-avx2-seed301.jsonl",
    ),
    "perfect-play-threats": ("connect_four-guided-perfect.jsonl", "connect_four-auto-perfect-learn24.jsonl"),
}
"""The files of each table, by its name."""

_GAMES = 20  # asked for
_HEAD = ["player", "seed", "games", "won–drawn–lost", "moves", "keep the value", "games with a win thrown away"]


@dataclass(frozen=True)
class Series:
    """The games of one file."""

    file: str

    @property
    def games(self) -> list[Played]:
        """All games of the file."""
        return list(read(GAMES / self.file).values())

    @property
    def player(self) -> str:
        """The player, as the games name it."""
        return str(json.loads(self.games[0].key)[0])

    @property
    def seconds(self) -> float:
        """CPU seconds of a move."""
        return float(json.loads(self.games[0].key)[1])

    @property
    def seed(self) -> int:
        """Seed of the first game."""
        return min(int(json.loads(game.key)[2]) for game in self.games)

    def command(self) -> str:
        """What plays these games again."""
        return (
            f"python -m scripts.strength.connect_four_perfect {self.player} --games {_GAMES} "
            f"--seconds {self.seconds:g} --seed {self.seed}"
        )

    def row(self) -> list[str]:
        """The cells of the table."""
        games = self.games
        kept = [k for game in games for k in game.kept]
        results = "–".join(str(sum(game.score == score for game in games)) for score in (1, 0.5, 0))
        thrown = sum(game.threw_away_a_win for game in games)
        share = f"{100 * sum(kept) / len(kept):.1f} %"
        return [f"`{self.player}`", str(self.seed), str(len(games)), results, str(len(kept)), share, str(thrown)]


def render(name: str) -> str:
    """The table in Markdown, with its commands."""
    series = [Series(file) for file in FILES[name]]
    commands = "\n".join(dict.fromkeys(one.command() for one in series))  # a later version may have played one again
    return markdown_table(_HEAD, [one.row() for one in series]) + f"\n\n```text\n{commands}\n```"
