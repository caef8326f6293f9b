"""What every game should have rules for, and what `base` and `input` should declare."""

from __future__ import annotations

from collections.abc import Iterator

from ludens.propnet.diagnosis.finding import Finding, did_you_mean, warning
from ludens.propnet.diagnosis.possible import symbol
from ludens.propnet.gdl.syntax import NOWHERE, RuleSheet

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
    """Facts without a `base` and moves without an `input`, in a sheet that has those at all; each once."""
    for declaration, relations, what in _DECLARED:
        heads = [rule.head for rule in sheet.rules if rule.head.name == declaration and rule.head.args]
        declared = {symbol(head.args[-1]) for head in heads}
        if not declared or None in declared:
            continue
        names = {name[0] for name in declared if name}
        seen = {None, *names}
        for rule in sheet.rules:
            head = rule.head
            if head.name in relations and head.args and (name := (symbol(head.args[-1]) or (None,))[0]) not in seen:
                seen.add(name)
                advice = did_you_mean(str(name), names) or f", which lists {what}"
                yield warning(head.position, f"no {declaration} declares {head.args[-1]}{advice}")
