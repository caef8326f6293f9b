"""Compiles a rule sheet to the network that plays it: all stages in order.

    net = load("(role robot) (<= (legal robot wait) (not terminal)) ...")

The work is done in a child process, since grounding may need more time or memory than there is.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from ludens.propnet.base.child import ExceededError, Limits, Tell, Wording, run
from ludens.propnet.compile.builder import build
from ludens.propnet.compile.grounder import ground
from ludens.propnet.gdl.argument_domains import ArgumentDomains
from ludens.propnet.gdl.check import check
from ludens.propnet.gdl.growth import growing
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.recursion import RecursiveNegationError, explain
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.circuit import Circuit
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.passes import PASSES, binary, needed, order, unchanging
from ludens.propnet.rewrite import narrow

__all__ = [
    "Limits",
    "Loaded",
    "Stage",
    "compile_narrow",
    "compile_rules",
    "compile_unfactored",
    "load",
    "load_unfactored",
    "load_with_stages",
]

_WORDING = Wording(
    "making the network failed",
    "making the network takes more than the {:g} s allowed; --grounding-seconds allows more",
    "making the network takes more than the {:,} MB of memory allowed; --grounding-mb allows more",
)


@dataclass(frozen=True, slots=True)
class Stage:
    """How many gates there are after one stage of the pipeline, and how long it took."""

    name: str
    gates: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Loaded:
    """A network and how it came about: grounding, building, and each pass in turn."""

    net: Propnet
    stages: tuple[Stage, ...]


def load(rules: RuleSheet | str, limits: Limits | None = None, progress: Tell | None = None) -> Propnet:
    """The network of a rule sheet, or of its text.

    `progress` takes one line at a time about what is going on, in the calling thread. Raises `GdlError` for faulty
    rules and `GroundingError` for rules that need more than the limits.
    """
    return load_with_stages(rules, limits, progress).net


def load_with_stages(rules: RuleSheet | str, limits: Limits | None = None, progress: Tell | None = None) -> Loaded:
    """Does what `load` does, and reports the stages."""
    sheet = parse_rules(rules) if isinstance(rules, str) else rules
    tell = progress or (lambda _line: None)
    check(sheet)
    loaded: Loaded = _run("compile_narrow", sheet, limits, tell)
    return loaded


def load_unfactored(rules: RuleSheet, limits: Limits | None = None) -> Propnet:
    """The network of checked rules as they stand: slow, but what is alike in the rules is alike in its gates.

    Every atom of a loop is a feedback input. What never holds may not be seen of those, so that propositions and moves
    that `load` leaves out may be there. Raises `GroundingError`.
    """
    net: Propnet = _run("compile_unfactored", rules, limits, lambda _line: None)
    return net


def _run(target: str, sheet: RuleSheet, limits: Limits | None, tell: Tell) -> Any:
    """Calls a function of this module in a child process; says of rules that need too much if they have no end."""
    try:
        return run(f"{__name__}:{target}", sheet, limits or Limits(), _WORDING, tell)
    except ExceededError as error:
        for rule, _ in growing(sheet, ArgumentDomains(sheet.rules)):
            advice = f"nothing is enough if the rule in line {rule.position.line} makes ever deeper terms"
            raise ExceededError(f"{error}; but {advice}") from None
        raise


def compile_unfactored(sheet: RuleSheet, tell: Tell) -> Propnet:
    """Does what `load_unfactored` does, in this process, in any time and memory."""
    tell("grounding")
    return order(binary(needed(unchanging(build(ground(narrow(sheet)), cut_all=True)))))


def compile_narrow(sheet: RuleSheet, tell: Tell) -> Loaded:
    """The network of any rules, made in this process, in any time and memory."""
    return compile_rules(narrow(sheet), tell, sheet)


def compile_rules(sheet: RuleSheet, tell: Tell, original: RuleSheet | None = None) -> Loaded:
    """The network of flat rules (see `rewrite`), made in this process, in any time and memory.

    Errors are told in the words of the `original` rules, which the flat ones were made of, if these are given.
    """
    report = _Report(tell)
    tell("grounding")
    try:
        circuit = report.add("built", build(ground(sheet)))
    except RecursiveNegationError as error:
        raise explain(error, original or sheet) from None
    for improve in PASSES:
        circuit = report.add(improve.__name__, improve(circuit))
    return Loaded(order(circuit), tuple(report.stages))


class _Report:
    def __init__(self, tell: Tell) -> None:
        self.stages: list[Stage] = []
        self._tell = tell
        self._last = time.monotonic()

    def add(self, name: str, circuit: Circuit) -> Circuit:
        now = time.monotonic()
        self.stages.append(Stage(name, len(circuit.gates), now - self._last))
        self._last = now
        self._tell(f"{len(circuit.gates)} gates {name}")
        return circuit
