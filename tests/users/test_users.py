"""Runs the scripts beside it with prysk: each command must print what stands below it, and end with its exit code.

`python -m prysk --interactive --yes tests/users/NAME.t` takes what the commands print today into a script.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE

STORIES = sorted(Path(__file__).parent.glob("*.t"))


def test_each_kind_of_user_has_a_script() -> None:
    assert {story.stem for story in STORIES} == {"designer", "engineer", "organiser", "student"}


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.stem)
def test_the_first_hour_goes_as_written(story: Path, tmp_path: Path) -> None:
    copies = [tmp_path / file.name for file in story.parent.iterdir() if file.suffix in (".kif", ".t")]
    for copy in copies:  # beside the script that fails prysk writes what came instead
        copy.write_text((story.parent / copy.name).read_text("utf-8"), "utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-m", "prysk", tmp_path / story.name],
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
