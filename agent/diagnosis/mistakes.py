"""Derives the mistakes of a rule sheet from random games, each with the rule to look at."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

from ludens.agent.diagnosis.fact_groups import FactGroup, Persistence
from ludens.agent.diagnosis.random_play import Played
from ludens.agent.learning.random_games import Ending
from ludens.agent.protocol.wire import History
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.base.errors import GdlError
from ludens.propnet.base.words import counted
from ludens.propnet.diagnosis.finding import Finding, warning
from ludens.propnet.diagnosis.roles import NATURE, of_role, positions
from ludens.propnet.gdl.argument_domains import ArgumentDomains, symbol
from ludens.propnet.gdl.check import GOAL_VALUES
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import And, Atom, Formula, Function, Or, Position, RuleSheet, Term

_ENOUGH_GAMES = 1000  # to say that something never happens
_PAIR = 2  # facts that happen to be alike in an argument are often asked for by two, seldom by three
_MOST_MOVES = 4  # of an example that is shown


def find(sheet: RuleSheet, played: Played, marked_relations: Iterable[str]) -> Iterator[Finding]:
    """Yields what games of a sheet show, in any order; `marked_relations` have had marks in these games."""
    mistakes = _Mistakes(sheet, played)
    yield from mistakes.stuck()
    yield from mistakes.unpaid()
    yield from mistakes.endless()
    yield from mistakes.never_won()
    yield from mistakes.vanishing()
    yield from mistakes.never_held(marked_relations)


class _Mistakes:
    def __init__(self, sheet: RuleSheet, played: Played) -> None:
        self._sheet = sheet
        self._played = played
        self._domains = ArgumentDomains(sheet.rules)
        self._roles = positions(sheet)

    def stuck(self) -> Iterator[Finding]:
        """Roles that have no move in a game that is not over."""
        for roles, games, example in self._played.stuck.alike():
            advice = f"each role needs a move at every step, if only (<= (legal {roles[0]} noop) …)"
            yield self._of_roles("legal", roles, "no legal move in", games, self._played.games, example, advice)

    def unpaid(self) -> Iterator[Finding]:
        """Roles that have no goal, or several, when a game is over."""
        for roles, games, example in self._played.unpaid.alike():
            values = self._goal_values(roles[0], example)
            what = f"several goals ({', '.join(values)})" if len(values) > 1 else "no goal"
            advice = "only one may hold" if len(values) > 1 else "one must hold whenever terminal does"
            yield self._of_roles("goal", roles, f"{what} at the end of", games, self._played.over, example, advice)

    def endless(self) -> Iterator[Finding]:
        """Games none of which is ever over, though some went on for a while."""
        stuck_at_once = any(not example for example in self._played.stuck.examples.values())
        if self._played.games and not self._played.over and not stuck_at_once:
            games = counted(self._played.games, "random game")
            advice = "check the rules for terminal, or count the steps and end the game after a number of them"
            went_on = f", which went on for {MAX_STEPS:,} steps" if self._played.endings[Ending.ENDLESS] else ""
            message = f"terminal is never reached in {games}{went_on}: {advice}"
            yield warning(self._first_rule("terminal"), message)

    def never_won(self) -> Iterator[Finding]:
        """Roles that never won, where others have often."""
        other, count = max(self._played.won.items(), key=lambda item: item[1], default=("", 0))
        for role, position in self._roles.items():
            if count >= _ENOUGH_GAMES and not self._played.won[role] and role != NATURE:
                games = f"{counted(self._played.over, 'random game')}, of which {other} won {count:,}"
                advice = f"check the rules for (goal {role} 100), and what they ask for"
                yield warning(position, f"{role} won none of {games}: {advice}")

    def vanishing(self) -> Iterator[Finding]:
        """Facts all of which last one step only, though more of them are asked for at once, or hold at first."""
        found = {group: lives for group, lives in self._played.facts.groups.items() if self._vanishes(group, lives)}
        for group, lives in found.items():
            name, place, _ = group
            if place < 0 or (name, -1, "") not in found:
                shape = f"facts {_shape(group)}, such as {lives.example}, last one step only"
                advice = f"what is not to change needs a rule that says so, such as {_frame(group)}"
                yield warning(self._first_rule("next", fact=group), f"{shape}: {advice}")

    def never_held(self, relations: Iterable[str]) -> Iterator[Finding]:
        """Relations that hold in no state of many games; not of puzzles, which random games rarely solve."""
        if self._played.over < _ENOUGH_GAMES or len(self._roles) == 1:
            return
        never = {name for name in relations if name not in self._played.held}
        for name in never:
            rules = [rule for rule in self._sheet.rules if rule.head.name == name]
            if any(self._domains.applies(rule) and not _needs(rule.body, never - {name}) for rule in rules):
                games = counted(self._played.games, "random game")
                yield warning(rules[0].head.position, f"{name} never held in {games}: check what its rules ask for")

    def _of_roles(
        self, relation: str, roles: Sequence[str], what: str, games: int, total: int, example: History, advice: str
    ) -> Finding:
        """Says that roles have `what` in some games."""
        share = f"{100 * games / total:.3g} % of {counted(total, 'random game')}"
        subject = f"{' and '.join(roles)} {'have' if len(roles) > 1 else 'has'}"
        message = f"{subject} {what} {share}, for example {_after(example)}: {advice}"
        return warning(self._first_rule(relation, roles[0]), message)

    def _vanishes(self, group: FactGroup, lives: Persistence) -> bool:
        if lives.kept or not lives.seen:
            return False
        most = max(lives.most_later, 1)
        if group[1] < 0:
            return lives.initial > most or self._asked_at_once(group) > most
        return lives.seen >= _ENOUGH_GAMES and self._asked_at_once(group) > max(most, _PAIR)

    def _asked_at_once(self, group: FactGroup) -> int:
        """How many facts of a group a rule asks for at once, at most."""
        return max((_asked(And(rule.body), group) for rule in self._sheet.rules), default=0)

    def _goal_values(self, role: str, example: History) -> list[str]:
        """The goals that a role has after the moves of an example."""
        interpreter = Interpreter(self._sheet)
        try:
            state = interpreter.initial()
            for joint in example:
                state = interpreter.next(state, list(map(parse_term, joint)))
            values = interpreter.goal_values(state, role)
        except GdlError:
            return []
        return [value for value in values if value in GOAL_VALUES]

    def _first_rule(self, name: str, role: str | None = None, fact: FactGroup | None = None) -> Position:
        """The place of the first rule for a relation that may be about a role or a fact; else that of the role."""
        for rule in self._sheet.rules:
            if rule.head.name != name:
                continue
            about_role = role is None or of_role(rule, role, self._domains)
            if about_role and (fact is None or symbol(rule.head.args[0]) == fact[0]):
                return rule.head.position
        return self._roles[role or self._sheet.roles[0]]


def _asked(formula: Formula, group: FactGroup) -> int:
    """How many facts of a group a formula asks for at once, at most: with the same term where they are alike."""
    return max(_counts(formula, group).values(), default=0)


def _counts(formula: Formula, group: FactGroup) -> Counter[Term | None]:
    """How many facts of a group a formula asks for at once, by the term in the argument of the group."""
    match formula:
        case And(parts):
            return sum((_counts(part, group) for part in parts), Counter())
        case Or(parts):
            return reduce(operator.or_, (_counts(part, group) for part in parts))
        case Atom("true", (fact,)):
            name, place, value = group
            arg = fact.args[place] if place >= 0 and isinstance(fact, Function) and place < len(fact.args) else None
            alike = symbol(fact) == name and (arg is None or symbol(arg) in (None, (value, 0)))
            return Counter([arg]) if alike else Counter()
    return Counter()


def _needs(formulas: tuple[Formula, ...], names: set[str]) -> bool:
    """Whether formulas can hold only where one of some relations does."""
    for formula in formulas:
        match formula:
            case Atom(name):
                if name in names:
                    return True
            case And(parts):
                if _needs(parts, names):
                    return True
            case Or(parts):
                if all(_needs((part,), names) for part in parts):
                    return True
    return False


def _shape(group: FactGroup) -> str:
    """What the facts of a group look like."""
    (name, count), place, value = group
    args = [value if i == place else "…" for i in range(count)]
    return f"({' '.join([name, *args])})" if count else name


def _frame(group: FactGroup) -> str:
    """The rule that lets facts of a name persist."""
    name, count = group[0]
    variables = [f"?{chr(ord('a') + i)}" for i in range(count)]
    fact = f"({' '.join([name, *variables])})" if count else name
    return f"(<= (next {fact}) (true {fact}) …)"


def _after(example: History) -> str:
    """Says which moves lead to an example: the last ones, if there are many."""
    if not example:
        return "at the very beginning"
    shown = ", ".join(f"({' '.join(joint)})" for joint in example[-_MOST_MOVES:])
    count = len(example)
    return f"after {shown}" if count <= _MOST_MOVES else f"after {count} steps, the last of which were {shown}"
