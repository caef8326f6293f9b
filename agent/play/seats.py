"""Who plays a role: a person at the page, an engine of ours, or a player elsewhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ludens.agent.manager.seating import check_addresses
from ludens.agent.settings.errors import PlayerError
from ludens.agent.settings.players import PlayerSpec, personal_settings, read_player, with_full_paths

PERSON = "person"
"""How a person is written among players."""

_LONGEST = 500  # characters of a player that the user has not named


@dataclass(frozen=True, slots=True)
class Seat:
    """A role's player as users write it, but for full paths of files; None for a person."""

    text: str
    player: PlayerSpec | None

    @property
    def is_person(self) -> bool:
        """Whether a person plays."""
        return self.player is None


def read_seat(text: str, named: Collection[str] | None = None) -> Seat:
    """Returns who plays; raises `PlayerError` or `OptionError`.

    Where a page asks, the user has `named` those that may act in the user's name, by the texts of their seats. Every
    program of this machine, whoever started it, can ask a page what its buttons ask: it must not have code run, files
    written or a cluster joined by that, nor learn which files there are, so that these players are refused before a
    file is looked for.
    """
    text = text.strip()
    if text == PERSON:
        return Seat(text, None)
    full = with_full_paths(text)
    if named is not None and full not in named:
        _check_impersonal(text)
    return Seat(full, read_player(full))


def read_seats(texts: Sequence[str], roles: Sequence[str], named: Collection[str] | None = None) -> list[Seat]:
    """Returns who plays each role, as `read_seat` does; raises `PlayerError` or `OptionError`."""
    if len(texts) != len(roles):
        raise PlayerError(f"{len(roles)} players are needed, for {', '.join(roles)}; {len(texts)} are there")
    seats = [read_seat(text, named) for text in texts]
    others = [(seat.player, role) for seat, role in zip(seats, roles, strict=True) if seat.player is not None]
    check_addresses([player for player, _ in others], [role for _, role in others])
    return seats


def _check_impersonal(text: str) -> None:
    """Raises `PlayerError` for a player that acts in the user's name, and for a text that is hardly a player at all."""
    if len(text) > _LONGEST or not re.fullmatch(r"[\x21-\x7e]+", text):
        raise PlayerError(f"{text[:40]!r} is no player")
    for setting in personal_settings(text):
        named_how = f"start a page with `ludens play --player {text}`, then it can be chosen"
        raise PlayerError(f"a page alone cannot choose a player with {setting}: {named_how}")
