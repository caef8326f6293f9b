"""What tests of games share."""

from __future__ import annotations

import pytest

from ludens.native.core import checkers_perft
from tests.support.instruction_sets import sets_of


@pytest.fixture(params=sets_of(lambda name: checkers_perft(1, instruction_set=name)))
def instruction_set(request: pytest.FixtureRequest) -> str:
    """Each instruction set for which checkers and Tak are compiled, as far as this process may use it."""
    name: str = request.param
    return name
