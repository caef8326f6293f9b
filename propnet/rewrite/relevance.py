"""Keep the rules that the game can feel: those that its outcome, moves and course depend on.

`base`, `input` and whatever else only documents a sheet go: what is reachable is found by grounding, so
declarations that are too small or too large cannot mislead it.
"""

from __future__ import annotations

from collections import defaultdict

from propnet.rewrite.terms import literal_atom
from propnet.syntax import RuleSheet

ROOTS = ("role", "init", "next", "legal", "terminal", "goal")


def relevant(sheet: RuleSheet) -> RuleSheet:
    """The rules of the relations that `ROOTS` depend on; bodies must be flat."""
    uses: defaultdict[str, set[str]] = defaultdict(set)
    for rule in sheet.rules:
        uses[rule.head.name] |= {atom.name for part in rule.body if (atom := literal_atom(part))}
    needed: set[str] = set()
    pending = list(ROOTS)
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending.extend(uses[name])
    return RuleSheet(tuple(rule for rule in sheet.rules if rule.head.name in needed))
