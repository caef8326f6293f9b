"""Renames every symbol of a rule sheet, and back, as Game Managers do to keep players from knowing a game.

Each constant, function, relation and variable gets a pronounceable word of its own; GDL's keywords and whole
numbers stay, since goal values must remain numbers. A renaming is a bijection on symbols, hence the scrambled
game is the same game.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping

from ludens.propnet.gdl.parser import KEYWORDS
from ludens.propnet.gdl.syntax import (
    And,
    Atom,
    Constant,
    Distinct,
    Formula,
    Function,
    Not,
    Or,
    Rule,
    RuleSheet,
    Term,
    Variable,
)

_NUMBER = re.compile(r"[+-]?\d+")


class Scrambler:
    """A renaming of one sheet's symbols.

    `scramble` turns the sheet's own spelling into the other, `unscramble` turns it back; symbols that the
    renaming does not know are left alone.
    """

    def __init__(self, sheet: RuleSheet, seed: int) -> None:
        """Chooses a word for every symbol of `sheet`, the same ones for the same seed."""
        symbols = sorted({s for rule in sheet.rules for s in _rule_symbols(rule) if _renamed(s)})
        words = _words(random.Random(seed), set(symbols))
        self._there = dict(zip(symbols, words, strict=False))
        self._back = {word: symbol for symbol, word in self._there.items()}

    def scramble(self, sheet: RuleSheet) -> RuleSheet:
        """Returns the sheet in the new words."""
        return _rename_sheet(sheet, self._there)

    def unscramble(self, sheet: RuleSheet) -> RuleSheet:
        """Returns the sheet that `scramble` was given."""
        return _rename_sheet(sheet, self._back)

    def scramble_term(self, term: Term) -> Term:
        """Returns a fact or move in the new words."""
        return _rename_term(term, self._there)

    def unscramble_term(self, term: Term) -> Term:
        """Returns a fact or move in the sheet's own words."""
        return _rename_term(term, self._back)


class NoScrambler(Scrambler):
    """The renaming that changes nothing, for matches that are not scrambled."""

    def __init__(self) -> None:
        """Knows no symbol."""
        super().__init__(RuleSheet(()), 0)


def _renamed(symbol: str) -> bool:
    return symbol not in KEYWORDS and not _NUMBER.fullmatch(symbol)


def _words(rng: random.Random, taken: set[str]) -> Iterator[str]:
    """Yields distinct words of open syllables without end, none of them in `taken`, whatever the case."""
    used = {symbol.lower() for symbol in taken} | KEYWORDS
    while True:
        syllables = 2 + len(used).bit_length() // 7
        word = "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(syllables))
        if word not in used:
            used.add(word)
            yield word


def _rule_symbols(rule: Rule) -> Iterator[str]:
    yield from _formula_symbols(rule.head)
    for literal in rule.body:
        yield from _formula_symbols(literal)


def _formula_symbols(formula: Formula) -> Iterator[str]:
    match formula:
        case Atom(name, args):
            yield name
            for arg in args:
                yield from _term_symbols(arg)
        case Distinct(left, right):
            yield from _term_symbols(left)
            yield from _term_symbols(right)
        case Not(body):
            yield from _formula_symbols(body)
        case Or(parts) | And(parts):
            for part in parts:
                yield from _formula_symbols(part)


def _term_symbols(term: Term) -> Iterator[str]:
    yield term.name
    if isinstance(term, Function):
        for arg in term.args:
            yield from _term_symbols(arg)


def _rename_sheet(sheet: RuleSheet, names: Mapping[str, str]) -> RuleSheet:
    return RuleSheet(
        tuple(
            Rule(
                _rename_atom(rule.head, names),
                tuple(_rename_formula(literal, names) for literal in rule.body),
                rule.position,
            )
            for rule in sheet.rules
        )
    )


def _rename_formula(formula: Formula, names: Mapping[str, str]) -> Formula:
    match formula:
        case Atom():
            return _rename_atom(formula, names)
        case Distinct(left, right, position):
            return Distinct(_rename_term(left, names), _rename_term(right, names), position)
        case Not(body):
            return Not(_rename_formula(body, names))
        case Or(parts):
            return Or(tuple(_rename_formula(part, names) for part in parts))
        case And(parts):
            return And(tuple(_rename_formula(part, names) for part in parts))


def _rename_atom(atom: Atom, names: Mapping[str, str]) -> Atom:
    return Atom(_word(atom.name, names), tuple(_rename_term(a, names) for a in atom.args), atom.position)


def _rename_term(term: Term, names: Mapping[str, str]) -> Term:
    match term:
        case Constant(name):
            return Constant(_word(name, names))
        case Variable(name):
            return Variable(_word(name, names))
        case Function(name, args):
            return Function(_word(name, names), tuple(_rename_term(arg, names) for arg in args))


def _word(symbol: str, names: Mapping[str, str]) -> str:
    return names.get(symbol, symbol)
