"""Damages rule sheets and pushes them through the whole pipeline: only errors of our own kind may come out.

    python -m scripts.verify.fuzz_sheets --seconds 600                     # the built-in games and random sheets
    python -m scripts.verify.fuzz_sheets --seconds 600 --rules rulesheets  # and those of a folder

Tokens are dropped, swapped, doubled, renamed and replaced by others of the sheet, parentheses are broken, bytes
are flipped. What is left is parsed, checked, grounded and built within tight limits, and played: by the network,
by the machine that interprets rules, and by the oracle, whose states must agree. A worker process does this;
whatever raises anything but a LudensError, crashes or hangs is counted, and its sheet is kept in --keep.
The exit status is 0 if nothing did.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import re
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from ludens import games
from ludens.native.core import Game, Simulator
from ludens.propnet.base.child import die_with_parent
from ludens.propnet.base.errors import LudensError
from ludens.propnet.compile.loader import Limits, load
from ludens.propnet.diagnosis.reading import diagnose
from ludens.propnet.gdl.check import check
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.rewrite.rule_program import compile_program
from scripts.common.random_sheets import random_sheet
from scripts.common.replay import Comparison, RulesNames, Step, play
from scripts.verify.conformance import sheets

LIMITS = Limits(seconds=2.0, memory_mb=1024)  # of the network
HANG_SECONDS = 60.0  # on the clock for one sheet; each stage alone should take a fraction
MEMORY_MB = 4096  # of a worker
ORACLE_SECONDS = 1.0
PLAYOUTS, MAX_STEPS = 2, 10
MAX_LENGTH = 20_000  # characters of a sheet that is taken: small ones are through sooner

Tokens = list[str]


def damaged(text: str, chance: random.Random) -> str:
    """Returns the text with one to four random damages."""
    for _ in range(chance.randint(1, 4)):
        if chance.random() < 0.05:
            text = _flipped(text, chance)
            continue
        tokens = _TOKEN.findall(text)
        if tokens:
            chance.choice(_MUTATIONS)(tokens, chance)
        text = "".join(tokens)
    return text


_TOKEN = re.compile(r"[()]|\s+|;[^\n]*|[^\s();]+")


def _flipped(text: str, chance: random.Random) -> str:
    """Flips some bits."""
    raw = bytearray(text.encode("utf-8", "surrogateescape"))
    for _ in range(chance.randint(1, 3) if raw else 0):
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    return raw.decode("utf-8", chance.choice(("replace", "surrogateescape", "ignore")))


def _drop(tokens: Tokens, chance: random.Random) -> None:
    start, end = _stretch(tokens, chance)
    del tokens[start:end]


def _double(tokens: Tokens, chance: random.Random) -> None:
    start, end = _stretch(tokens, chance)
    tokens[start:start] = [*tokens[start:end], " "]


def _swap(tokens: Tokens, chance: random.Random) -> None:
    """Swaps two parts of the text, which may overlap."""
    (a, b), (c, d) = sorted((_stretch(tokens, chance), _stretch(tokens, chance)))
    tokens[a:d] = [*tokens[c:d], *tokens[b:c], *tokens[a:b]]


def _move(tokens: Tokens, chance: random.Random) -> None:
    start, end = _stretch(tokens, chance)
    stretch = tokens[start:end]
    del tokens[start:end]
    place = _stretch(tokens, chance)[0] if tokens else 0
    tokens[place:place] = [*stretch, " "]


def _replace(tokens: Tokens, chance: random.Random) -> None:
    """Replaces a part by another part of the sheet."""
    (a, b), (c, d) = _stretch(tokens, chance), _stretch(tokens, chance)
    tokens[a:b] = tokens[c:d]


def _rename(tokens: Tokens, chance: random.Random) -> None:
    """Replaces one word by another."""
    words = [place for place, token in enumerate(tokens) if _is_word(token)]
    if words:
        tokens[chance.choice(words)] = chance.choice(_STRANGE)


def _rename_all(tokens: Tokens, chance: random.Random) -> None:
    """Replaces all occurrences of one word by another."""
    words = sorted(set(filter(_is_word, tokens)))
    if words:
        old, new = chance.choice(words), chance.choice(words)
        tokens[:] = [new if token == old else token for token in tokens]


def _break(tokens: Tokens, chance: random.Random) -> None:
    """Adds or removes a parenthesis, or cuts the text short."""
    place = chance.randrange(len(tokens))
    if chance.random() < 0.2:
        del tokens[place:]
    else:
        tokens.insert(place, chance.choice(("(", ")", "((", "))", ") (", "()")))


def _stretch(tokens: Tokens, chance: random.Random) -> tuple[int, int]:
    """Returns the start and end of a random word, or of a random pair of matching parentheses."""
    start = chance.choice([place for place, token in enumerate(tokens) if not token.isspace()] or [0])
    while tokens[start] == ")" and start and chance.random() < 0.95:
        start -= 1
    depth, end = 0, start
    while end < len(tokens):
        depth += (tokens[end] == "(") - (tokens[end] == ")")
        end += 1
        if depth <= 0:
            break
    return start, end


def _is_word(token: str) -> bool:
    return token[0] not in "();" and not token.isspace()


_MUTATIONS: tuple[Callable[[Tokens, random.Random], None], ...] = (
    _drop, _double, _swap, _move, _replace, _replace, _rename, _rename, _rename_all, _break,
)  # fmt: skip
_STRANGE = (
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "<=", "not", "or", "and",
    "distinct", "?x", "?y", "?", "??", "0", "100", "-1", "101", "99999999999999999999", "1.5", "NIL", "é", "\0",
    '"', "'", "|", "#", "a" * 300, "TRUE", "Role", "r0", "V0", "c0", "f0", "=", "<", "(f (f (f a)))", "(f ?x)",
)  # fmt: skip


def push(text: str) -> str:
    """Takes a sheet through all stages and returns the last one reached; raises only what must not happen."""
    try:
        diagnose(text)
        sheet = parse_rules(text)
    except LudensError:
        return "no GDL"
    try:
        check(sheet)
    except LudensError:
        return "no game"
    steps = _oracle(sheet)
    reached = [_network(sheet, steps), _rules(sheet, steps)]
    return ", ".join(reached)


def _oracle(sheet: RuleSheet) -> list[list[Step]]:
    """Plays random games by the oracle, which has no limits of its own, until its time is up."""
    played: list[list[Step]] = []
    signal.setitimer(signal.ITIMER_VIRTUAL, ORACLE_SECONDS)
    try:
        for seed in range(PLAYOUTS):
            played.append([])
            played[-1].extend(play(Interpreter(sheet), random.Random(seed), MAX_STEPS))
    except (LudensError, _OutOfTimeError):
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return played


class _OutOfTimeError(Exception):
    pass


def _out_of_time(_signal: int, _frame: object) -> None:
    raise _OutOfTimeError


_DIED = "died"  # what the loader says of a child process that did not end in order


def _network(sheet: RuleSheet, games_: Sequence[Sequence[Step]]) -> str:
    try:
        comparison = Comparison.of_network(load(sheet, LIMITS))
    except LudensError as error:
        if _DIED in str(error):
            raise
        return "no network"
    _agree("network", comparison, games_)
    return "network"


def _rules(sheet: RuleSheet, games_: Sequence[Sequence[Step]]) -> str:
    try:
        game = Game.from_rules(compile_program(sheet))
        comparison = Comparison(game, RulesNames(game, sheet.roles))
        _agree("rules", comparison, games_)
        Simulator(game, lanes=64).playouts(64, seconds=0.1, max_steps=MAX_STEPS)
    except LudensError:
        return "not interpreted"
    return "interpreted"


def _agree(name: str, comparison: Comparison, games_: Sequence[Sequence[Step]]) -> None:
    lines = [line for steps in games_ for line in comparison.disagreements(steps)]
    if lines:
        raise AssertionError(f"{name}: {lines[0]}")


class Worker:
    """Takes one sheet after the other through the stages in a process, replaced when it crashes or hangs."""

    def __init__(self) -> None:
        """Starts the process."""
        self._start()

    def push(self, text: str) -> tuple[bool, str]:
        """Returns whether all went well, and the last stage that the sheet reached, or what happened to it."""
        self._pipe.send(text)
        try:
            if self._pipe.poll(HANG_SECONDS):
                fine, what = self._pipe.recv()
                return fine, what
            what = f"hangs for {HANG_SECONDS:g} s"
        except EOFError:
            self._process.join()
            what = f"the process died with status {self._process.exitcode}"
        self.end()
        self._start()
        return False, what

    def end(self) -> None:
        """Kills the process."""
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def _start(self) -> None:
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_work, args=(theirs,))
        self._process.start()
        theirs.close()


_SPAWN = multiprocessing.get_context("spawn")


def _work(pipe: Connection) -> None:
    die_with_parent()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB << 20, MEMORY_MB << 20))
    signal.signal(signal.SIGVTALRM, _out_of_time)
    while True:
        text = pipe.recv()
        try:
            answer = (True, push(text))
        except Exception:  # noqa: BLE001 (what must not come out, whatever it is, is the result)
            answer = (False, traceback.format_exc())
        pipe.send(answer)


def _whole_sheets(folder: Path | None) -> list[str]:
    """Returns the sheets to damage."""
    texts = [games.read(name) for name in games.names()]
    texts += [str(random_sheet(random.Random(number))) for number in range(20)]
    if folder:
        texts += [path.read_text(encoding="utf-8", errors="replace") for path in sheets(folder).values()]
    return [text for text in texts if len(text) <= MAX_LENGTH]


def main() -> int:
    """Damages sheets until the time is up; returns 0 if nothing happened that must not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("--seconds", type=float, default=600, help="on the clock (default: %(default)s)")
    add("--rules", type=Path, metavar="DIR", help="folder of more rule sheets")
    add("--seed", type=int, default=0, help="of the first mutation (default: %(default)s)")
    add("--keep", type=Path, default=Path("fuzz"), metavar="DIR", help="for findings (default: %(default)s)")
    options = parser.parse_args()
    whole, worker = _whole_sheets(options.rules), Worker()
    outcomes: Counter[str] = Counter()
    start, found, number = time.monotonic(), 0, options.seed
    while time.monotonic() - start < options.seconds:
        chance = random.Random(number)
        text = damaged(chance.choice(whole), chance)
        fine, what = worker.push(text)
        outcomes[what if fine else "FOUND"] += 1
        if not fine:
            found += 1
            options.keep.mkdir(exist_ok=True)
            (options.keep / f"{number}.kif").write_text(text, encoding="utf-8", errors="surrogateescape")
            print(f"mutation {number}: {what.strip()}", flush=True)
        number += 1
    worker.end()
    print(f"{number - options.seed} damaged sheets: {found} with a finding")
    print(*(f"  {count:6} {outcome}" for outcome, count in outcomes.most_common()), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
