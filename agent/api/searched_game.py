"""The game that a search sees: that of the states themselves, or the core of the game as which it is recognised.

A core knows its states by the moves that lead to them, so that only those can be searched on it that were reached by
`State.play` from the first state of the game.
"""

from __future__ import annotations

import threading
from weakref import WeakKeyDictionary

from ludens.agent.api.errors import StateError
from ludens.agent.api.game import Game, State
from ludens.agent.playable.text_game import RecognisedTextGame, TextGame
from ludens.agent.preparation.recognition import recognised_game
from ludens.agent.search.config import SearchConfig
from ludens.agent.settings.options import PlayerOptions
from ludens.games.recognised_game import RecognisedGame
from ludens.native.core import States

_known: WeakKeyDictionary[Game, dict[tuple[str, str], RecognisedGame | None]] = WeakKeyDictionary()
_knowing = threading.Lock()


def core_of(game: Game, options: PlayerOptions) -> RecognisedGame | None:
    """Returns the game as which a game is recognised, for a player's strategy; None where it has no such core.

    The first time takes seconds, in which both are compared; later ones do not.
    """
    if not game.has_network:
        return None
    with _knowing:
        known = _known.setdefault(game, {})
        wanted = options.strategy, options.recognise
        if wanted not in known:
            known[wanted] = recognised_game(game.net, options, lambda _line: None)
        return known[wanted]


class SearchedGame:
    """Native states and moves of the game that is searched, in the words of the sheet."""

    def __init__(self, game: Game, config: SearchConfig, recognised: RecognisedGame | None) -> None:
        """Takes how the game is searched, and as what it was recognised if that is on its core."""
        self._game, self._recognised = game, recognised
        self._core = config.variant.full_game
        self._own = threading.local()  # simulators are for one thread each

    def words(self, state: State) -> States:
        """Returns the native state; raises `StateError` for one that a core cannot know."""
        if self._recognised is None:
            return state.words
        history = state.history
        if history is None:
            raise StateError(
                f"{self._game.name} is searched on a game core, which only knows states that `play` leads to from the "
                "first state of the game"
            )
        words = self._core.initial
        for joint in history:
            words = self.play.after(words, joint)
        return words

    @property
    def play(self) -> TextGame:
        """This thread's means to name the moves of native states."""
        if self._recognised is None:
            return self._game._play
        play: RecognisedTextGame | None = getattr(self._own, "play", None)
        if play is None:
            play = self._own.play = RecognisedTextGame(self._recognised, self._game.roles, self._core)
        return play
