"""`ludens replay`: shows a match that was recorded, in the browser, as a page of its own, or in the terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from ludens.agent.commands.browser import open_in_browser
from ludens.agent.commands.commentary import Commentary
from ludens.agent.commands.exit_codes import UsageError
from ludens.agent.commands.progress import progress
from ludens.agent.commands.terminal import printable
from ludens.agent.manager.scramble import NoScrambler
from ludens.agent.play.replay import NoSuchMoveError, Replay, follow, without_rules
from ludens.agent.play.replayed_game import ReplayedGame, replayed_game
from ludens.agent.protocol.wire import SearchReport
from ludens.agent.reactor.steady_reactor import steady_reactor
from ludens.agent.records import record as records
from ludens.agent.records.reading import FoundRecord, read_record, read_text, read_written, written_notation
from ludens.agent.records.record import MatchRecord, RecordError
from ludens.agent.web.one_page import show_page
from ludens.agent.web.record_page import record_page
from ludens.games import UnknownGameError
from ludens.games.recognised_game import WrittenMatch
from ludens.games.registry import recognise
from ludens.games.rules import NamedRules, find_built_in, find_rules
from ludens.games.view.vocabulary import PositionView
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import LudensError

_PROOF_SECONDS = 10.0
_PROOF_GAMES = 256


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What the user said, as `ludens replay --help` explains it."""

    file: Path
    game: str | None
    text: bool
    html: Path | None
    browser: bool
    port: int
    limits: Limits


def run(options: ReplayOptions) -> int:
    """Runs the subcommand; raises `LudensError` for a file that holds no match."""
    if options.text and options.html:
        raise UsageError("--text shows the match here, --html writes a page: choose one of them")
    if options.html:
        records.check_writable(options.html)
    with progress(f"replaying {options.file.name}"):
        replay = _replay(options)
    if options.text:
        _tell(replay)
    elif options.html:
        records.write_text(record_page(replay), options.html)
        _say_notice(replay)
        print(f"Page: {options.html}")
    else:
        _say_notice(replay)
        _serve(record_page(replay), options)
    return 0


def _replay(options: ReplayOptions) -> Replay:
    """Returns the match in a file; raises `LudensError`, which names the file."""
    text = read_text(options.file)
    try:
        if options.game is None and (written := read_written(text, options.file.name)):
            return follow(_game(NamedRules(written.record.game, written.record.rules), options), written)
        if (notation := written_notation(text, options.file.name)) is not None:
            return _written(text, notation.name, find_rules(options.game or notation.usual_game(text)), options)
        found = read_record(text)
    except LudensError as error:
        raise RecordError(f"{options.file}: {error}") from error
    rules = _rules(options, found.record)
    if rules is None:
        return without_rules(found)
    return follow(_game(rules, options), found)


def _rules(options: ReplayOptions, record: MatchRecord) -> NamedRules | None:
    """Returns the rules that the user names, else those in the record, else of a built-in game that it names."""
    if options.game:
        return find_rules(options.game)
    if record.rules:
        return NamedRules(record.game or record.match_id or "match", record.rules)
    try:
        return find_built_in(record.game) if record.game else None
    except UnknownGameError:
        return None


def _game(rules: NamedRules, options: ReplayOptions) -> ReplayedGame:
    return replayed_game(rules, options.limits)


def _written(text: str, notation: str, rules: NamedRules, options: ReplayOptions) -> Replay:
    """Returns a match in the notation of its game."""
    game = _game(rules, options)
    found = recognise(game.net, _PROOF_SECONDS, games=_PROOF_GAMES) if game.net else None
    recognised = found.game if found else None
    if recognised is None or recognised.writer is None or recognised.reader is None:
        reasons = (
            "; ".join(f"no {name}: {reason}" for name, reason in found.refusals.items()) if found else "no network"
        )
        raise LudensError(f"{rules.name} was not recognised as a game that is written in {notation} ({reasons})")
    recognised.writer.check_rules()
    match = recognised.reader.read(text)
    players = [name or "someone" for name in match.players]
    record = MatchRecord("", "", 0, 0, 0, players, scrambled=False, game=rules.name, rules=rules.text)
    replay = follow(game, FoundRecord(record), lambda _turn, state: _next(match, state.legal))
    if replay.notice and not match.ends:
        cut = "the text ends without a result: what there is is shown"
        return replace(replay, notice=cut)
    return replay


def _next(match: WrittenMatch, legal: tuple[tuple[str, ...], ...]) -> tuple[str, ...] | None:
    try:
        return match.next(legal)
    except LudensError as error:
        raise NoSuchMoveError(str(error)) from error


# ---- In the terminal ----


def _tell(replay: Replay) -> None:
    """Tells the match as `ludens match` does while it is played."""
    commentary = Commentary(replay.roles, _Views(replay), NoScrambler(), width=Console().width)
    _say_notice(replay)
    record = replay.record
    for remark in record.remarks:
        commentary.on_remark(remark)
    commentary.on_start(replay.states[0])
    for turn, moves in enumerate(record.moves):
        for thought in record.thoughts[turn] if turn < len(record.thoughts) else ():
            commentary.on_news(replay.roles[thought["role"]], _report(turn, thought))
        errors = record.errors[turn + 1] if turn + 1 < len(record.errors) else [""] * len(moves)
        commentary.on_turn(turn + 1, moves, errors, replay.states[turn + 1])
    print(f"\n{commentary.result(record)}", flush=True)


class _Views:
    """The views of the positions of a match, found by their facts."""

    def __init__(self, replay: Replay) -> None:
        self.view = replay.look
        self._views = {state.facts: view for state, view in zip(replay.states, replay.views, strict=True)}

    def read(
        self, facts: Collection[str], legal: Sequence[Sequence[str]], terminal: bool, goals: Sequence[int | None] | None
    ) -> PositionView:
        """Returns the view of a position of the match."""
        return self._views[tuple(facts)]


def _report(turn: int, thought: dict[str, Any]) -> SearchReport:
    """Returns a thought of a record as the report that it was."""
    return SearchReport(
        turn,
        str(thought.get("move", "")),
        playouts=int(thought.get("playouts") or 0),
        value=thought.get("value"),
        line=tuple(map(tuple, thought.get("line", ()))),
        proven=bool(thought.get("proven")),
    )


def _say_notice(replay: Replay) -> None:
    if replay.notice:
        print(f"  ! {printable(replay.notice)}")


# ---- In the browser ----


def _serve(page: str, options: ReplayOptions) -> None:
    """Shows the page until interrupted."""
    from ludens.agent.reactor.running import stopped_by_signals

    reactor = steady_reactor()
    with stopped_by_signals(reactor):
        address = show_page(reactor, page, options.port)
        print(f"{options.file.name} is shown at {address}\nCtrl-C ends it.", flush=True)
        if options.browser:
            open_in_browser(reactor, address)
        reactor.run()
