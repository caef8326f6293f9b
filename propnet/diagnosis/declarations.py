"""Finds what every game should have rules for and this one has not, and what `base` and `input` should declare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ludens.propnet.diagnosis.finding import Finding, slip_of, warning
from ludens.propnet.gdl.argument_domains import symbol
from ludens.propnet.gdl.syntax import NOWHERE, Atom, RuleSheet

_EXPECTED = {
    "init": "say which facts hold at first, by (init …)",
    "next": "say which facts hold after a step, by (<= (next …) …)",
    "terminal": "say when the game is over, by (<= terminal …)",
}

_DECLARED = (("base", ("init", "next"), "the facts that can hold"), ("input", ("legal",), "the moves that can be made"))


def missing_relations(sheet: RuleSheet) -> Iterator[Finding]:
    """Relations that nearly every game needs, and no rule is for."""
    heads = {rule.head.name for rule in sheet.rules}
    for name, advice in _EXPECTED.items():
        if name not in heads:
            yield warning(NOWHERE, f"the rules define no {name}: {advice}")


def undeclared(sheet: RuleSheet) -> Iterator[Finding]:
    """Facts without a `base` and moves without an `input`, in a sheet that has those at all; each name once.

    Where a name that is declared, and that no rule makes, is alike, the declaration is the slip.
    """
    for declaration, relations, what in _DECLARED:
        declared = _first_heads(sheet, (declaration,))
        made = _first_heads(sheet, relations)
        if not declared or None in declared:
            continue
        names = [name for name in made if name]
        slips = {other: slip_of(other, names) for other in declared if other and other not in made}
        for other, suggestion in slips.items():
            if suggestion:
                head = declared[other]
                yield warning(head.position, f"{declaration} declares {head.args[-1]}, which no rule makes{suggestion}")
        for name in names:
            if name not in declared and not any(question.endswith(f" {name}?") for question in slips.values()):
                head = made[name]
                advice = f"{declaration} should list {what}"
                yield warning(head.position, f"no {declaration} declares {head.args[-1]}: {advice}")


def _first_heads(sheet: RuleSheet, relations: Sequence[str]) -> dict[str | None, Atom]:
    """The first head that makes each fact or move, by its name; None stands for what a variable stands for."""
    heads = [rule.head for rule in sheet.rules if rule.head.name in relations and rule.head.args]
    return {name[0] if (name := symbol(head.args[-1])) else None: head for head in reversed(heads)}
