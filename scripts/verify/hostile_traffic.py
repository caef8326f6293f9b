"""Throws hostile traffic at a player over HTTP; fails where a legal move, a reply or the next message goes missing.

    python -m scripts.verify.hostile_traffic                             # a player of its own
    python -m scripts.verify.hostile_traffic http://127.0.0.1:9147       # one that runs already, and is free
    python -m scripts.verify.hostile_traffic --damaged 500 --seed 7      # more damaged messages, and other ones

In three parts, with a line for each row. Matches of tic-tac-toe in which each turn's message is preceded or replaced by
a wrong one: every answer must be legal and come before the clock. Requests that are no messages: the player must answer
or hang up, and then be available. Valid messages with bytes changed, left out or repeated by chance: the same. The
same seed throws the same bytes.
"""

from __future__ import annotations

import argparse
import random
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

from ludens import games
from ludens.propnet.gdl.interpreter import Interpreter
from ludens.propnet.gdl.parser import parse_rules, parse_term
from scripts.common.served import serving

GAME = "tic_tac_toe"
_START_CLOCK, _PLAY_CLOCK = 5.0, 2.0
_GRACE = 1.0  # seconds that both real managers wait beyond their clock
_PATIENCE = 60.0  # for an end of a connection; longer than any player gives a request

Spoil = Callable[[Sequence[str]], tuple[str, bool]]
"""Makes of the joint move of a turn a wrong text in its place, and says whether the right message follows it."""


class Peer:
    """A player, as who sends it bytes sees it."""

    def __init__(self, host: str, port: int) -> None:
        """Takes where it listens."""
        self._place = host, port

    def exchange(self, request: bytes, *, and_ends: bool = False) -> bytes:
        """Returns the body of the reply; empty if the player hangs up without one.

        `and_ends`: says that no more bytes will come, as one who waits for a late reply does not.
        """
        try:
            with socket.create_connection(self._place, _PATIENCE) as connection:
                connection.sendall(request)
                if and_ends:
                    connection.shutdown(socket.SHUT_WR)
                reply = b"".join(iter(lambda: connection.recv(1 << 16), b""))
        except ConnectionError:
            return b""
        return reply.partition(b"\r\n\r\n")[2]

    def say(self, message: str) -> str:
        """Returns the reply to a message."""
        return self.exchange(posted(message.encode())).decode(errors="replace")

    @property
    def available(self) -> bool:
        """Whether the player says that it is free."""
        return "available" in self.say("( INFO )")


def posted(body: bytes, length: object = None) -> bytes:
    """Returns a request with this body; its length is as it is unless said otherwise."""
    return f"POST / HTTP/1.0\r\nContent-Length: {len(body) if length is None else length}\r\n\r\n".encode() + body


SPOILS: dict[str, Spoil] = {
    "our move impossible": lambda joint: (f"((mark 9 9) {joint[1]})", False),
    "our move a variable": lambda joint: (f"(?x {joint[1]})", False),
    "our move with a variable in it": lambda joint: (f"((mark ?x 1) {joint[1]})", False),
    "our move of another game": lambda joint: (f"((fly to the moon) {joint[1]})", False),
    "too few moves, then right": lambda joint: (f"({joint[0]})", True),
    "too many moves, then right": lambda joint: (f"({' '.join(joint)} noop)", True),
    "600,000 moves, then right": lambda _: (f"({'(a) ' * 600_000})", True),
    "no term, then right": lambda _: ("(() (()))", True),
    "unbalanced, then right": lambda joint: (f"(({joint[0]} {joint[1]})", True),
    "nested 100,000 deep, then right": lambda _: ("(" * 100_000 + ")" * 100_000, True),
    "NIL, then right": lambda _: ("NIL", True),
}

