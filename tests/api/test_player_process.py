"""A player of the user's own plays in a process of its own: whatever it does, a legal move is there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ludens import games
from ludens.agent.protocol.wire import Begin, GoTo, LogMessage, Position, Ready, Refused, SearchReport, Think
from ludens.agent.records import record as records
from ludens.agent.settings.player_files import PlayerFile, PlayerFileError
from tests.support.engine_driver import Driver
from tests.support.waiting import PATIENCE

RULES = games.read("tic_tac_toe").replace("\n", " \n")
BEGIN = Begin(RULES, "cross", 60.0, 60.0)
ONE, TWO = ("(mark 1 1)", "noop"), ("noop", "(mark 2 2)")

SOURCE = """
import ludens, os, sys, time
from pathlib import Path

class Base(ludens.Player):
    def choose(self, state, seconds):
        assert 0 < seconds <= 60
        self.act(state)
        return "(mark 3 3)" if "(mark 3 3)" in state.legal(self.role) else 0

class Good(Base):
    def act(self, state): pass
    def stop(self): Path(__file__).with_name("stopped").write_text(self.role)
class Raises(Base):
    def act(self, state): raise ValueError("no idea")
class Exits(Base):
    def act(self, state): sys.exit(3)
class Sleeps(Base):
    def act(self, state):
        print("begun")
        time.sleep(1e6)
class Spins(Base):
    def act(self, state):
        print("begun")
        while True: pass
class Prints(Base):
    def act(self, state):
        for i in range(10000): print("line", i)
        os.write(1, b"raw")
class Reads(Base):
    def act(self, state):
        if sys.stdin.read(): raise ValueError("took a command")
class Forks(Base):
    def act(self, state): os.fork()
class Dies(Base):
    def act(self, state):
        with Path(__file__).with_name("asked").open("a") as asked: asked.write("once ")
        os._exit(3)
class Hungry(Base):
    def act(self, state): self.eaten = bytearray(1 << 50)
class Eats(Base):
    def act(self, state):
        eaten = []
        while True: eaten.append(bytearray(1 << 26))
class Nonsense(ludens.Player):
    def choose(self, state, seconds): return {"x": lambda: 1}
class Nothing(ludens.Player):
    def choose(self, state, seconds): pass
class Illegal(ludens.Player):
    def choose(self, state, seconds): return "(mark 9 9)"
class StartFails(Good):
    def start(self, game, role, clocks): raise RuntimeError("not today")
class NotMade(Good):
    def __init__(self): raise RuntimeError("not at all")
class Tells(ludens.Player):
    def choose(self, state, seconds):
        print(seconds)
        return "(mark 3 3)"
class Late(ludens.Player):
    def choose(self, state, seconds):
        time.sleep(self.clocks.play + 0.1)
        return "(mark 3 3)"
class NoPlayer: pass
class Abstract(ludens.Player): pass
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("players") / "my_player.py"
    path.write_text(SOURCE)
    return path


@contextmanager
def playing(file: Path, name: str, begin: Begin = BEGIN, **settings: int) -> Iterator[Driver]:
    driver = Driver(("-m", "ludens.agent.api.player_engine"), player=f"{file}:{name}", **settings)
    try:
        driver.send(begin, Think())
        yield driver
    finally:
        driver.close()


def test_a_player_chooses_its_moves_and_is_told_of_the_end(file: Path) -> None:
    with playing(file, "Good") as it:
        it.next(Ready)
        it.send(GoTo(()))
        report = it.next(SearchReport, step=0)
        assert (report.move, report.final) == ("(mark 3 3)", True)
        it.send(GoTo((ONE,)))
        assert it.next(Position, step=1).legal == ("noop",)
        assert it.next(SearchReport, step=1).move == "noop"  # nobody is asked where there is no choice
        it.send(GoTo((ONE, TWO)))
        assert it.next(SearchReport, step=2).move == "(mark 3 3)"
    assert file.with_name("stopped").read_text() == "cross"


