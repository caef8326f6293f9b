"""The command `ludens` as a user meets it: what it prints, its exit status, and one line for every mistake."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

import pytest

from ludens import games
from ludens.agent.commands import games as games_command
from ludens.agent.commands.bench import Measurements
from ludens.agent.commands.cli import COMMANDS, main
from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.commands.interface.settings import flag
from ludens.agent.manager.players import (
    LocalPlayer,
    RemotePlayer,
    assign_roles,
    check_addresses,
    read_player,
    read_search,
    share_processors,
    with_limits,
)
from ludens.agent.records import record as records
from ludens.agent.settings.options import PlayerError, PlayerOptions
from ludens.agent.settings.strategies import EXPLANATIONS
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

LUDENS = [sys.executable, "-m", "ludens.agent.commands.cli"]
CLOCKS = ("--startclock", "600", "--playclock", "600")  # of which players that know their move need next to nothing

UNSAFE = """\
(role red) (init start) (legal red wait) terminal (goal red 100)
(<= (next ?x)
    (not (true ?y)))
"""
STUCK = """\
(role cross)
(role nought)
(init (control cross))
(<= (legal ?player mark) (true (control ?player)))
(<= (next (control nought)) (true (control cross)) (does cross mark))
(<= terminal (true (control nought)))
(<= (goal ?player 100) (role ?player))
"""
UNUSED = """\
(role red) (init start) (legal red wait) (next start) terminal (goal red 100)
(helper 1)
"""


def ludens(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process of its own."""
    return subprocess.run(
        [*LUDENS, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def status(*arguments: str) -> int:
    """The exit status of the command run in this process."""
    try:
        return main(arguments)
    except SystemExit as end:
        assert isinstance(end.code, int)
        return end.code


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command in the background, killed at the end if it is still there."""
    process = subprocess.Popen(
        [*LUDENS, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(process: subprocess.Popen[str], pattern: str) -> re.Match[str]:
    """The first line of output that matches."""
    assert process.stdout
    for line in process.stdout:
        if found := re.search(pattern, line):
            return found
    raise AssertionError(f"nothing matched {pattern!r}")


# ---- Help and mistakes ----


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("--help") == 0
    text = capsys.readouterr().out
    assert all(re.search(rf"^  {command} ", text, re.MULTILINE) for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_an_example_that_can_be_read(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(command, "--help") == 0
    examples = re.findall(r"^  (ludens .*?)(?:   .*|>.*)?$", capsys.readouterr().out, re.MULTILINE)
    assert any(example.startswith(f"ludens {command}") for example in examples)


@pytest.mark.parametrize(
    "arguments",
    [
        ["dance"],
        ["completion", "csh"],
        ["completion"],
        ["games", "--show", "chezz"],
        ["match"],
        ["match", "no_such_game", "uct"],
        ["match", "no/such/file.kif", "uct"],
        ["match", "tic_tac_toe", "brilliant"],
        ["match", "tic_tac_toe", "uct:thread=2"],
        ["match", "tic_tac_toe", "uct:threads"],
        ["match", "tic_tac_toe", "uct:2"],
        ["match", "tic_tac_toe", "uct:threads=many"],
        ["match", "tic_tac_toe", "uct:threads=-1"],
        ["match", "tic_tac_toe", "https://127.0.0.1:9147"],
        ["match", "tic_tac_toe", "http://127.0.0.1"],
        ["match", "tic_tac_toe", "random", "random", "random"],
        ["match", "tic_tac_toe", "--startclock", "soon"],
        ["match", "tic_tac_toe", "--playclock", "-1"],
        ["match", "tic_tac_toe", "--id", "two words"],
        ["match", "tic_tac_toe", "--seed", "none"],
        ["match", "tic_tac_toe", "--notation", "san"],
        ["match", ".", "random"],
        ["bench", "tic_tac_toe", "--seconds", "0"],
        ["bench", "tic_tac_toe", "--threads", "none"],
        ["bench", "tic_tac_toe", "--lanes", "-1"],
        ["endgame", "--pieces", "9"],
        ["endgame", "--limit", "127"],
        ["bench", "tic_tac_toe", "--seconds", "0.1", "--lanes", "63"],
        ["analyse", "no_such_game"],
        ["analyse", "nim", "--seconds", "0"],
        ["validate", "no/such/file.kif"],
        ["serve", "--port", "99999"],
    ],
    ids=" ".join,
)
def test_a_mistake_is_one_clear_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert status(*arguments) not in (0, None)
    shown = capsys.readouterr()
    assert re.fullmatch(r"ludens: [^\n]+\n", without_progress(shown.err))
    assert shown.out == ""


def test_an_unknown_game_brings_the_nearest_to_mind(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("bench", "conect_four") == 2
    assert "connect_four" in capsys.readouterr().err


def test_rules_with_a_mistake_are_refused_with_line_and_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "broken.kif"
    sheet.write_text("(role white)\n(<= (legal white x) (not terminal)", encoding="utf-8")
    assert status("match", str(sheet), "random") == 1
    shown = without_progress(capsys.readouterr().err)
    assert re.fullmatch(r"ludens: broken: line 2, column \d+: [^\n]+\n", shown)


def test_a_missing_native_core_is_one_clear_line() -> None:
    missing = "import sys; sys.modules['ludens.native._core'] = None"
    code = f"{missing}; from ludens.agent.commands.cli import main; sys.exit(main(['bench', 'nim']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == ExitCode.FAULTY_INPUT
    assert re.fullmatch(r"ludens: the native core cannot be loaded \(.*\): install Ludens again, .*\n", done.stderr)


def test_a_missing_parenthesis_is_told_with_its_rule_by_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "open.kif"
    sheet.write_text("(role white)\n(<= (legal white x) (not terminal)\n(goal white 100)\n", encoding="utf-8")
    assert status("match", str(sheet), "random") == 1
    shown = without_progress(capsys.readouterr().err)
    assert "open: line 2, column 1: this rule for legal is not closed" in shown
    assert "`ludens validate` shows all mistakes" in shown


def test_output_that_nobody_reads_is_no_mistake() -> None:
    with subprocess.Popen(
        f"{sys.executable} -m ludens.agent.commands.cli games | true",
        cwd=ROOT,
        shell=True,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.communicate(timeout=PATIENCE)[1] == ""


# ---- Names and places that were meant ----


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("validat nim", "there is no command 'validat'; did you mean validate? (see `ludens --help`)"),
        (
            "match nim --playclok 3",
            "there is no option --playclok; did you mean --playclock? (see `ludens match --help`)",
        ),
        ("serve --enginemb 3", "there is no option --enginemb; did you mean --engine-mb? (see `ludens serve --help`)"),
        ("match nim UCT", "there is no strategy 'UCT'; did you mean uct? (`ludens strategies` explains all)"),
        ("match nim mcts", "there is no strategy 'mcts'; did you mean uct? (`ludens strategies` explains all)"),
        (
            "serve --strategy minimax",
            "there is no strategy 'minimax'; did you mean alphabeta? (`ludens strategies` explains all)",
        ),
        (
            "match nim uct:thread=2",
            "there is no setting 'thread'; did you mean threads? (`ludens serve --help` lists the settings)",
        ),
        (
            "serve --recall offf",
            "--recall must be on, off, not 'offf'; did you mean off? (`ludens serve --help` lists the settings)",
        ),
        (
            "match tic_tac_to",
            "no built-in game is called 'tic_tac_to'; did you mean tic_tac_toe? (`ludens games` lists them)",
        ),
        (
            "match TicTacToe --seed x",
            "invalid value for '--seed': 'x' is not a whole number of at least 0 (see `ludens match --help`)",
        ),
        (
            "validate tic-tac",
            "no built-in game is called 'tic-tac'; did you mean tic_tac_toe? (`ludens games` lists them)",
        ),
        (
            "match nim --playclock -1",
            "invalid value for '--playclock': '-1' is not a number of seconds from 0 to 1,000,000 "
            "(see `ludens match --help`)",
        ),
        (
            "match tic_tac_toe uct uct uct",
            "3 players are too many: the game has 2 roles (cross, nought) (see `ludens match --help`)",
        ),
        ("match", "missing argument 'GAME' (see `ludens match --help`)"),
        (
            "match nim https://localhost:9147",
            "'https://localhost:9147' is no player: write http://host:port (see `ludens match --help`)",
        ),
        (
            "serve --engine-mb 600 --nodes-mb 900",
            "--engine-mb must be at least 2599 where --nodes-mb is 900: raise --engine-mb, or lower --nodes-mb to 51 "
            "(`ludens serve --help` lists the settings)",
        ),
    ],
)
def test_what_is_not_known_brings_the_nearest_and_the_right_help_to_mind(
    arguments: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(*arguments.split()) == ExitCode.WRONG_USAGE
    assert without_progress(capsys.readouterr().err) == f"ludens: {complaint}\n"


@pytest.mark.parametrize(("given", "meant"), [("my_gam.kif", "my_game.kif"), ("connect_four.kif", "connect_four")])
def test_a_file_that_is_not_there_brings_the_nearest_to_mind(
    given: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my_game.kif").write_text(games.read("nim"), encoding="utf-8")
    assert status("validate", given) == ExitCode.FAULTY_INPUT
    assert capsys.readouterr().err.startswith(f"ludens: there is no file {given}; did you mean {meant}")


def test_ludens_alone_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert status() == ExitCode.WRONG_USAGE
    assert "Usage: ludens" in capsys.readouterr().out


def test_options_may_stand_anywhere_and_clocks_may_be_fractions() -> None:
    done = ludens("match", "--quiet", "nim", "--startclock", "600.5", "first", "--playclock=600.25", "first")
    assert done.returncode == 0, done.stderr
    assert "completed without player errors" in done.stdout


def test_built_in_games_can_be_validated(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("validate", "tic_tac_toe", "nim") == 0
    assert capsys.readouterr().out.count("no mistake found") == 2


HEAVY = ("twisted", "numpy", "lark", "clingo", "ludens.native._core", "ludens.native.core")


@pytest.mark.parametrize("arguments", [["--help"], *([command, "--help"] for command in COMMANDS)], ids=" ".join)
def test_help_loads_nothing_that_computes(arguments: list[str]) -> None:
    """Loading numpy, twisted or the native core would take longer than all the rest."""
    run = f"from ludens.agent.commands.cli import main; main({arguments})"
    code = f"import sys; {run}; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "Usage: ludens" in done.stdout
    assert not set(HEAVY) & set(done.stderr.split())


def test_help_fits_a_terminal_of_eighty_columns_and_is_plain_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for arguments in [(), *((command,) for command in COMMANDS)]:
        assert status(*arguments, "--help") == 0
        text = capsys.readouterr().out
        assert max(map(len, text.splitlines())) <= 80
        assert "\x1b" not in text and "[]" not in text
        assert all(line == line.rstrip() for line in text.splitlines())


def test_settings_are_everyday_ones_or_for_experts(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("serve", "--help") == 0
    everyday, expert = capsys.readouterr().out.partition("Everyday options:")[2].split("Expert options:")
    assert "  --port N" in everyday and "  --exploration X" not in everyday
    assert "  --port N" not in expert and "  --exploration X" in expert
    assert all(flag(knob.name) + " " in everyday + expert for knob in fields(PlayerOptions))
    assert all(f"  {option}" in everyday for option in ("--log FILE", "--records DIR", "--interface HOST", "--learn S"))


def test_every_strategy_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("strategies") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert all(f"{name} {meaning}" in text for name, meaning in EXPLANATIONS.items())


# ---- games, validate, analyse, bench ----


def test_games_lists_every_game_with_its_players(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("games") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(games.names())
    assert all(re.match(r"\S+ +[1-9] players? +\S", line) for line in lines)


def test_games_shows_a_sheet_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("games", "--show", "nim") == 0
    assert capsys.readouterr().out.rstrip("\n") == games.read("nim").rstrip("\n")


def test_games_that_are_not_there_are_wrong_usage() -> None:
    assert status("games", "--show", "nmi") == ExitCode.WRONG_USAGE
    assert status("bench", "nmi") == ExitCode.WRONG_USAGE


def test_a_folder_is_no_rule_sheet_but_may_hold_some(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("validate", str(tmp_path)) == ExitCode.FAULTY_INPUT
    assert "is a folder: name a rule sheet, which usually ends in .kif" in capsys.readouterr().err
    (tmp_path / "mine.kif").write_text("(role me)")
    assert status("analyse", str(tmp_path)) == ExitCode.FAULTY_INPUT
    assert f"is a folder: name a rule sheet, such as {tmp_path / 'mine.kif'}" in capsys.readouterr().err


def test_a_mistake_of_ours_is_one_line_with_a_file_to_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_show: str | None) -> int:
        raise KeyError("two\nlines")

    monkeypatch.setattr(games_command, "run", fail)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert status("games") == ExitCode.INTERNAL_ERROR
    (file,) = tmp_path.iterdir()
    assert capsys.readouterr().err == (
        f"ludens: internal error (KeyError: 'two\\nlines'); please report it, with the file {file}\n"
    )
    assert "Traceback" in file.read_text()
    file.unlink()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "full"))
    assert status("games") == ExitCode.INTERNAL_ERROR
    assert "please report it:\nTraceback" in capsys.readouterr().err


def test_validate_passes_good_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "good.kif"
    sheet.write_text(games.read("tic_tac_toe"), encoding="utf-8")
    assert status("validate", str(sheet)) == 0
    assert "no mistake" in capsys.readouterr().out


def test_validate_says_where_each_file_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unsafe, broken, good = (tmp_path / name for name in ("unsafe.kif", "broken.kif", "good.kif"))
    unsafe.write_text(UNSAFE, encoding="utf-8")
    broken.write_text("(role white", encoding="latin-1")
    good.write_text(games.read("nim"), encoding="utf-8")
    assert status("validate", str(unsafe), str(good), str(broken)) == 1
    shown = capsys.readouterr().out
    assert re.search(r"^\S*unsafe\.kif: line 2, column \d+: .*\?x", shown, re.MULTILINE)
    assert re.search(r"^\S*unsafe\.kif: line 3, column \d+: .*\?y", shown, re.MULTILINE)
    assert re.search(r"^\S*broken\.kif: line 1, column \d+: ", shown, re.MULTILINE)
    assert re.search(r"^\S*good\.kif: no mistake", shown, re.MULTILINE)


def test_validate_warns_of_what_looks_like_a_slip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "unused.kif"
    sheet.write_text(UNUSED, encoding="utf-8")
    assert status("validate", str(sheet)) == 0
    assert re.search(
        r"unused\.kif: line 2, column 1: warning: .*helper.*\n +2 \| \(helper 1\)\n +\| \^\n", capsys.readouterr().out
    )


def test_validate_plays_random_games_unless_told_not_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "stuck.kif"
    sheet.write_text(STUCK, encoding="utf-8")
    assert status("validate", str(sheet)) == 0
    shown = capsys.readouterr().out
    assert re.search(r"stuck\.kif: line 4, column 5: warning: nought has no legal move in 100 % of .* noop", shown)
    assert re.search(r"stuck\.kif: 1 warning; played [\d,]+ random games\n$", shown)
    assert status("validate", "--no-play", str(sheet)) == 0
    assert capsys.readouterr().out == f"{sheet}: no mistake found\n"


def test_validate_plays_no_rules_with_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "wrong.kif"
    sheet.write_text(STUCK.replace("(does cross mark)", "(does nobody mark)"), encoding="utf-8")
    assert status("validate", str(sheet)) == 1
    shown = capsys.readouterr().out
    assert re.search(r"wrong\.kif: line 5, column \d+: error: nobody in .* is no role: the roles are cross", shown)
    assert "random games" not in shown


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_validate_shows_the_line_of_a_mistake_whatever_ends_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], end: str
) -> None:
    sheet = tmp_path / "open.kif"
    sheet.write_bytes(f"(role white){end}{end}\t(init (cell 1 1){end}(legal white wait){end}".encode())
    assert status("validate", str(sheet)) == 1
    assert "\n     3 | \t(init (cell 1 1)\n       | \t^\n" in capsys.readouterr().out


def test_validate_shows_a_part_of_a_long_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "long.kif"
    sheet.write_text("(role white) " + "(legal white wait) " * 100 + "(goal whit 100)\n", encoding="utf-8")
    assert status("validate", str(sheet)) == 1
    line, mark = re.findall(r"\|(.*whit 100.*)\n +\|(.*\^)\n", capsys.readouterr().out)[0]
    assert len(line) < 110
    assert line[mark.index("^") :] == "(goal whit 100)"


def test_analyse_tells_the_size_of_the_network(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("analyse", "tic_tac_toe", "--json") == 0
    analysis = json.loads(capsys.readouterr().out)
    assert analysis["game"] == "tic_tac_toe"
    assert analysis["moves"] == [10, 10]
    assert analysis["loops"] == analysis["feedback"] == 0
    assert 1 < analysis["levels"] < analysis["gates"] == analysis["stages"][-1]["gates"]
    assert analysis["profile"]["alternating"] == {"holds": True, "proven": True}
    assert len(analysis["fingerprint"]) == 32


def test_analyse_says_what_kind_of_game_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("analyse", "connect_four", "--seconds", "600") == 0
    shown = capsys.readouterr().out
    assert re.search(r"turns +one role chooses at a time \(proven\): red, then yellow, and again", shown)
    assert re.search(
        r"board +42 places, by facts like \(cell \* \* \?\), where \? is a piece of red \(red\) or ", shown
    )
    assert re.search(r"red( +\d+\.\d % \(\d+\.\d-\d+\.\d\)){3} +5\d\.\d \(", shown)  # wins, draws, losses; mean goal
    assert "±" not in shown


def test_analyse_claims_no_more_than_is_proven(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("analyse", "nim", "--seconds", "1") == 0
    shown = capsys.readouterr().out
    assert re.search(r"facts +\d+: no others can ever hold", shown)
    assert re.search(r"winning moves +at most \d+ of \d+ moves can win the game at once \(proven\)", shown)
    assert "none (proven)" not in shown


def test_analyse_fits_eighty_columns(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert status("analyse", "connect_four", "--seconds", "1") == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert re.search(r"^  red( +\d+\.\d %){3} +5\d\.\d\n( +\(\d+\.\d-\d+\.\d\)){4}$", shown, re.MULTILINE)


def test_analyse_shows_the_gates_before_and_after_each_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("analyse", "nim", "--verbose") == 0
    rows = re.findall(r"^ +\w+ +([\d,]+) → +([\d,]+) gates in [\d.]+ s$", capsys.readouterr().out, re.MULTILINE)
    assert len(rows) > 1
    assert [before for before, _ in rows[1:]] == [after for _, after in rows[:-1]]


def test_a_game_in_which_a_role_runs_out_of_moves_is_told_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "stuck.kif"
    sheet.write_text(
        "(role red) (role blue) (init on) (legal red go) (<= (legal blue go) (true on)) (<= (next off) (true on))\n"
        "(<= (next off) (true off)) (<= terminal (true never)) (goal red 50) (goal blue 50)"
    )
    assert status("analyse", str(sheet), "--seconds", "600") == 0
    shown = capsys.readouterr().out
    assert re.search(r"! blue has no legal move in 100\.0 % of [\d,]+ random games, .* after 1 step: go \| go", shown)
    command = re.search(r"see one: ludens (.*)", shown)
    assert command is not None
    assert status(*shlex.split(command.group(1))) == 0
    assert capsys.readouterr().out.endswith("The game is not over: red has 1 legal move; blue has no legal move.\n")
    assert status("bench", str(sheet), "--seconds", "0.05") == 0
    assert re.search(r"! 100\.0 % of the random games were never over", capsys.readouterr().out)


def test_analyse_has_a_player_play_itself(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("analyse", "tic_tac_toe", "--seconds", "0.2", "--json")
    assert status(*arguments, "--strength", "--games", "3", "--playclock", "0.01", "--player", "flat") == 0
    played = json.loads(capsys.readouterr().out)["good_play"]
    assert played["games"] == 3
    assert sum(played["results"][0][kind]["count"] for kind in ("wins", "draws", "losses")) == 3


def test_rules_whose_network_takes_too_much_are_analysed_and_measured_all_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for command in ("analyse", "bench"):
        assert status(command, "tic_tac_toe", "--seconds", "0.2", "--grounding-seconds", "0") == 0
        assert "--grounding-seconds allows more" in " ".join(capsys.readouterr().out.split())


def test_bench_measures_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("bench", "tic_tac_toe", "--seconds", "2", "--lanes", "64", "--threads", "2", "--json") == 0
    measured = json.loads(capsys.readouterr().out)
    assert list(measured) == [field.name for field in fields(Measurements)]
    assert measured["game"] == "tic_tac_toe"
    assert measured["lanes"] == 64
    assert 5 <= measured["mean_length"] <= 9
    assert measured["state_changes_per_s"] == pytest.approx(
        measured["playouts_per_s"] * measured["mean_length"], rel=0.01
    )
    assert measured["search_iterations_per_s"] > 0


def test_bench_can_be_read_by_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("bench", "tic_tac_toe", "--seconds", "0.1") == 0
    assert re.match(r"tic_tac_toe: network of \d+ logic gates, .*\n +[\d,]+ random games", capsys.readouterr().out)


# ---- match ----


def test_a_match_of_rules_whose_network_takes_too_much_is_played_on_the_rules() -> None:
    done = ludens("match", "tic_tac_toe", "first", "first", "--grounding-seconds", "0", "--quiet", *CLOCKS)
    assert done.returncode == 0
    told = " ".join(done.stdout.split())
    assert "the rules are interpreted, which is slower: " in told
    assert "--grounding-seconds allows more" in told


def test_a_game_whose_facts_vanish_is_played(tmp_path: Path) -> None:
    sheet = tmp_path / "vanishing.kif"
    sheet.write_text(
        "(role a) (role b) (init (p 1)) (legal a go) (legal a wait) (legal b go) (goal a 100) (goal b 0)\n"
        "(<= terminal (true (q 2)))"
    )
    done = ludens("match", str(sheet), "uct:iterations=100", "first", "--max-turns", "2", "--quiet", *CLOCKS)
    assert done.returncode == ExitCode.TURN_LIMIT
    assert "!" not in done.stdout


def test_players_have_no_less_for_their_network_than_the_match() -> None:
    ours, theirs = with_limits([read_player("uct:grounding_mb=100"), read_player("host:9147")], Limits(900.0, 4096))
    assert isinstance(ours, LocalPlayer)
    assert (ours.options.grounding_seconds, ours.options.grounding_mb) == (900.0, 4096)
    assert isinstance(theirs, RemotePlayer)


def test_a_match_between_local_players_is_told_and_recorded(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    done = ludens(
        *("match", "tic_tac_toe", "uct", *CLOCKS),
        *("--scramble", "--seed", "7", "--id", "Told.1", "--record", str(path)),
    )
    assert done.returncode == 0, done.stderr
    assert "no player was given for nought: random plays it" in done.stdout
    assert re.search(r"cross thinks: [^\n]*[\d,]+ playouts,[^\n]* expects\s+\(mark \d \d\)", done.stdout)
    assert "The match completed without player errors." in done.stdout
    assert "  1  " in done.stdout
    record = records.read(path)
    assert record.match_id == "Told.1"
    assert record.completed
    assert record.scrambled
    assert record.error_count == 0
    assert sum(record.goals) == 100
    assert f"Result after {len(record.moves)} turns:" in done.stdout


def test_a_quiet_match_shows_the_result_only() -> None:
    done = ludens("match", "tic_tac_toe", "random", "random", *CLOCKS, "--quiet")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\nResult after \d turns:\n.+\n.+\nThe match completed without .+\n", done.stdout)


def test_a_player_that_serves_can_be_invited() -> None:
    with running("serve", "--port", "0", "--strategy", "random") as server:
        port = wait_for(server, r"http://127\.0\.0\.1:(\d+)")[1]
        done = ludens("match", "nim", f"http://127.0.0.1:{port}", "random", *CLOCKS)
    assert done.returncode == 0, done.stderr
    assert "completed without player errors" in done.stdout
    assert f"127.0.0.1:{port}" in done.stdout


def without_progress(text: str) -> str:
    """What is said besides that something takes long, as it does on a busy machine."""
    return re.sub(r"(?m)^.* … \d+ s\n", "", text)


def test_a_player_that_is_not_there_is_a_mistake_of_one_line() -> None:
    done = ludens("match", "tic_tac_toe", "http://127.0.0.1:9", "random", "--quiet")
    assert done.returncode == ExitCode.PLAYER_FAILED
    assert done.stdout == ""
    assert re.fullmatch(
        r"ludens: no player for cross: nobody listens at 127\.0\.0\.1:9: Connection refused\n", done.stderr
    )


def test_an_interrupted_match_ends_cleanly_and_is_recorded_as_aborted(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    arguments = ("match", "connect_four", "uct", *CLOCKS, "--record", str(path))  # solved by no first turn
    with running(*arguments) as process:
        wait_for(process, r"^Start$")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert without_progress(err) == "ludens: interrupted\n"
    assert "Aborted after 0 turns." in out
    assert records.read(path).aborted


# ---- Who plays ----


def test_a_local_player_takes_settings() -> None:
    player = read_player("uct:threads=2,exploration=0.5")
    assert isinstance(player, LocalPlayer)
    assert (player.options.strategy, player.options.threads, player.options.exploration) == ("uct", 2, 0.5)
    assert (player.options.interface, player.options.port) == ("127.0.0.1", 0)


def test_players_of_one_match_share_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.agent.manager.players.processors", lambda: 9)
    texts = ["uct:threads=0", "flat:threads=7", "random:threads=0", "http://example.org:9147"]
    players = share_processors([read_player(text) for text in texts])
    threads = [player.options.threads for player in players if isinstance(player, LocalPlayer)]
    assert threads == [4, 7, 9 // 2]
    assert isinstance(players[-1], RemotePlayer)


def test_a_search_is_measured_on_one_thread_unless_told_otherwise() -> None:
    assert read_search("uct").workers == 1
    assert read_search("uct:threads=3").workers == 3
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


def test_commands_find_their_way_without_the_root_as_working_directory(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*LUDENS, "games"], cwd=tmp_path, env=environment, capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0
