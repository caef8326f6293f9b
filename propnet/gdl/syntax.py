"""The abstract syntax of the Game Description Language: what the parser makes and everything else reads.

All nodes are frozen, hashable and compare by value. Symbols keep the spelling of the rule sheet, since they
are case-sensitive; only GDL's own keywords are lower-cased by the parser. A nullary relation or function is
a `Constant` as a term and an `Atom` without arguments as a formula, so `(some_win)` and `some_win` are equal.

Source: N. Love et al., "General Game Playing: Game Description Language Specification", Stanford 2008.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Constant:
    """A symbol or number, such as `red` or `100`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Variable:
    """A logical variable; `name` comes without the leading question mark."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


@dataclass(frozen=True, slots=True)
class Function:
    """A function term with at least one argument, such as `(cell 1 1 b)`."""

    name: str
    args: tuple[Term, ...]

    def __str__(self) -> str:
        return f"({self.name} {' '.join(map(str, self.args))})"


Term: TypeAlias = Constant | Variable | Function


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the source text; both numbers count from 1."""

    line: int
    column: int


NOWHERE = Position(0, 0)


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation over terms, such as `(true (cell 1 1 b))`; `position` does not take part in equality."""

    name: str
    args: tuple[Term, ...] = ()
    position: Position = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return f"({self.name} {' '.join(map(str, self.args))})" if self.args else self.name


@dataclass(frozen=True, slots=True)
class Not:
    """Negation as failure of one formula."""

    body: Formula

    def __str__(self) -> str:
        return f"(not {self.body})"


@dataclass(frozen=True, slots=True)
class Or:
    """A disjunction of two or more formulas (one is allowed too, and means itself)."""

    alternatives: tuple[Formula, ...]

    def __str__(self) -> str:
        return f"(or {' '.join(map(str, self.alternatives))})"


@dataclass(frozen=True, slots=True)
class And:
    """A conjunction; sheets nest it inside `or` and `not`."""

    parts: tuple[Formula, ...]

    def __str__(self) -> str:
        return f"(and {' '.join(map(str, self.parts))})"


@dataclass(frozen=True, slots=True)
class Distinct:
    """True when two terms differ syntactically."""

    left: Term
    right: Term
    position: Position = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return f"(distinct {self.left} {self.right})"


Formula: TypeAlias = Atom | Not | Or | And | Distinct


@dataclass(frozen=True, slots=True)
class Rule:
    """`head` holds when all of `body` does; a fact has an empty body."""

    head: Atom
    body: tuple[Formula, ...] = ()
    position: Position = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return f"(<= {self.head} {' '.join(map(str, self.body))})" if self.body else str(self.head)


@dataclass(frozen=True, slots=True)
class RuleSheet:
    """A whole game: its rules in the order of the text."""

    rules: tuple[Rule, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.rules)) + "\n"

    @property
    def roles(self) -> tuple[str, ...]:
        """Role names in the order in which the sheet lists them: the order of joint moves everywhere."""
        heads = (rule.head for rule in self.rules)
        return tuple(dict.fromkeys(str(head.args[0]) for head in heads if head.name == "role" and head.args))
