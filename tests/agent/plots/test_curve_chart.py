"""Curves are drawn where their values are."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ludens.agent.plots.charts import CurvePoint, curve_chart

SVG = "{http://www.w3.org/2000/svg}"


def test_points_and_intervals_stand_at_their_values() -> None:
    rising = [CurvePoint(0, 0, 0, 10), CurvePoint(5, 50, 40, 60), CurvePoint(10, 100, 90, 100)]
    flat = [CurvePoint(0, 20, 10, 30), CurvePoint(10, 20, 10, 30)]
    root = ElementTree.fromstring(curve_chart("Score", "minutes", "%", {"rising": rising, "flat < <": flat}))
    drawn = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in root.iter(f"{SVG}circle")]
    (first, middle, last, *even), names = drawn[:5], drawn[5:]
    assert middle == ((first[0] + last[0]) / 2, (first[1] + last[1]) / 2)
    assert first[1] > last[1]  # up is a smaller y
    assert [dot[1] for dot in even] == [first[1] + 0.2 * (last[1] - first[1])] * 2
    assert len(names) == 2  # the key
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"rising", "flat < <", "minutes", "Score (%)"} <= set(words)
    whiskers = {(line.attrib["x1"], line.attrib["y1"], line.attrib["y2"]) for line in root.iter(f"{SVG}line")}
    tenth = (first[1] - last[1]) / 10
    assert (f"{middle[0]:g}", f"{first[1] - 4 * tenth:g}", f"{first[1] - 6 * tenth:g}") in whiskers


def test_one_point_is_drawn_too() -> None:
    assert re.search("<circle", curve_chart("Score", "minutes", "%", {"a": [CurvePoint(0, 50, 50, 50)]}))
