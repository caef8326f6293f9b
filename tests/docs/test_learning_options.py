"""All options of `ludens learn` are where users look for them: in its help, and in the page on it."""

from __future__ import annotations

import dataclasses
import re

import rich_click as click

from ludens.agent.commands.interface import learn
from ludens.agent.long_learning.options import LearnOptions, usual
from ludens.agent.settings.options import PLANES
from tests.support.paths import ROOT

FIELDS = {field.name: field.default for field in dataclasses.fields(LearnOptions)}
ROW = re.compile(r"^\| `(\w+)` \| ([^|]*) \| ([^|]*) \| ", re.MULTILINE)


def shown(value: object) -> str:
    """A value as tables show it."""
    return f"{value:,g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def test_the_page_has_all_options_with_their_usual_values() -> None:
    table = (ROOT / "docs/howto/learn-a-game.md").read_text("utf-8").partition("## Options of a file")[2]
    told = {name: (usually.strip(), planes.strip()) for name, usually, planes in ROW.findall(table)}
    with_planes = FIELDS | {"features": PLANES} | usual(PLANES)
    expected = {name: (shown(value), shown(with_planes[name])) for name, value in FIELDS.items()}
    of_use = {"hidden": (True, False), "width": (False, True), "blocks": (False, True)}
    assert list(told) == list(expected)
    for name, values in expected.items():
        used = of_use.get(name, (True, True))
        assert told[name] == tuple(value if is_used else "" for value, is_used in zip(values, used, strict=True))


def test_the_help_names_all_options_of_a_file() -> None:
    names = {parameter.name for parameter in learn.command.params}
    assert [name for name in FIELDS if name not in names] == list(learn.ONLY_IN_FILES)
    (config,) = (each for each in learn.command.params if each.name == "config")
    assert isinstance(config, click.Option) and config.help is not None
    assert sorted(config.help.partition("by name: ")[2].rstrip(".").split(", ")) == sorted(FIELDS)