def test_a_player_whose_move_was_told_wrongly_is_asked_where_the_match_stands(file: Path) -> None:
    told, answered = ("(mark 9 9)", "noop"), ("(mark 3 3)", "noop")
    with playing(file, "Good") as it:
        it.next(Ready)
        it.send(GoTo((told, TWO), ((answered, TWO),), (0, 1)))
        position = it.next(Position, step=2)
        assert position.fits[0] == 1
        assert it.next(SearchReport, step=2).move in position.legal


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Raises", r"my_player.py:Raises failed in choose: ValueError: no idea \(.*my_player.py, line \d+\)"),
        ("Exits", "failed in choose: SystemExit: 3"),
        ("Hungry", "failed in choose: MemoryError"),
        ("Nonsense", "chose no legal move, so that one is drawn"),
        ("Nothing", "None is no move"),
        ("Illegal", r"'\(mark 9 9\)' is no legal move of cross"),
        ("StartFails", "failed in start: RuntimeError: not today"),
    ],
)
def test_what_a_player_does_wrong_is_told_and_a_legal_move_is_drawn(file: Path, name: str, says: str) -> None:
    import re

    with playing(file, name) as it:
        it.send(GoTo(()))
        warning = it.next(LogMessage, warning=True)
        assert re.search(says, warning.text)
        report = it.next(SearchReport, step=0)
        assert report.final
        assert report.move.startswith("(mark ")
        it.send(GoTo((ONE, TWO)))
        assert it.next(SearchReport, step=2).move not in (*ONE, *TWO)


@pytest.mark.parametrize("name", ["Sleeps", "Spins"])
def test_while_a_player_blocks_legal_moves_are_known_and_the_match_hears_of_it(file: Path, name: str) -> None:
    with playing(file, name) as it:
        it.next(Ready)
        it.send(GoTo(()))
        assert it.next(LogMessage).text.endswith("begun")
        it.send(GoTo((ONE, TWO)))
        assert it.next(LogMessage, warning=True).text.endswith(f"{name} did not answer in time at step 1")
        assert len(it.next(Position, step=2).legal) == 7


@pytest.mark.parametrize(("move_seconds", "spare"), [(2.0, 0.1), (0.4, 0.05)])
def test_who_thinks_as_long_as_it_may_has_answered_before_its_time_is_over(
    file: Path, move_seconds: float, spare: float
) -> None:
    with playing(file, "Tells", Begin(RULES, "cross", 60.0, move_seconds)) as it:
        it.next(Ready)
        it.send(GoTo(()))
        told = float(it.next(LogMessage).text.split()[-1])
    assert told <= move_seconds - spare


def test_who_answers_too_late_is_told_so(file: Path) -> None:
    with playing(file, "Late", Begin(RULES, "cross", 60.0, 0.2)) as it:
        it.next(Ready)
        it.send(GoTo(()))
        assert it.next(LogMessage, warning=True).text.endswith("Late answered too late at step 1")


def test_what_a_player_prints_is_told_in_moderation(file: Path) -> None:
    with playing(file, "Prints") as it:
        it.next(Ready)
        it.send(GoTo(()))
        lines = [it.next(LogMessage).text for _ in range(51)]
        assert lines[0] == "my_player.py:Prints prints: line 0"
        assert lines[-1] == "my_player.py:Prints prints more than is shown"
        assert it.next(SearchReport, step=0).move == "(mark 3 3)"


@pytest.mark.parametrize("name", ["Reads", "Forks"])
def test_neither_reading_nor_forking_disturbs_the_match(file: Path, name: str) -> None:
    with playing(file, name) as it:
        it.next(Ready)
        it.send(GoTo(()))
        assert it.next(SearchReport, step=0).move == "(mark 3 3)"
        it.send(GoTo((ONE, TWO)))
        assert it.next(SearchReport, step=2).move == "(mark 3 3)"


