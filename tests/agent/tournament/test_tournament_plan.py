"""Plans of tournaments: which matches follow from them, and what is said of a file that is wrong."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path

import click
import pytest

from ludens.agent.commands.interface.declare import Argument
from ludens.agent.commands.interface.tournament import command, spread
from ludens.agent.commands.tournament import find_game
from ludens.agent.settings import processors as processors_module
from ludens.agent.settings.players import LocalPlayer
from ludens.agent.tournament.match_host import seat_threads
from ludens.agent.tournament.plan import Plan, PlanError, Settings, TournamentGame, new_plan
from ludens.agent.tournament.plan_file import contestants, read_plan
from ludens.agent.tournament.tournament import seat_processors
from ludens.propnet.gdl.parser import parse_rules

LUNCH = """\
# a tournament
name = "lunch"
kind = "gauntlet"
rounds = 3
playclock = 0.5
games = ["tic_tac_toe", "own.kif"]

[players]
strong = "uct:threads=2"
weak = "random"
elsewhere = "http://127.0.0.1:9147"
"""

OWN = "(role a) (role b) (init x) (<= (legal ?r go) (role ?r)) (<= terminal (true x)) (<= (goal ?r 50) (role ?r))"


def plan(players: int = 2, roles: int = 2, **settings: object) -> Plan:
    names = "abcdefgh"[:players]
    sheet = parse_rules(" ".join(f"(role r{number})" for number in range(roles)) + " (init x) (<= terminal (true x))")
    found = [replace(player, name=name) for name, player in zip(names, contestants(["uct"] * players), strict=True)]
    return new_plan(Settings(**settings), found, [TournamentGame("g", "", sheet)])  # type: ignore[arg-type]


def seatings(found: Plan) -> list[str]:
    return ["".join(fixture.players) for fixture in found.fixtures()]


def test_two_players_meet_from_both_seats_in_every_round() -> None:
    assert seatings(plan(rounds=2)) == ["ab", "ba"] * 2
    assert [fixture.round for fixture in plan(rounds=2).fixtures()] == [1, 1, 2, 2]


def test_a_round_robin_has_all_pairs_and_a_gauntlet_those_of_the_first() -> None:
    assert seatings(plan(3, rounds=1)) == ["ab", "ba", "ac", "ca", "bc", "cb"]
    assert seatings(plan(3, rounds=1, kind="gauntlet")) == ["ab", "ba", "ac", "ca"]


def test_games_of_more_roles_are_played_in_all_rotations_of_the_seats() -> None:
    assert seatings(plan(3, 3, rounds=1)) == ["abc", "bca", "cab"]
    assert len(seatings(plan(4, 3, rounds=1))) == 4 * 3
    assert all("a" in seats for seats in seatings(plan(4, 3, rounds=1, kind="gauntlet")))


@pytest.mark.parametrize(("players", "roles"), [(2, 3), (2, 4), (3, 4), (3, 5), (2, 5), (3, 6)])
def test_where_there_are_more_roles_than_players_all_have_as_many_seats(players: int, roles: int) -> None:
    found = seatings(plan(players, roles, rounds=1))
    assert len(set(Counter("".join(found)).values())) == 1
    for seat in range(roles):
        assert len(set(Counter(seats[seat] for seats in found).values())) == 1
    assert len(set(found)) == len(found)


def test_in_games_of_one_role_every_player_plays_alone() -> None:
    assert seatings(plan(3, 1, rounds=1)) == ["a", "b", "c"]
    assert seatings(plan(3, 1, rounds=1, kind="gauntlet")) == ["a", "b", "c"]


def test_a_file_says_it_all(tmp_path: Path) -> None:
    (tmp_path / "lunch.toml").write_text(LUNCH)
    (tmp_path / "own.kif").write_text(OWN)
    found = read_plan(tmp_path / "lunch.toml", find_game, {"rounds": 9})
    assert found.settings == Settings(name="lunch", kind="gauntlet", rounds=9, playclock=0.5)
    assert [player.name for player in found.players] == ["strong", "weak", "elsewhere"]
    assert [game.name for game in found.games] == ["tic_tac_toe", "own"]


def test_players_may_be_a_list_and_the_name_is_that_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('players = ["uct", "rave"]\ngames = ["nim"]\nsprt = [0.5, 0.55]')
    found = read_plan(tmp_path / "mine.toml", find_game, {})
    assert (found.settings.name, found.settings.sprt) == ("mine", (0.5, 0.55))
    assert [player.name for player in found.players] == ["uct", "rave"]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"lunch"', '"lunch', "line 2"),
        ("rounds = 3", "rounds = 3 4", "line 4"),
        ("rounds = 3", "rouns = 3", "line 4: there is no setting 'rouns'; did you mean rounds"),
        ("rounds = 3", "rounds = 0", "line 4: rounds must be at least 1"),
        ("rounds = 3", 'rounds = "3"', "line 4: rounds must be a whole number, not '3'"),
        ("rounds = 3", "rounds = true", "line 4: rounds must be a whole number"),
        ("rounds = 3", "sprt = [0.5]", "line 4: sprt must be two scores"),
        ("rounds = 3", "sprt = [0.6, 0.5]", "line 4: sprt must be two scores from 0 to 1, the lower one first"),
        ("0.5", '"soon"', "line 5: playclock must be a number, not 'soon'"),
        ("0.5", "-1", "line 5: playclock must be a number of seconds"),
        ("gauntlet", "ladder", "line 3: kind must be"),
        ("tic_tac_toe", "tic_tac_to", "line 6: no built-in game is called 'tic_tac_to'; did you mean tic_tac_toe"),
        ("own.kif", "other.kif", "line 6: there is no file"),
        ("own.kif", 300 * "x", "line 6: no built-in game is called 'xxx"),
        ('"random"', '"randon"', "line 10: there is no strategy 'randon'; did you mean random"),
        ("threads=2", "thread=2", "line 9: there is no setting 'thread'; did you mean threads"),
        ("threads=2", "threads=2000", "line 9: threads must be"),
        ("http://127.0.0.1:9147", "http://127.0.0.1", "line 11: 'http://127.0.0.1' is no player"),
        ('"random"', "7", "line 10: the player 'weak' must be a text"),
        ('games = ["tic_tac_toe", "own.kif"]', "", "games is missing"),
        ('["tic_tac_toe", "own.kif"]', '"tic_tac_toe"', "line 6: games must be a list"),
        ('["tic_tac_toe", "own.kif"]', '["nim", "nim"]', "two games are called 'nim'"),
        ('strong = "uct:threads=2"\nweak = "random"\n', "", "two players at least"),
        ("[players]", "[player]", "line 8: there is no setting 'player'; did you mean players"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_the_line(tmp_path: Path, before: str, after: str, said: str) -> None:
    path = tmp_path / "lunch.toml"
    assert before in LUNCH
    path.write_text(LUNCH.replace(before, after))
    (tmp_path / "own.kif").write_text(OWN)
    with pytest.raises(PlanError) as refused:
        read_plan(path, find_game, {})
    assert said in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"cannot read .*none\.toml: No such file"):
        read_plan(tmp_path / "none.toml", find_game, {})


def test_one_player_elsewhere_cannot_take_two_roles(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text('games = ["nim"]\n[players]\na = "http://h:1"\nb = "h:1"\n')
    with pytest.raises(PlanError, match="h:1 is there twice"):
        read_plan(path, find_game, {})
    (tmp_path / "three.kif").write_text(f"(role c) {OWN}")
    path.write_text('games = ["three.kif"]\nplayers = ["uct", "http://h:1"]\n')
    with pytest.raises(PlanError, match="three has 3 roles and there are 2 players"):
        read_plan(path, find_game, {})


def test_engines_have_their_memory_and_learn_nothing_from_other_matches() -> None:
    found = new_plan(Settings(memory_mb=2048), contestants(["uct", "uct:engine_mb=3000,recall=on"]), plan().games)
    options = [player.spec.options for player in found.players if isinstance(player.spec, LocalPlayer)]
    assert [each.process_mb for each in options] == [2048, 3000]
    assert [each.recall for each in options] == ["off", "on"]


@pytest.mark.parametrize(
    ("text", "recall"),
    [("auto:recall =on", "on"), ("auto:threads=2, recall=on", "on"), ("auto:log=recall=on/log.txt", "off")],
)
def test_what_earlier_matches_taught_is_recalled_where_a_player_is_set_to(text: str, recall: str) -> None:
    first = new_plan(Settings(), contestants([text, "random"]), plan().games).players[0]
    assert isinstance(first.spec, LocalPlayer)
    assert first.spec.options.recall == recall


def test_every_seat_has_processors_of_its_own_where_there_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(existing: int, jobs: int, seats: int = 2) -> list[list[list[int]]]:
        monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(existing)), raising=False)
        return [seat_processors(plan(jobs=jobs), job, seats) for job in range(jobs)]

    assert given(4, 2) == [[[0], [1]], [[2], [3]]]
    assert given(9, 2) == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    assert given(2, 2) == [[[0], [0]], [[1], [1]]]
    assert given(3, 1) == [[[0], [1]]]
    assert given(1, 2) == [[[0], [0]], [[0], [0]]]
    assert given(8, 1, 3) == [[[0, 1], [2, 3], [4, 5]]]
    monkeypatch.setattr(processors_module, "processor_quota", lambda: 2.9)
    assert given(64, 1) == [[[0], [1]]]


@pytest.mark.parametrize(
    ("processors", "threads"),
    [([[0, 1], [2, 3]], 2), ([[0, 1], [0, 1]], 1), ([[0, 1, 2, 3, 4]] * 2, 2), ([[0], [0], [0]], 1), ([[], []], 1)],
)
def test_seats_that_share_processors_share_their_threads(processors: list[list[int]], threads: int) -> None:
    assert [seat_threads(processors, seat) for seat in range(len(processors))] == [threads] * len(processors)


def test_options_of_several_values_take_all_up_to_the_next_option() -> None:
    assert spread(["--players", "a", "b", "--jobs", "2", "--games", "g", "h"]) == [
        *("--players", "a", "--players", "b", "--jobs", "2", "--games", "g", "--games", "h")
    ]
    assert spread(["--games=g", "h", "--jobs=2", "x"]) == ["--games=g", "--games", "h", "--jobs=2", "x"]
    assert spread(["x.toml", "--jobs", "2"]) == ["x.toml", "--jobs", "2"]


def test_options_are_settings_of_the_file_but_for_those_that_help_names() -> None:
    options = {parameter.name: parameter for parameter in command.params if isinstance(parameter, click.Option)}
    settings = {field.name for field in fields(Settings)}
    assert settings < options.keys()
    (file,) = (parameter for parameter in command.params if isinstance(parameter, Argument))
    assert file.help is not None
    others = options.keys() - settings - {"players", "games", "help"}
    assert sorted(re.findall(r"--[\w-]+", file.help)) == sorted(options[name].opts[0] for name in others)


def test_a_file_may_begin_with_the_mark_of_an_editor_and_have_a_name_of_any_bytes(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.toml")
    path.write_text('players = ["uct", "rave"]\ngames = ["nim"]', "utf-8-sig")
    assert read_plan(path, find_game, {}).settings.name == "caf?"
