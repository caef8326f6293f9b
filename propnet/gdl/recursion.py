"""Finds ground atoms that depend on themselves.

Sources: R. Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972; S. R. Kosaraju's two-pass strongly
connected components (in Aho, Hopcroft, Ullman, "Data Structures and Algorithms", 1983); K. Apt, H. Blair,
A. Walker, "Towards a Theory of Declarative Knowledge", 1988 (stratification, here on ground atoms, since some
sheets are stratified on these only).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from ludens.propnet.base.errors import GdlError
from ludens.propnet.gdl.stratification import negative_recursion
from ludens.propnet.gdl.syntax import RuleSheet

Bodies: TypeAlias = Mapping[int, Sequence[Sequence[int]]]
"""For each atom the bodies of its rules; -a stands for the negation of atom a."""

_MOST_NAMED = 6  # conditions that a message lists


class RecursiveNegationError(GdlError):
    """A ground atom depends on its own negation."""


def depth_first(asked: Iterable[int], bodies: Bodies, given: Collection[int]) -> tuple[list[int], set[int]]:
    """The atoms that `asked` depends on, but for the `given` ones, and those that close a cycle.

    An atom comes after all that it depends on, if the second result is taken as given.
    """
    order: list[int] = []
    cuts: set[int] = set()
    done = set(given)
    open_atoms: set[int] = set()
    for root in asked:
        if root in done:
            continue
        open_atoms.add(root)
        stack = [(root, chain.from_iterable(bodies.get(root, ())))]
        while stack:
            atom, rest = stack[-1]
            for signed in rest:
                child = abs(signed)
                if child in done:
                    continue
                if child in open_atoms:
                    cuts.add(child)
                    continue
                open_atoms.add(child)
                stack.append((child, chain.from_iterable(bodies.get(child, ()))))
                break
            else:
                stack.pop()
                open_atoms.discard(atom)
                done.add(atom)
                order.append(atom)
    return order, cuts


def components(order: list[int], cuts: Collection[int], bodies: Bodies) -> dict[int, int]:
    """The number of the strongly connected component of each atom that lies on a cycle.

    A component has a lower number than those that depend on it. Raises `RecursiveNegationError`.
    """
    if not cuts:
        return {}
    members = set(order)
    dependents: dict[int, list[int]] = {atom: [] for atom in order}
    for atom in order:
        for signed in chain.from_iterable(bodies.get(atom, ())):
            if abs(signed) in members:
                dependents[abs(signed)].append(atom)
    number: dict[int, int] = {}
    for root in reversed(order):
        if root in number:
            continue
        number[root] = len(order) - len(number)
        pending = [root]
        while pending:
            for atom in dependents[pending.pop()]:
                if atom not in number:
                    number[atom] = number[root]
                    pending.append(atom)
    for atom, component in number.items():
        for signed in chain.from_iterable(bodies.get(atom, ())):
            if signed < 0 and number.get(-signed) == component:
                raise RecursiveNegationError("the rules have no meaning: an atom depends on its own negation")
    return number


def explain(error: RecursiveNegationError, sheet: RuleSheet) -> GdlError:
    """The error with the conditions that may be its cause: those that are recursive through a negation by name."""
    found = negative_recursion(sheet)
    if not found:
        return error
    if len(found) == 1:
        rule, atom = found[0]
        place = rule.position
        return GdlError(f"{rule.head.name} depends on its own negation through {atom}", place.line, place.column)
    named = [f"{atom} in line {atom.position.line}" for _, atom in found]
    listed = ", ".join(named[:_MOST_NAMED]) + (", …" if len(named) > _MOST_NAMED else "")
    return GdlError(f"a rule depends on its own negation through one of these conditions: {listed}")
