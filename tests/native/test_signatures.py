"""Every strategy goes as it is written down in tests/data/signatures.json."""

from __future__ import annotations

import json

import pytest

from ludens.native.strategies import STRATEGIES
from scripts.verify.signatures import FILE, Case, cases, signature

SIGNATURES = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_the_course_of_a_search_changes_only_on_purpose(case: Case) -> None:
    """Whoever changes it on purpose writes the file anew: `python -m scripts.verify.signatures --write`."""
    assert signature(case) == SIGNATURES[case.name]


def test_every_strategy_of_all_games_has_signatures_on_three_games() -> None:
    names = [name for name, strategy in STRATEGIES.items() if not strategy.needs_core]
    games = {name: {case.game for case in cases() if case.strategy == name} for name in names}
    assert all(len(names) == 3 for names in games.values())
    assert SIGNATURES.keys() == {case.name for case in cases()}
