"""Takes the screenshots of the documents, in a headless Chromium: `python -m scripts.docs.screenshots`.

Six games, each in the midst of a match between searches of so many iterations, and a match that is replayed with what
its players thought. The same seed makes the same matches; another version of the browser may draw them a little
otherwise.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ludens import games
from ludens.agent.play.replay import Replay, follow
from ludens.agent.play.replayed_game import replayed_game
from ludens.agent.records.reading import read_record
from ludens.agent.web.record_page import record_page
from ludens.games.rules import find_built_in
from ludens.propnet.base.child import Limits
from ludens.propnet.gdl.parser import parse_rules
from scripts.common.browser import photograph
from scripts.docs.board_pictures import draw

PICTURES = Path("docs/pictures")
_LIMITS = Limits(120.0, 2048)
_SEED = 4


@dataclass(frozen=True, slots=True)
class Shot:
    """A position of a match, after so many turns."""

    game: str
    turns: int
    iterations: int = 300
    height: int = 352  # of the picture, in pixels


BOARDS = (
    Shot("english_draughts", 22),
    Shot("hex", 26, height=228),
    Shot("reversi", 30),
    Shot("mini_chess", 6),
    Shot("pentago", 16),
    Shot("connect_four_three", 21, height=282),
)
ANALYSIS = Shot("connect_four", 40, 4000)
_SHOWN = 14  # turns of the analysed match


def main() -> int:
    """Runs the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=PICTURES, help="the folder of the pictures")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for shot in BOARDS:
        path = options.out / f"board-{shot.game}.png"
        _draw(played(shot), path, shot.height)
        print(path)
    path = options.out / "analysis.png"
    page = record_page(played(ANALYSIS))
    photograph(page, path, 1180, 800, fragment=f"step={_SHOWN}")
    print(path)
    return 0


def _draw(replay: Replay, path: Path, height: int) -> None:
    shown = {"last": replay.record.moves[-1], "before": replay.views[-2].to_json()}
    position = {"view": replay.look.to_json(), "position": replay.views[-1].to_json(), "annotations": shown}
    draw([position | {"board_alone": True}], path, 360, height)


def played(shot: Shot) -> Replay:
    """Plays the match of a shot, as far as its position."""
    sheet = parse_rules(games.read(shot.game))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.json"
        players = [f"uct:iterations={shot.iterations}"] * len(sheet.roles)
        limits = ["--seed", str(_SEED), "--max-turns", str(shot.turns), "--startclock", "1", "--no-archive"]
        command = [sys.executable, "-m", "ludens.agent.commands.cli", "match", shot.game, *players, *limits]
        subprocess.run([*command, "--quiet", "--record", str(path)], check=False, stdout=subprocess.DEVNULL)
        found = read_record(path.read_text(encoding="utf-8"))
    return follow(replayed_game(find_built_in(shot.game), _LIMITS), found)


if __name__ == "__main__":
    sys.exit(main())
