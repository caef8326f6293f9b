"""Files that players name are told apart by what is in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.common.file_digests import digest, digests


@pytest.mark.parametrize(
    "text", ["td:weights={},threads=1", "{}@3", "{}", "{}:Cautious", "boards:guided:network={}", "brain:{} --quiet"]
)
def test_a_file_that_a_player_names_is_told_by_its_content(tmp_path: Path, text: str) -> None:
    file = tmp_path / "player.file"
    found = []
    for content in ("one", "other", "one"):
        file.write_text(content)
        found.append(digests(["uct:threads=2", text.format(file)]))
        assert found[-1] == (digest(file),)
    assert found[0] == found[2] != found[1]


@pytest.mark.parametrize("text", ["random", "uct:nodes_mb=64,threads=2", "td:weights=shipped", "127.0.0.1:9147", ""])
def test_most_players_name_no_file(text: str) -> None:
    assert digests([text]) == ()
