"""`ludens analyse`: shows the network that the rules of a game become, and what kind of game it is."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from ludens.agent.commands.progress import progress
from ludens.agent.commands.rules import find_rules
from ludens.agent.preparation.profile import GameProfile, Verdict, profile
from ludens.games.registry import recognise
from ludens.propnet.compile.loader import Loaded, load_with_stages
from ludens.propnet.gdl.fingerprint import fingerprint
from ludens.propnet.network.propnet import Propnet

_PROOF_SECONDS = 20.0  # for each game that it may be recognised as

T = TypeVar("T")


def run(game: str, seconds: float, as_json: bool) -> int:
    """Analyses a built-in game or a file for about `seconds`; raises `LudensError`."""
    rules = find_rules(game)
    sheet = rules.sheet()
    with progress(f"analysing {rules.name}") as tell:
        loaded = load_with_stages(sheet, progress=tell)
        tell("playing random games")
        analysis = analyse(rules.name, fingerprint(sheet).digest, loaded, seconds)
    print(json.dumps(analysis, default=dataclasses.asdict) if as_json else _table(analysis))
    return 0


def analyse(name: str, digest: str, loaded: Loaded, seconds: float) -> dict[str, Any]:
    """Returns the sizes of a network, and its profile, which takes about `seconds` to make; named as in `--json`."""
    net = loaded.net
    recognition = recognise(net, _PROOF_SECONDS)
    return {
        "game": name,
        "roles": net.roles,
        "propositions": net.state_bits,
        "moves": list(map(len, net.moves)),  # of each role
        "gates": len(net.gates),
        "levels": _levels(net),
        "loops": len(net.loops),
        "feedback": len(net.feedback),  # inputs at which the loops are cut
        "stages": loaded.stages,
        "fingerprint": digest,  # the same whatever the names and the order of the rules
        "profile": profile(net, seconds),
        "recognised_as": str(recognition.game or ""),  # a game with a core of its own: its rules and what proves them
        "not_recognised_as": recognition.refusals,  # games with a core of their own, and why it is not that game
    }


def _levels(net: Propnet) -> int:
    """Returns the length of the longest chain of gates; a loop counts once."""
    level = [0] * (net.first_gate + len(net.gates))
    for variable, (left, right) in enumerate(net.gates.tolist(), net.first_gate):
        level[variable] = 1 + max(level[left >> 1], level[right >> 1])
    return max(level)


def _table(a: dict[str, Any]) -> str:
    moves = ", ".join(f"{role} {count:,}" for role, count in zip(a["roles"], a["moves"], strict=True))
    lines = [
        a["game"],
        f"  propositions  {a['propositions']:,}",
        f"  moves         {moves}",
        f"  gates         {a['gates']:,} in {a['levels']:,} levels",
        f"  loops         {a['loops']:,}" + (f", cut at {a['feedback']:,} places" if a["loops"] else ""),
        f"  {'stage':<16} {'gates before':>12} {'after':>12} {'seconds':>8}",
    ]
    before = 0
    for stage in a["stages"]:
        lines.append(f"  {stage.name:<16} {before:>12,} {stage.gates:>12,} {stage.seconds:>8.2f}")
        before = stage.gates
    lines += [f"  {name:<18} {value}" for name, value in _kind(a["profile"])]
    lines += [f"  {f'not {game}':<18} {reason}" for game, reason in a["not_recognised_as"].items()]
    lines += [f"  {'recognised as':<18} {a['recognised_as']}"] if a["recognised_as"] else []
    return "\n".join([*lines, f"  {'fingerprint':<18} {a['fingerprint']}"])


def _kind(p: GameProfile) -> Iterator[tuple[str, str]]:
    """Yields what kind of game it is, as names and values."""
    yield "played", "alone" if p.puzzle else _verdict("in turn", "at the same time", p.alternating)
    if not p.puzzle:
        yield "goals", _verdict("of constant sum", "of varying sum", p.constant_sum)
    for control in p.control:
        if control.cycle > 1:
            who = " → ".join("/".join(roles) or "nobody" for roles in control.choosers)
            yield "control", f"{control.line} states, then for ever {who} (proven)"
        else:
            yield "counts steps", f"{control.line} of them, with {len(control.propositions)} facts (proven)"
    yield "sub-games", _count(p.factors, lambda factor: f"{len(factor[0])} facts, {factor[1]} moves")
    if p.apart:
        yield "with sub-games", p.apart
    yield "facts that flip", _count(p.flips)
    yield "once true for good", _count(p.latches_true)
    yield "once false so", _count(p.latches_false)
    yield "goals for good", _count(p.settled_goals, lambda goal: f"{goal[0]} {goal[1]}")
    yield "always win at once", _count(p.killer_moves, " ".join)
    yield "may win at once", "not known" if p.winning_moves is None else f"{p.winning_moves:,} moves (proven)"
    for board in p.boards:
        owners = ", ".join(f"{value} of {owner}" if owner else value for value, owner in board.owners)
        yield (
            "board",
            f"{board.form}, {board.cells} places: {owners}{', captures' if board.captures else ''} (sampled)",
        )
    yield "random games", f"{p.playouts:,}: {p.length:.1f} steps, {p.branching:.1f} legal moves to choose from"
    for role, mean, deviation in zip(p.roles, p.goal_means, p.goal_deviations, strict=True):
        yield f"goal of {role}", f"{mean:.1f} ± {deviation:.1f}"
    if p.first_player_bias is not None:
        yield "who begins", f"gets {p.first_player_bias:+.1f} more than the others"


def _verdict(yes: str, no: str, verdict: Verdict) -> str:
    return f"{yes if verdict.holds else no} ({'proven' if verdict.proven else 'sampled'})"


def _count(found: Sequence[T] | None, text: Callable[[T], str] = str) -> str:
    """Says how many there are, which is proven, and names the first three."""
    if found is None:
        return "not known: too large, or not in time"
    if not found:
        return "0 (proven)"
    return f"{len(found)} (proven): {'; '.join(map(text, found[:3]))}{', …' if len(found) > 3 else ''}"
