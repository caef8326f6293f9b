"""Reads who plays from the command line: `uct`, `flat:threads=2`, `http://host:port`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.client import Address
from agent.options import PlayerOptions
from propnet.errors import LudensError


@dataclass(frozen=True, slots=True)
class RemotePlayer:
    """A player that runs already, anywhere."""

    name: str
    address: Address


@dataclass(frozen=True, slots=True)
class LocalPlayer:
    """A Ludens player to be started for the match."""

    name: str
    options: PlayerOptions


Player = RemotePlayer | LocalPlayer


def read_player(text: str) -> Player:
    """The player that `text` describes; raises `LudensError`."""
    if "://" in text:
        return RemotePlayer(text.partition("://")[2].rstrip("/"), Address.from_url(text))
    strategy, _, settings = text.partition(":")
    options = PlayerOptions.from_texts({"strategy": strategy, **_settings(settings)})
    return LocalPlayer(text, replace(options, interface="127.0.0.1", port=0))


def fill_seats(players: Sequence[Player], roles: Sequence[str]) -> list[Player]:
    """One player a role, in order; roles without a player get `random`. Raises `LudensError` for too many."""
    if len(players) > len(roles):
        raise LudensError(f"{len(players)} players are too many: the game has {len(roles)} ({', '.join(roles)})")
    return [*players, *(read_player("random") for _ in roles[len(players) :])]


def _settings(text: str) -> dict[str, str]:
    pairs = [setting.partition("=") for setting in text.split(",") if setting]
    for name, equals, _ in pairs:
        if not equals:
            raise LudensError(f"{name!r} is no setting: write name=value, as in uct:threads=2,exploration=0.5")
    return {name.strip(): value.strip() for name, _, value in pairs}
