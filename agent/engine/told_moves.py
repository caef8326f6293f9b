"""Reads the moves that a manager has told, for the interpreter: they count, legal or not."""

from __future__ import annotations

from collections.abc import Sequence

from ludens.agent.protocol.wire import Joint
from ludens.propnet.gdl.parser import parse_term
from ludens.propnet.gdl.syntax import Term
from ludens.propnet.gdl.variables import variables


def told_moves(roles: Sequence[str], moves: Joint) -> dict[str, Term]:
    """Returns the moves by role; one with variables, which no rules can allow, counts as none and is left out."""
    told = zip(roles, map(parse_term, moves), strict=True)
    return {role: move for role, move in told if not variables(move)}
