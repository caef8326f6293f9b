"""A rule sheet as integers, for the native machine that interprets rules.

    program = compile_program(sheet)

Nothing is grounded, so this takes milliseconds for any sheet. Symbols and relations are numbered, bodies are
flat, and the room for facts and moves, which the machine numbers as they turn up, is estimated from the
constants that can reach each argument.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ludens.propnet.base.arrays import Int32Array
from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.argument_domains import ArgumentDomains
from ludens.propnet.gdl.syntax import (
    NOWHERE,
    Atom,
    Constant,
    Distinct,
    Formula,
    Function,
    Not,
    Rule,
    RuleSheet,
    Term,
    Variable,
)
from ludens.propnet.gdl.variables import variables
from ludens.propnet.rewrite import plain

KEYWORDS = (("true", 1), ("does", 2), ("init", 1), ("legal", 2), ("next", 1), ("terminal", 0), ("goal", 2))
"""Name and number of arguments of the first relations of every program, in the order of their numbers."""

MAX_FACTS = 16_384  # bits of a state
MAX_MOVES = 1 << 20  # of a role
MANY_MOVES = 1 << 16  # of a role; with more, those of a state may be sampled
SAMPLE = 1 << 8  # moves
MAX_ARGUMENTS = 64  # of a relation or function
MAX_CONDITIONS = 1000  # of a rule

_POSITIVE, _NEGATIVE, _DISTINCT, _EQUAL = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class RuleProgram:
    """The rules of one game as integers; `code` holds rule after rule as the native header says."""

    roles: tuple[str, ...]
    symbols: tuple[tuple[str, int], ...]  # name and number of arguments; the index is the number of the symbol
    role_symbols: Int32Array  # [roles]
    arities: Int32Array  # [relations] number of arguments; the first are KEYWORDS
    code: Int32Array
    max_facts: int  # room for facts that can ever hold
    max_moves: Int32Array  # [roles] room for moves
    domains: ArgumentDomains  # what can be a fact or a move at all
    sample: int = 0  # of very many legal moves so many will do; 0: all are needed


def compile_program(sheet: RuleSheet, *, sampled: bool = False) -> RuleProgram:
    """The program of a sheet that has passed `check`. Raises `GdlError` where a rule is too large for the machine.

    `sampled`: a game with very many moves may do with some of those that are legal in a state.
    """
    rules = plain(sheet).rules
    domains = ArgumentDomains(rules)
    numbering = _Numbering()
    for rule in rules:
        numbering.rule(rule)
    moves = domains.count(("legal", 2), 1, MAX_MOVES)
    return RuleProgram(
        roles=sheet.roles,
        role_symbols=np.array([numbering.symbol(role, 0) for role in sheet.roles], np.int32),
        symbols=tuple(numbering.symbols),
        arities=np.array([arity for _, arity in numbering.relations], np.int32),
        code=np.array(numbering.code, np.int32),
        max_facts=domains.count(("next", 1), 0, MAX_FACTS),
        max_moves=np.full(len(sheet.roles), moves, np.int32),
        domains=domains,
        sample=SAMPLE if sampled and moves > MANY_MOVES else 0,
    )


class _Numbering:
    """Writes rules as numbers and gives numbers to what they mention."""

    def __init__(self) -> None:
        self.symbols: dict[tuple[str, int], int] = {}
        self.relations: dict[tuple[str, int], int] = {key: i for i, key in enumerate(KEYWORDS)}
        self.code: list[int] = []
        self._variables: dict[Variable, int] = {}
        self._position = NOWHERE

    def rule(self, rule: Rule) -> None:
        """Appends relation, number of variables, arguments of the head, number of literals, literals."""
        self._position = rule.position
        self._limit(len(rule.body), MAX_CONDITIONS, "this rule", "conditions")
        names = variables(rule.head, *rule.body)
        self._variables = {v: i for i, v in enumerate(sorted(names, key=lambda v: v.name))}
        self.code += (self._relation(rule.head), len(names))
        self._terms(rule.head.args)
        self.code.append(len(rule.body))
        for part in rule.body:
            self._literal(part)

    def symbol(self, name: str, arity: int) -> int:
        """The number of a constant (no arguments) or function."""
        return self.symbols.setdefault((name, arity), len(self.symbols))

    def _literal(self, part: Formula) -> None:
        negated = isinstance(part, Not)
        inner = part.body if isinstance(part, Not) else part
        if isinstance(inner, Distinct):
            self.code.append(_EQUAL if negated else _DISTINCT)
            self._terms((inner.left, inner.right))
            return
        assert isinstance(inner, Atom), "bodies are flat"
        self.code += (_NEGATIVE if negated else _POSITIVE, self._relation(inner))
        self._terms(inner.args)

    def _relation(self, atom: Atom) -> int:
        made = " " in atom.name  # by a rewriting, of a disjunction
        self._arguments("a relation that stands for a disjunction here" if made else atom.name, atom.args)
        return self.relations.setdefault((atom.name, len(atom.args)), len(self.relations))

    def _terms(self, terms: Iterable[Term]) -> None:
        """Appends terms in prefix order: a symbol before its arguments, a variable as the complement of its number."""
        pending = list(terms)[::-1]
        while pending:
            match pending.pop():
                case Variable() as variable:
                    self.code.append(~self._variables[variable])
                case Constant(name):
                    self.code.append(self.symbol(name, 0))
                case Function(name, args):
                    self._arguments(name, args)
                    self.code.append(self.symbol(name, len(args)))
                    pending.extend(reversed(args))

    def _arguments(self, name: str, args: tuple[Term, ...]) -> None:
        self._limit(len(args), MAX_ARGUMENTS, name, "arguments")

    def _limit(self, count: int, most: int, name: str, things: str) -> None:
        if count > most:
            raise GdlError(f"{name} has more than {most:,} {things}", self._position.line, self._position.column)
