"""Sheets with one rule changed: what recognition accepts is what it says, and confirmation would notice others."""

from __future__ import annotations

import difflib
from dataclasses import replace
from itertools import islice

import pytest

from ludens import games
from ludens.games.checkers.recognition.recognise import RecognisedRules, recognise
from ludens.propnet.base.errors import LudensError, NotRecognisedError
from ludens.propnet.compile.loader import Limits, load
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet
from scripts.verify.confirmation import difference
from scripts.verify.mutations import mutations

_SHEETS = ("english_draughts", "breakthrough")


@pytest.fixture(scope="module")
def known() -> tuple[RuleSheet, Propnet, RecognisedRules]:
    sheet = parse_rules(games.read("english_draughts"))
    net = load(sheet)
    return sheet, net, recognise(net, seconds=60, positions=300, games=16)


def _difference(sheet: RuleSheet, net: Propnet, found: RecognisedRules) -> str:
    return difference(sheet, net, found, plies=12, positions=300, games=64, seconds=20)


@pytest.mark.parametrize("name", _SHEETS)
def test_a_mutation_changes_one_rule(name: str) -> None:
    sheet = parse_rules(games.read(name))
    made = list(islice(mutations(sheet, 1), 60))
    assert len({str(mutation.sheet) for mutation in made}) == 60
    for mutation in made:
        before, after = (list(map(str, each.rules)) for each in (sheet, mutation.sheet))
        changed = [tag for tag, *_ in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()]
        assert [tag for tag in changed if tag != "equal"] in (["replace"], ["delete"])
        assert len(before) - len(after) in (0, 1)


def test_mutations_follow_from_the_seed() -> None:
    sheet = parse_rules(games.read("english_draughts"))
    first, again, other = ([m.what for m in islice(mutations(sheet, seed), 10)] for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.slow
def test_what_is_recognised_of_changed_sheets_is_what_it_is_said_to_be() -> None:
    sheet, verdicts = parse_rules(games.read("english_draughts")), []
    for mutation in islice(mutations(sheet, 3), 8):
        try:
            net = load(mutation.sheet, Limits(20))
        except LudensError:
            continue
        try:
            found = recognise(net, seconds=60, positions=300, games=16)
        except NotRecognisedError:
            verdicts.append(False)
            continue
        assert not _difference(mutation.sheet, net, found), mutation.what
        verdicts.append(True)
    assert verdicts.count(False) >= 2


RULES = [{"idle_limit": 38}, {"stuck_goals": (10, 90)}, {"kings": False}, {"idle_limit": 0, "step_limit": 300}]


@pytest.mark.parametrize("changes", RULES, ids=lambda changes: next(iter(changes)))
def test_confirmation_notices_that_rules_are_others(
    known: tuple[RuleSheet, Propnet, RecognisedRules], changes: dict[str, object]
) -> None:
    sheet, net, found = known
    other = replace(found.rules, **changes)  # type: ignore[arg-type]
    assert _difference(sheet, net, replace(found, rules=other, encoding=replace(found.encoding, rules=other)))


def test_confirmation_finds_nothing_where_all_is_right(known: tuple[RuleSheet, Propnet, RecognisedRules]) -> None:
    assert not _difference(*known)


def test_the_interpreter_alone_notices_it(known: tuple[RuleSheet, Propnet, RecognisedRules]) -> None:
    """Its games are played on the sheet: a network that is right does not hide a sheet that is not."""
    _, net, found = known
    text = games.read("english_draughts")
    changed = text.replace("(home black 1) (home black 2) (home black 3)", "(home black 1) (home black 2)")
    assert changed != text
    assert difference(parse_rules(changed), net, found, plies=1, positions=1, games=1, seconds=60)
