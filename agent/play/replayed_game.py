"""A game in which a recorded match is followed: its positions one after the other, and what they look like."""

from __future__ import annotations

from dataclasses import dataclass

from ludens.agent.manager.referee import MatchState, Referee
from ludens.agent.playable.game_view import game_view
from ludens.agent.playable.playable_game import playable_game
from ludens.agent.playable.text_game import SheetGame
from ludens.agent.protocol.wire import Joint
from ludens.games.rules import NamedRules
from ludens.games.view.hints import read_hints
from ludens.games.view.vocabulary import GameView, PositionView
from ludens.propnet.base.child import Limits
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_SAMPLE_SECONDS = 2.0  # of random games, from which boards are found: enough for all of them in most games


@dataclass(frozen=True, slots=True)
class Seen:
    """A position, and what it looks like."""

    state: MatchState
    view: PositionView


class ReplayedGame:
    """The rules of a game, standing at one of its positions; blocks, and serves one thread."""

    def __init__(self, name: str, text: str, sheet: RuleSheet, game: SheetGame, net: Propnet | None) -> None:
        """Finds the boards of a game by random play, with the hints in its text. Raises `LudensError`."""
        self.roles = sheet.roles
        self.net = net
        self._referee = Referee(game)
        self._reader = game_view(name, sheet, net, _SAMPLE_SECONDS, read_hints(text, sheet.roles))

    @property
    def look(self) -> GameView:
        """What the game looks like."""
        return self._reader.view

    def first(self) -> Seen:
        """Goes to the first position and returns it."""
        return self._seen(self._referee.first())

    def after(self, joint: Joint) -> Seen:
        """Goes on by a joint move of legal moves and returns the position. Raises `NativeError`."""
        return self._seen(self._referee.after(joint))

    def _seen(self, state: MatchState) -> Seen:
        goals = state.goals if state.terminal else None
        return Seen(state, self._reader.read(state.facts, state.legal, state.terminal, goals))


def replayed_game(rules: NamedRules, limits: Limits) -> ReplayedGame:
    """Makes a game of rules within limits; raises `LudensError`."""
    sheet = rules.sheet()
    playable = playable_game(sheet, limits, lambda _line: None)
    return ReplayedGame(rules.name, rules.text, sheet, playable.game, playable.net)
