"""The command `ludens` as a whole: help, one clear line for every mistake, and names that were meant."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import fields
from pathlib import Path

import pytest

from ludens import games
from ludens.agent.commands import games as games_command
from ludens.agent.commands.cli import COMMANDS
from ludens.agent.commands.exit_codes import ExitCode
from ludens.agent.commands.interface.settings import flag
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.settings.strategies import EXPLANATIONS
from tests.support.command import LUDENS, ludens, status, without_progress
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE

HEAVY = ("twisted", "numpy", "lark", "clingo", "ludens.native._core", "ludens.native.core")


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
            "endgame --pieces 7",
            "invalid value for '--pieces': '7' is not a whole number from 2 to 6 (see `ludens endgame --help`)",
        ),
        *(
            (
                f"{command} --threads 3000000000",
                "invalid value for '--threads': '3000000000' is not a whole number from 0 to 1,024 "
                f"(see `ludens {command.split()[0]} --help`)",
            )
            for command in ("endgame", "train tak", "data english_draughts", "learn nim")
        ),
        (
            "archive list --limit 99999999999999999999",
            "invalid value for '--limit': '99999999999999999999' is not a whole number of at most "
            "9,223,372,036,854,775,807 (see `ludens archive list --help`)",
        ),
        (
            "analyse nim --show proper --json",
            "--json does not go with --show, which shows a game (see `ludens analyse --help`)",
        ),
        (
            "analyse nim --show proper --games 9",
            "--games does not go with --show, which shows a game (see `ludens analyse --help`)",
        ),
        (
            "analyse nim --playclock 1 --json",
            "--playclock is about games of a good player: say --strength, or --html (see `ludens analyse --help`)",
        ),
        (
            "learn nim --status --hours 1",
            "--hours does not go with --status, which learns nothing (see `ludens learn --help`)",
        ),
        (
            "learn nim --import kept.npz --cluster auto",
            "--cluster does not go with --import, which learns nothing (see `ludens learn --help`)",
        ),
        (
            "learn nim --export kept.npz --out run",
            "--out does not go with --export, which is about what is kept, and no run (see `ludens learn --help`)",
        ),
        (
            "learn nim --export kept.npz --features state --hidden 9",
            "--hidden does not go with --export, which is about what is kept, and no run (see `ludens learn --help`)",
        ),
        *(
            (
                f"replay match.json {shown} {option}",
                f"{option.split()[0]} is about the page in the browser, and none is shown there "
                "(see `ludens replay --help`)",
            )
            for shown in ("--text", "--html match.html")
            for option in ("--port 9000", "--no-browser", "--browser")
        ),
        (
            "match nim first first --quiet --verbose",
            "--verbose does not go with --quiet, which shows no moves (see `ludens match --help`)",
        ),
        (
            "match english_draughts first first --quiet --notation pdn",
            "--notation does not go with --quiet, which shows no moves (see `ludens match --help`)",
        ),
        (
            "analyse nim --json --verbose",
            "--verbose does not go with --json, which says everything (see `ludens analyse --help`)",
        ),
        (
            "data checkers --out /dev/null/games --cluster local --threads 2",
            "--threads does not go with --cluster, which works on all processors of its machines "
            "(see `ludens data --help`)",
        ),
        (
            "match nim uct --time-people",
            "--time-people is about human players, and there is none (see `ludens match --help`)",
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
            "train tak --rate 2",
            "invalid value for '--rate': '2' is not a number above 0, up to 1 (see `ludens train --help`)",
        ),
        (
            "learn nim --hours 20000",
            "invalid value for '--hours': '20000' is not a number above 0, up to 10,000 (see `ludens learn --help`)",
        ),
        (
            "bench nim --seconds 2000000",
            "invalid value for '--seconds': '2000000' is not a number of seconds above 0, up to 1,000,000 "
            "(see `ludens bench --help`)",
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
        ("match nim http://[::1", "'http://[::1' is no player: write http://host:port (see `ludens match --help`)"),
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


def test_a_folder_is_no_rule_sheet_but_may_hold_some(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("validate", str(tmp_path)) == ExitCode.FAULTY_INPUT
    assert "is a folder: name a rule sheet, which usually ends in .kif" in capsys.readouterr().err
    (tmp_path / "mine.kif").write_text("(role me)")
    assert status("analyse", str(tmp_path)) == ExitCode.FAULTY_INPUT
    assert f"is a folder: name a rule sheet, such as {tmp_path / 'mine.kif'}" in capsys.readouterr().err


def shell(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs `ludens` in a shell, whose command calls it "$@"."""
    return subprocess.run(
        ["sh", "-c", command, "sh", *LUDENS, *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", ["games", "games --show tak_5"])  # whose output fits in a buffer, or does not
def test_a_full_disk_is_no_mistake_of_ours(arguments: str) -> None:
    done = shell('"$@" > /dev/full', *arguments.split())
    assert done.stderr == "ludens: cannot write the output: No space left on device\n"
    assert done.returncode == ExitCode.FAULTY_INPUT


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_told_of_without_buffers_too() -> None:
    done = shell('PYTHONUNBUFFERED=1 "$@" > /dev/full', "games")
    assert done.stderr == "ludens: cannot write the output: No space left on device\n"


@pytest.mark.parametrize(
    ("name", "expected"), [((), "cannot write a file"), (("/tmp/draft",), "cannot write /tmp/draft")]
)
def test_a_full_disk_behind_a_file_is_not_taken_for_one_behind_the_output(
    name: tuple[str, ...], expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Many a file has no name, such as one by which a process tells another what to do."""

    def run(*_arguments: object, **_options: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), *name)

    monkeypatch.setattr("ludens.agent.commands.games.run", run)
    assert status("games") == ExitCode.FAULTY_INPUT
    assert capsys.readouterr().err == f"ludens: {expected}: {os.strerror(errno.ENOSPC)}\n"


@pytest.mark.parametrize(
    ("command", "arguments"),
    [('"$@" >&-', "games"), ('"$@" <&-', "tei"), ('"$@" <&-', "gomocup"), ('"$@" <&-', "match nim human random")],
)
def test_streams_that_are_closed_are_empty(command: str, arguments: str) -> None:
    done = shell(command, *arguments.split())
    assert done.returncode != ExitCode.INTERNAL_ERROR
    assert "Traceback" not in done.stderr and "internal error" not in done.stderr


def test_a_complaint_gives_the_terminal_no_orders(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("validate", "\x1b[2J.kif") == ExitCode.FAULTY_INPUT
    said = capsys.readouterr().err
    assert "␛[2J.kif" in said and "\x1b" not in said


@pytest.mark.parametrize(
    ("game", "code", "said"),
    [
        (300 * "x", ExitCode.WRONG_USAGE, "no built-in game is called 'xxx"),
        (f"none/{300 * 'x'}", ExitCode.FAULTY_INPUT, "there is no file none/xxx"),
        (f"tests/{300 * 'x'}", ExitCode.FAULTY_INPUT, "File name too long"),
    ],
)
def test_a_game_that_cannot_be_looked_at_is_no_mistake_of_ours(
    game: str, code: ExitCode, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    for command in ("validate", "match", "play"):
        assert status(command, game) == code
        assert said in capsys.readouterr().err


def test_a_mistake_of_ours_is_one_line_with_a_file_to_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_show: str | None) -> int:
        raise KeyError("two\nlines", "→ \udce9")

    monkeypatch.setattr(games_command, "run", fail)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert status("games") == ExitCode.INTERNAL_ERROR
    (file,) = tmp_path.iterdir()
    assert capsys.readouterr().err == (
        f"ludens: internal error (KeyError: ('two\\nlines', '→ \\udce9')); please report it, with the file {file}\n"
    )
    assert "Traceback" in file.read_text("utf-8")
    file.unlink()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "full"))
    assert status("games") == ExitCode.INTERNAL_ERROR
    assert "please report it:\nTraceback" in capsys.readouterr().err


def test_commands_find_their_way_without_the_root_as_working_directory(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*LUDENS, "games"], cwd=tmp_path, env=environment, capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0


@pytest.mark.parametrize(("words", "threads"), [([], 0), (["--threads", "3"], 3), (["--cluster", "local"], 1)])
def test_a_served_player_searches_on_all_processors_unless_a_cluster_needs_some(
    words: list[str], threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = list[PlayerOptions]()

    def run(options: PlayerOptions, *_others: object) -> int:
        given.append(options)
        return 0

    monkeypatch.setattr("ludens.agent.commands.serve.run", run)
    assert status("serve", *words) == 0
    assert [options.threads for options in given] == [threads]
