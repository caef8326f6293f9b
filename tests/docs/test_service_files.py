"""The systemd unit and the container file of the documents: options that there are, and a unit that systemd accepts."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from ludens.agent.settings.options import PlayerOptions
from tests.docs.blocks import blocks
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

FILES = {
    block.value: block.body for block in blocks(ROOT / "docs" / "howto" / "run-a-server.md") if block.note == "file"
}
UNIT, CONTAINER = FILES["ludens.service"], FILES["Containerfile"]


def settings(arguments: list[str]) -> PlayerOptions:
    """The settings of the player that a command line starts; fails for options that there are not."""
    program, command, *options = arguments
    assert program == "/opt/ludens/bin/ludens"
    assert command == "serve"
    names = [option.removeprefix("--").replace("-", "_") for option in options[::2]]
    assert set(names) <= {field.name for field in dataclasses.fields(PlayerOptions)}
    return PlayerOptions.from_texts(dict(zip(names, options[1::2], strict=True)))


def test_the_unit_starts_a_player_that_keeps_its_log_and_records_where_it_may_write() -> None:
    (command,) = re.findall(r"^ExecStart=(.*)$", UNIT, re.MULTILINE)
    player = settings(shlex.split(command))
    assert player.log.startswith("${LOGS_DIRECTORY}/")
    assert player.records.startswith("${STATE_DIRECTORY}/")
    assert {"LogsDirectory=ludens", "StateDirectory=ludens", "CacheDirectory=ludens"} <= set(UNIT.splitlines())


def test_the_unit_keeps_cache_and_archive_where_it_may_write() -> None:
    (variables,) = re.findall(r"^Environment=(.*)$", UNIT, re.MULTILINE)
    assert shlex.split(variables) == ["XDG_CACHE_HOME=/var/cache/ludens", "XDG_DATA_HOME=/var/lib/ludens"]


def test_the_unit_leaves_the_end_of_engines_to_the_player_and_lets_it_write_machine_code() -> None:
    assert "KillMode=mixed" in UNIT
    assert "\nMemoryDenyWriteExecute" not in UNIT


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "ludens.service"
    unit.write_text(UNIT.replace("/opt/ludens/bin/ludens", shutil.which("true") or "/bin/true"), encoding="utf-8")
    command = ["systemd-analyze", "verify", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_container_starts_a_player_that_can_be_reached_and_ends_in_order() -> None:
    (entry,) = re.findall(r"^ENTRYPOINT (.*)$", CONTAINER, re.MULTILINE)
    player = settings(json.loads(entry))
    assert player.interface == "0.0.0.0"
    assert f"EXPOSE {player.port}\n" in CONTAINER
    assert "STOPSIGNAL SIGTERM\n" in CONTAINER
    assert f"chown ludens {player.records}\n" in CONTAINER
