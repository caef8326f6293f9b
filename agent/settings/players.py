"""Reads players as users write them: `uct`, `my_player.py:Cautious`, `http://host:port`."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, replace
from pathlib import Path

from ludens.agent.settings.addresses import Address
from ludens.agent.settings.errors import PlayerError
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.player_files import PlayerFile, names_file, with_full_path
from ludens.agent.settings.strategies import EXPLANATIONS
from ludens.agent.settings.weights import with_weights_found
from ludens.propnet.base.errors import LudensError

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
    """Returns the settings of a player that searches in this process.

    Raises `LudensError`, for players elsewhere `PlayerError`.
    """
    player = read_player(text)
    if not isinstance(player, LocalPlayer):
        raise PlayerError(f"{text}: only players of this program search here")
    if player.options.player:
        raise PlayerError(f"{text}: only strategies search")
    if player.options.level:
        raise PlayerError(f"{text}: level is for opponents of people; iterations=N is a search of any strength")
    return player.options


def _settings(text: str) -> dict[str, str]:
    pairs = [setting.partition("=") for setting in text.split(",") if setting]
    for name, equals, _ in pairs:
        if not equals:
            raise PlayerError(f"{name!r} is no setting: write name=value, as in uct:threads=2,exploration=0.5")
    return {name.strip(): value.strip() for name, _, value in pairs}
