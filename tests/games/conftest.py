"""What tests of games share."""

from __future__ import annotations

import pytest

from ludens.native.core import checkers_perft
from ludens.propnet.base.errors import NativeError


@pytest.fixture(params=["avx512", "avx2", "baseline"])
def instruction_set(request: pytest.FixtureRequest) -> str:
    """Each instruction set for which checkers and Tak are compiled, as far as this process may use it."""
    name: str = request.param
    try:
        checkers_perft(1, instruction_set=name)
    except NativeError as error:
        pytest.skip(str(error))
    return name
