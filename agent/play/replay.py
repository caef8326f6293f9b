"""Follows a recorded match through its rules, position by position, as far as the record makes sense.

Without rules the facts of its states are all that can be shown of a match.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ludens.agent.manager.referee import MatchState
from ludens.agent.play.replayed_game import Seen
from ludens.agent.protocol.wire import Joint
from ludens.agent.records.reading import FoundRecord
from ludens.agent.records.record import Ending, MatchRecord, counted_goals, error_marks
from ludens.games.view.vocabulary import GameView, PositionView
from ludens.propnet.base.errors import LudensError
from ludens.propnet.gdl.parser import parse_term


class NoSuchMoveError(LudensError):
    """A record tells a move that the rules do not allow."""


NextMoves = Callable[[int, MatchState], Joint | None]
"""Returns the joint move after so many turns in a state, or None after the last; raises `NoSuchMoveError`."""


class FollowedGame(Protocol):
    """The rules of a game, standing at one of its positions; blocks, and serves one thread."""

    @property
    def roles(self) -> tuple[str, ...]:
        """Its roles."""

    @property
    def look(self) -> GameView:
        """What it looks like."""

    def first(self) -> Seen:
        """Goes to the first position and returns it."""

    def after(self, joint: Joint) -> Seen:
        """Goes on by a joint move of legal moves and returns the position."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A match as it can be shown; one state and view more than moves."""

    record: MatchRecord
    look: GameView
    views: tuple[PositionView, ...]
    states: tuple[MatchState, ...]
    notice: str = ""  # what is wrong with the record

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the game."""
        return self.look.roles


def follow(game: FollowedGame, found: FoundRecord, next_moves: NextMoves | None = None) -> Replay:
    """Returns the match of a record by the rules of its game; the record's own moves unless others are named."""
    ask = next_moves or recorded(found.record.moves, game.roles)
    notices = [found.notice] if found.notice else []
    seen = [game.first()]
    moves: list[Joint] = []
    try:
        while (joint := ask(len(moves), seen[-1].state)) is not None:
            if seen[-1].state.terminal:
                raise NoSuchMoveError(f"turn {len(moves) + 1}: the game was over before it")
            seen.append(game.after(joint))
            moves.append(joint)
    except NoSuchMoveError as error:
        notices.append(f"{error}; the match is shown as far as there")
    last = seen[-1].state
    if not last.terminal and not notices:
        notices.append(_unfinished(found.record))
    record = replace(
        found.record,
        players=_players(found.record, len(game.roles)),
        moves=[list(joint) for joint in moves],
        states=[list(each.state.facts) for each in seen],
        state_times=found.record.state_times[: len(seen)],
        thoughts=_thoughts_of(found.record.thoughts[: len(seen)], len(game.roles)),
        completed=last.terminal,
        goals=_of_all(found.record.goals, len(game.roles)) if last.terminal else [],
        errors=error_marks(found.record.errors, len(game.roles)),
    )
    if last.terminal and not record.goals:
        record.goals = counted_goals(last.goals)
    views, states = tuple(each.view for each in seen), tuple(each.state for each in seen)
    return Replay(record, game.look, views, states, "; ".join(filter(None, notices)))


def without_rules(found: FoundRecord) -> Replay:
    """Returns the match of a record whose rules are not known: its moves, and facts for its states."""
    record = found.record
    count = max(len(found.roles), len(record.players), max(map(len, record.moves), default=0))
    roles = found.roles if len(found.roles) == count else tuple(f"role {i + 1}" for i in range(count))
    shown = max(len(record.moves) + 1, len(record.states)) if record.states else len(record.moves) + 1
    facts = [tuple(state) for state in record.states] + [()] * (shown - len(record.states))
    known_goals = _of_all(record.goals, count)
    completed = record.completed and bool(known_goals)
    ends = [completed and i == shown - 1 for i in range(shown)]
    goals = tuple(known_goals) or (None,) * count
    states = tuple(
        MatchState(held, ((),) * count, end, goals if end else (None,) * count)
        for held, end in zip(facts, ends, strict=True)
    )
    record = replace(
        record,
        players=_players(record, count),
        moves=[[*joint, *["?"] * (count - len(joint))] for joint in record.moves],
        thoughts=_thoughts_of(record.thoughts, count),
        goals=known_goals,
        completed=completed,
        errors=error_marks(record.errors, count),
    )
    look = GameView(record.game or record.match_id, roles, (), {}, ((),) * count)
    missing = "the rules of this match are not known (--game names them): facts are shown"
    notice = "; ".join(filter(None, (found.notice, missing, "" if record.completed else _unfinished(record))))
    return Replay(record, look, tuple(map(_facts_view, states)), states, notice)


def _of_all(goals: Sequence[int], roles: int) -> list[int]:
    """Returns the goals of a record if there is one for each role: it may break off in the middle of them."""
    return list(goals) if len(goals) == roles else []


def recorded(moves: Sequence[Sequence[str]], roles: Sequence[str]) -> NextMoves:
    """Returns what names the moves of a record; capitals and blanks in them need not be as in the rules."""

    def ask(turn: int, state: MatchState) -> Joint | None:
        if turn >= len(moves):
            return None
        if len(moves[turn]) != len(roles):
            raise NoSuchMoveError(f"turn {turn + 1}: {len(moves[turn])} moves for {len(roles)} roles")
        if state.terminal:
            return tuple(moves[turn])
        return tuple(_legal(*seat, turn) for seat in zip(roles, moves[turn], state.legal, strict=True))

    return ask


def _legal(role: str, move: str, legal: Sequence[str], turn: int) -> str:
    """Returns a legal move in the spelling of the rules."""
    if move in legal:
        return move
    try:
        spelled = str(parse_term(str(move))).lower()
    except LudensError:
        spelled = ""
    found = next((text for text in legal if text.lower() == spelled), None)
    if found is None:
        raise NoSuchMoveError(f"turn {turn + 1}: {move} is no legal move of {role}")
    return found


def _thoughts_of(thoughts: Sequence[Sequence[dict[str, Any]]], roles: int) -> list[list[dict[str, Any]]]:
    """Returns the thoughts of roles that the game has."""
    return [[thought for thought in each if 0 <= thought["role"] < roles] for each in thoughts]


def _players(record: MatchRecord, count: int) -> list[str]:
    """Returns a name for each role, though the record may lack some."""
    return [name or "someone" for name in [*record.players, *[""] * count][:count]]


def _unfinished(record: MatchRecord) -> str:
    """Says why a match has no end."""
    turns = f"after {len(record.moves)} turns"
    if record.ending and record.ending != Ending.TERMINAL:
        return f"the match ended {turns}: {record.ending}"
    return f"the match was {'aborted' if record.aborted else 'not played to its end, or its record breaks off'} {turns}"


def _facts_view(state: MatchState) -> PositionView:
    return PositionView(
        boards=(),
        hands=(),
        counters=(),
        facts=state.facts,
        turn=(),
        legal=tuple(() for _ in state.legal),
        terminal=state.terminal,
        goals=state.goals if state.terminal else None,
    )
