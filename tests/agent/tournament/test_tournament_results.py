"""The file of the results of a tournament: damaged, of other conditions, used twice, on a full disk."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from ludens.agent.tournament.plan import Settings, new_plan
from ludens.agent.tournament.result import Result
from ludens.agent.tournament.results_file import ResultsError, ResultsFile
from ludens.agent.tournament.tournament import left
from tests.support.tournaments import NO, YES, MakePlayer, News, game, play, result


def test_a_line_that_was_cut_short_is_removed_and_its_match_is_played_again(tmp_path: Path) -> None:
    path, conditions = tmp_path / "results.jsonl", {"playclock": 1}
    with ResultsFile(path, conditions) as file:
        file.add(result(1))
        file.add(result(2))
    whole = path.read_bytes()
    for cut in range(1, len(json.dumps(result(2).to_json())) + 1, 7):
        path.write_bytes(whole[:-cut])
        with ResultsFile(path, conditions) as file:
            assert list(file.results.values()) == [result(1)]
            file.add(result(2))
        assert path.read_bytes() == whole


EDITED = replace(result(), goals=(100,)), replace(result(), goals=(100, 0, 0)), replace(result(), faults=((),))


@pytest.mark.parametrize(
    "line",
    ["rubbish", "3", '{"conditions": 3}', '{"conditions": []}', *(json.dumps(each.to_json()) for each in EDITED)],
    ids=["rubbish", "a number", "conditions 3", "conditions []", "one goal", "three goals", "faults of one"],
)
def test_a_line_in_the_middle_that_is_no_result_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(f'{{"conditions": {{}}}}\n{line}\n')
    with pytest.raises(ResultsError, match="line 2: not a result of a tournament"):
        ResultsFile(path, {})


@pytest.mark.parametrize("known", [{"playclock": {"a": 1}}, {"players": 3}])
def test_conditions_of_other_kinds_are_other_conditions(tmp_path: Path, known: dict[str, object]) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps({"conditions": known}) + "\n")
    with pytest.raises(ResultsError, match="has matches of other conditions"):
        ResultsFile(path, {"playclock": 1, "players": {"a": "uct"}})


@pytest.mark.parametrize(
    "content", ['{"matchId": "x",\n "moves": []}', '{"a": 1}', "notes\n", '{"goals": [100]}\n{"co']
)
def test_a_file_of_something_else_is_refused_and_stays_as_it_is(content: str, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    path.write_text(content)
    with pytest.raises(ResultsError, match=r"match\.json is no file of results of a tournament"):
        ResultsFile(path, {"playclock": 1})
    assert path.read_text() == content


def test_a_tournament_killed_at_its_first_line_begins_again(tmp_path: Path) -> None:
    path, conditions = tmp_path / "results.jsonl", {"playclock": 1}
    ResultsFile(path, conditions).__exit__(None, None, None)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        ResultsFile(path, conditions).__exit__(None, None, None)
        assert path.read_bytes() == whole


def test_what_was_cut_short_stays_where_the_conditions_are_others(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    ResultsFile(path, {"playclock": 1}).__exit__(None, None, None)
    cut = path.read_bytes() + b'{"game"'
    path.write_bytes(cut)
    with pytest.raises(ResultsError, match="other conditions"):
        ResultsFile(path, {"playclock": 2})
    assert path.read_bytes() == cut


def test_results_of_other_conditions_are_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    before = {"playclock": 1, "players": {"a": "uct"}, "games": {"talk": "12"}}
    ResultsFile(path, before).__exit__(None, None, None)
    for change, said in (
        ({"playclock": 2}, "playclock was 1, now 2"),
        ({"players": {"a": "uct:threads=2"}}, "player a was 'uct', now 'uct:threads=2'"),
        ({"games": {"talk": "13"}}, "game talk was other rules"),
    ):
        with pytest.raises(ResultsError, match=re.escape(said)):
            ResultsFile(path, before | change)
    ResultsFile(path, before | {"players": {"b": "rave"}}).__exit__(None, None, None)
    with pytest.raises(ResultsError, match="player b was 'rave'"):
        ResultsFile(path, before | {"players": {"b": "uct"}})


def test_two_processes_cannot_write_the_same_results(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with ResultsFile(path, {}), pytest.raises(ResultsError, match="another tournament is writing"):
        ResultsFile(path, {})
    ResultsFile(path, {}).__exit__(None, None, None)


def test_a_file_system_without_locks_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refused)
    with pytest.raises(ResultsError, match=f"cannot lock .*{os.strerror(errno.ENOLCK)}"):
        ResultsFile(tmp_path / "results.jsonl", {})


def test_a_match_that_is_tried_again_has_ended_when_it_was_played(tmp_path: Path) -> None:
    path, conditions = tmp_path / "results.jsonl", {"playclock": 1}
    ended = [result(2), result(1)]
    with ResultsFile(path, conditions) as file:
        file.add(replace(result(1), goals=()))
        for each in ended:
            file.add(each)
        assert list(file.results.values()) == ended
    with ResultsFile(path, conditions) as file:
        assert list(file.results.values()) == ended


def test_a_full_disk_ends_the_tournament_and_what_was_written_counts(
    contestant: MakePlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = [contestant("yes", YES), contestant("no", NO)]
    plan = new_plan(Settings(rounds=3, opening_moves=0), players, [game()])
    path, news = tmp_path / "results.jsonl", News()
    synced = 0

    def full(_file: int) -> None:
        nonlocal synced
        synced += 1
        if synced > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch, pytest.raises(ResultsError, match="No space left"):
        patch.setattr(os, "fsync", full)
        play(plan, path, news)
    assert len(news.results) == 2
    play(plan, path, news)
    with ResultsFile(path, plan.conditions()) as file:
        assert not left(plan, file.results)
        assert len(path.read_text().splitlines()) == 1 + 6


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """As on a full disk, of a line beyond this size only the beginning is written."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_result_for_which_there_is_no_room_leaves_nothing_and_may_be_added_later(tmp_path: Path) -> None:
    path, conditions = tmp_path / "results.jsonl", {"playclock": 1}
    with ResultsFile(path, conditions) as file:
        file.add(result(1))
        whole = path.read_bytes()
        with no_file_longer_than(len(whole) + 20), pytest.raises(ResultsError, match="No space left"):
            file.add(result(2))
        assert path.read_bytes() == whole
        file.add(result(3))
    with ResultsFile(path, conditions) as file:
        assert list(file.results.values()) == [result(1), result(3)]


def test_the_first_result_that_cannot_be_written_ends_the_matches_of_all_jobs(
    contestant: MakePlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first job plays ab, and meanwhile the second one cd."""
    plan = new_plan(Settings(rounds=5, opening_moves=0, jobs=2), [contestant(name, YES) for name in "abcd"], [game()])
    news, add = News(), ResultsFile.add

    def full(file: ResultsFile, result: Result) -> None:
        if (result.round, result.players) == (1, ("c", "d")):
            raise ResultsError("No space left")
        add(file, result)

    with monkeypatch.context() as patch, pytest.raises(ResultsError, match="No space left"):
        patch.setattr(ResultsFile, "add", full)
        play(plan, tmp_path / "results.jsonl", news)
    assert len(news.results) < len(plan.fixtures()) / 2
