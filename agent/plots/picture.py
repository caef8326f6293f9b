"""Draws pictures as SVG text: boxes, lines and words placed by hand, for pages, documents and theses."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

INK, FAINT, GRID, PAPER = "#1f2933", "#7b8794", "#e4e7eb", "#ffffff"
BLUE, ORANGE, PALE = "#2b6cb0", "#c05621", "#e8f0fa"


class Picture:
    """A drawing of fixed size on a white ground, so that it reads in light and dark pages alike."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self._size, self._title = (width, height), title
        self._parts: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str = INK, width: float = 1.5) -> None:
        """A straight line."""
        self._parts.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" stroke-width="{width:g}"/>'
        )

    def arrow(self, *points: tuple[float, float]) -> None:
        """A line through `points` with a head at its end."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self._parts.append(
            f'<polyline points="{path}" fill="none" stroke="{INK}" stroke-width="1.5" marker-end="url(#head)"/>'
        )

    def curve(self, points: Sequence[tuple[float, float]], colour: str) -> None:
        """A line through `points`; a dot where there is only one."""
        if len(points) == 1:
            self.dot(*points[0], colour)
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, round_by: float = 0, edge: str = ""
    ) -> None:
        """A filled rectangle, with an edge in a colour or without."""
        stroke = f' stroke="{edge}" stroke-width="1.5"' if edge else ""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_by:g}" fill="{fill}"{stroke}/>'
        )

    def dot(self, x: float, y: float, colour: str) -> None:
        """A filled circle."""
        self._parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="4.5" fill="{colour}"/>')

    def text(
        self,
        x: float,
        y: float,
        words: str,
        anchor: str = "start",
        colour: str = INK,
        size: float = 13,
        bold: bool = False,
    ) -> None:
        """One line of words; `anchor` is start, middle or end."""
        weight = ' font-weight="bold"' if bold else ""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size:g}" fill="{colour}"{weight}>'
            f"{escape(words)}</text>"
        )

    def slanted(self, x: float, y: float, words: str, size: float = 12) -> None:
        """One line of words that rises to the right from its beginning."""
        turned = f'transform="translate({x:g} {y:g}) rotate(-35)"'
        self._parts.append(f'<text {turned} font-size="{size:g}" fill="{INK}">{escape(words)}</text>')

    def svg(self) -> str:
        """The whole file."""
        width, height = self._size
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="Helvetica, Arial, sans-serif" role="img">'
        )
        marker = (
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{INK}"/></marker></defs>'
        )
        ground = f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{PAPER}"/>'
        title = f"<title>{escape(self._title)}</title>"
        return "\n".join([head, title, marker, ground, *self._parts, "</svg>"]) + "\n"
