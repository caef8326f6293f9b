"""Where files of the user belong, also in containers in which no home directory is known."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable
from pathlib import Path

import pytest

from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.records.archive import data_directory
from ludens.propnet.base.cache import cache_directory
from ludens.propnet.base.user_folder import NoHomeError
from tests.support.command import ludens

FOLDERS = {"XDG_CACHE_HOME": cache_directory, "XDG_DATA_HOME": data_directory}
HOMELESS = """
import os, pwd
def unknown(user):
    raise KeyError(user)
pwd.getpwuid = unknown
for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
    os.environ.pop(name, None)
"""


def unknown(user: int) -> pwd.struct_passwd:
    raise KeyError(user)


@pytest.mark.parametrize(("variable", "folder"), FOLDERS.items())
def test_without_a_home_directory_users_are_told_what_to_set(
    variable: str, folder: Callable[[], Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv(variable)
    with pytest.raises(NoHomeError, match="no home directory: set XDG_DATA_HOME and XDG_CACHE_HOME"):
        folder()
    monkeypatch.setenv(variable, str(tmp_path))
    assert folder() == tmp_path / "ludens"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("archive list", ExitCode.FAULTY_INPUT),
        ("serve --port 0", ExitCode.FAULTY_INPUT),
        ("play --no-browser --port 0", ExitCode.FAULTY_INPUT),
        ("match nim first first --quiet", ExitCode.OK),
    ],
)
def test_commands_without_a_home_directory_say_so_and_a_match_is_played(
    command: str, expected: ExitCode, tmp_path: Path
) -> None:
    """The module that Python imports before all else takes the home directory from the process."""
    (tmp_path / "sitecustomize.py").write_text(HOMELESS)
    done = ludens(*command.split(), PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    assert done.returncode == expected, done.stderr
    assert "there is no home directory: set XDG_DATA_HOME and XDG_CACHE_HOME" in done.stderr
