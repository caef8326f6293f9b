"""Follows one match as a state machine, in step with the manager, and always holds an answer.

The history of joint moves is the only truth: managers tell each turn what has been played, and what they tell
counts even where it differs from what we answered. Only where the rules do not allow what is told of our own move, the
message may be wrong instead, and our answer have been played. Then both histories are kept, until a later message
fits one alone.
"""

from __future__ import annotations

from enum import Enum, auto

from ludens.agent.protocol.messages import NIL, Start
from ludens.agent.protocol.wire import GoTo, History, Joint, Position, SearchReport

_MOST_HISTORIES = 8


class Turn(Enum):
    """What a PLAY does to the history."""

    ADVANCED = auto()  # one more joint move
    SAME = auto()  # the position that we know of
    EARLY = auto()  # what counts once the roles are known
    OUT_OF_STEP = auto()  # no joint move of this game: we stay where we are


class Match:
    """A match from START to STOP, as seen from `start.role`."""

    def __init__(self, start: Start) -> None:
        """Starts at the first step, knowing only the START message."""
        self.start = start
        self.roles: tuple[str, ...] = ()  # empty until the engine has read the rules
        self._early: list[tuple[Joint, bool]] = []  # what was told before then, and if what came before was answered
        self.target = GoTo(())  # where the engine is to go: the histories that fitted the last step
        self.position: Position | None = None  # the last that the engine has told; perhaps of an earlier step
        self._legal: dict[int, tuple[str, ...]] = {}  # of the steps of the last round that the engine has told
        self.report: SearchReport | None = None
        self._told: Joint | None = None  # the last joint move, as it was told
        self._fits: tuple[int, ...] = (0,)  # which of these fit this step, as far as the engine has told
        self.reply: str | None = None  # what this step has been answered with
        self._answered = False  # whether it has been answered, if only with `nil`
        self.replaced_move: str | None = None  # our answer of the last step, if the manager played something else

    @property
    def step(self) -> int:
        """The number of joint moves so far."""
        return len(self.target.history)

    @property
    def under_way(self) -> bool:
        """Whether moves have been told."""
        return self.step > 0 or bool(self._early)

    @property
    def history(self) -> History:
        """The joint moves so far, as they fit best."""
        return self.target.histories[self._fits[0]]

    @property
    def doubted_move(self) -> str | None:
        """What was told last of our own move, if the history that fits best has our answer in its place."""
        return self._own(self._told) if self._told and self.history[-1] != self._told else None

    def learn_roles(self, roles: tuple[str, ...]) -> list[tuple[Turn, Joint]]:
        """Takes note of the roles; returns the moves that were told before, with what each has done to the history."""
        self.roles, last = roles, self._answered
        turns = []
        for moves, answered in self._early:
            self._answered = answered
            turns.append((self.play(moves), moves))
        self._answered = last
        return turns

    def play(self, moves: Joint | None) -> Turn:
        """Adds the joint move of a PLAY or a STOP to the history, if it is a new one."""
        if moves is None or self._sent_again(moves):
            return Turn.SAME
        if not self.roles:
            self._early.append((moves, self._answered))
            self._answered = False
            return Turn.EARLY
        if len(moves) != len(self.roles):
            return Turn.OUT_OF_STEP
        self._told = moves
        self.replaced_move = self.reply if self._own(moves) not in (None, self.reply) else None
        self.target = self._after(moves)
        self._fits = tuple(range(len(self.target.histories)))
        self.reply = None
        self._answered = False
        return Turn.ADVANCED

    def update(self, news: Position | SearchReport) -> bool:
        """Keeps what the engine says, and returns whether it is about the current step."""
        if news.step != self.step:
            return False
        if isinstance(news, Position):
            self.position = news
            round_ago = news.step - len(self.roles)
            self._legal = {step: legal for step, legal in self._legal.items() if step > round_ago}
            self._legal[news.step] = news.legal
            self._fits = news.fits
        else:
            self.report = news
        return True

    @property
    def current_position(self) -> Position | None:
        """The position of the current step, if the engine has told it."""
        return self.position if self.position and self.position.step == self.step else None

    @property
    def current_report(self) -> SearchReport | None:
        """The last report about the current step, if there is one; it counts only if its move may be made."""
        report = self.report
        return report if report and report.step == self.step and self._may_be_legal(report.move) else None

    @property
    def is_final(self) -> bool:
        """Whether waiting longer cannot change the answer."""
        position, report = self.current_position, self.current_report
        return position is not None and (_is_over(position) or (report is not None and report.final))

    def answer(self) -> str:
        """Returns the best answer to this step so far."""
        position, report = self.current_position, self.current_report
        if position is None:
            return self._guess()
        if _is_over(position):
            return NIL
        return report.move if report else position.legal[0]

    def commit_answer(self) -> str:
        """Returns the answer to this step: the one given before, or the best so far.

        It is fixed then, but for `nil` because no legal move is known yet.
        """
        self._answered = True
        if self.reply is not None:
            return self.reply
        answer = self.answer()
        if answer != NIL or self.current_position is not None:
            self.reply = answer
        return answer

    def _after(self, moves: Joint) -> GoTo:
        """Returns the histories after one more joint move: as it is told, and with our own move as we answered it."""
        ways = [(moves, 0)]
        if self.replaced_move is not None:
            place = self.roles.index(self.start.role)
            ways.append(((*moves[:place], self.replaced_move, *moves[place + 1 :]), 1))
        after = [
            ((*self.target.histories[i], joint), self.target.changed[i] + changed)
            for i in self._fits
            for joint, changed in ways
        ]
        histories, changes = zip(*after[:_MOST_HISTORIES], strict=True)
        return GoTo(histories[0], histories[1:], changes)

    def _own(self, moves: Joint) -> str | None:
        """Returns our part of a joint move; None if the roles are not known or do not fit."""
        known = self.start.role in self.roles and len(moves) == len(self.roles)
        return moves[self.roles.index(self.start.role)] if known else None

    def _sent_again(self, moves: Joint) -> bool:
        """Says whether a PLAY repeats the last one: it is unanswered yet, or the move cannot be made twice."""
        if self._told != moves:
            return False
        return not self._answered or not self._may_be_legal(self._own(moves))

    def _may_be_legal(self, move: str | None) -> bool:
        """Says whether a move of ours may be made at the current step, as far as its legal moves are known."""
        position = self.current_position
        return position is None or not position.complete or move in position.legal

    def _guess(self) -> str:
        """Returns a move that was legal before and has not been played since, for a step without a known legal move.

        Roles mostly take turns, so what was legal a round ago says more than what was legal at the last step.
        """
        a_round_ago = self._legal.get(self.step - len(self.roles), ())
        known = a_round_ago or (self.position.legal if self.position else ())
        played = {move for joint in self.history for move in joint}
        return next((move for move in known if move not in played), known[0] if known else NIL)


def _is_over(position: Position) -> bool:
    return position.terminal or not position.legal
