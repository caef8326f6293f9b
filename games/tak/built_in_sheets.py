"""Games of Tak in the words of the built-in rule sheets: PTN is read so without a proof of what a sheet plays.

`scripts.verify.tak_sheets` and the tests compare these words with the sheets.
"""

from __future__ import annotations

from ludens.games.recognised_game import MatchInWords
from ludens.games.tak.notation.ptn_game import TakGame, read_game
from ludens.games.tak.rules.parameters import Move, Placement, TakError, TakRules
from ludens.games.tak.rules.reference import first_position, outcome

SIZES = (3, 4, 5)
"""Those of the sheets."""

_WAYS = ("up", "down", "left", "right")  # in the order of DIRECTIONS
_WAITING = "noop"


def move_text(rules: TakRules, move: Move) -> str:
    """Returns what the sheets call a move."""
    at = " ".join(rules.name(move.square))
    if isinstance(move, Placement):
        return f"(place {at} {move.kind.name.lower()})"
    return f"(spread {at} {_WAYS[move.direction]} {''.join(map(str, move.drops))})"


def usual_game(text: str) -> str:
    """Returns the name of the sheet on whose board a game in PTN is played; raises `TakError`."""
    return _sheet_of(read_game(text))


def usual_match(text: str) -> MatchInWords:
    """Returns a game in PTN as a match of that sheet; raises `TakError`."""
    game = read_game(text)
    name = _sheet_of(game)
    rules = game.positions[0].rules
    if game.positions[0] != first_position(rules):
        raise TakError("the game begins in a position in TPS, and a match in the first position")
    texts = [move_text(rules, move) for move in game.moves]
    moves = [(_WAITING, each) if ply % 2 else (each, _WAITING) for ply, each in enumerate(texts)]
    players = game.tags.get("Player1", ""), game.tags.get("Player2", "")
    return MatchInWords(name, players, tuple(moves), _notice(game, name))


def _sheet_of(game: TakGame) -> str:
    size = game.positions[0].rules.size
    if size not in SIZES:
        known = ", ".join(map(str, SIZES))
        raise TakError(f"no rule sheet for Tak on {size} x {size} squares comes with Ludens, only for size {known}")
    return f"tak_{size}"


def _notice(game: TakGame, name: str) -> str:
    """Says what the match lacks of the game."""
    rules, notices = game.positions[0].rules, []
    if rules.half_komi:
        notices.append(f"a komi of {rules.half_komi / 2:g} is left out, since {name} has none")
    if outcome(game.positions[-1]) is None:
        end = f"the players ended the game: {game.result}" if game.result else "the text ends without a result"
        notices.append(f"{end}: what there is is shown")
    return "; ".join(notices)
