"""Reads what is whole of JSON that ends in the middle, as does a file whose writer was killed or whose copy was cut.

The text is cut after its last whole value, and what is open there is closed. A number at the cut may have had more
digits, and is left out.
"""

from __future__ import annotations

import json
import re
from typing import Any

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([\[\]{}:,])|([^\s"\[\]{}:,]+))', re.DOTALL)
_CLOSING = {"[": "]", "{": "}"}


def salvage(text: str) -> Any:
    """Returns what is whole of the JSON at the beginning of a text; raises ValueError if that is nothing."""
    return json.loads("".join(_whole_part(text)))


def _whole_part(text: str) -> tuple[str, str]:
    """Returns the text up to its last whole value, and what closes the lists and objects that are open there."""
    closers: list[str] = []  # of what is open, the innermost last
    is_key = False  # the string that comes next is a key, which alone is no value
    end = at = 0
    while found := _TOKEN.match(text, at):
        string, mark, word = found.groups()
        at = found.end()
        if mark in _CLOSING:
            closers.append(_CLOSING[mark])
            is_key = mark == "{"
        elif mark in ("]", "}"):
            if closers[-1:] != [mark]:
                break
            closers.pop()
            is_key = False
        elif mark:
            is_key = mark == "," and closers[-1:] == ["}"]
            continue
        elif (word and at == len(text)) or (string and is_key):
            continue
        end = at
        if not closers:
            break
    return text[:end], "".join(reversed(closers))
