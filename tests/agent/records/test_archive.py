"""The archive of matches: what is kept, found and exported, by several processes and after a kill."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ludens.agent.commands.cli import main
from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.records import record as records
from ludens.agent.records.archive import Archive, ArchiveError, Query, data_directory, results
from ludens.agent.records.record import Ending, MatchRecord
from tests.support.command import ludens, running, wait_for
from tests.support.paths import ROOT
from tests.support.served import TIC_TAC_TOE, UNHURRIED, Rules, Served
from tests.support.waiting import PATIENCE, until

KEEPING = """
import sys
from pathlib import Path
from ludens.agent.records.archive import Archive
from tests.agent.records.test_archive import played
archive = Archive(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    print(archive.keep(played(f"{sys.argv[3]}.{number}"), "hex", "(role red)", "match"), flush=True)
"""


def played(
    name: str, players: tuple[str, ...] = ("uct", "random"), goals: tuple[int, ...] = (100, 0), start: int = 1000
) -> MatchRecord:
    ending = Ending.TERMINAL if goals else Ending.INTERRUPTED
    return MatchRecord(
        *(name, "token", start, 10, 1, list(players), False),
        completed=bool(goals),
        states=[["(cell 1 1 b)"], ["(cell 1 1 x)"]],
        moves=[["(mark 1 1)", "noop"]],
        state_times=[1, 2],
        goals=list(goals),
        ending=ending,
    )


def keeping(path: Path, count: int, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", KEEPING, str(path), str(count), name]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "some" / "archive.sqlite")


def test_a_match_is_read_as_it_was_kept(archive: Archive) -> None:
    number = archive.keep(played("m"), "hex", "(role red)", "match")
    match = archive.read(number)
    assert records.from_json(match.record) == played("m")
    assert (match.rules, match.entry.game, match.entry.players) == ("(role red)", "hex", ("uct", "random"))
    assert (match.entry.results, match.entry.goals, match.entry.turns) == (("won", "lost"), (100, 0), 1)


def test_matches_are_found_by_game_player_result_and_date(archive: Archive) -> None:
    archive.keep(played("1", ("uct", "random"), (100, 0), 1000), "hex", "r", "match")
    archive.keep(played("2", ("random", "uct:lanes=64"), (100, 0), 2000), "hex_small", "r", "serve")
    archive.keep(played("3", ("guided", "random"), (50, 50), 3000), "connect_four", "r", "play")
    archive.keep(played("4", ("100%", "random"), (), 4000), "connect_four", "r", "tournament")

    def found(**words: object) -> list[str]:
        return [entry.match_id for entry in archive.search(Query(**words))]  # type: ignore[arg-type]

    assert found() == ["4", "3", "2", "1"]
    assert found(game="hex") == ["2", "1"]
    assert found(player="UCT") == ["2", "1"]
    assert found(player="uct", result="won") == ["1"]
    assert found(player="uct", result="lost") == ["2"]
    assert found(result="drawn") == ["3"]
    assert found(result="unfinished", player="random") == ["4"]
    assert found(player="0%") == ["4"]
    assert found(since=2000, until=4000) == ["3", "2"]
    assert found(source="serve") == ["2"]
    assert found(limit=2) == ["4", "3"]
    assert found(limit=2, before=3) == ["2", "1"]


def test_results_of_any_number_of_roles() -> None:
    assert results([100, 0, 0], 3) == ("won", "lost", "lost")
    assert results([40, 30, 40], 3) == ("drawn", "lost", "drawn")
    assert results([100], 1) == ("won",)
    assert results([60], 1) == ("lost",)
    assert results([], 2) == ("unfinished", "unfinished")


def test_an_archive_that_is_not_there_is_empty_and_is_not_made_by_looking(archive: Archive) -> None:
    assert archive.search() == []
    with pytest.raises(ArchiveError, match="no match 1"):
        archive.read(1)
    assert not archive.path.exists()


def test_a_full_archive_loses_its_oldest_matches_and_the_file_stops_growing(tmp_path: Path) -> None:
    small = Archive(tmp_path / "archive.sqlite", most_mb=0.0625)
    large = played("large")
    large.states = [[f"(cell {n} {n * n % 7919})" for n in range(2000)]]
    for number in range(20):
        large.match_id = str(number)
        small.keep(large, "hex", f"; {number}", "match")
        assert small.path.stat().st_size <= 0.0625 * 1024 * 1024
    names = [entry.match_id for entry in small.search()]
    assert names[0] == "19"
    assert names == [str(number) for number in range(19, 19 - len(names), -1)]
    with sqlite3.connect(small.path) as connection:
        assert connection.execute("SELECT count(*) FROM rules").fetchone()[0] == len(names)
        assert connection.execute("SELECT count(*) FROM seats").fetchone()[0] == 2 * len(names)


def test_a_match_larger_than_the_archive_is_kept_all_the_same(tmp_path: Path) -> None:
    tiny = Archive(tmp_path / "archive.sqlite", most_mb=0.001)
    for name in "ab":
        tiny.keep(played(name), "hex", "r", "match")
    assert [entry.match_id for entry in tiny.search()] == ["b"]


def test_two_processes_write_at_once_and_neither_loses_a_match(archive: Archive) -> None:
    archive.path.parent.mkdir()
    writers = [keeping(archive.path, 20, name) for name in ("a", "b")]
    numbers = [int(line) for writer in writers for line in writer.communicate(timeout=PATIENCE)[0].split()]
    assert sorted(numbers) == list(range(1, 41))
    assert len(archive.search(Query(limit=100))) == 40


def test_a_kill_loses_nothing_that_was_kept(archive: Archive) -> None:
    archive.path.parent.mkdir()
    writer = keeping(archive.path, 10**6, "a")
    assert writer.stdout
    for _ in range(5):
        last = int(writer.stdout.readline())
    writer.send_signal(signal.SIGKILL)
    last = max([last, *map(int, writer.communicate(timeout=PATIENCE)[0].split())])
    numbers = [entry.number for entry in archive.search(Query(limit=10**6))]
    assert numbers == list(range(max(numbers), 0, -1))
    assert max(numbers) >= last
    assert archive.keep(played("after"), "hex", "r", "match") == max(numbers) + 1


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "archive.sqlite"
    path.write_text("nothing of the kind, " * 100)
    for use in (lambda: Archive(path).keep(played("m"), "hex", "r", "match"), lambda: Archive(path).search()):
        with pytest.raises(ArchiveError, match="not a database"):
            use()


def test_an_archive_of_another_version_is_left_alone(archive: Archive) -> None:
    archive.keep(played("m"), "hex", "r", "match")
    with sqlite3.connect(archive.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(ArchiveError, match="another version"):
        archive.search()


def test_a_place_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ArchiveError, match="cannot use the archive"):
        Archive(tmp_path / "file" / "archive.sqlite").keep(played("m"), "hex", "r", "match")


def test_a_full_disk_is_named_as_the_reason_and_what_was_kept_stays(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive.keep(played("m"), "hex", "r", "match")
    connect = Archive._connect

    def full(archive: Archive) -> sqlite3.Connection:
        connection = connect(archive)
        connection.execute("PRAGMA max_page_count = 1")  # or as many as there are
        return connection

    with monkeypatch.context() as patch, pytest.raises(ArchiveError, match="disk is full"):
        patch.setattr(Archive, "_connect", full)
        archive.keep(played("large"), "hex", "; rules" * 10_000, "match")
    assert [entry.match_id for entry in archive.search()] == ["m"]


class NeverSmaller(sqlite3.Connection):
    """A connection to a file that cannot be made smaller."""

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        if arguments[0] == "PRAGMA incremental_vacuum":
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(*arguments)


def test_a_match_is_kept_though_the_file_cannot_be_made_smaller(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=NeverSmaller))
    assert archive.keep(played("m"), "hex", "r", "match") == 1
    assert [entry.match_id for entry in archive.search()] == ["m"]


def test_texts_and_numbers_that_the_archive_cannot_hold_are_refused(archive: Archive) -> None:
    archive.keep(played("first"), "hex", "r", "match")
    for record, game in ((played("m"), "caf\udce9"), (played("m", start=1 << 64), "hex")):
        with pytest.raises(ArchiveError, match="cannot use the archive"):
            archive.keep(record, game, "r", "match")
    with pytest.raises(ArchiveError, match="cannot use the archive"):
        archive.search(Query(since=1 << 64))
    assert [entry.match_id for entry in archive.search()] == ["first"]


# ---- Commands ----


@pytest.fixture
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """The archive of a user of whom nothing is known yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Archive()


def test_the_archive_lies_in_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_directory() == tmp_path / "ludens"
    monkeypatch.setenv("XDG_DATA_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_directory() == tmp_path / ".local" / "share" / "ludens"


def test_a_match_on_the_command_line_is_archived_unless_told_otherwise(own_data: Archive) -> None:
    command = [sys.executable, "-m", "ludens.agent.commands.cli", "match", "tic_tac_toe", "first", "first", "--quiet"]
    for options in (["--no-archive"], []):
        subprocess.run([*command, *options], check=True, cwd=ROOT, timeout=PATIENCE, capture_output=True)
    (entry,) = own_data.search()
    assert (entry.game, entry.source, entry.players) == ("tic_tac_toe", "match", ("first", "first"))
    assert own_data.read(entry.number).rules == TIC_TAC_TOE


def test_a_match_that_is_broken_off_is_archived_and_a_watched_one_before_its_page_is_left(own_data: Archive) -> None:
    clocks = ("--startclock", "10", "--playclock", "10")
    with running("match", "connect_four", "uct", "uct", *clocks) as process:
        wait_for(process, "^Start$")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    with running("match", "tic_tac_toe", "first", "first", "--watch", "0") as process:
        wait_for(process, "stays until Ctrl-C")
        found = [(entry.game, entry.ending) for entry in own_data.search()]
    assert found == [("tic_tac_toe", "terminal state"), ("connect_four", "interrupted")]


def test_a_match_is_archived_though_its_record_can_no_longer_be_written(own_data: Archive, tmp_path: Path) -> None:
    folder, clocks = tmp_path / "records", ("--startclock", "10", "--playclock", "10")
    path = folder / "match.json"
    for players in (("uct", "uct"), ("human", "first")):
        with running("match", "connect_four", *players, *clocks, "--record", str(path)) as process:
            wait_for(process, "^Start$")
            folder.rmdir()
            folder.touch()  # where a folder cannot be made again
            process.send_signal(signal.SIGINT)
            assert "cannot write" in process.communicate(timeout=PATIENCE)[1]
        folder.unlink()
    assert [entry.players for entry in own_data.search()] == [("human", "first"), ("uct", "uct")]


STUCK = """
(role red) (init (step 0)) (<= (legal red go) (true (step 0))) (<= (next (step 1)) (true (step 0)))
(<= terminal (true (step 2))) (<= (goal red 100) (true (step 1)))
"""


def test_a_match_that_its_rules_break_is_archived(own_data: Archive, tmp_path: Path) -> None:
    sheet = tmp_path / os.fsdecode(b"caf\xe9.kif")
    sheet.write_text(STUCK)
    assert ludens("match", str(sheet), "first", "--quiet").returncode == ExitCode.FAULTY_INPUT
    (entry,) = own_data.search()
    assert (entry.game, entry.ending, entry.turns) == ("caf?", Ending.RULES, 1)


@pytest.mark.parametrize("options", [(), ("--no-archive",)])
def test_a_server_archives_its_matches_unless_told_otherwise(own_data: Archive, options: tuple[str, ...]) -> None:
    player = Served("--name", "Keeper", "--iterations", "50", *options, code=("-c", UNHURRIED))
    rules = Rules(TIC_TAC_TOE, "cross")
    assert player.ggp_base(f"( START m.1 cross ({TIC_TAC_TOE}) 60 0.5 )") == "ready"
    message = "( PLAY m.1 NIL )"
    while not rules.over:
        message = f"( PLAY m.1 ({' '.join(rules.play(player.ggp_base(message)))}) )"
    assert player.ggp_base(message.replace("PLAY", "STOP")) == "done"
    if not options:
        until(lambda: bool(own_data.search()))
    player.stop()
    found = [(entry.game, entry.source, entry.players) for entry in own_data.search()]
    assert found == ([] if options else [("tic_tac_toe", "serve", ("Keeper", ""))])
    for entry in own_data.search():
        record = records.from_json(own_data.read(entry.number).record)
        assert record.states == rules.states
        assert any(record.thoughts)


def test_matches_are_listed_shown_and_exported(
    own_data: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_data.keep(played("1", start=1_780_000_000_000), "hex", "r", "match")
    own_data.keep(played("2", goals=()), "connect[/four]", "r", "play")
    assert main(["archive", "list"]) == 0
    first, second = capsys.readouterr().out.splitlines()[1:]
    assert "connect[/four]" in first
    assert "interrupted" in first
    assert "uct 100 – random 0" in second
    assert main(["archive", "list", "--game", "hex", "--json"]) == 0
    assert [entry["number"] for entry in json.loads(capsys.readouterr().out)] == [1]
    assert main(["archive", "show", "1"]) == 0
    assert "1. (mark 1 1)  noop" in capsys.readouterr().out
    assert main(["archive", "show", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["matchId"] == "1"
    assert main(["archive", "export", str(tmp_path / "out"), "--since", "2026-01-01"]) == 0
    (path,) = (tmp_path / "out").iterdir()
    assert records.read(path).match_id == "1"


def test_names_and_moves_give_a_terminal_no_orders(own_data: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    record = played("1", ("\x1b[2Juct", "random"))
    record.moves[0][0] = "\x1b]0;won\x1b\\"
    record.warnings.append(record.moves[0][0])
    own_data.keep(record, "hex", "r", "match")
    for command in (["list"], ["show", "1"]):
        assert main(["archive", *command]) == 0
        told = capsys.readouterr().out
        assert "\x1b" not in told
        assert "␛[2Juct 100 – random 0" in told
    assert told.count("␛]0;won␛\\") == 2


def test_a_search_for_nothing_that_is_there_says_so(own_data: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archive", "list", "--player", "nobody"]) == 0
    assert "No match in the archive with player 'nobody'" in capsys.readouterr().out
    assert main(["archive", "show", "7"]) == 1
    assert "no match 7" in capsys.readouterr().err
    assert main(["archive", "list", "--result", "winning"]) == 1
    assert "won, drawn, lost or unfinished" in capsys.readouterr().err
    assert main(["archive", "list", "--since", "0001-01-01"]) == ExitCode.WRONG_USAGE
    assert "out of range" in capsys.readouterr().err
    assert not own_data.path.exists()
