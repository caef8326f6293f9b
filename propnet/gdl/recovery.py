"""Reads a rule sheet whose parentheses do not match: what can be read of it, and every syntax error in it.

Where a `)` is missing, everything behind it seems to lie within one rule, and the parser can but say that the text
ends too early. Two things tell where the next rule begins all the same: `(<=` cannot stand inside a rule, and authors
begin a line with each rule, further left than its conditions. So the text is cut into *forms*, which should each be a
rule or a fact, by its parentheses where they match and by these two where they do not; each form is parsed alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from ludens.propnet.base.errors import GdlError
from ludens.propnet.base.words import shortened
from ludens.propnet.gdl.check import ARITY
from ludens.propnet.gdl.conditions import atoms
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import Atom, Constant, Function, RuleSheet, Term

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s\ufeff();]+")

_NO_FACTS = frozenset({"true", "does", "not", "or", "and", "distinct"})  # what the conditions of a rule begin with

_Arities: TypeAlias = Mapping[str, set[int]]

_MOST_FAULTS = 100  # that are told of one text

_MOST_TRIALS = 400  # places that are tried for a missing parenthesis; rules have fewer words


@dataclass(frozen=True, slots=True)
class Reading:
    """What could be read of a rule sheet."""

    sheet: RuleSheet
    faults: tuple[GdlError, ...]  # syntax errors, in the order of the text
    unread: frozenset[str]  # the words of the rules that could not be read


def read(text: str) -> Reading:
    """Reads all that can be read of `text`; whoever wants the first error only uses `parse_rules`."""
    try:
        return Reading(parse_rules(text), (), frozenset())
    except GdlError:
        return _Reader(text.replace("\r\n", "\n").replace("\r", "\n")).read()


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    line: int
    column: int
    begins_line: bool

    @property
    def last_column(self) -> int:
        return self.column + len(self.text) - 1


@dataclass(frozen=True, slots=True)
class _Form:
    """The tokens from `start` to before `end`; `open` parentheses lack their partner (-1: one has no partner)."""

    start: int
    end: int
    open: int = 0


@dataclass(frozen=True, slots=True)
class _Repair:
    sheet: RuleSheet  # the rule that it makes
    behind: _Token  # where there is one `)` more, or less
    ends_line: bool


class _Reader:
    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._tokens = list(_tokens(self._lines))
        starts = [token for token, after in pairwise(self._tokens) if token.begins_line and after.text == "<="]
        arrows = [token.column for token in starts]
        self._margin = max(set(arrows), key=arrows.count, default=1)  # the column in which rules begin

    def read(self) -> Reading:
        """Parses every form of the text, up to the last fault that is told."""
        sheets: list[RuleSheet] = []
        faults: list[tuple[_Form, GdlError | None]] = []
        end = 0
        for form in self._forms():
            if len(faults) == _MOST_FAULTS:
                break
            end = form.end
            try:
                if form.open:
                    faults.append((form, None))
                else:
                    sheets.append(parse_rules(self._text(form.start, form.end)))
            except GdlError as error:
                faults.append((form, error))
        known = _arities(sheets) | {name: {count} for name, count in ARITY.items()}
        repairs = {form: self._repair(form, known) for form, error in faults if not error}
        sheets += (repair.sheet for repair in repairs.values() if repair)
        lost = [form for form, _ in faults if not repairs.get(form)] + [_Form(end, len(self._tokens))]
        return Reading(
            RuleSheet(tuple(rule for sheet in sheets for rule in sheet.rules)),
            tuple(error or self._explain(form, repairs[form]) for form, error in faults),
            frozenset(token.text for form in lost for token in self._tokens[form.start : form.end]) - {"(", ")", "<="},
        )

    # ---- Cutting the text into forms ----

    def _forms(self) -> list[_Form]:
        forms: list[_Form] = []
        at = broken = 0
        while at < len(self._tokens) and broken < _MOST_FAULTS:
            form = self._form(at)
            at = form.end
            broken += form.open != 0
            if self._is(form.start, ")"):  # the parenthesis that has no partner may lack it anywhere in the last rule
                while forms and not forms[-1].open and form.start == forms[-1].end and not self._may_begin(form.start):
                    form = _Form(forms.pop().start, form.end, -1)
            forms.append(form)
        return forms

    def _form(self, start: int) -> _Form:
        """The form that begins at a token."""
        opening = self._tokens[start].text
        if opening == ")":
            return _Form(start, start + 1, -1)
        if opening not in ("(", "<="):
            return _Form(start, start + 1)
        depth = 0
        for at in range(start, len(self._tokens)):
            text = self._tokens[at].text
            if text == "(" and at > start and self._is(at + 1, "<="):
                return self._unclosed(start, at)
            depth += (text == "(" or at == start) - (text == ")")
            if depth == 0:
                return _Form(start, at + 1, 0 if opening == "(" else -1)
        return self._unclosed(start, len(self._tokens))

    def _unclosed(self, start: int, end: int) -> _Form:
        """The form that begins at a token, is not closed, and ends at `end` at the latest."""
        column = self._tokens[start].column
        for at in range(start + 1, end):
            token = self._tokens[at]
            if token.begins_line and token.column <= column and self._is_fact(at):
                end = at
                break
        texts = [token.text for token in self._tokens[start:end]]
        return _Form(start, end, texts.count("(") - texts.count(")") + (texts[0] == "<="))

    def _may_begin(self, at: int) -> bool:
        """Whether a rule or fact may begin at a token, as it stands in its line."""
        token = self._tokens[at]
        return token.begins_line and token.column <= self._margin and (self._begins_rule(at) or self._is_fact(at))

    def _begins_rule(self, at: int) -> bool:
        return self._is(at, "<=") or (self._is(at, "(") and self._is(at + 1, "<="))

    def _is_fact(self, at: int) -> bool:
        """Whether what begins at a token may be a fact: it names none that only conditions have, and no variable."""
        if not self._is(at, "("):
            return not self._tokens[at].text.startswith((")", "?"))
        if at + 1 == len(self._tokens) or self._tokens[at + 1].text.lower() in _NO_FACTS:
            return False
        depth = 0
        for token in self._tokens[at:]:
            depth += (token.text == "(") - (token.text == ")")
            if depth == 0 or (depth > 1 and token.begins_line):
                break
            if token.text.startswith("?"):
                return False
        return True

    def _is(self, at: int, text: str) -> bool:
        return at < len(self._tokens) and self._tokens[at].text == text

    def _text(self, start: int, end: int) -> str:
        """The text from one token to before another, at the place in lines and columns that it has in the sheet."""
        first, last = self._tokens[start], self._tokens[end - 1]
        lines = self._lines[first.line - 1 : last.line]
        lines[-1] = lines[-1][: last.column - 1 + len(last.text)]
        lines[0] = " " * (first.column - 1) + lines[0][first.column - 1 :]
        return "\n" * (first.line - 1) + "\n".join(lines)

    # ---- Mending a form, and saying what is wrong with it ----

    def _repair(self, form: _Form, known: _Arities) -> _Repair | None:
        """The only way to make a rule of a form by one parenthesis more or less; None if there are several, or none.

        The rule must have `known` numbers of arguments. Of several places for a `)` that lacks, the end of a line is
        the most likely.
        """
        if form.open == -1:
            places = [form.end - 2] if form.end - 1 > form.start else []
        elif form.open == 1 and form.end - form.start <= _MOST_TRIALS:
            places = [at for at in range(form.start + 1, form.end) if self._may_be_closed(at, form.end)]
        else:
            places = []
        found = [repair for at in places if (repair := self._tried(form, at, known))]
        if len(found) > 1:
            found = [repair for repair in found if repair.ends_line]
        return found[0] if len(found) == 1 else None

    def _may_be_closed(self, at: int, end: int) -> bool:
        """Whether a `)` behind a token is another text than one behind the next token."""
        return self._tokens[at].text != "(" and not (at + 1 < end and self._tokens[at + 1].text == ")")

    def _tried(self, form: _Form, at: int, known: _Arities) -> _Repair | None:
        """The rule of a form that gets a `)` behind a token, or loses the one there."""
        before = self._text(form.start, at + 1)
        rest = self._text(form.start, form.end).removeprefix(before)
        more = at + 1 < form.end
        try:  # the `)` stands for a space, if there is one, so that all else keeps its place
            sheet = parse_rules(before if form.open < 0 else f"{before}){rest.removeprefix(' ')}")
        except GdlError:
            return None
        found = _arities([sheet])
        if len(sheet.rules) != 1 or any(found[name] - known.get(name, found[name]) for name in found):
            return None
        return _Repair(sheet, self._tokens[at], not more or self._tokens[at + 1].begins_line)

    def _explain(self, form: _Form, repair: _Repair | None) -> GdlError:
        """What is wrong with a form whose parentheses do not match."""
        first, last = self._tokens[form.start], self._tokens[form.end - 1]
        if first.text == "<=":
            return GdlError("a '(' is missing before this '<='", first.line, first.column)
        if form.open < 0:
            missing = f", or add the '(' that is missing in the rule that begins in line {first.line}"
            advice = f"this ')' closes nothing: take it away{missing if first != last else ''}"
            return GdlError(advice, last.line, last.column)
        name = next((token.text for token in self._tokens[form.start : form.end] if token.text not in ("(", "<=")), "")
        kind = f"this {'rule' if self._begins_rule(form.start) else 'fact'}{f' for {shortened(name)}' if name else ''}"
        lacks = "a ')' is missing" if form.open == 1 else f"{form.open} ')' are missing"
        if repair:
            where = f"it seems in line {repair.behind.line} behind column {repair.behind.last_column}"
        elif form.end < len(self._tokens):
            where = f"before line {self._tokens[form.end].line}, where the next one begins"
        else:
            where = f"before the text ends in line {last.line}"
        return GdlError(f"{kind} is not closed: {lacks}, {where}", first.line, first.column)


def _tokens(lines: Sequence[str]) -> Iterator[_Token]:
    for number, line in enumerate(lines, 1):
        begins_line = True
        for match in _TOKEN.finditer(line):
            if not match[0].startswith(";"):
                yield _Token(match[0], number, match.start() + 1, begins_line)
                begins_line = False


def _arities(sheets: Sequence[RuleSheet]) -> dict[str, set[int]]:
    """How many arguments each relation and each function has."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    pending: list[Atom | Term] = [atom for sheet in sheets for rule in sheet.rules for atom in atoms(rule)]
    while pending:
        node = pending.pop()
        if isinstance(node, Atom | Function | Constant):
            args = () if isinstance(node, Constant) else node.args
            found[node.name].add(len(args))
            pending += args
    return found
