"""The Tak engine interface: every command, what makes no sense, limits of time, and the process `ludens tei`."""

from __future__ import annotations

import random
import re
import signal
import threading
import time
from pathlib import Path

import pytest

from ludens.agent.commands.cli import main
from ludens.agent.tak.limits import Lag, Limits, read_limits
from ludens.agent.tak.tei import Session, read_strategy
from ludens.games.tak.notation.ptn import read_move, write_move
from ludens.games.tak.notation.tps import write_tps
from ludens.games.tak.rules.parameters import TakError, TakRules
from ludens.games.tak.rules.reference import Position, after, first_position, legal_moves, outcome
from ludens.games.tak.temporal_differences.inputs import input_count
from ludens.games.tak.temporal_differences.network import Network
from ludens.games.tak.temporal_differences.weights_file import TrainedWeights
from ludens.native.core import Search
from ludens.propnet.base.errors import NativeError
from tests.support.tei_engine import engine, say
from tests.support.waiting import PATIENCE, until

ERROR = "info string error: "
NONSENSE = {
    "foo": "there is no command 'foo'",
    "TEI": "there is no command 'TEI'",
    "go": "teinewgame and position come first",
    "go movetime 5": "teinewgame and position come first",
    "position startpos": "teinewgame comes first",
    "teinewgame": "takes the size",
    "teinewgame 9": "from 3 to 8, not '9'",
    "teinewgame five": "from 3 to 8, not 'five'",
    "teinewgame 5 5": "takes the size",
    "setoption": "takes name",
    "setoption name HalfKomi value x": "from -10 to 10, not 'x'",
    "setoption name HalfKomi value 11": "from -10 to 10, not '11'",
    "setoption name Hash value 5": "no option 'Hash'",
    "setoption name HalfKomi value 1.5": "from -10 to 10, not '1.5'",
    "setoption name HalfKomi value \u0663": r"from -10 to 10, not '\u0663'",
    "setoption name HalfKomi": "takes name",
    "setoption HalfKomi 4": "takes name",
    "teinewgame -5": "from 3 to 8, not '-5'",
    "teinewgame " + "5" * 60_000: "from 3 to 8, not '5555",
    "\ufffd\x00": r"there is no command '\ufffd\x00'",
    "\u00e9" * 60_000: "there is no command '\\xe9",
}
IN_A_GAME = {
    "position": "takes startpos",
    "position fen x": "takes startpos",
    "position startpos a1": "moves should follow, not 'a1'",
    "position startpos moves z9": "move 1: 'z9' is no move in PTN",
    "position startpos moves a1 a1": "move 2: 'a1' is not legal: a1 is taken",
    "position startpos moves a1 b1 Ca1": "move 3: 'Ca1' is not legal",
    "position tps x5/x5": "who is to move is missing; it needs a board, who is to move, the number of the move",
    "position tps x4/x4/x4/x4 1 1": "TPS has 4 ranks, and not the 5",
    "position tps x5/x5/x5/x5/x4,Q 1 1": "column 16",
    "position tps x5/x5/x5/x5/x5 1 1 a1": "moves should follow",
    "go depth 0": "depth takes a whole number from 1 on",
    "go nodes -3": "nodes takes a whole number from 1 on",
    "go movetime": "movetime takes a whole number, not ''",
    "go movetime soon": "not 'soon'",
    "go btime 5": "go needs wtime",
    "go wtime 1 ponder": "go does not know 'ponder'",
    "go winc 5": "go needs wtime",
    "go movetime -1": "movetime takes a whole number from 0 on",
    "go nodes 1e3": "nodes takes a whole number, not '1e3'",
    "go nodes " + "9" * 60_000: "nodes takes a whole number, not '9999",
    "go " + "\ufffd" * 60_000: r"go does not know '\ufffd",
    "position startpos moves " + "a" * 60_000: "move 1: 'aaaa",
    "position startpos moves \ufffd1": r"move 1: '\ufffd1' is no move in PTN",
    "position startpos moves a1 e5 e5+": "move 3: 'e5+' is not legal: the edge is in the way",
    "position tps x5/x5/x5/x5/x5 3 1": "TPS, column 16: '3' is to move",
    "position tps x5/x5/x5/x5/x5 1 0": "TPS, column 18: '0' is no number of a move",
    "position tps x5/x5/x5/x5/" + "1" * 60_000 + " 1 9": "TPS, column 13: '1111",
    "position tps": "TPS, column 1: a board is missing",
}


