"""The examples of the Python interface say the truth, and every public name is in the reference."""

from __future__ import annotations

import doctest
import re
from importlib import import_module

import pytest

import ludens
from tests.support.paths import ROOT


@pytest.mark.parametrize("name", ["ludens", *(f"ludens.agent.api.{name}" for name in ("game", "match", "search"))])
def test_the_examples_of_a_module_run(name: str) -> None:
    module = import_module(name)
    public = {name: getattr(ludens, name) for name in ludens.__all__}
    failed, tried = doctest.testmod(module, extraglobs=public)
    assert tried > 0
    assert failed == 0


def test_every_public_name_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "python-interface.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == set(ludens.__all__)
