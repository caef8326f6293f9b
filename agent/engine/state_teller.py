"""Tells the facts of every state along a match, for its record; does not search.

Agents cannot: a recognised game has a core of its own, without the facts of the rules. So the match is followed once
more, on the rule machine, or on the interpreter for rules that are too much for that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ludens.agent.engine.told_moves import told_moves
from ludens.agent.protocol.state_history import StateHistory, shared_steps
from ludens.agent.protocol.wire import History, StateFacts
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.syntax import RuleSheet

FactsAfter: TypeAlias = Callable[[History], tuple[str, ...]]


class StateTeller:
    """Follows one match; for one thread."""

    def __init__(self, sheet: RuleSheet) -> None:
        """Works out nothing yet."""
        self._sheet = sheet
        self._facts_after: FactsAfter | None = None
        self._told: History | None = None

    def new_states(self, history: History) -> list[StateFacts]:
        """Returns the states up to the end of `history` that have not been returned yet; raises `LudensError`."""
        first = 0 if self._told is None else 1 + shared_steps(self._told, history)
        self._told = history
        steps = range(first, len(history) + 1)
        return [StateFacts(step, history[:step][-1] if step else (), self._facts(history[:step])) for step in steps]

    def _facts(self, history: History) -> tuple[str, ...]:
        try:
            self._facts_after = self._facts_after or _on_rule_machine(self._sheet)
            return self._facts_after(history)
        except (LudensError, MemoryError, ImportError):
            self._facts_after = _on_interpreter(self._sheet)
            return self._facts_after(history)


def _on_rule_machine(sheet: RuleSheet) -> FactsAfter:
    from ludens.agent.playable.text_game import RulesGame

    game = RulesGame(sheet)
    path = StateHistory(game.game.initial, game.after)
    return lambda history: game.facts(path.follow(history))


def _on_interpreter(sheet: RuleSheet) -> FactsAfter:
    rules = Interpreter(sheet)
    path = StateHistory(rules.initial(), lambda state, moves: rules.next(state, told_moves(rules.roles, moves)))
    return lambda history: tuple(sorted(map(str, path.follow(history))))