class Talk:
    """A session in this process, with the lines that it has said."""

    def __init__(self, player: str = "td:nodes_mb=1") -> None:
        self.said: list[str] = []
        self.session = Session(read_strategy(player), self.said.append)

    def tell(self, *lines: str) -> list[str]:
        """The answers to some lines, when there is nothing more to come."""
        self.said.clear()
        for line in lines:
            self.session.answer(line, time.monotonic())
        if lines[-1].startswith("go") and "infinite" not in lines[-1]:
            until(lambda: self.said[-1:] != [] and self.said[-1].startswith(("bestmove ", ERROR)))
        self.session.close()
        return list(self.said)

    def move(self, *lines: str) -> str:
        """The move after some lines."""
        *_, told = self.tell(*lines)
        return told.removeprefix("bestmove ")


def in_the_midst(size: int, plies: int, seed: int) -> Position:
    rng, position = random.Random(seed), first_position(TakRules(size))
    for _ in range(plies):
        following = after(position, rng.choice(legal_moves(position)))
        position = position if outcome(following) else following
    return position


def test_an_engine_says_who_it_is_and_when_it_is_ready() -> None:
    told = Talk().tell("tei", "isready", "", "   ")
    assert told[0].startswith("id name Ludens")
    assert told[1].startswith("id author ")
    assert told[2:] == ["option name HalfKomi type spin default 0 min -10 max 10", "teiok", "readyok"]


def named(line: str) -> str:
    """A short name for a test with a long line."""
    return ascii(line[:40])


def is_short_ascii(line: str) -> bool:
    """Whether a line can be shown anywhere."""
    return line.isascii() and line.isprintable() and len(line) < 300


@pytest.mark.parametrize("line", NONSENSE, ids=named)
def test_what_makes_no_sense_is_told_in_one_line(line: str) -> None:
    talk = Talk()
    (told,) = talk.tell(line)
    assert told.startswith(ERROR)
    assert NONSENSE[line] in told and is_short_ascii(told)
    assert talk.tell("isready") == ["readyok"]


@pytest.mark.parametrize("line", IN_A_GAME, ids=named)
def test_what_makes_no_sense_in_a_game_is_told_in_one_line(line: str) -> None:
    talk = Talk()
    assert talk.tell("teinewgame 5") == []
    (told,) = talk.tell(line)
    assert told.startswith(ERROR)
    assert IN_A_GAME[line] in told and is_short_ascii(told)
    if line.startswith("position"):
        assert talk.tell("go nodes 100") == [f"{ERROR}go: teinewgame and position come first"]
    assert re.fullmatch(r"[a-e][1-5]", talk.move("position startpos", "go nodes 300"))


def test_garbage_never_ends_a_session() -> None:
    rng = random.Random(1)
    words = [*NONSENSE, *IN_A_GAME, "go nodes 50", "go depth 1", "go movetime 0", "stop", "tei", "isready", "moves"]
    talk = Talk()
    for _ in range(300):
        line = " ".join(" ".join(rng.sample(words, rng.randint(1, 3))).split()[: rng.randint(1, 12)])
        if not re.fullmatch("go|go .*infinite.*", line):
            talk.tell(line)
    assert talk.tell("teinewgame 3", "isready") == ["readyok"]


def test_in_any_order_each_go_has_one_answer() -> None:
    rng = random.Random(4)
    lines = [
        *NONSENSE,
        *IN_A_GAME,
        "stop",
        "isready",
        "setoption name HalfKomi value -2",
        "teinewgame 3",
        "teinewgame 4",
    ]
    moves = ["position startpos", "position startpos moves a1 b1", "position tps x3/x3/x3 1 1"]
    thoughts = ["go", "go infinite", "go nodes 40", "go depth 2", "go movetime 5", "go wtime 0 btime 0"]
    talk = Talk()
    told, asked = [], 0
    for _ in range(400):
        line = rng.choice(rng.choice([lines, moves, thoughts]))
        asked += line.split()[:1] == ["go"]
        told += talk.tell("isready", line)[1:] if line != "go" else talk.tell(line, "isready")
    answers = [line for line in told if line.startswith(("bestmove ", f"{ERROR}go"))]
    assert len(answers) == asked
    assert talk.tell("stop", "stop") == []


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7, 8])
@pytest.mark.parametrize("player", ["auto:nodes_mb=1", "uct:nodes_mb=16"])
def test_moves_are_legal_on_every_board_and_lines_can_be_played(size: int, player: str) -> None:
    talk = Talk(player)
    talk.tell(f"teinewgame {size}")
    for seed in range(3):
        position = in_the_midst(size, 7 * seed + seed % 2, seed)
        told = talk.tell(f"position tps {write_tps(position)}", "go nodes 300")
        assert write_move(position.rules, read_move(position, told[-1].removeprefix("bestmove "))) in told[-1]
        told_of = re.fullmatch(r"info depth \d+ nodes (\d+) (?:score cp (-?\d+) )?time \d+ nps \d+ pv (.+)", told[-2])
        assert told_of
        assert int(told_of[1]) >= 256
        assert -100 <= int(told_of[2]) <= 100
        for text in told_of[3].split():
            position = after(position, read_move(position, text))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("nodes", [1, 64, 300, 5000])
