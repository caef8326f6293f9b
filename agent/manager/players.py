"""Reads the players of a match as users write them: `uct`, `my_player.py:Cautious`, `http://host:port`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from ludens.agent.manager.client import Address
from ludens.agent.settings.options import PlayerError, PlayerOptions
from ludens.agent.settings.processors import processors
from ludens.agent.settings.player_files import PlayerFile, names_file, with_full_path
from ludens.agent.settings.strategies import EXPLANATIONS, INSTANT
from ludens.agent.settings.weights import with_weights_found
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError
from ludens.propnet.base.words import counted

_HOST_AND_PORT = r"([\w.-]+|\[[\da-fA-F:]+\]):\d+/?"

_FILES = {
    knob.name: knob.metadata.get("shipped")
    for knob in dataclasses.fields(PlayerOptions)
    if knob.metadata.get("form") in ("FILE", "DIR")
}
"""The settings that are paths, and which of their values is none."""

_FILE_SETTING = re.compile(rf"(?<=[:,])(?P<name>\s*(?:{'|'.join(_FILES)})\s*)=(?P<path>[^,]+)")


@dataclass(frozen=True, slots=True)
class RemotePlayer:
    """A player that is running already, on any machine."""

    name: str
    address: Address


@dataclass(frozen=True, slots=True)
class LocalPlayer:
    """A Ludens player to be started for the match."""

    name: str
    options: PlayerOptions


PlayerSpec = RemotePlayer | LocalPlayer


def read_player(text: str, folder: Path | None = None) -> PlayerSpec:
    """Returns the player that `text` describes; raises `LudensError`, such as `OptionError`.

    `host:port` is taken for `http://host:port`. Files of players may lie in `folder`.
    """
    if (own := _own_player(text, folder)) is not None:
        return own
    player = _described(text)
    return replace(player, options=with_weights_found(player.options)) if isinstance(player, LocalPlayer) else player


def with_full_paths(text: str) -> str:
    """Returns the text of a player with the full paths of its files, so that it means the same in any folder.

    Looks for no file.
    """

    def full(setting: re.Match[str]) -> str:
        name, path = setting["name"].strip(), setting["path"].strip()
        return f"{name}={path if path in ('', _FILES[name]) else Path(path).absolute()}"

    return _FILE_SETTING.sub(full, with_full_path(text))


def personal_settings(text: str) -> list[str]:
    """Returns the settings by which the player that `text` describes acts in its user's name; looks for no file.

    Raises `LudensError`, as `read_player`.
    """
    if names_file(text):
        return ["player"]
    player = _described(text)
    return player.options.personal if isinstance(player, LocalPlayer) else []


def says(text: str, name: str) -> bool:
    """Says whether the text of a player gives a setting a value."""
    return re.search(rf"[:,]\s*{name}\s*=", text) is not None


def _described(text: str) -> PlayerSpec:
    """Returns a player that is none of the user's own, with the names of its files as they stand."""
    if re.fullmatch(_HOST_AND_PORT, text) and text.partition(":")[0] not in EXPLANATIONS:
        return _described(f"http://{text}")
    if "://" in text:
        try:
            return RemotePlayer(text.partition("://")[2].rstrip("/"), Address.from_url(text))
        except LudensError as error:
            raise PlayerError(str(error)) from error
    strategy, _, settings = text.partition(":")
    if not strategy or strategy == "localhost" or re.search(r"[./\[]", strategy):
        raise PlayerError(f"{text!r} is no player: the address of one is host:port, such as 127.0.0.1:9147")
    options = PlayerOptions.from_texts({"strategy": strategy, **_settings(settings)})
    if options.player:
        raise PlayerError(f"{text!r} is no player: write just {options.player}, perhaps with settings after a colon")
    return LocalPlayer(text, replace(options, interface="127.0.0.1", port=0))


def _own_player(text: str, folder: Path | None) -> LocalPlayer | None:
    """Returns the player of the user's own that `text` names, as `my_player.py:Cautious`; None if it names none."""
    try:
        found = PlayerFile.of_text(text, folder)
    except LudensError as error:
        raise PlayerError(str(error)) from error
    if found is None:
        return None
    file, settings = found
    options = PlayerOptions.from_texts({"player": str(file), **_settings(settings)})
    return LocalPlayer(f"{file.path.name}:{file.name}", replace(options, interface="127.0.0.1", port=0))


