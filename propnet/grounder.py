"""From rules with variables to ground rules, with clingo's grounder over the relaxed domain.

What can be reached is found by grounding itself: choice atoms let every fact that some rule can produce be
true or not, and every legal move be made or not,

    {true(X)} :- init(X).    {true(X)} :- next(X).    {does(R,M)} :- legal(R,M), role(R).

so the ground program covers each state that play can reach, and more. `base` and `input` play no part: what
is reachable wins over declarations that are too small or too large.

Symbols may contain anything, hence clingo sees numbered names only (c7, f3, r12, V1).

Source: R. Kaminski, T. Schaub, "On the Foundations of Grounding in Answer Set Programming", 2023.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import clingo

from propnet.errors import GroundingError
from propnet.syntax import Atom, Constant, Distinct, Formula, Not, Rule, RuleSheet, Term, Variable

ALWAYS = 0
"""Stands in for the atom of a fact."""

_RELAXED_DOMAIN = """
{true(X)} :- init(X).
{true(X)} :- next(X).
{does(R,M)} :- legal(R,M), role(R).
#show true/1. #show does/2. #show init/1. #show next/1. #show legal/2. #show terminal/0. #show goal/2.
"""
_SPECIAL = {"true": 1, "does": 2, "init": 1, "next": 1, "legal": 2, "terminal": 0, "goal": 2, "role": 1}


@dataclass(frozen=True, slots=True)
class GroundRules:
    """A ground program over numbered atoms. Texts are those of `syntax.Term`.

    An atom without a rule is false, except that those of `true` and `does` are the inputs. Atoms that hold
    always are `ALWAYS`.
    """

    roles: tuple[str, ...]
    bodies: dict[int, list[Sequence[int]]] = field(default_factory=dict)  # of each atom; -a stands for not a
    true: dict[str, int] = field(default_factory=dict)  # fact -> atom
    next: dict[str, int] = field(default_factory=dict)
    init: dict[str, int] = field(default_factory=dict)
    does: dict[tuple[str, str], int] = field(default_factory=dict)  # role, move -> atom
    legal: dict[tuple[str, str], int] = field(default_factory=dict)
    goal: dict[tuple[str, str], int] = field(default_factory=dict)  # role, value -> atom
    terminal: list[int] = field(default_factory=list)  # one atom, or none


def ground(sheet: RuleSheet) -> GroundRules:
    """The ground instances of flat rules (see `rewrite`). Not bounded: `loader` does this in a child process.

    Raises `GroundingError` for rules that the grounder refuses, such as unsafe ones.
    """
    program = _Program(sheet)
    rules = GroundRules(sheet.roles)
    messages: list[str] = []
    control = clingo.Control(logger=lambda _code, text: messages.append(text))
    control.register_observer(_Observer(program, rules))
    try:
        control.add("base", [], program.text)
        control.ground([("base", [])])
    except RuntimeError as error:
        raise GroundingError(f"the grounder refuses the rules: {' '.join([*messages, str(error)])}") from None
    return rules


class _Program:
    """A rule sheet as clingo's text, and the way back from clingo's symbols to texts of terms."""

    def __init__(self, sheet: RuleSheet) -> None:
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self.text = "\n".join(map(self._rule, sheet.rules)) + _RELAXED_DOMAIN

    def name(self, symbol: str) -> str:
        """The term text that clingo's text of a symbol stands for."""
        return _TOKEN.sub(self._gdl_token, symbol)

    def _gdl_token(self, token: re.Match[str]) -> str:
        number, opening = token.group(1), token.group(2)
        if number is None:
            return " "
        name = self._names[int(number)]
        return f"({name} " if opening else name

    def _number(self, name: str) -> int:
        number = self._numbers.setdefault(name, len(self._names))
        if number == len(self._names):
            self._names.append(name)
        return number

    def _rule(self, rule: Rule) -> str:
        variables: dict[Variable, str] = {}

        def term(node: Term) -> str:
            if isinstance(node, Variable):
                return variables.setdefault(node, f"V{len(variables)}")
            if isinstance(node, Constant):
                return f"c{self._number(node.name)}"
            return f"f{self._number(node.name)}({','.join(map(term, node.args))})"

        def literal(node: Formula) -> str:
            if isinstance(node, Not):
                inner = node.body
                return equation(inner, "=") if isinstance(inner, Distinct) else f"not {literal(inner)}"
            if isinstance(node, Distinct):
                return equation(node, "!=")
            assert isinstance(node, Atom)
            return atom(node)

        def equation(node: Distinct, sign: str) -> str:
            return f"{term(node.left)}{sign}{term(node.right)}"

        def atom(node: Atom) -> str:
            special = _SPECIAL.get(node.name) == len(node.args)
            name = node.name if special else f"r{self._number(node.name)}"
            return f"{name}({','.join(map(term, node.args))})" if node.args else name

        body = ", ".join(map(literal, rule.body))
        return f"{atom(rule.head)} :- {body}." if body else f"{atom(rule.head)}."


_TOKEN = re.compile(r"[cf](\d+)(\()?|,")


class _Observer(clingo.Observer):
    """Collects what clingo grounds. Its choices are the inputs, which need no rule."""

    def __init__(self, program: _Program, rules: GroundRules) -> None:
        self._program = program
        self._rules = rules

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        if not choice:
            self._rules.bodies.setdefault(head[0], []).append(body)

    def output_atom(self, symbol: clingo.Symbol, atom: int) -> None:
        relation, _, inside = str(symbol).partition("(")
        if relation == "terminal":
            self._rules.terminal.append(atom)
        elif relation in ("does", "legal", "goal"):
            role, other = _split(inside[:-1])
            getattr(self._rules, relation)[self._program.name(role), self._program.name(other)] = atom
        else:
            getattr(self._rules, relation)[self._program.name(inside[:-1])] = atom


def _split(arguments: str) -> tuple[str, str]:
    """The two arguments of a relation."""
    depth = 0
    for place, sign in enumerate(arguments):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            return arguments[:place], arguments[place + 1 :]
    raise AssertionError(arguments)
