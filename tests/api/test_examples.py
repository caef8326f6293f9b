"""The examples of the Python interface say the truth, and every public name and member has one in the reference."""

from __future__ import annotations

import doctest
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import ludens
from tests.support.paths import ROOT

REFERENCE = (ROOT / "docs" / "reference" / "python-interface.md").read_text("utf-8")
EXAMPLES = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", REFERENCE, re.MULTILINE | re.DOTALL))
PUBLIC = {name: getattr(ludens, name) for name in ludens.__all__}


class PublicNames(doctest.OutputChecker):
    """Takes the public name of an error for the one that a traceback shows."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want, re.sub(r"^ludens\.[\w.]+\.(\w+Error: )", r"ludens.\1", got), optionflags)


@pytest.mark.parametrize("name", ["ludens", *(f"ludens.agent.api.{name}" for name in ("game", "match", "search"))])
def test_the_examples_of_a_module_run(name: str) -> None:
    failed, tried = doctest.testmod(import_module(name), extraglobs=PUBLIC)
    assert tried > 0
    assert failed == 0


def test_the_examples_of_the_reference_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where they save what they make
    test = doctest.DocTestParser().get_doctest(EXAMPLES, {}, "python-interface.md", None, 0)
    told: list[str] = []
    runner = doctest.DocTestRunner(PublicNames())
    runner.run(test, out=told.append)
    assert runner.tries == len(test.examples) > 50
    assert runner.failures == 0, "".join(told)


def test_every_public_name_is_in_the_table_of_the_reference_and_in_an_example() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", REFERENCE, re.MULTILINE)) == set(PUBLIC)
    assert not [name for name in PUBLIC if not re.search(rf"\bludens\.{name}\b", EXAMPLES)]


def members(name: str) -> set[str]:
    """The public members of a class; records have the fields of the files, which replay-matches.md explains."""
    kind = PUBLIC[name]
    own = {*vars(kind), *inspect.get_annotations(kind)}
    return set() if issubclass(kind, BaseException | ludens.MatchRecord) else {m for m in own if not m.startswith("_")}


@pytest.mark.parametrize("name", sorted(name for name in PUBLIC if inspect.isclass(PUBLIC[name]) and members(name)))
def test_every_public_member_is_documented_and_in_an_example(name: str) -> None:
    missing = {member for member in members(name) if not re.search(rf"(\.{member}\b|\b{member}=)", EXAMPLES)}
    assert not missing, f"docs/reference/python-interface.md has no example of {name}: {', '.join(sorted(missing))}"
    for member in members(name):
        value = inspect.getattr_static(PUBLIC[name], member, None)
        if isinstance(value, property | staticmethod | classmethod) or inspect.isfunction(value):
            assert inspect.getdoc(value), f"{name}.{member} has no docstring"