def test_nodes_are_positions_that_are_looked_at(nodes: int, threads: int) -> None:
    talk = Talk(f"td:nodes_mb=1,threads={threads}")
    told = talk.tell("teinewgame 6", "position startpos moves a1 f6", f"go nodes {nodes}")
    assert f" nodes {nodes} " in told[-2]


@pytest.mark.parametrize(("iterations", "nodes"), [(1000, 64), (64, 1000), (64, None)])
def test_of_nodes_and_iterations_the_smaller_number_holds(iterations: int, nodes: int | None) -> None:
    talk = Talk(f"td:nodes_mb=1,iterations={iterations}")
    told = talk.tell("teinewgame 6", "position startpos moves a1 f6", f"go nodes {nodes}" if nodes else "go depth 90")
    assert " nodes 64 " in told[-2]


def test_a_forced_win_by_a_road_is_told_as_won() -> None:
    board = "x3,1,x/2,2,2,112C,1C/1,x,2,x2/1,x2,2121S,2/1,1,2S,x,112 2 16"  # which takes four moves
    talk = Talk("td:nodes_mb=1,solver_share=0.5")
    told = talk.tell("teinewgame 5", f"position tps {board}", "go nodes 50000")
    assert " score cp 100 " in told[-2]


def test_a_whole_game_is_played_to_its_end() -> None:
    sides = Talk("td:nodes_mb=1"), Talk("uct:nodes_mb=16")
    for side in sides:
        side.tell("tei", "setoption name HalfKomi value 1", "teinewgame 3", "isready")
    position, texts = first_position(TakRules(3, 1)), list[str]()
    while outcome(position) is None:
        lines = f"position startpos moves {' '.join(texts)}" if texts else "position startpos", "go nodes 600"
        texts.append(sides[position.turn].move(*lines))
        position = after(position, read_move(position, texts[-1]))
    assert sides[0].tell(f"position startpos moves {' '.join(texts)}", "go nodes 5") == [f"{ERROR}go: the game is over"]


def test_komi_decides_who_wins_by_flats() -> None:
    """The last free square decides: without komi the first player wins by taking it, with komi of two flats loses."""
    board = "position tps x,12S,2S/1S,2S,1S/1,2,1S 1 10"
    for half_komi, score in ((0, "score cp 100 "), (4, "score cp -100 ")):
        talk = Talk()
        told = talk.tell("teinewgame 3", f"setoption name HalfKomi value {half_komi}", board, "go nodes 20000")
        assert score in told[-2]


def test_a_road_is_completed() -> None:
    talk = Talk()
    assert talk.move("teinewgame 5", "position tps x5/x5/2,2,2,x2/x5/1,1,1,1,x 1 5", "go depth 3") == "e1"


def test_a_new_command_ends_a_thought_and_its_move_is_told_first() -> None:
    talk = Talk()
    talk.tell("teinewgame 5")
    for line in ("stop", "position startpos", "teinewgame 4", "setoption name HalfKomi value 2", "quit"):
        told = talk.tell("teinewgame 5", "position startpos moves a1 b1", "go infinite", "isready", line)
        assert told.index("readyok") < len(told) - 1
        assert told[-1].startswith("bestmove ")
    told = talk.tell("teinewgame 5", "go infinite", "go nodes 300", "isready")
    assert sum(line.startswith("bestmove ") for line in told) == 2


def test_an_option_that_is_not_known_does_not_end_a_thought() -> None:
    told = Talk().tell("teinewgame 5", "go infinite", "setoption name Hash value 5", "isready")
    error, ready, best = (line for line in told if not line.startswith("info depth "))
    assert (error, ready) == (f"{ERROR}there is no option 'Hash', only HalfKomi", "readyok")
    assert best.startswith("bestmove ")


