"""From text to syntax: rule sheets, terms, and s-expressions.

The grammar is `gdl.lark`. Nodes are built while the LALR parser reduces, which needs no recursion, and
nesting is bounded, so that everything behind the parser may walk a formula or a term recursively.

    >>> print(parse_rules("(ROLE red) (<= (legal red noop) (not terminal))"), end="")
    (role red)
    (<= (legal red noop) (not terminal))
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken, v_args
from lark.lark import PostLex

from ludens.propnet.base.errors import GdlError
from ludens.propnet.base.words import shortened
from ludens.propnet.gdl.syntax import (
    And,
    Atom,
    Constant,
    Distinct,
    Formula,
    Function,
    Not,
    Or,
    Position,
    Rule,
    RuleSheet,
    Term,
    Variable,
)

MAX_NESTING = 100
"""Parentheses that may be open at once; real sheets stay below 20."""

KEYWORDS = frozenset({"role", "init", "true", "does", "legal", "next", "terminal", "goal", "base", "input"})
"""The relations that GDL reserves: their case does not matter, and `Atom.name` holds them in lower case."""

Expression: TypeAlias = "str | list[Expression]"


class NestingError(GdlError):
    """Parentheses that are nested deeper than `MAX_NESTING`."""


def parse_rules(text: str) -> RuleSheet:
    """The rule sheet that `text` holds; raises `GdlError` at the first place that is not GDL."""
    sheet: RuleSheet = _parse(text, "rules")
    return sheet


def parse_term(text: str) -> Term:
    """The single term that `text` holds, such as a move; raises `GdlError`."""
    term: Term = _parse(text, "term")
    return term


def read_fact(text: str) -> Term | None:
    """The fact or move that rules have made; None if it nests deeper than what is read, as theirs may."""
    try:
        return parse_term(text)
    except NestingError:
        return None


def parse_expressions(text: str) -> list[Expression]:
    """All s-expressions of `text` as nested lists of words, in their own spelling; raises `GdlError`."""
    expressions: list[Expression] = _parse(text, "expressions")
    return expressions


def _parse(text: str, start: str) -> Any:
    unix = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        return _lark().parse(unix, start)
    except (UnexpectedToken, UnexpectedCharacters) as error:
        raise _explain(error, unix) from None


@cache
def _lark() -> Lark:
    return Lark(
        Path(__file__).with_name("gdl.lark").read_text(encoding="utf-8"),
        parser="lalr",
        start=["rules", "term", "expressions"],
        transformer=_Builder(),
        postlex=_NestingLimit(),
    )


class _NestingLimit(PostLex):
    """Passes tokens on and stops the parser where too many parentheses are open."""

    always_accept = ()

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        depth = 0
        for token in stream:
            depth += (token.type == "LPAR") - (token.type == "RPAR")
            if depth > MAX_NESTING:
                raise NestingError(f"parentheses are nested deeper than {MAX_NESTING}", *_place(token))
            yield token


@v_args(inline=True)
class _Builder(Transformer[Token, RuleSheet]):
    """Makes the node of each grammar rule from the nodes of its parts."""

    def rules(self, *rules: Rule) -> RuleSheet:
        return RuleSheet(rules)

    def rule(self, left: Token, head: Atom, *body: Formula) -> Rule:
        return Rule(head, body, Position(*_place(left)))

    def fact(self, head: Atom) -> Rule:
        return Rule(head, (), head.position)

    def proposition(self, name: Token) -> Atom:
        return Atom(_relation_name(name), (), Position(*_place(name)))

    def relation(self, left: Token, name: Token, *args: Term) -> Atom:
        return Atom(_relation_name(name), args, Position(*_place(left)))

    def negation(self, body: Formula) -> Not:
        return Not(body)

    def disjunction(self, *alternatives: Formula) -> Or:
        return Or(alternatives)

    def conjunction(self, *parts: Formula) -> And:
        return And(parts)

    def distinct(self, left: Token, one: Term, other: Term) -> Distinct:
        return Distinct(one, other, Position(*_place(left)))

    def constant(self, name: Token) -> Constant:
        return Constant(sys.intern(str(name)))

    def variable(self, name: Token) -> Variable:
        return Variable(sys.intern(name[1:]))

    def function(self, name: Token, *args: Term) -> Term:
        return Function(sys.intern(str(name)), args) if args else Constant(sys.intern(str(name)))

    def expressions(self, *expressions: Expression) -> list[Expression]:
        return list(expressions)

    group = expressions

    def word(self, word: Token) -> str:
        return str(word)


def _relation_name(name: Token) -> str:
    lower = name.lower()
    return sys.intern(lower if lower in KEYWORDS else str(name))


def _place(token: Token) -> tuple[int, int]:
    return token.line or 0, token.column or 0


_EXPECTED = {"LPAR": "'('", "RPAR": "')'", "SYMBOL": "a name", "VARIABLE": "a variable", "WORD": "a word"}


def _explain(error: UnexpectedToken | UnexpectedCharacters, text: str) -> GdlError:
    """The error in words for an author of rules; those of lark name terminals of the grammar."""
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        lines = text.split("\n")
        advice = "the text ends in the middle: look for a missing ')'"
        return GdlError(advice, len(lines), len(lines[-1]) + 1)
    rest = text[error.pos_in_stream :]
    found = re.split(r"[\s();]", rest, maxsplit=1)[0] or rest[0]
    allowed: Collection[str] = error.expected if isinstance(error, UnexpectedToken) else error.allowed or ()
    expected = " or ".join(words for name, words in _EXPECTED.items() if name in allowed) or "nothing more"
    hint = ": is a ')' missing before it?" if found == "<=" else ""
    return GdlError(f"found {shortened(found)!r} where there should be {expected}{hint}", error.line, error.column)
