"""Text of the page can be read in both themes: its contrast is 4.5 at least, as WCAG 2.2 asks for (1.4.3)."""

from __future__ import annotations

import re

import pytest

from ludens.agent.web.bundle import PAGE

PAPER = [("ground", ink) for ink in ("ink", "faint", "main", "error", "warning", "ground-ink")]
PANELS = [("panel", ink) for ink in ("ink", "faint", "main", "error", "warning")]
OTHERS = [("turn", "ink"), ("main", "on-main"), ("error", "panel"), ("warning", "panel"), ("badge", "badge-ink")]
BADGES = [("badge", "expected")]


def colours(theme: str) -> dict[str, str]:
    """The colours that the page and its boards name, in a theme."""
    text = "".join((PAGE / name).read_text(encoding="utf-8") for name in ("style.css", "board.css"))
    found: dict[str, str] = {}
    for name, value in re.findall(r"--([\w-]+): (light-dark\([^)]*\)|#\w+);", text):
        pair = re.findall(r"#\w+", value)
        found.setdefault(name, pair[-1 if theme == "dark" else 0])
    return found


def luminance(colour: str) -> float:
    """The relative luminance of `#rgb` or `#rrggbb`, from 0 to 1."""
    digits = colour.removeprefix("#")
    digits = "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_known_pairs() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#fff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("paper", "ink"), [*PAPER, *PANELS, *OTHERS, *BADGES])
def test_text_stands_out_from_what_is_behind_it(paper: str, ink: str, theme: str) -> None:
    named = colours(theme)
    assert contrast(named[paper], named[ink]) >= 4.5


def test_letters_on_pieces_stand_out_from_them() -> None:
    text = (PAGE / "board.css").read_text(encoding="utf-8")
    tones = re.findall(r"\.tone-(\w+) \{ --fill: (#\w+); --edge: #\w+; --on: (#\w+); \}", text)
    assert len(tones) == 9
    assert {name: contrast(fill, on) for name, fill, on in tones if contrast(fill, on) < 4.5} == {}
