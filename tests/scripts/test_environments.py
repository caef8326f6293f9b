"""The official checks of environments find nothing wrong with any built-in game, and say what they find."""

from __future__ import annotations

import pytest

for _package, _extra in (("gymnasium", "gym"), ("pettingzoo", "pettingzoo"), ("pyspiel", "openspiel")):
    pytest.importorskip(_package, reason=f"{_package} is not installed: pip install 'ludens[{_extra}]'")

from ludens import games  # noqa: E402
from ludens.agent.api.game import load  # noqa: E402
from scripts.verify import environments  # noqa: E402


@pytest.mark.slow
@pytest.mark.parametrize("name", games.names())
def test_every_built_in_game_passes_the_official_checks(name: str) -> None:
    assert list(environments.faults_of(load(name), name)) == []


def test_what_a_check_finds_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(game: object, source: str) -> None:
        raise AssertionError("no masks")

    monkeypatch.setattr(environments, "CHECKS", {"gymnasium": check})
    assert list(environments.faults_of(load("nim"), "nim")) == ["gymnasium: AssertionError: no masks"]
