"""Watching matches that managers and commands play, thoughts included."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ludens import games
from ludens.agent.commands import serve
from ludens.agent.play.played_game import key_of
from ludens.agent.server.listening import ListenError
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.web import server as page_server
from ludens.agent.web.server import PageOptions
from ludens.propnet.base.child import Limits
from tests.support.page_server import EventStream, page_json, page_text
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE, until


@contextmanager
def ludens(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "ludens.agent.commands.cli", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)
        assert process.stdout
        process.stdout.close()


def said(process: subprocess.Popen[str], pattern: str) -> re.Match[str]:
    """What a process says that fits a pattern."""
    assert process.stdout
    for line in process.stdout:
        if found := re.search(pattern, line):
            return found
    raise AssertionError(f"it has ended without {pattern}")


def is_followed_to_its_end(port: int, match: str) -> bool:
    """Follows a match until it is over; says whether thoughts came with it."""
    events = EventStream(port, match, "spectator")
    first = events.next("snapshot")
    nodes, thoughts = list(first["nodes"]), [node for node in first["nodes"] if node.get("thoughts")]
    while "goals" not in nodes[-1]:
        event = events.next_of_all()
        if event["type"] == "node":
            nodes.append(event)
        elif event["type"] == "thoughts":
            thoughts.append(event)
    events.close()
    assert first["state"]["watched"]
    return bool(thoughts)


def test_a_match_of_the_command_line_is_watched_with_thoughts() -> None:
    players = ("uct:iterations=200", "uct:iterations=200")
    with ludens("match", "tic_tac_toe", *players, "--scramble", "--watch", "0", "--no-archive") as process:
        found = said(process, r"http://127\.0\.0\.1:(\d+)/#match=(\w+)")
        assert is_followed_to_its_end(int(found[1]), found[2])
        said(process, "stays until Ctrl-C")


def test_a_match_of_a_manager_is_watched_with_thoughts() -> None:
    serve = ("serve", "--port", "0", "--watch", "0", "--strategy", "uct", "--iterations", "200", "--no-archive")
    with ludens(*serve) as player:
        page = int(said(player, r"Watch its matches at http://127\.0\.0\.1:(\d+)")[1])
        address = said(player, r"listens on http://(127\.0\.0\.1:\d+)")[1]
        clocks = ("--startclock", "2", "--playclock", "2")
        with ludens("match", "tic_tac_toe", address, "random", *clocks, "--no-archive") as manager:
            listed: list[str] = []

            def there() -> bool:
                listed[:] = [match["match"] for match in page_json(page, "/matches")["matches"]]
                return bool(listed)

            until(there)
            assert is_followed_to_its_end(page, listed[0])
            said(manager, "cross")


def test_where_other_machines_can_reach_the_page_nothing_can_be_changed_or_looked_up() -> None:
    with ludens("serve", "--interface", "0.0.0.0", "--port", "0", "--watch", "0", "--no-archive") as process:
        port = int(said(process, r"Watch its matches at http://HOST:(\d+)/")[1])
        token = re.findall(r'name="ludens-token" content="([^"]+)"', page_text(port, "/"))[0]
        assert page_json(port, "/games") == {"open": False, "games": []}
        key = key_of(games.read("tic_tac_toe"))
        assert "no match of this game is on" in page_json(port, f"/game/{key}")["error"]
        assert "only shows matches" in page_json(port, f"/picture/{key}")["error"]
        answer = page_json(port, "/matches", token, {"tab": "tab-1", "game": key, "players": ["uct", "uct"]})
        assert "only shows matches" in answer["error"]
        assert page_json(port, "/archive") == {"entries": []}


def test_the_page_of_a_player_makes_networks_within_the_limits_of_the_player(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[PageOptions] = []

    def listen(_reactor: object, options: PageOptions) -> None:
        shown.append(options)
        raise ListenError("the port is taken")

    monkeypatch.setattr(page_server, "listen", listen)
    monkeypatch.setattr(serve, "start_logging", lambda _path, _verbose: None)
    options = PlayerOptions(grounding_seconds=7.0, grounding_mb=500)
    with pytest.raises(ListenError):
        serve.run(options, verbose=False, archived=False, watch=0)
    assert [page.limits for page in shown] == [Limits(7.0, 500)]


@pytest.mark.parametrize("command", [("match", "nim", "first", "first"), ("serve", "--port", "0")])
def test_a_page_whose_port_is_taken_is_told_by_the_option_of_the_command(command: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with ludens(*command, "--watch", str(port), "--no-archive") as process:
            assert said(process, rf"cannot listen on 127\.0\.0\.1:{port}: .*; choose another --watch$")


def test_a_token_that_is_no_token_is_refused() -> None:
    with ludens("play", "--no-browser", "--port", "0", "--no-archive") as process:
        port = int(said(process, r"http://127\.0\.0\.1:(\d+)/")[1])
        assert "load it again" in page_json(port, "/matches", "\N{LATIN SMALL LETTER E WITH ACUTE}", {})["error"]
