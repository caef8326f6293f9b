"""The records that a player keeps of the matches it has played, over real sockets."""

from __future__ import annotations

import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.defer import maybeDeferred
from twisted.internet.task import Clock

from ludens.agent.protocol.match import Match
from ludens.agent.protocol.messages import Start
from ludens.agent.protocol.wire import StateFacts
from ludens.agent.records import record as records
from ludens.agent.records.record import MatchRecord
from ludens.agent.server import match_archive
from ludens.agent.server.match_archive import MatchArchive
from ludens.agent.server.match_notes import MatchNotes
from ludens.propnet.gdl.parser import parse_rules
from tests.support.player_harness import PlayerHarness
from tests.support.served import TIC_TAC_TOE, UNHURRIED, Rules, Served, ggp_base
from tests.support.waiting import until

UNHURRIED_CODE = ("-c", UNHURRIED)


def play_to_the_end(player: Served, match_id: str) -> Rules:
    """Plays a match in which the player is cross, and returns how it went."""
    rules = Rules(TIC_TAC_TOE, "cross")
    assert player.ggp_base(f"( START {match_id} cross ({TIC_TAC_TOE}) 60 0.5 )") == "ready"
    message = f"( PLAY {match_id} NIL )"
    while not rules.over:
        moves = rules.play(player.ggp_base(message))
        message = f"( PLAY {match_id} ({' '.join(moves)}) )"
    assert player.ggp_base(message.replace("PLAY", "STOP")) == "done"
    return rules


def only_record(folder: Path) -> MatchRecord:
    until(lambda: bool(list(folder.glob("[!.]*.json"))))
    (path,) = folder.iterdir()
    return records.read(path)


def test_of_states_of_several_histories_those_told_last_are_recorded() -> None:
    times = iter(range(10))
    notes, match = MatchNotes(lambda: next(times)), Match(Start("m", "x", "", 1.0, 1.0))
    match.roles = ("x", "y")
    for moves in (("a", "noop"), ("noop", "b")):
        match.play(moves)
    notes.add_state(StateFacts(0, (), ("0",)))
    for last in ("2 as it was answered", "2 as it was told"):
        notes.add_state(StateFacts(1, ("a", "noop"), ("1",)))
        notes.add_state(StateFacts(2, ("noop", "b"), (last,)))
    record = notes.record(match, "Recorder")
    assert record.states == [["0"], ["1"], ["2 as it was told"]]
    assert record.state_times == [1, 2, 4]


@pytest.mark.parametrize("strategy", ["first", "uct", "auto"])
def test_a_match_that_was_played_to_its_end_leaves_a_record(tmp_path: Path, strategy: str) -> None:
    folder = tmp_path / "some" / "records"
    player = Served("--records", str(folder), "--name", "Recorder", "--strategy", strategy, code=UNHURRIED_CODE)
    rules = play_to_the_end(player, "Base.ticTacToe.1479")
    record = only_record(folder)
    assert record.match_id == "Base.ticTacToe.1479"
    assert (record.start_clock, record.play_clock) == (60, 0.5)
    assert record.players == ["Recorder", ""]
    assert record.moves == rules.joints
    assert record.states == rules.states
    assert record.goals == rules.goals()
    assert record.completed
    assert not record.aborted
    assert record.state_times == sorted(record.state_times)
    assert len(record.state_times) == len(record.states)
    assert record.errors == [["", ""]] * len(record.states)
    thinkers = {thought["role"] for thoughts in record.thoughts for thought in thoughts}
    assert thinkers <= {0} if strategy == "first" else thinkers >= {0}
    assert any(remark.startswith("plays by ") for remark in record.remarks) == (strategy == "auto")
    assert parse_rules(record.rules).roles == ("cross", "nought")
    assert "record" in player.stop()


@pytest.mark.parametrize("end", ["abort", "SIGTERM", "SIGINT"])
def test_a_match_that_is_broken_off_leaves_a_record_of_what_was_played(tmp_path: Path, end: str) -> None:
    player = Served("--records", str(tmp_path), "--strategy", "first", code=UNHURRIED_CODE)
    rules = Rules(TIC_TAC_TOE, "nought")
    assert player.ggp_base(f"( START m nought ({TIC_TAC_TOE}) 60 60 )") == "ready"
    assert player.ggp_base("( PLAY m NIL )") == "noop"
    assert player.ggp_base(f"( PLAY m ({' '.join(rules.play('noop'))}) )") in rules.legal()
    if end == "abort":
        assert player.ggp_base("( ABORT m )") == "aborted"
        record = only_record(tmp_path)
        player.stop()
    else:
        player.stop(signal.Signals[end])
        record = only_record(tmp_path)
    assert record.moves == rules.joints
    assert record.states == rules.states[: len(record.states)]
    assert record.aborted
    assert not record.completed
    assert not record.goals


def test_sigterm_ends_a_player_in_the_midst_of_a_turn_with_status_0_and_leaves_no_engine(tmp_path: Path) -> None:
    player = Served("--records", str(tmp_path), "--matches", "2")
    for match_id in ("a", "b"):
        assert player.ggp_base(f"( START {match_id} cross ({TIC_TAC_TOE}) 0 86400 )") == "ready"
    with player.connect(ggp_base("( PLAY a NIL )")), player.connect(ggp_base("( PLAY b NIL )")):
        until(lambda: len(player.engines()) >= 2)
        engines = player.engines()
        assert "Stopped" in player.stop(signal.SIGTERM)
    assert player.process.returncode == 0
    assert not any(Path(f"/proc/{engine}").exists() for engine in engines)
    assert sorted(records.read(path).match_id for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_name_of_a_match_leads_to_no_other_folder_and_the_same_name_twice_to_two_records(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    player = Served("--records", str(folder))
    name = "../../etc/%2e%2e/" + "x" * 300
    for _ in range(2):
        assert player.ggp_base(f"( START {name} cross ({TIC_TAC_TOE}) 0 60 )") == "ready"
        assert player.ggp_base(f"( ABORT {name} )") == "aborted"
    player.stop()
    assert [records.read(path).match_id for path in folder.iterdir()] == [name, name]
    assert list(tmp_path.iterdir()) == [folder]


def test_a_match_that_was_refused_leaves_no_record(tmp_path: Path) -> None:
    player = Served("--records", str(tmp_path))
    assert player.ggp_base("( START m cross ((role x)) 10 10 )") == "busy"
    player.stop()
    assert not list(tmp_path.iterdir())


def test_what_made_a_player_weaker_stands_in_the_record(tmp_path: Path) -> None:
    player = Served("--records", str(tmp_path), "--grounding-seconds", "0", code=UNHURRIED_CODE)
    play_to_the_end(player, "m")
    (warning,) = only_record(tmp_path).warnings
    assert "without a network" in warning
    assert player.stop().count(warning) == 1


def test_a_fault_in_archiving_a_match_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(match_archive, "in_thread", lambda _reactor, work, *arguments: maybeDeferred(work, *arguments))
    archive: Any = SimpleNamespace(keep=broken)
    keeper = MatchArchive(Clock(), archive, "Tester")
    harness = PlayerHarness(keepers=[keeper])
    harness.first_turn()
    assert harness.ask("( ABORT m1 )") == "aborted"
    assert "m1: fault in archiving" in caplog.text
    assert "RuntimeError: a mistake of ours" in caplog.text
    assert keeper.close().called


def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    status, printed = Served.refused("--records", str(tmp_path / "file" / "records"))
    assert status == 1
    assert printed.count("\n") == 1
    assert "cannot write records to" in printed