REQUESTS: dict[str, bytes] = {
    "nothing": b"",
    "an empty body": posted(b""),
    "no length": b"POST / HTTP/1.0\r\n\r\n( INFO )",
    "a length that is too long": posted(b"( INFO )", 50),
    "a negative length": posted(b"( INFO )", -1),
    "a length in words": posted(b"( INFO )", "many"),
    "17 megabytes": posted(b" " * (17 << 20)),
    "15 megabytes of brackets": posted(b"(PLAY m (" + b"()" * (15 << 19) + b"))"),
    "15 megabytes of remarks": posted(b"(PLAY m (" + b";\n" * (15 << 19) + b"))"),
    "an unknown verb": posted(b"( RESIGN m )"),
    "another verb of HTTP": b"BREW / HTTP/1.0\r\n\r\n",
    "not HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "zero bytes": posted(bytes(1000)),
    "not UTF-8": posted(b"( PLAY m \xff\xfe\xfd )"),
    "a byte order mark": posted("\ufeff( INFO )".encode()),
    "UTF-16": posted("( INFO )".encode("utf-16")),
    "rules that are none": posted(b"( START m x ((role x) (<= a b)) 5 2 )"),
    "an unknown role": posted(b"( START m nobody ((role x) (init a) (legal x a) terminal (goal x 1)) 5 2 )"),
    "clocks that are none": posted(b"( START m x ((role x)) soon later )"),
    "PLAY without a match": posted(b"( PLAY m NIL )"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Throws what the command line says; returns 0 if the player bore it all."""
    args = _parser().parse_args(arguments)
    with ExitStack() as stack:
        if args.player is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            args.player = stack.enter_context(serving(folder / "player.log", ("--nodes-mb", "256")))
        url = urlsplit(args.player)
        peer = Peer(url.hostname or "127.0.0.1", url.port or 9147)
        faults = [_report(name, fault) for name, fault in _rows(peer, args.seed, args.damaged)]
    print(f"{len(faults)} rows, {sum(faults)} with faults")
    return int(any(faults))


def _rows(peer: Peer, seed: int, damaged: int) -> Iterator[tuple[str, str | None]]:
    """Yields each row and what was wrong with it; None if nothing was."""
    for name, spoil in SPOILS.items():
        yield f"match: {name}", match_fault(peer, spoil, random.Random(seed))
    for name, request in REQUESTS.items():
        yield f"request: {name}", request_fault(peer, request)
    rng = random.Random(seed)
    for number in range(damaged):
        yield f"damaged: {number}", request_fault(peer, damage(rng))


def match_fault(peer: Peer, spoil: Spoil, rng: random.Random) -> str | None:
    """Plays a match whose messages `spoil` changes; returns the first fault of the player."""
    text = games.read(GAME)
    rules = Interpreter(parse_rules(text))
    role, other = rules.roles
    match_id = f"hostile.{rng.getrandbits(32)}"
    try:
        began = time.monotonic()
        if (reply := peer.say(f"( START {match_id} {role} ({text}) {_START_CLOCK:g} {_PLAY_CLOCK:g} )")) != "ready":
            return f"START: {reply!r}"
        if (waited := time.monotonic() - began) > _START_CLOCK + _GRACE:
            return f"ready after {waited:.1f} s"
        state, told, goes_on = rules.initial(), "NIL", False
        while not rules.terminal(state):
            legal = list(map(str, rules.legal(state, role)))
            began = time.monotonic()
            move = peer.say(f"( PLAY {match_id} {told} )")
            waited = time.monotonic() - began
            if move not in legal or waited > _PLAY_CLOCK + _GRACE:
                return f"{move!r} after {waited:.1f} s where {', '.join(legal)} are legal"
            joint = [parse_term(move), rng.choice(rules.legal(state, other))]
            state = rules.next(state, joint)
            told, goes_on = spoil(list(map(str, joint)))
            if goes_on:
                peer.say(f"( PLAY {match_id} {told} )")
                told = f"({' '.join(map(str, joint))})"
    finally:
        peer.say(f"( ABORT {match_id} )")
    return None if peer.available else "not available after the match"


def request_fault(peer: Peer, request: bytes) -> str | None:
    """Sends bytes; returns what was wrong afterwards."""
    try:
        peer.exchange(request, and_ends=True)
    except TimeoutError:
        return "neither a reply nor an end"
    peer.say("( ABORT m )")  # in case these bytes have started a match
    return None if peer.available else "not available any more"


def damage(rng: random.Random) -> bytes:
    """Returns a valid request with some bytes changed, left out or repeated."""
    message = rng.choice(
        ["( INFO )", f"( START m cross ({games.read(GAME)}) 1 1 )", "( PLAY m ((mark 1 1) noop) )", "( STOP m NIL )"]
    )
    request = bytearray(posted(message.encode()))
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(request))
        match rng.randrange(3):
            case 0:
                request[at] = rng.randrange(256)
            case 1:
                del request[at : at + rng.randint(1, 20)]
            case _:
                request[at:at] = request[at : at + rng.randint(1, 20)] * rng.randint(1, 50)
    return bytes(request)


def _report(name: str, fault: str | None) -> bool:
    print(f"{name:<45} {fault or 'ok'}", flush=True)
    return fault is not None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player", nargs="?", help="address of a player, as http://127.0.0.1:9147; a new one if none")
    parser.add_argument("--damaged", type=int, default=100, metavar="N", help="messages damaged by chance (100)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the chance (1)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
