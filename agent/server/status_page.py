"""The page that a browser gets: who this player is, what it plays, and how to register it with each kind of manager."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from string import Template

from ludens.agent.protocol.match import Match
from ludens.agent.server.registration import ways_to_register
from ludens.agent.settings.options import PlayerOptions

HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
"""Of the reply: nothing on the page is fetched, run, or kept."""

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>$name</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse } th, td { text-align: left; padding: .2rem 1rem .2rem 0; vertical-align: top }
</style>
</head>
<body>
<h1>$name</h1>
<p>This is a general game player: Game Managers send it the rules of a game, and it plays. It waits for their messages
here, over HTTP. It is <strong>$status</strong>, and its moves are chosen by <code>$chooser</code>.</p>
<h2>What it plays</h2>
$matches
<h2>How to register it</h2>
<table>
$ways
</table>
</body>
</html>
""")


def status_page(options: PlayerOptions, matches: Sequence[Match], host: str, port: int) -> str:
    """Returns the page of a player that is reached at this host and port, and plays these matches."""
    free = options.matches - len(matches)
    return _PAGE.substitute(
        name=escape(options.name),
        chooser=escape(Path(options.player).name or options.strategy),  # others need not see folders
        status=f"available for {free} more of {options.matches} matches at once" if free else "busy",
        matches=_table(matches) if matches else "<p>No match is on.</p>",
        ways="\n".join(
            _row([manager, f"<code>{escape(text)}</code>"])
            for manager, text in ways_to_register(options.name, host, port).items()
        ),
    )


def _table(matches: Sequence[Match]) -> str:
    rows = [_row(["Match", "Role", "Moves made", "Start clock", "Play clock"], "th")]
    for match in matches:
        start = match.start
        clocks = [f"{clock:g} s" for clock in (start.start_clock, start.play_clock)]
        rows.append(_row([escape(start.match_id), escape(start.role), str(match.step), *clocks]))
    return "\n".join(["<table>", *rows, "</table>"])


def _row(cells: Iterable[str], kind: str = "td") -> str:
    """Returns a row of a table of cells in HTML."""
    return "<tr>" + "".join(f"<{kind}>{cell}</{kind}>" for cell in cells) + "</tr>"
