"""Shows a random game that ended in a certain way, step by step, so that its designer sees what went wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ludens.agent.analysis.analysis import random_rounds
from ludens.agent.learning.random_games import Ending
from ludens.agent.playable.playable_game import PlayableGame
from ludens.games.view.reader import PositionReader
from ludens.games.view.text import TextBoard
from ludens.native.core import JointMoves, States
from ludens.propnet.base.errors import LudensError

_SHOWN_STEPS = 20  # the last ones of a long game


def show_game(
    playable: PlayableGame, reader: PositionReader, ending: Ending, seconds: float, say: Callable[[str], None] = print
) -> None:
    """Shows the shortest of the first random games that ended so; `reader` reads its positions.

    Raises `LudensError` if there is none in `seconds` or as many games as an analysis plays.
    """
    moves = _find(playable, ending, seconds)
    game, state = playable.game, playable.game.game.initial
    picture = TextBoard(reader.view)

    def drawn(state: States) -> str:
        legal = [game.texts(role, moves, state) for role, moves in enumerate(game.legal(state))]
        return picture.draw(reader.read(game.facts(state), legal, game.terminal(state)))

    skipped = max(0, len(moves) - _SHOWN_STEPS)
    say(f"Start\n{drawn(state)}")
    if skipped:
        say(f"\n… {skipped:,} steps …")
    line = game.line(state, moves)
    for step, texts in enumerate(line, start=1):
        state = game.after(state, texts)
        if step > skipped:
            told = ", ".join(f"{role} {move}" for role, move in zip(game.roles, texts, strict=True))
            say(f"\nStep {step}: {told}\n{drawn(state)}")
    say(f"\n{_last_words(playable, state)}")


def _find(playable: PlayableGame, ending: Ending, seconds: float) -> list[JointMoves]:
    games = 0
    for played in random_rounds(playable, seconds):
        ended = np.flatnonzero(played.ended).tolist()
        games += len(ended)
        found = [number for number in ended if played.ending(number) is ending]
        if found:
            return played.moves(min(found, key=lambda number: int(played.lengths[number])))
    raise LudensError(f"none of {games:,} random games ended so ({ending.value}); --seconds looks at more")


def _last_words(playable: PlayableGame, state: States) -> str:
    game = playable.game
    if game.terminal(state):
        goals = zip(game.roles, game.goals(state), strict=True)
        told = ", ".join(f"{role} {'none, or several' if goal is None else goal}" for role, goal in goals)
        return f"The game is over. Goals: {told}"
    told = "; ".join(
        f"{role} has {len(moves) or 'no'} legal move{'' if len(moves) < 2 else 's'}"
        for role, moves in zip(game.roles, game.legal(state), strict=True)
    )
    return f"The game is not over: {told}."
