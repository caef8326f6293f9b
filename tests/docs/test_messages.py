"""Messages that the documents explain are messages of the program."""

from __future__ import annotations

import re

import pytest

from scripts.docs.pages import DOCS
from tests.support.paths import ROOT

PAGE = DOCS / "howto" / "when-something-goes-wrong.md"
MESSAGES = [
    " ".join(message.split())
    for start in re.findall(r"^(\*\*`.*?\*\*.*?`?)$", PAGE.read_text("utf-8"), re.MULTILINE)
    for message in re.findall(r"`([^`]*)`\*\*", start)
]
OF_OTHERS = {"command not found", "Address already in use"}  # of the shell, of the system


@pytest.fixture(scope="module")
def sources() -> str:
    """The program's text, in which literals that are joined are one."""
    files = [path for name in ("agent", "propnet", "native", "scripts") for path in (ROOT / name).rglob("*.py")]
    return re.sub(r'"\s+f?"', "", "\n".join(path.read_text("utf-8") for path in files))


def test_there_are_messages_to_look_for() -> None:
    assert len(MESSAGES) >= 8


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_that_is_explained_is_one_of_the_program(message: str, sources: str) -> None:
    for part in map(str.strip, re.split(r"…|[:;]|\d+", message)):
        if " " in part and part not in OF_OTHERS:
            assert part in sources, f"{PAGE.name} explains a message that the program does not print: {part}"
