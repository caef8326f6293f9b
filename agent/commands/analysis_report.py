"""Writes an analysis of a game for people: what is wrong with it first, then what kind of game it is."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TypeVar

from ludens.agent.analysis.analysis import GameAnalysis, NetworkSize
from ludens.agent.analysis.balance import RoleResults, Share
from ludens.agent.analysis.game_statistics import GameStatistics, ImproperEnding
from ludens.agent.analysis.good_play import GoodPlay
from ludens.agent.analysis.profile import ControlCycle, GameProfile, Verdict
from ludens.agent.commands.terminal import columns
from ludens.agent.commands.verdict import answers
from ludens.agent.learning.random_games import Ending
from ludens.native.defaults import MAX_STEPS
from ludens.propnet.analysis.boards import Board
from ludens.propnet.base.words import counted

_IMPROPER = {
    Ending.STUCK: "ended without a move",
    Ending.NO_GOAL: "ended without a goal",
    Ending.ENDLESS: f"over {MAX_STEPS:,} steps",
}

T = TypeVar("T")
Row = tuple[str, str]

_WIDEST = 110
_NAMES = 21  # columns of the names of rows
_SHOWN_MOVES = 4  # the last ones of an example
_SHOWN_GOALS = 4
_SHOWN_TURNS = 8

_HOW_SURE = "proven: from the rules; sampled: so in all random games"
_INTERVALS = "in brackets: 95 % confidence intervals"


def report(
    name: str, path: str, analysis: GameAnalysis, played: GoodPlay | None = None, player: str = "", *, verbose: bool
) -> str:
    """Returns the text, with what was `played` by a good player, if anything was.

    `path` is what the user called the game, and `verbose` adds what experts want to know.
    """
    blocks = [
        [f"{name}: {_roles(analysis.statistics.roles)}"],
        [*improper_endings(path, analysis.statistics)],
        _section("Rules", _rules(analysis, verbose=verbose)),
    ]
    if analysis.profile is not None and analysis.network is not None:
        blocks.append(
            _section(f"Kind of game  ({_HOW_SURE})", _kind(analysis.profile, analysis.network, verbose=verbose))
        )
    if analysis.statistics.games:
        blocks.append(_section(f"Random games  ({_INTERVALS})", [*_random_games(analysis.statistics)]))
    blocks += [_good_play(player, played)] if played else []
    if found := answers(analysis.statistics, played):
        blocks.append(_section("In short", [(each.question, f"{each.answer}: {each.reason}") for each in found]))
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def improper_endings(path: str, statistics: GameStatistics) -> Iterator[str]:
    """Yields warnings of endings that no game should have, and how to see one."""
    if not statistics.games:
        steps = counted(statistics.unfinished_steps, "step")
        yield f"! no random game was over when the time was up, after {steps}; --seconds gives more time"
    for improper in statistics.improper:
        share = _percent(Share(improper.games, statistics.games).value)
        text = f"! {_what_is_wrong(improper, share, statistics)}"
        yield textwrap.fill(text, _width(), subsequent_indent="  ", break_on_hyphens=False)
        yield f"  see one: ludens analyse {shlex.quote(path)} --show {improper.ending}"
    if statistics.games and not statistics.longest and not statistics.improper:
        yield "! the game is over before the first move: `terminal` holds in the initial state"


def _results(played: GameStatistics | GoodPlay) -> list[Row]:
    """Returns the results of the roles, and of which games they are if others ended without a goal."""
    if not played.results:
        return []
    rows, proper = role_results(played.results), played.results[0].wins.games
    if proper < played.games:
        rows.insert(0, ("results", f"of the {counted(proper, 'game')} at the end of which every role had a goal"))
    return rows


def role_results(found: Sequence[RoleResults]) -> list[Row]:
    """Returns for each role how often it won, drew and lost; for a role alone which goals it got."""
    if len(found) == 1:
        goals = [f"{goal} in {_share(share)}" for goal, share in found[0].goals[:_SHOWN_GOALS]]
        return [(f"goal of {found[0].role}", ", ".join(goals))]
    cells = [
        [_share(each.wins), _share(each.draws), _share(each.losses), _mean(each.mean_goal, each.mean_goal_interval)]
        for each in found
    ]
    heads = ["wins", "draws", "losses", "mean goal"]
    table: list[tuple[str, Sequence[str]]] = [("", heads), *zip([each.role for each in found], cells, strict=True)]
    if max(len(text) for _, text in _columns(table)) + _NAMES + 4 > _width():
        parted = [(role, [cell.rpartition(" ") for cell in row]) for role, row in table[1:]]
        below = [[(role, [c[0] for c in row]), ("", [c[2] for c in row])] for role, row in parted]
        table = [table[0], *chain.from_iterable(below)]
    return _columns(table)


def _columns(table: Sequence[tuple[str, Sequence[str]]]) -> list[Row]:
    widths = [max(map(len, column)) for column in zip(*(cells for _, cells in table), strict=True)]
    return [
        (name, "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip())
        for name, cells in table
    ]


def _good_play(player: str, played: GoodPlay) -> list[str]:
    rows = [
        ("games", f"{played.games:,}, of {played.mean_length:.1f} steps on average"),
        ("choice", _choice(played.branching, played.forced)),
        *_results(played),
        *[(_IMPROPER[ending], f"{count} of them") for ending, count in played.improper],
    ]
    if (course := played.course) is not None:
        rows += [
            ("lead changes", f"{course.lead_changes:.1f} in a game"),
            ("won from behind", f"{_share(course.comebacks)} of the games, by {course.drama:.0f} points on average"),
            ("settled", f"after {_percent(course.mean_settled)} of a game on average"),
        ]
    if (thinking := played.thinking) is not None:
        low, high = thinking.interval
        score = f"{_percent(thinking.score)} ({100 * low:.1f}-{100 * high:.1f})"
        rows.append(("thinking helps", f"it scores {score} against itself with {thinking.less} times less thought"))
    return _section(f"Good play  ({player} against itself; {_INTERVALS})", rows)


def _choice(branching: float, forced: float) -> str:
    if branching <= 1:
        return "no role ever had more than one legal move"
    return (
        f"{branching:.1f} legal moves on average for who has more than one; {_percent(forced)} of the steps are forced"
    )


def _section(title: str, rows: Sequence[Row]) -> list[str]:
    return [title, *(line for row in rows for line in _row(*row))]


def _width() -> int:
    return columns(_WIDEST, elsewhere=_WIDEST)


def _row(name: str, text: str) -> list[str]:
    lead, indent = f"  {name:<{_NAMES}}  ", " " * (_NAMES + 4)
    if len(lead) + len(text.rstrip()) <= _width():  # as it is, columns and all
        return [(lead + text).rstrip()]
    return textwrap.wrap(text, _width(), initial_indent=lead, subsequent_indent=indent, break_on_hyphens=False)


# ---- What is wrong ---------------------------------------------------------------------------------------------


def _what_is_wrong(improper: ImproperEnding, share: str, statistics: GameStatistics) -> str:
    games = f"of {counted(statistics.games, 'random game')}"
    roles = " or ".join(role for role, _ in improper.roles)
    if improper.ending is Ending.STUCK:
        return f"{roles} has no legal move in {share} {games}, for example {_after(improper.example)}"
    if improper.ending is Ending.NO_GOAL:
        return (
            f"{roles} gets no goal, or several, at the end of {share} {games}, for example {_after(improper.example)}"
        )
    return f"{share} {games} were not over after {MAX_STEPS:,} steps: `terminal` may never hold"


def _after(example: Sequence[Sequence[str]]) -> str:
    if not example:
        return "in the initial state"
    shown = " → ".join(" | ".join(joint) for joint in example[-_SHOWN_MOVES:])
    before = "… → " if len(example) > _SHOWN_MOVES else ""
    return f"after {counted(len(example), 'step')}: {before}{shown}"


# ---- The rules -------------------------------------------------------------------------------------------------


def _rules(analysis: GameAnalysis, *, verbose: bool) -> list[Row]:
    if analysis.network is None:
        return [
            ("network", f"none: {analysis.fallback_reason}"),
            ("", "The rules were interpreted instead, which is slower. What follows is from random games alone."),
        ]
    size, roles = analysis.network, analysis.statistics.roles
    moves = ", ".join(f"{role} {count:,}" for role, count in zip(roles, size.moves, strict=True))
    seconds = sum(stage.seconds for stage in size.stages)
    rows = [
        ("facts", f"{size.propositions:,}: no others can ever hold"),
        ("moves", f"{moves}: no others can ever be legal"),
        ("network", f"{counted(size.gates, 'logic gate')}, made in {seconds:.1f} s"),
    ]
    if analysis.recognised_as:
        rows.append(("recognised as", analysis.recognised_as))
    return rows + (_network_details(analysis, size) if verbose else [])


def _network_details(analysis: GameAnalysis, size: NetworkSize) -> list[Row]:
    loops = f"{size.loops:,}" + (f", cut at {size.feedback:,} places" if size.loops else "")
    before, stages = 0, []
    for stage in size.stages:
        stages.append((f"  {stage.name}", f"{before:>12,} → {stage.gates:>12,} gates in {stage.seconds:.2f} s"))
        before = stage.gates
    refusals = [(f"not {game}", reason) for game, reason in analysis.not_recognised_as.items()]
    return [
        ("levels", f"{size.levels:,}: the longest chain of gates, each of which reads the one before"),
        ("loops", f"{loops}: facts that are derived from themselves"),
        ("passes", "how each changed the number of gates"),
        *stages,
        *refusals,
    ]


# ---- The kind of game ------------------------------------------------------------------------------------------


def _kind(p: GameProfile, size: NetworkSize, *, verbose: bool) -> list[Row]:
    rows = [*_turns(p), *_goals(p), ("independent parts", _parts(p))]
    rows += [("board", _board(board)) for board in p.boards]
    if not p.puzzle and p.alternating.holds:
        rows.append(("winning moves", _winning_moves(p, sum(size.moves))))
    rows += [("step counter", _counter(c)) for c in p.control if c.cycle == 1]
    rows.append(("true for good", _proven(p.latches_true, str, "fact", "; once true, always true")))
    rows.append(("false for good", _proven(p.latches_false, str, "fact", "; once false, always false")))
    if verbose:
        rows.append(("alternating", _proven(p.flips, str, "fact", "; true in every other state")))
        settled = _proven(
            p.settled_goals, lambda goal: f"{goal[0]} {goal[1]}", "goal", "; once reached, held until the end"
        )
        rows.append(("goals for good", settled))
        rows += [("cycle of facts", _cycle(c)) for c in p.control if c.cycle > 1]
    return rows


def _turns(p: GameProfile) -> Iterator[Row]:
    if p.puzzle:
        yield "players", "one: a puzzle"
        return
    text = _verdict("one role chooses at a time", "several roles may choose at the same time", p.alternating)
    cycle = next((c for c in p.control if c.cycle > 1 and c.cycle <= _SHOWN_TURNS and c.line == 0), None)
    if cycle is not None and any(cycle.choosers):
        order = ", then ".join(" and ".join(roles) or "nobody" for roles in cycle.choosers)
        text += f": {order}, and again from the beginning"
    yield "turns", text


def _goals(p: GameProfile) -> Iterator[Row]:
    if p.puzzle:
        return
    if p.constant_sum is None:
        yield "goals", "not known, since no random game ended with a goal for every role"
    else:
        yes, no = "add up to the same at every end: what one gains others lose", "do not always add up to the same"
        yield "goals", _verdict(yes, no, p.constant_sum)


def _parts(p: GameProfile) -> str:
    def part(factor: tuple[Sequence[str], int]) -> str:
        return f"one of {counted(len(factor[0]), 'fact')} and {counted(factor[1], 'move')}"

    text = _proven(p.factors, part, "part")
    return f"{text}; {p.apart}" if p.apart else text


def _board(board: Board) -> str:
    values: dict[str | None, list[str]] = {}
    for value, owner in board.owners:
        values.setdefault(owner, []).append(value)
    pieces = [f"a piece of {owner} ({', '.join(mine)})" if owner else ", ".join(mine) for owner, mine in values.items()]
    taken = "; pieces are captured" if board.captures else ""
    return f"{board.cells} places, by facts like {board.form}, where ? is {' or '.join(pieces)}{taken} (sampled)"


def _winning_moves(p: GameProfile, moves: int) -> str:
    if p.winning_moves is None or p.killer_moves is None:
        return _NOT_KNOWN
    text = f"at most {p.winning_moves:,} of {counted(moves, 'move')} can win the game at once (proven)"
    if p.killer_moves:
        text += f", {len(p.killer_moves)} of them whenever they are legal: {_examples(p.killer_moves, ' '.join)}"
    return text


def _counter(control: ControlCycle) -> str:
    facts = _some(control.propositions, str, "fact")
    return f"{facts}: they change in the same way in every game, for {counted(control.line, 'step')} (proven)"


def _cycle(control: ControlCycle) -> str:
    before = f"after {counted(control.line, 'state')} " if control.line else ""
    what = _examples(control.propositions, str)
    return f"{before}every {control.cycle} states, whatever is played: {what} (proven)"


# ---- Random games ----------------------------------------------------------------------------------------------


def _random_games(statistics: GameStatistics) -> Iterator[Row]:
    length = f"{statistics.mean_length:.1f} steps on average, {statistics.shortest:,} to {statistics.longest:,}"
    yield "games", f"{statistics.games:,}, of {length}"
    yield "choice", _choice(statistics.branching, statistics.forced)
    if statistics.first_mover and len(statistics.roles) > 1:
        yield "who begins", statistics.first_mover
    yield from _results(statistics)


# ---- Words -----------------------------------------------------------------------------------------------------

_NOT_KNOWN = "not known: the game is too large for the time; --seconds gives more"


def _roles(roles: Sequence[str]) -> str:
    return f"{counted(len(roles), 'role')}, {', '.join(roles)}"


def _verdict(yes: str, no: str, verdict: Verdict) -> str:
    return f"{yes if verdict.holds else no} ({'proven' if verdict.proven else 'sampled'})"


def _proven(found: Sequence[T] | None, text: Callable[[T], str], noun: str, what: str = "") -> str:
    """Says how many there are, some of them, and `what` is proven of them."""
    if found is None:
        return _NOT_KNOWN
    return f"{_some(found, text, noun)}{what} (proven)" if found else "none found"


def _some(found: Sequence[T], text: Callable[[T], str], noun: str) -> str:
    among = ", such as" if len(found) > 1 else ":"
    return f"{counted(len(found), noun)}{among} {_examples(found, text)}"


def _examples(found: Sequence[T], text: Callable[[T], str]) -> str:
    return ", ".join(map(text, found[:3])) + (", …" if len(found) > 3 else "")


def _mean(value: float, interval: tuple[float, float]) -> str:
    return f"{value:.1f} ({interval[0]:.1f}-{interval[1]:.1f})"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _share(share: Share) -> str:
    low, high = share.interval
    return f"{100 * share.value:.1f} % ({100 * low:.1f}-{100 * high:.1f})"
