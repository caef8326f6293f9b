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
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import clingo
from clingo._internal import _ffi, _handle_error, _lib  # type: ignore[attr-defined]  # its C interface, see _Observer

from ludens.propnet.base.errors import GroundingError
from ludens.propnet.gdl.syntax import Atom, Constant, Distinct, Formula, Not, Rule, RuleSheet, Term, Variable
from ludens.propnet.rewrite.magic import GUARD

ALWAYS = 0
"""The atom of all that holds without conditions."""

_RELAXED_DOMAIN = """
{true(X)} :- init(X).
{true(X)} :- next(X).
{does(R,M)} :- legal(R,M), role(R).
#show true/1. #show does/2. #show init/1. #show next/1. #show legal/2. #show terminal/0. #show goal/2.
"""
_SPECIAL = {"true": 1, "does": 2, "init": 1, "next": 1, "legal": 2, "terminal": 0, "goal": 2, "role": 1}


@dataclass(slots=True)
class GroundRules:
    """A ground program over numbered atoms. Facts, moves and roles are texts, as `syntax.Term` prints them.

    `bodies` holds the bodies of each atom's rules. An atom without rules is false, but for the atoms of `true` and
    `does`, which are the inputs. All facts of the program are the atom `ALWAYS`.
    """

    roles: tuple[str, ...]
    bodies: defaultdict[int, list[Sequence[int]]] = field(default_factory=lambda: defaultdict(list))  # -a: not a
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
    observer = _Observer(program, rules)
    observer.register(control)
    try:
        control.add("base", [], program.text)
        control.ground([("base", [])])
    except RuntimeError as error:
        if observer.error:
            raise observer.error from None
        raise GroundingError(f"the grounder refuses the rules: {' '.join([*messages, str(error)])}") from None
    for guard in program.guards(control.symbolic_atoms):
        rules.bodies[guard] = [()]
    return rules


class _Program:
    """A rule sheet as clingo's text, and the way back from clingo's symbols to texts of terms."""

    def __init__(self, sheet: RuleSheet) -> None:
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self.text = "\n".join(map(self._rule, sheet.rules)) + _RELAXED_DOMAIN

    def name(self, symbol: str) -> str:
        """The text of the GDL term that clingo's text of a symbol means."""
        return _TOKEN.sub(self._gdl_token, symbol.replace(",", " "))

    def guards(self, atoms: clingo.SymbolicAtoms) -> Iterator[int]:
        """The atoms that say which instances of helpers may be called for (see `magic`), unless they are facts."""
        for relation, width, _ in atoms.signatures:
            named = relation[:1] == "r" and relation[1:].isdigit()
            if named and self._names[int(relation[1:])].startswith(f"{GUARD} "):
                yield from (each.literal for each in atoms.by_signature(relation, width) if not each.is_fact)

    def _gdl_token(self, token: re.Match[str]) -> str:
        number, opening = token.groups()
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


_TOKEN = re.compile(r"[cf](\d+)(\()?")


class _Observer:
    """Collects the rules that clingo grounds, except its choices: these are the inputs, which need no rule.

    It is registered through clingo's C interface: `clingo.Observer` collects the same, but makes Python objects of
    all that it is passed, so that grounding takes 1.7 times as long (0.65 s rather than 0.38 s for 225,000 rules).
    """

    def __init__(self, program: _Program, rules: GroundRules) -> None:
        self.error: BaseException | None = None  # what went wrong in here
        self._program = program
        self._rules = rules
        self._texts: dict[int, str] = {}  # of clingo's symbols, which are numbers here
        self._name = _ffi.new("char const**")
        self._arguments = _ffi.new("clingo_symbol_t const**")
        self._size = _ffi.new("size_t*")
        self._callbacks = _ffi.new("clingo_ground_program_observer_t*")
        self._kept = self._rule_callback(), self._output_callback()  # a struct keeps nothing alive
        self._callbacks.rule, self._callbacks.output_atom = self._kept

    def register(self, control: clingo.Control) -> None:
        """Has the control report to this observer, which must outlive the grounding, instead of to a solver."""
        _handle_error(_lib.clingo_control_register_observer(control._rep, self._callbacks, True, _ffi.NULL))

    def _rule_callback(self) -> Any:
        bodies, unpack = self._rules.bodies, _ffi.unpack

        def rule(choice: bool, head: Any, _heads: int, body: Any, size: int, _data: object) -> bool:
            if not choice:
                bodies[head[0]].append(unpack(body, size) if size else ())
            return True

        signature = "bool(bool, uint32_t*, size_t, int32_t*, size_t, void*)"
        return _ffi.callback(signature, rule, error=False, onerror=self._failed)

    def _output_callback(self) -> Any:
        def output(symbol: int, atom: int, _data: object) -> bool:
            _lib.clingo_symbol_name(symbol, self._name)
            relation = _ffi.string(self._name[0])
            if relation == b"terminal":
                self._rules.terminal.append(atom)
            else:
                getattr(self._rules, relation.decode())[self._key(symbol)] = atom
            return True

        signature = "bool(uint64_t, uint32_t, void*)"
        return _ffi.callback(signature, output, error=False, onerror=self._failed)

    def _key(self, symbol: int) -> Any:
        """The texts of an atom's arguments, or of its only one."""
        _lib.clingo_symbol_arguments(symbol, self._arguments, self._size)
        terms = [self._text(term) for term in _ffi.unpack(self._arguments[0], self._size[0])]
        return terms[0] if len(terms) == 1 else tuple(terms)

    def _text(self, symbol: int) -> str:
        text = self._texts.get(symbol)
        if text is None:
            _handle_error(_lib.clingo_symbol_to_string_size(symbol, self._size))
            buffer = _ffi.new("char[]", self._size[0])
            _handle_error(_lib.clingo_symbol_to_string(symbol, buffer, self._size[0]))
            text = self._texts[symbol] = self._program.name(_ffi.string(buffer).decode())
        return text

    def _failed(self, _kind: object, error: BaseException, _trace: object) -> None:
        self.error = error