def test_a_player_that_eats_memory_gets_no_more_than_it_may_have(file: Path) -> None:
    with playing(file, "Eats", engine_mb=2000) as it:
        it.send(GoTo(()))
        assert "failed in choose: MemoryError" in it.next(LogMessage, warning=True).text
        assert it.next(SearchReport, step=0).move.startswith("(mark ")


def test_a_player_that_ends_its_process_again_and_again_is_asked_no_more(file: Path) -> None:
    driver = Driver(("-m", "ludens.agent.api.player_engine"), player=f"{file}:Dies")
    try:
        driver.send(BEGIN, Think(("rules",)))
        assert "asked no more" in driver.next(LogMessage, warning=True).text
        driver.send(GoTo((ONE, TWO)))
        assert driver.next(SearchReport, step=2).move.startswith("(mark ")
    finally:
        driver.close()


@pytest.mark.parametrize(
    ("name", "says"),
    [("NoPlayer", "make it a subclass of ludens.Player"), ("Abstract", "abstract"), ("NotMade", "not at all")],
)
def test_what_is_no_player_is_refused_with_the_reason(file: Path, name: str, says: str) -> None:
    with playing(file, name) as it:
        assert says in it.next(Refused).reason


def test_a_player_that_cannot_be_made_again_in_the_midst_of_a_match_is_asked_no_more(file: Path) -> None:
    driver = Driver(("-m", "ludens.agent.api.player_engine"), player=f"{file}:NotMade")
    try:
        driver.send(BEGIN, GoTo((ONE, TWO)), Think())
        while not isinstance(told := driver.next_of_all(), LogMessage | Refused):
            pass
        assert isinstance(told, LogMessage)
        assert "NotMade is asked no more: RuntimeError: not at all" in told.text
        driver.next(Ready)
        driver.send(GoTo((ONE, TWO, ("(mark 3 1)", "noop"), ("noop", "(mark 3 2)"))))
        assert driver.next(SearchReport, step=4).move.startswith("(mark ")
    finally:
        driver.close()


def ludens(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ludens.agent.commands.cli", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_a_match_goes_on_when_the_process_of_a_player_dies_and_starts_it_again_once(file: Path, tmp_path: Path) -> None:
    done = ludens(
        *("match", "tic_tac_toe", "my_player.py:Dies", "random", "--startclock", "60", "--playclock", "60"),
        *("--record", str(tmp_path / "match.json")),
        cwd=file.parent,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    record = records.read(tmp_path / "match.json")
    assert record.completed
    assert record.players == ["my_player.py:Dies", "random"]
    assert not record.error_count
    assert any("engine lost" in warning for warning in record.warnings)
    assert (file.parent / "asked").read_text() == "once " * 2, "it is started again once"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("my_player.py:God", "defines no class God; did you mean Good?"),
        ("my_player.py", "names no class: write my_player.py:Base"),
        ("nobody.py:Good", "there is no file nobody.py"),
        ("my_player.py:Good:level=3", "level does not go with player"),
        ("my_player.py:Good:levl=3", "there is no setting 'levl'"),
    ],
)
def test_a_player_that_is_not_there_is_refused_before_the_match(file: Path, text: str, says: str) -> None:
    done = ludens("match", "tic_tac_toe", text, cwd=file.parent)
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())


def test_serve_refuses_a_player_that_is_not_there(file: Path) -> None:
    for text, says in (("my_player.py:God", "defines no class God"), ("uct", "must be a file and a class in it")):
        done = ludens("serve", "--player", text, "--port", "0", cwd=file.parent)
        assert done.returncode in (1, 2)
        assert says in " ".join(done.stderr.split())


def test_a_file_with_a_mistake_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text("class Good:\n    def choose(")
    with pytest.raises(PlayerFileError, match="line 2"):
        PlayerFile.of_text(f"{path}:Good")
    assert PlayerFile.of_text("uct:threads=2") is None
