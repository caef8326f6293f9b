"""The errors of settings, and of texts that describe players."""

from __future__ import annotations

from collections.abc import Callable
from string import Formatter

from ludens.propnet.base.errors import LudensError


class OptionError(LudensError):
    """A setting that does not exist, or a value that it does not take."""

    def __init__(self, text: str, see: str = "`ludens serve --help` lists the settings", **values: object) -> None:
        """Takes a text with settings in braces, as `{port}`, and other words in braces that `values` says.

        `see` says which command tells more.
        """
        self._text, self._values = text, values
        self.see = see
        super().__init__(self.spelled(str))

    def spelled(self, spell: Callable[[str], str]) -> str:
        """Returns the text with the settings as `spell` writes them, such as options of the command line."""
        names = {name for _, name, _, _ in Formatter().parse(self._text) if name}
        return self._text.format_map({name: spell(name) for name in names} | self._values)


class PlayerError(LudensError):
    """A text that describes no player, or players who cannot play together."""
