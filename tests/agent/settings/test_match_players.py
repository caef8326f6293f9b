"""Players of a match as the command line names them: strategies with settings, and addresses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ludens.agent.manager.seating import assign_roles, check_addresses, share_processors, with_limits, with_share
from ludens.agent.settings.errors import PlayerError
from ludens.agent.settings.players import LocalPlayer, RemotePlayer, read_player, read_search, with_full_paths
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError


def test_players_have_no_less_for_their_network_than_the_match() -> None:
    ours, theirs = with_limits([read_player("uct:grounding_mb=100"), read_player("host:9147")], Limits(900.0, 4096))
    assert isinstance(ours, LocalPlayer)
    assert (ours.options.grounding_seconds, ours.options.grounding_mb) == (900.0, 4096)
    assert isinstance(theirs, RemotePlayer)


def test_a_local_player_takes_settings() -> None:
    player = read_player("uct:threads=2,exploration=0.5")
    assert isinstance(player, LocalPlayer)
    assert (player.options.strategy, player.options.threads, player.options.exploration) == ("uct", 2, 0.5)
    assert (player.options.interface, player.options.port) == ("127.0.0.1", 0)


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("mine.py:Mine", "/here/mine.py:Mine"),
        ("/there/mine.py:Mine", "/there/mine.py:Mine"),
        ("../mine.py:Mine:threads=2, log = mine.log", "/here/../mine.py:Mine:threads=2,log=/here/mine.log"),
        ("td:weights=mine.td,threads=2", "td:weights=/here/mine.td,threads=2"),
        ("td:weights=shipped", "td:weights=shipped"),
        ("guided:network=/there/draughts.net", "guided:network=/there/draughts.net"),
        ("uct:threads=2", "uct:threads=2"),
        ("http://weights:9147", "http://weights:9147"),
    ],
)
def test_the_files_of_a_player_are_the_same_in_any_folder(
    text: str, full: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "absolute", lambda path: Path("/here") / path)
    assert with_full_paths(text) == full
    assert with_full_paths(full) == full


@pytest.mark.parametrize(
    ("texts", "threads"),
    [
        (["uct:threads=0", "auto:threads=0"], [4, 4]),
        (["uct:threads=0", "flat:threads=7"], [2, 7]),
        (["uct:threads=0", "flat:threads=9"], [1, 9]),
        (["uct:threads=0", "uct:threads=0,level=5", "random"], [8, 1, 1]),
        (["uct:threads=0", "http://example.org:9147"], [9]),
    ],
)
def test_players_of_one_match_share_the_processors(
    texts: list[str], threads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ludens.agent.manager.seating.processors", lambda: 9)
    players = share_processors([read_player(text) for text in texts])
    assert [player.options.workers for player in players if isinstance(player, LocalPlayer)] == threads
    assert len(players) == len(texts)


@pytest.mark.parametrize(
    ("text", "workers"),
    [("uct:threads=0", 3), ("uct:threads=2", 2), ("uct:threads=0,iterations=100", 1), ("uct:threads=0,level=5", 1)],
)
def test_a_player_has_its_share_of_threads_unless_its_search_can_be_repeated(text: str, workers: int) -> None:
    player = read_player(text)
    assert isinstance(player, LocalPlayer)
    assert with_share(player.options, 3).workers == workers


@pytest.mark.parametrize(("text", "threads"), [("uct:threads=0", 16), ("uct:threads=0,nodes_mb=128", 2)])
def test_a_share_is_no_larger_than_memory_allows(text: str, threads: int) -> None:
    player = read_player(text)
    assert isinstance(player, LocalPlayer)
    assert with_share(player.options, 384).threads == threads


def test_a_search_is_measured_on_one_thread_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.agent.settings.options.processors", lambda: 5)
    assert [read_search(f"uct{settings}").workers for settings in ("", ":threads=3", ":threads=0")] == [1, 3, 5]
    with pytest.raises(LudensError, match=r"example\.org"):
        read_search("http://example.org:9147")


def test_a_player_elsewhere_is_known_by_its_address() -> None:
    player = read_player("http://example.org:9147/")
    assert isinstance(player, RemotePlayer)
    assert (player.name, player.address.host, player.address.port) == ("example.org:9147", "example.org", 9147)


@pytest.mark.parametrize("text", ["127.0.0.1:9798", "localhost:9147", "[::1]:9147"])
def test_a_host_and_a_port_are_a_player_elsewhere(text: str) -> None:
    assert read_player(text) == read_player(f"http://{text}")


@pytest.mark.parametrize("text", ["127.0.0.1", "localhost", "localhost:x", "localhost:9147/x", ":9147", "[::1]"])
def test_what_looks_like_an_address_is_told_how_one_is_written(text: str) -> None:
    with pytest.raises(
        PlayerError, match=rf"'{re.escape(text)}' is no player: the address of one is host:port, such as "
    ):
        read_player(text)


def test_one_player_does_not_play_two_roles_of_a_match() -> None:
    players = [read_player(text) for text in ("a:1", "uct", "b:1", "a:1")]
    check_addresses(players[:3], ["x", "y", "z"])
    with pytest.raises(PlayerError, match="a:1 cannot play both x and w: start a second player on another port"):
        check_addresses(players, ["x", "y", "z", "w"])


def test_seats_left_over_are_played_at_random() -> None:
    names = [player.name for player in assign_roles([read_player("uct")], ["a", "b", "c"])]
    assert names == ["uct", "random", "random"]
    with pytest.raises(LudensError, match=r"2 players are too many: the game has 1 role \(a\)"):
        assign_roles([read_player("uct")] * 2, ["a"])
