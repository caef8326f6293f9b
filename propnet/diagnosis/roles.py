"""Finds names that are used as roles and are none, and roles that have no moves, no goals or cannot win."""

from __future__ import annotations

from collections.abc import Iterator

from ludens.propnet.diagnosis.finding import Finding, error, slip_of, warning
from ludens.propnet.gdl.argument_domains import ArgumentDomains, Symbol
from ludens.propnet.gdl.check import GOAL_VALUES
from ludens.propnet.gdl.conditions import atoms
from ludens.propnet.gdl.syntax import Constant, Position, Rule, RuleSheet, Variable

_OF_ROLES = ("does", "legal", "goal", "input")  # relations whose first argument is a role

_BEST = "100"

NATURE = "random"  # the role that plays chance in GDL-II, for whom no goals are needed


def no_roles(sheet: RuleSheet) -> Iterator[Finding]:
    """Errors for what stands in the place of a role and is the name of none; none where no role is listed at all."""
    if not sheet.roles:
        return
    listed = ", ".join(sheet.roles)
    for rule in sheet.rules:
        for atom in atoms(rule):
            if atom.name not in _OF_ROLES or len(atom.args) != 2:
                continue
            player = atom.args[0]
            if not isinstance(player, Variable) and str(player) not in sheet.roles:
                advice = slip_of(str(player), sheet.roles) or f": the roles are {listed}"
                yield error(atom.position, f"{player} in {atom} is no role{advice}", "role")


def idle_roles(sheet: RuleSheet, domains: ArgumentDomains) -> Iterator[Finding]:
    """Warnings for roles that rules give no move, no goal, or no goal of 100, at the place where each is listed."""
    for role, position in positions(sheet).items():
        if not any(of_role(rule, role, domains) for rule in rules_for(sheet, "legal")):
            advice = f"each role needs a move at every step: add a rule such as (<= (legal {role} noop) …)"
            yield warning(position, f"no rule for legal gives {role} a move; {advice}")
        if role == NATURE:
            continue
        goals = [rule for rule in rules_for(sheet, "goal") if of_role(rule, role, domains)]
        values = {value for rule in goals for value in domains.values(rule, rule.head.args[1])}
        if not goals:
            yield warning(position, f"no rule gives {role} a goal: add a rule such as (<= (goal {role} 100) …)")
        elif (_BEST, 0) not in values:
            most = max((int(value) for value, _ in values if value.isdecimal() and len(value) < 4), default=0)
            yield warning(position, f"{role} can never win: no rule gives it the goal 100, at most {most}")


def misspelt_goals(sheet: RuleSheet) -> Iterator[Finding]:
    """Warnings for goal values with zeros in front."""
    for rule in rules_for(sheet, "goal"):
        value = rule.head.args[1]
        if isinstance(value, Constant) and value.name not in GOAL_VALUES and value.name.isdecimal():
            advice = f"no player takes {value} for a number: write {int(value.name[-3:])}"
            yield warning(rule.head.position, f"{rule.head} counts as no goal, since {advice}", "goal")


def positions(sheet: RuleSheet) -> dict[str, Position]:
    """Where each role is listed."""
    heads = [rule.head for rule in sheet.rules if rule.head.name == "role" and rule.head.args]
    return {str(head.args[0]): head.position for head in reversed(heads)}


def rules_for(sheet: RuleSheet, name: str) -> Iterator[Rule]:
    """The rules for a relation between a role and something else."""
    return (rule for rule in sheet.rules if rule.head.name == name and len(rule.head.args) == 2)


def of_role(rule: Rule, role: str, domains: ArgumentDomains) -> bool:
    """Whether the head of a rule can be about a role."""
    name: Symbol = (role, 0)
    return name in domains.values(rule, rule.head.args[0])
