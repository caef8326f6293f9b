"""The examples of `ludens.env` and `ludens.openspiel` say the truth, and every public name has one in the reference."""

from __future__ import annotations

import doctest
import re

import pytest

import ludens.env
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "reference" / "environments.md").read_text("utf-8")
BLOCKS = re.findall(r"^(<!-- example: openspiel -->\n)?```pycon\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
ENVIRONMENTS = "\n".join(text for mark, text in BLOCKS if not mark)
OPENSPIEL = "\n".join(text for mark, text in BLOCKS if mark)


class PublicNames(doctest.OutputChecker):
    """Takes the public name of an error for the one that a traceback shows."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want, re.sub(r"^ludens\.[\w.]+\.(\w+Error: )", r"ludens.env.\1", got), optionflags)


def run(session: str) -> None:
    test = doctest.DocTestParser().get_doctest(session, {}, "environments.md", None, 0)
    told: list[str] = []
    runner = doctest.DocTestRunner(PublicNames())
    runner.run(test, out=told.append)
    assert runner.tries == len(test.examples) > 5
    assert runner.failures == 0, "".join(told)


def test_the_examples_of_environments_run() -> None:
    for package in ("gymnasium", "pettingzoo"):
        pytest.importorskip(package)
    run(ENVIRONMENTS)


def test_the_example_of_openspiel_runs() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'ludens[openspiel]'")
    run(OPENSPIEL)


def test_every_public_name_is_in_the_table_and_in_an_example() -> None:
    names = set(ludens.env.__all__)
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == names
    assert not [name for name in names if not re.search(rf"\bludens\.env\.{name}\b", ENVIRONMENTS)]
    source = (ROOT / "src" / "ludens" / "openspiel.py").read_text("utf-8")  # which only OpenSpiel can import
    public = re.findall(r'"(\w+)"', source.partition("__all__")[2])
    assert len(public) == 3
    assert not [name for name in public if not re.search(rf"\bludens\.openspiel\.{name}\b", OPENSPIEL)]
