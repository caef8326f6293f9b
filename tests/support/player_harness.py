"""A player with fake engines and a fake clock, but real HTTP, protocol and match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IHalfCloseableProtocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from ludens.agent.protocol.wire import (
    Acknowledged,
    Begin,
    Command,
    GoTo,
    Joint,
    LogMessage,
    NetworkReady,
    NoNetwork,
    Position,
    Ready,
    Refused,
    RulesRead,
    SearchReport,
    Think,
)
from ludens.agent.server.player import MatchKeeper, Player
from ludens.agent.server.server import PlayerFactory
from ludens.agent.server.session import OnNews
from ludens.agent.settings.options import PlayerOptions

ROLES = ("x", "o")
MARKS = ("(mark 1 1)", "(mark 1 2)", "(mark 1 3)")
AVAILABLE = "( ( name Tester ) ( status available ) )"
START = "( START m1 x ( (role x) (role o) ) 10 8 )"


class FakeEngine:
    """An engine whose lines are written by the test."""

    def __init__(self, listener: Any) -> None:
        self.listener = listener
        self.commands: list[Command] = []
        self.killed = False

    def send(self, command: Command) -> None:
        self.commands.append(command)

    def kill(self) -> None:
        self.killed = True

    @property
    def target(self) -> GoTo:
        """Where the player last told it to go."""
        return next(c for c in reversed(self.commands) if isinstance(c, GoTo))

    @property
    def history(self) -> tuple[Joint, ...]:
        """The likeliest history of that."""
        return self.target.history

    @property
    def begin(self) -> Begin:
        return next(c for c in self.commands if isinstance(c, Begin))

    @property
    def thinking(self) -> Think | None:
        """What it was told about thinking; None for one that stands by."""
        return next((c for c in self.commands if isinstance(c, Think)), None)

    def reads_rules(self, roles: Sequence[str] = ROLES) -> None:
        self.listener.heard(RulesRead(tuple(roles)))

    def refuses(self, reason: str) -> None:
        self.listener.heard(Refused(reason))

    def has_network(self) -> None:
        self.listener.heard(NetworkReady(100, 0.1))
        self.listener.heard(Ready())

    def has_no_network(self, reason: str = "too large") -> None:
        self.listener.heard(NoNetwork(reason))
        self.listener.heard(Ready())

    def warns(self, text: str) -> None:
        self.listener.heard(LogMessage(text, warning=True))

    def hears(self) -> None:
        self.listener.heard(Acknowledged(len(self.history), self.target.ticket))

    def arrives(
        self, step: int, legal: Sequence[str] = MARKS, goals: Sequence[int | None] = (), fits: tuple[int, ...] = (0,)
    ) -> None:
        """Says what is legal at a step, and by which histories; with goals, that the game is over."""
        ticket = next((c.ticket for c in reversed(self.commands) if isinstance(c, GoTo)), 0)
        self.listener.heard(Position(step, tuple(legal), bool(goals), tuple(goals), fits=fits, ticket=ticket))

    def thinks(self, step: int, move: str, final: bool = False) -> None:
        self.listener.heard(SearchReport(step, move, 1000, 55.0, ((move, "noop"),), "network", final))

    def dies(self) -> None:
        self.listener.lost("killed by the test")


class FakeEngines:
    """All engines that the player has taken, in order."""

    def __init__(self) -> None:
        self.taken: list[FakeEngine] = []

    def take(self, listener: Any) -> FakeEngine:
        self.taken.append(FakeEngine(listener))
        return self.taken[-1]


class Connection:
    """One TCP connection as the manager sees it."""

    def __init__(self, factory: PlayerFactory) -> None:
        self._transport = StringTransport()
        self._channel = factory.buildProtocol(None)
        self._channel.makeConnection(self._transport)

    def send(self, data: bytes) -> Connection:
        self._channel.dataReceived(data)
        return self

    def ends_sending(self) -> Connection:
        """Ends the manager's half; a real connection tells the channel just so."""
        if IHalfCloseableProtocol.providedBy(self._channel):
            self._channel.readConnectionLost()
        else:
            self.hangs_up()
        return self

    def hangs_up(self) -> None:
        self._channel.connectionLost(Failure(ConnectionDone()))

    @property
    def paused(self) -> bool:
        """Whether the player takes no more for now."""
        return self._transport.producerState == "paused"

    @property
    def raw(self) -> bytes:
        return bytes(self._transport.value())

    @property
    def status(self) -> int:
        return int(self.raw.split(b" ", 2)[1])

    @property
    def headers(self) -> dict[str, str]:
        lines = self.raw.partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
        return {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}

    @property
    def answered(self) -> bool:
        return bool(self.raw)

    @property
    def closed(self) -> bool:
        return bool(self._transport.disconnecting or self._transport.disconnected)

    @property
    def body(self) -> bytes:
        """The reply; it must have come whole, and the connection must be closed behind it."""
        assert self.answered, "no reply"
        body = self.raw.partition(b"\r\n\r\n")[2]
        assert int(self.headers["content-length"]) == len(body)
        assert self.headers["connection"] == "close"
        assert self.closed
        return body

    @property
    def reply(self) -> str:
        return self.body.decode()


class PlayerHarness:
    """A player named Tester that listens nowhere."""

    def __init__(
        self,
        on_news: OnNews | None = None,
        keepers: Sequence[MatchKeeper] = (),
        *,
        recorded: bool = False,
        **options: Any,
    ) -> None:
        settings = PlayerOptions(name="Tester", margin=1.0, **options)
        self.clock = Clock()
        self.engines = FakeEngines()
        self.idle = 0  # how often the player has become so
        self.player = Player(settings, self.clock, self.engines, on_news, keepers, self._become_idle, recorded=recorded)
        self._factory = PlayerFactory(self.player, settings, self.clock)

    def _become_idle(self) -> None:
        self.idle += 1

    @property
    def engine(self) -> FakeEngine:
        """The engine that thinks."""
        return next(engine for engine in reversed(self.engines.taken) if engine.thinking)

    @property
    def standby(self) -> FakeEngine:
        """The engine that stands by; it takes two seconds to turn up."""
        return next(engine for engine in reversed(self.engines.taken) if not engine.thinking)

    def connect(self) -> Connection:
        return Connection(self._factory)

    def http(self, request: bytes) -> Connection:
        """Sends the bytes of a whole request."""
        return self.connect().send(request)

    def post(self, message: str | bytes) -> Connection:
        """Sends a message in the bytes of the Dresden manager, which gives no Host."""
        body = message.encode() if isinstance(message, str) else message
        head = (
            "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: localhost\r\n"
            f"Content-Type: text/acl\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return self.http(head.encode() + body)

    def ask(self, message: str) -> str:
        """The reply to a message that is answered at once."""
        return self.post(message).reply

    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    def begin(self, start: str = START) -> FakeEngine:
        """A match in which START has been answered, with the network there."""
        connection = self.post(start)
        self.engine.reads_rules()
        self.engine.arrives(0)
        self.engine.has_network()
        assert connection.reply == "ready"
        return self.engine

    def first_turn(self, move: str = MARKS[1]) -> FakeEngine:
        """A match in which the first PLAY has been answered with `move`."""
        engine = self.begin()
        engine.arrives(0)
        play = self.post("( PLAY m1 NIL )")
        engine.thinks(0, move, final=True)
        assert play.reply == move
        return engine
