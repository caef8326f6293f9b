"""The games that have a game core of their own: each is a folder of `games` and one line in this table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from ludens.games.checkers.game import CheckersRecogniser
from ludens.games.gomoku.game import GomokuRecogniser
from ludens.games.recognised_game import Notation, RecognisedGame, Recogniser
from ludens.games.tak.game import TakRecogniser
from ludens.propnet.base.errors import LudensError
from ludens.propnet.network.propnet import Propnet

RECOGNISERS: tuple[Recogniser, ...] = (CheckersRecogniser(), GomokuRecogniser(), TakRecogniser())

PROOF_GAMES = 10_000  # random games that are to agree, where there is time


@dataclass(frozen=True, slots=True)
class Recognition:
    """The game as which a network was recognised, and why it is not one of the other games."""

    game: RecognisedGame | None
    recogniser: Recogniser | None  # that recognised it
    refusals: dict[str, str]  # from the names of other recognisers to the reason of each


def candidates(net: Propnet) -> Iterator[Recogniser]:
    """Yields the recognisers for which the network looks like their game."""
    return (recogniser for recogniser in RECOGNISERS if recogniser.looks_alike(net))


def recognise(
    net: Propnet, seconds: float, *, games: int = PROOF_GAMES, among: Iterable[Recogniser] | None = None
) -> Recognition:
    """Asks one recogniser after the other, until one recognises the network; all of the table if `among` is None.

    Each of them compares `games` random games, or as many as fit into `seconds`; to find out what facts and moves mean
    takes time besides. A fault of a recogniser is a refusal too, so that it costs no more than the recognition.
    """
    refusals: dict[str, str] = {}
    for recogniser in RECOGNISERS if among is None else among:
        try:
            return Recognition(recogniser.recognise(net, seconds, games), recogniser, refusals)
        except LudensError as reason:
            refusals[recogniser.name] = str(reason)
        except Exception as fault:  # noqa: BLE001 - whatever it is, the game can be played on its network
            refusals[recogniser.name] = f"its recogniser failed: {fault!r}"
    return Recognition(None, None, refusals)


def notations() -> tuple[Notation, ...]:
    """Returns the notations of all games that can be recognised."""
    return tuple(recogniser.notation for recogniser in RECOGNISERS if recogniser.notation)


def notation_of_file(name: str) -> Notation | None:
    """Returns the notation that matches are written in by the name of their file; None if it is none of these."""
    suffix = PurePath(name).suffix.lower()
    return next((notation for notation in notations() if notation.suffix == suffix), None)
