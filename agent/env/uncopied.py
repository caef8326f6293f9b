"""What is neither copied nor pickled, and says so: the copy would use games that its original frees."""

from __future__ import annotations

from typing import NoReturn, SupportsIndex

from ludens.propnet.base.errors import LudensError


class Uncopied:
    """A base class of what holds games."""

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Tells `copy` and `pickle`; raises `LudensError`."""
        raise LudensError(f"{type(self).__name__} holds games, which are neither copied nor pickled: make another one")