@pytest.mark.parametrize("limit", ["nodes 5000", "infinite"])
@pytest.mark.parametrize("good", [0, 1])
def test_a_search_that_fails_tells_why_and_the_best_move_by_then(
    limit: str, good: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, runs = Search.run, 0

    def fails(search: Search, seconds: float = 0.0, playouts: int = 0) -> None:
        nonlocal runs
        runs += 1
        if runs > good:
            raise NativeError("out of\nmemory")
        run(search, seconds, playouts)

    talk = Talk("uct:nodes_mb=16")
    assert talk.tell("teinewgame 5", "position startpos moves a1 e5") == []
    monkeypatch.setattr(Search, "run", fails)
    talk.session.answer(f"go {limit}", time.monotonic())
    until(lambda: f"{ERROR}out of memory" in talk.said)
    talk.session.close()
    *_, info, best = talk.said
    assert info.startswith("info depth ") and re.fullmatch(r"bestmove [SC]?[a-e][1-5].*", best)


def test_a_machine_without_threads_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    start, left = threading.Thread.start, 0

    def starts(thread: threading.Thread) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise RuntimeError("can't start new thread")
        start(thread)

    talk = Talk()
    talk.tell("teinewgame 5", "position startpos moves a1 e5")
    monkeypatch.setattr(threading.Thread, "start", starts)
    assert talk.tell("go nodes 5000") == [f"{ERROR}go: can't start new thread"]
    left = 1  # for the search, and none that watches it
    error, info, best = talk.tell("go nodes 5000")
    assert error == f"{ERROR}can't start new thread"
    assert info.startswith("info ") and best.startswith("bestmove ")
    left = 2
    assert talk.tell("go nodes 5000")[-1].startswith("bestmove ")


def test_at_the_end_of_input_all_thoughts_are_short() -> None:
    talk = Talk()
    talk.session.hurry()
    assert talk.move("teinewgame 5", "position startpos moves a1 e5", "go movetime 1000000000")
    assert talk.move("position startpos moves a1 e5", "go depth 100")


@pytest.mark.parametrize(
    ("words", "turn", "limits"),
    [
        ("", 0, Limits()),
        ("infinite", 1, Limits()),
        ("nodes 7", 0, Limits(nodes=7)),
        ("depth 3 nodes 9", 0, Limits(nodes=9, depth=3)),
        ("movetime 0", 0, Limits(seconds=0)),
        ("wtime -20 btime 5000", 0, Limits(seconds=0)),
        ("wtime 0 btime 5000 winc 1000 binc 0", 0, Limits(seconds=0)),
    ],
)
def test_limits_are_read(words: str, turn: int, limits: Limits) -> None:
    assert read_limits(words.split(), turn) == limits
    assert limits.endless == (words in ("", "infinite"))


@pytest.mark.parametrize(
    ("words", "turn", "least", "most"),
    [
        ("movetime 1000", 0, 0.9, 0.98),
        ("movetime 10", 0, 0.005, 0.008),
        ("wtime 100000 btime 4000", 0, 4.5, 5),
        ("wtime 100000 btime 4000", 1, 0.15, 0.2),
        ("wtime 100000 btime 4000 winc 0 binc 5000", 1, 3.5, 4),
        ("wtime 600000 btime 1 winc 5000 binc 5000 movetime 500", 0, 0.4, 0.48),
    ],
)
def test_a_move_takes_less_than_every_limit(words: str, turn: int, least: float, most: float) -> None:
    seconds = read_limits(words.split(), turn).seconds
    assert seconds is not None
    assert least <= seconds <= most


def test_a_clock_of_the_other_side_alone_is_no_limit() -> None:
    with pytest.raises(TakError, match="go needs btime"):
        read_limits(["wtime", "5"], 1)


def test_what_moves_are_late_by_is_kept_free_of_later_ones_and_forgotten_by_and_by() -> None:
    lag = Lag()
    assert lag.less(1.0) == 1.0
    lag.note(-0.5)  # a move that was found before its time
    assert lag.less(1.0) == 1.0
    lag.note(0.1)
    assert lag.less(1.0) == pytest.approx(0.9)
    assert lag.less(0.1) == pytest.approx(0.05)  # at most half of the time
    lag.note(0.0)
    assert 0.9 < lag.less(1.0) < 1.0
    lag.note(0.2)
    assert lag.less(1.0) == pytest.approx(0.8)
    for _ in range(200):
        lag.note(0.0)
    assert lag.less(1.0) == pytest.approx(1.0)


# ---- The process -----------------------------------------------------------------------------------------------------


def test_a_match_with_a_program() -> None:
    with engine() as there:
        there.send("tei")
        assert there.until("teiok")[-1] == "teiok"
        there.send("setoption name HalfKomi value 4", "teinewgame 6", "isready")
        assert there.until("readyok") == ["readyok"]
        there.send("position startpos moves a1 f6", "go movetime 50")
        assert there.until("bestmove")[-1].startswith("bestmove ")
        there.send("go infinite", "isready", "stop")
        told = there.until("bestmove")
        assert "readyok" in told
        there.send("go infinite")
        there.until("info depth")
        there.close()
        said, complaints, status = there.rest()
        assert said[-1].startswith("bestmove ")
        assert (complaints, status) == ("", 0)


def test_garbage_and_everything_at_once_have_one_answer_each() -> None:
    garbage = bytes(range(1, 10)) + bytes(range(11, 256)) + b"\n"
    data = b"a" * 1_000_000 + b"\r\n" + garbage + b"isready\r\nteinewgame 3\r\ngo nodes 300\r\nquit\r\nisready\r\n"
    said, complaints, status = say(data)
    assert said[0] == f"{ERROR}a line is too long"
    assert said[1].startswith(f"{ERROR}there is no command")
    assert said[2] == "readyok"
    assert re.fullmatch(r"bestmove [a-c][1-3]", said[-1])
    assert (complaints, status) == ("", 0)


@pytest.mark.parametrize("last", ["go infinite\n", "go movetime 10000000\n", "go depth 90", "go infinite\nstop\ngo"])
def test_a_thought_ends_with_the_input_and_leaves_nothing_behind(last: str) -> None:
    said, complaints, status = say(f"teinewgame 5\nposition startpos moves a1 b1\n{last}".encode())
    assert said.count("readyok") == 0
    assert sum(line.startswith("bestmove ") for line in said) == last.count("go") and said[-1].startswith("bestmove ")
    assert (complaints, status) == ("", 0)


def test_what_is_no_ascii_is_answered_in_ascii() -> None:
    said, complaints, status = say("teinewgame 3\nposition startpos moves \u00e91\ngo \u20ac\n\u20ac\n".encode())
    assert len(said) == 3 and all(line.startswith(ERROR) and is_short_ascii(line) for line in said)
    assert (complaints, status) == ("", 0)


def test_ctrl_c_ends_it_in_the_midst_of_a_thought() -> None:
    with engine() as there:
        there.send("teinewgame 5", "go infinite")
        there.until("info depth")
        there.process.send_signal(signal.SIGINT)
        _, complaints, status = there.rest()
    assert "Traceback" not in complaints and status == 130


def test_a_program_that_no_longer_listens_ends_it() -> None:
    with engine() as there:
        there.send("tei")
        there.until("teiok")
        assert there.process.stdout
        there.process.stdout.close()
        there.send("teinewgame 5", "go infinite")
        there.close()
        assert there.process.wait(PATIENCE) in (0, 1)
        assert there.process.stderr
        assert there.process.stderr.read() == b""


@pytest.mark.parametrize(
    ("player", "code", "message"),
    [
        ("random", 2, "random does not play Tak here"),
        ("patterns", 2, "patterns does not play Tak here"),
        ("td:weights=no.td", 1, "cannot read"),
        ("uct:weights=shipped", 2, "weights does not go with uct"),
    ],
)
def test_players_that_cannot_play_are_refused(
    player: str, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tei", player]) == code
    assert message in capsys.readouterr().err


def test_weights_that_are_cut_short_or_of_another_size_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, rules = tmp_path / "w.td", TakRules(4)
    content = TrainedWeights.of_network(Network.random(input_count(rules), 1), rules, 1, 1).to_bytes()
    path.write_bytes(content[:-1])
    assert main(["tei", f"td:weights={path}"]) == 1
    told = capsys.readouterr().err
    assert f"{path}: the file is cut short" in told and told.count("\n") == 1
    path.write_bytes(content)
    (line,) = Talk(f"td:nodes_mb=1,weights={path}").tell("teinewgame 5")
    assert line == f"{ERROR}{path}: its weights are for boards of size 4, and not of size 5"
    assert re.fullmatch(r"[a-d][1-4]", Talk(f"td:nodes_mb=1,weights={path}").move("teinewgame 4", "go nodes 100"))


def test_sizes_without_weights_are_refused_when_they_are_wanted() -> None:
    talk = Talk("td:nodes_mb=1,weights=shipped")
    (told,) = talk.tell("teinewgame 7")
    assert told.startswith(f"{ERROR}no weights for Tak of size 7 come with Ludens")
    assert talk.tell("go nodes 5") == [f"{ERROR}go: teinewgame and position come first"]