def read_search(text: str) -> PlayerOptions:
    """Returns the settings of a player that searches in this process, by default on one thread.

    Raises `LudensError`, for players elsewhere `PlayerError`.
    """
    player = read_player(text)
    if not isinstance(player, LocalPlayer):
        raise PlayerError(f"{text}: only players of this program search here")
    if player.options.player:
        raise PlayerError(f"{text}: only strategies search")
    if player.options.level:
        raise PlayerError(f"{text}: level is for opponents of people; iterations=N is a search of any strength")
    return replace(player.options, threads=player.options.threads or 1)


def assign_roles(players: Sequence[PlayerSpec], roles: Sequence[str]) -> list[PlayerSpec]:
    """Returns one player for each role, `random` for roles without one. Raises `PlayerError` for too many players."""
    if len(players) > len(roles):
        has = f"{counted(len(roles), 'role')} ({', '.join(roles)})"
        raise PlayerError(f"{len(players)} players are too many: the game has {has}")
    return [*players, *(read_player("random") for _ in roles[len(players) :])]


def check_addresses(players: Sequence[PlayerSpec], roles: Sequence[str]) -> None:
    """Raises `PlayerError` if one address is to play two roles: players know a match by its name alone."""
    seats: dict[Address, str] = {}
    for role, player in zip(roles, players, strict=True):
        if isinstance(player, RemotePlayer) and role != (first := seats.setdefault(player.address, role)):
            advice = "start a second player on another port"
            raise PlayerError(f"{player.name} cannot play both {first} and {role}: {advice}")


def doubt_patience(players: Mapping[str, PlayerSpec]) -> str:
    """Returns that players elsewhere may give up a match while one of ours takes the time that it needs.

    Empty where that cannot be. Players are told by their names here.
    """
    unhurried = [name for name, p in players.items() if isinstance(p, LocalPlayer) and p.options.move_iterations]
    others = [name for name, player in players.items() if isinstance(player, RemotePlayer)]
    if not unhurried or not others:
        return ""
    doubt = "may give up the match meanwhile (`ludens serve` waits longer with --patience)"
    return f"{', '.join(sorted(unhurried))} takes the time that it needs: {', '.join(others)} {doubt}"


def with_seeds(players: Sequence[PlayerSpec], seed: int) -> list[PlayerSpec]:
    """Returns the players, each of ours without a seed with one of its own, which follows from `seed` and its seat."""
    return [
        replace(player, options=replace(player.options, seed=Random(f"{seed} {seat}").getrandbits(62) + 1))
        if isinstance(player, LocalPlayer) and not player.options.seed
        else player
        for seat, player in enumerate(players)
    ]


def with_limits(players: Sequence[PlayerSpec], limits: Limits) -> list[PlayerSpec]:
    """Returns the players, each of ours with `limits` at least of making a network of the rules."""
    return [
        replace(player, options=_with_limits(player.options, limits)) if isinstance(player, LocalPlayer) else player
        for player in players
    ]


def share_processors(players: Sequence[PlayerSpec]) -> list[PlayerSpec]:
    """Returns the players, with the threads of this machine divided among those that search on it."""
    local = sum(isinstance(player, LocalPlayer) and player.options.strategy not in INSTANT for player in players)
    share = max(1, processors() // max(1, local))
    return [
        LocalPlayer(player.name, with_share(player.options, share)) if isinstance(player, LocalPlayer) else player
        for player in players
    ]


def with_share(options: PlayerOptions, share: int) -> PlayerOptions:
    """Returns options with `share` threads where they leave that open; a search that can be repeated has one."""
    return options if options.threads or options.move_iterations else replace(options, threads=share)


def _with_limits(options: PlayerOptions, limits: Limits) -> PlayerOptions:
    return replace(
        options,
        grounding_seconds=max(options.grounding_seconds, limits.seconds),
        grounding_mb=max(options.grounding_mb, limits.memory_mb),
    )


def _settings(text: str) -> dict[str, str]:
    pairs = [setting.partition("=") for setting in text.split(",") if setting]
    for name, equals, _ in pairs:
        if not equals:
            raise PlayerError(f"{name!r} is no setting: write name=value, as in uct:threads=2,exploration=0.5")
    return {name.strip(): value.strip() for name, _, value in pairs}
