"""Games and their states as Python values: rules in, roles, moves and states out.

>>> game = load("tic_tac_toe")
>>> game.roles
('cross', 'nought')
>>> state = game.initial
>>> state.to_move
('cross',)
>>> state.legal()[:2]
('(mark 1 1)', '(mark 1 2)')
>>> state.play("(mark 2 2)").facts[0]
'(cell 2 2 cross)'
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from html import escape
from os import PathLike
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from ludens import games
from ludens.agent.analysis.analysis import GameAnalysis, analyse
from ludens.agent.api.errors import GameOverError, IllegalMoveError, NoNetworkError, RoleError, StateError
from ludens.agent.api.numbers import check_clocks, check_limits, whole
from ludens.agent.api.renderer import DrawnState, Renderer
from ludens.agent.playable.playable_game import PlayableGame
from ludens.agent.playable.text_game import NetworkGame, RulesGame, SheetGame
from ludens.agent.protocol.wire import History, Joint
from ludens.games import UnknownGameError
from ludens.games.rules import NamedRules, find_rules
from ludens.native.core import Game as NativeGame
from ludens.native.core import States, pack_bits, unpack_bits
from ludens.propnet.base.child import Limits
from ludens.propnet.base.errors import GdlError, GroundingError, NativeError
from ludens.propnet.base.suggestions import did_you_mean
from ludens.propnet.base.words import counted
from ludens.propnet.compile.loader import Loaded
from ludens.propnet.compile.network_cache import load_cached
from ludens.propnet.gdl.argument_domains import ArgumentDomains
from ludens.propnet.gdl.check import check
from ludens.propnet.gdl.parser import parse_rules, parse_term
from ludens.propnet.gdl.syntax import Atom, RuleSheet, Term
from ludens.propnet.gdl.variables import variables
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.rewrite import plain

_UNNAMED = "game"

Move: TypeAlias = str | int | np.integer[Any]
"""A move of a role: its GDL text, or its index in `Game.moves`."""

JointMove: TypeAlias = Move | Mapping[str, Move] | Sequence[Move] | None
"""What happens in one step: see `State.play`."""

_Key: TypeAlias = tuple[str, str, bool]  # name, rules, and whether there is a network of them

_known: WeakValueDictionary[_Key, Game] = WeakValueDictionary()  # for states that are unpickled


def load(
    source: str | PathLike[str],
    *,
    seconds: float = 600.0,
    memory_mb: int = 2048,
    interpret: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Game:
    """Returns the game that `source` names: a built-in game, the path of a rule sheet, or GDL text itself.

    The rules are compiled to a network, which is kept on disk: the second time takes milliseconds. Raises
    `UnknownGameError` for a name that is no game's, `GdlError`, with line and column, for rules that are no game, and
    `GroundingError` for rules whose network takes more than `seconds` or `memory_mb`, and `BudgetError` if these are no
    limits; with `interpret` such a game is interpreted instead, far more slowly. `progress` takes lines about what is
    being done.
    """
    check_clocks(seconds=seconds)
    whole("memory_mb", memory_mb)
    rules = _rules(source)
    sheet = parse_rules(rules.text)
    check(sheet)
    try:
        net = load_cached(sheet, Limits(seconds, memory_mb), progress)
    except GroundingError:
        if not interpret:
            raise
        net = None
    game = Game(rules.name, rules.text, sheet, net)
    _known[game._key] = game
    return game


class Game:
    """The rules of a game, compiled; immutable, and good for any number of threads. Made by `load`.

    Games of the same name and the same rules are equal, and a game can be pickled.
    """

    def __init__(self, name: str, rules: str, sheet: RuleSheet, net: Propnet | None) -> None:
        """Takes checked rules, as text and as a sheet, and their network; without that they are interpreted."""
        self.name = name
        self.rules = rules
        self.sheet = sheet
        self.roles: tuple[str, ...] = sheet.roles
        self._net = net
        self._own = threading.local()  # simulators are for one thread each
        self._native = self._play.game

    @property
    def net(self) -> Propnet:
        """The network; raises `NoNetworkError` for a game that is interpreted."""
        if self._net is None:
            raise NoNetworkError(f"{self.name} has no network: it is interpreted")
        return self._net

    @property
    def has_network(self) -> bool:
        """Whether the game has a network, and so all that takes one: moves and facts by number, batches, learning."""
        return self._net is not None

    @property
    def native(self) -> NativeGame:
        """The game in the native core, for `ludens.native.core`."""
        return self._native

    @property
    def moves(self) -> tuple[tuple[str, ...], ...]:
        """For each role the texts of its moves; a move's index is its place here. Raises `NoNetworkError`."""
        return self.net.moves

    @property
    def propositions(self) -> tuple[str, ...]:
        """The texts of all facts that may hold; a state's bits are in this order. Raises `NoNetworkError`."""
        return self.net.propositions

    @cached_property
    def initial(self) -> State:
        """The state in which the game begins."""
        return State(self, self._native.initial)

    def role_index(self, role: str | int) -> int:
        """Returns the index of a role, given by name or by index; raises `RoleError` if there is none."""
        if isinstance(role, str) and role in self.roles:
            return self.roles.index(role)
        if isinstance(role, int | np.integer) and not isinstance(role, bool) and 0 <= role < len(self.roles):
            return int(role)
        near = did_you_mean(role, self.roles) if isinstance(role, str) else ""
        raise RoleError(f"{self.name} has no role {role!r}{near or '.'} Its roles are {', '.join(self.roles)}")

    def own(self, state: object) -> State:
        """Returns a state of this game as it is given; raises `StateError` for anything else."""
        if not isinstance(state, State):
            raise StateError(f"{_brief(state)} is no state")
        if state.game != self:
            raise StateError(f"a state of {state.game.name} is none of {self.name}")
        if state.game is self or (self.has_network and state.game.has_network):
            return state
        if self.has_network or state.game.has_network:
            raise StateError(
                f"a state of {self.name} as its rules are interpreted is none of its network, and vice versa"
            )
        return self.state(state.facts)  # whose numbers are those of one interpreted game alone

    def state(self, facts: Iterable[str]) -> State:
        """Returns the state in which just these facts hold; raises `StateError` for a fact that the game has not.

        Facts that the rules allow and the network leaves out, as they play no part in the game, count for nothing.
        """
        given: list[Any] = list(facts) if isinstance(facts, Iterable) and not isinstance(facts, str) else [None]
        if not all(isinstance(fact, str) for fact in given):
            raise StateError(f"facts are a list of texts, not {facts!r}")
        try:
            terms = list(map(parse_term, given))
        except GdlError as error:
            raise StateError(f"{given!r} are no facts: {error}") from error
        try:
            numbers = list(map(self._fact_number, terms))
        except NativeError as error:
            raise StateError(f"{self.name} has no room for these facts: {error}") from error
        bits = np.zeros(self._native.state_bits, np.bool_)
        bits[[number for number in numbers if number is not None]] = True
        return State(self, pack_bits(bits))

    def _fact_number(self, fact: Term) -> int | None:
        """Returns the number of a fact, None if it plays no part in the game; raises `StateError` if it is none."""
        text = str(fact)
        if (number := self._play.fact_number(text)) >= 0:
            return number
        if self._net is not None and not variables(fact) and not any(self._domains.excluded(Atom("true", (fact,)))):
            return None
        known = () if self._net is None else self._net.propositions
        raise StateError(f"{text} is no fact of {self.name}{did_you_mean(text, known)}")

    @cached_property
    def _domains(self) -> ArgumentDomains:
        """What can be a fact by the rules."""
        return ArgumentDomains(plain(self.sheet).rules)

    def from_json(self, fields: Mapping[str, Any]) -> State:
        """Returns the state that `State.to_json` told; raises `StateError` for anything else."""
        facts = fields.get("facts") if isinstance(fields, Mapping) else None
        if not isinstance(facts, list) or not all(isinstance(fact, str) for fact in facts):
            raise StateError("a state in JSON is an object whose `facts` is a list of texts")
        if (name := fields.get("game", self.name)) != self.name:
            raise StateError(f"this is a state of {name}, not of {self.name}")
        return self.state(facts)

    def describe(self) -> str:
        """Returns in a few lines what game this is, with what its sheet and its network tell at once."""
        lines = [self.name]
        if self.name in games.names() and games.read(self.name) == self.rules:
            about = games.about(self.name)
            lines = [f"{about.title} ({self.name})", about.summary]
        lines.append(f"roles: {', '.join(self.roles)}")
        if self._net is not None:
            moves = ", ".join(f"{len(of_role)} of {role}" for role, of_role in zip(self.roles, self.moves, strict=True))
            lines.append(f"moves: {moves}")
            lines.append(f"network: {len(self.propositions)} facts, {len(self._net.gates)} gates")
        else:
            lines.append("interpreted, for want of a network")
        return "\n".join(lines)

    def analyse(self, seconds: float = 5.0) -> GameAnalysis:
        """Finds out in about `seconds` what kind of game it is: its profile, and what random games show of it.

        Raises `BudgetError` for a time that is none.
        """
        check_limits(seconds=seconds)
        loaded = None if self._net is None else Loaded(self._net, ())
        return analyse(PlayableGame(self._play, loaded), seconds, lambda _line: None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and (self.name, self.rules) == (other.name, other.rules)

    def __hash__(self) -> int:
        return hash((self.name, self.rules))

    def __reduce__(self) -> tuple[Callable[..., Game], _Key]:
        return _loaded_again, self._key

    def __repr__(self) -> str:
        return f"<ludens.Game {self.name}: {', '.join(self.roles)}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.describe())}</pre>{self.initial.svg()}"

    @property
    def _key(self) -> _Key:
        return self.name, self.rules, self.has_network

    @property
    def _play(self) -> SheetGame:
        """This thread's means to play the game one state at a time."""
        play: SheetGame | None = getattr(self._own, "play", None)
        if play is None:
            play = self._own.play = self._new_play()
        return play

    def _new_play(self) -> SheetGame:
        if self._net is None:
            return RulesGame(self.sheet, game=getattr(self, "_native", None))
        return NetworkGame(self._net, getattr(self, "_native", None))

    @property
    def _renderer(self) -> Renderer:
        """This thread's means to draw positions."""
        renderer: Renderer | None = getattr(self._own, "renderer", None)
        if renderer is None:
            renderer = self._own.renderer = Renderer(self.name, self.rules, self.sheet, self._net)
        return renderer


def _loaded_again(name: str, rules: str, has_network: bool) -> Game:
    """Returns a game that was pickled, from the network on disk if it is still there."""
    if (game := _known.get((name, rules, has_network))) is not None:
        return game
    sheet = parse_rules(rules)
    game = Game(name, rules, sheet, load_cached(sheet) if has_network else None)
    _known[game._key] = game
    return game


def a_game(given: object) -> Game:
    """Returns a game as it is given; raises `UnknownGameError` for anything else."""
    if not isinstance(given, Game):
        raise UnknownGameError(f"{_brief(given)} is no game: make one with ludens.load")
    return given


def _brief(given: object) -> str:
    text = repr(given)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _rules(source: str | PathLike[str]) -> NamedRules:
    if not isinstance(source, str | PathLike):
        raise UnknownGameError(f"{_brief(source)} is neither the name of a game nor a path nor the text of rules")
    if isinstance(source, str) and "(" in source and not source.endswith(games.SUFFIX):
        return NamedRules(_UNNAMED, source)
    return find_rules(str(source))


class _Seen(NamedTuple):
    """What holds in a state."""

    legal: tuple[tuple[int, ...], ...]  # of each role, numbers
    terminal: bool


class State:
    """A state of a game; an immutable value, which can be compared, hashed and pickled."""

    __slots__ = ("_before", "_facts", "_game", "_seen", "_words")

    def __init__(self, game: Game, words: States, before: tuple[State, Joint] | None = None) -> None:
        """For `Game` and those who have packed bits `uint64[state_words]`, which are copied.

        `before` is the state that this one follows, and the texts of the moves that led here.
        """
        own = np.array(words, np.uint64)
        own.setflags(write=False)
        self._game = game
        self._words: States = own
        self._before = before
        self._seen: _Seen | None = None
        self._facts: tuple[str, ...] | None = None

    # ---- What holds ----

    @property
    def game(self) -> Game:
        """The game that this is a state of."""
        return self._game

    @property
    def facts(self) -> tuple[str, ...]:
        """The texts of all facts that hold, sorted, but for those that play no part in the game."""
        if self._facts is None:
            self._facts = self._game._play.facts(self._words)
        return self._facts

    def picture(self) -> str:
        """Returns the position drawn in text, as `ludens match` shows it; the first one of a game takes a second."""
        return self._game._renderer.text(self._drawn_state)

    def svg(self) -> str:
        """Returns the position drawn as SVG, as notebooks show it; the first one of a game takes a second."""
        return self._game._renderer.svg(self._drawn_state)

    def _repr_svg_(self) -> str:
        return self.svg()

    @property
    def _drawn_state(self) -> DrawnState:
        """What is drawn."""
        return DrawnState(self.facts, [self.legal(role) for role in self._game.roles], self.terminal, self.goals)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The facts as terms: `Constant`s with a `name`, and `Function`s with a `name` and `args`."""
        return tuple(map(parse_term, self.facts))

    @property
    def terminal(self) -> bool:
        """Whether the game is over."""
        return self._look().terminal

    @property
    def goals(self) -> tuple[int | None, ...]:
        """The goal of each role, 0 to 100, as the rules value this state; None where they give none, or several.

        Rules may give goals before the end too; only those of a terminal state are the result.
        """
        return self._game._play.goals(self._words)

    @property
    def to_move(self) -> tuple[str, ...]:
        """The roles that have a choice: one in games by turns; none where all moves are forced, or the game is over."""
        seen = self._look()
        if seen.terminal:
            return ()
        return tuple(role for role, legal in zip(self._game.roles, seen.legal, strict=True) if len(legal) > 1)

    def legal(self, role: str | int | None = None) -> tuple[str, ...]:
        """Returns the texts of the legal moves of a role, given by name or index; none where the game is over.

        Without a role: of the only one that has a choice; raises `IllegalMoveError` if there is none, or several.
        """
        number = self._only_role() if role is None else self._game.role_index(role)
        return self._game._play.texts(number, self.legal_indices(number), self._words)

    def legal_indices(self, role: str | int | None = None) -> tuple[int, ...]:
        """Returns the indices of the legal moves of a role, in ascending order; else as `legal` does."""
        number = self._only_role() if role is None else self._game.role_index(role)
        seen = self._look()
        return () if seen.terminal else seen.legal[number]

    @property
    def words(self) -> States:
        """The state as packed bits `uint64[state_words]`, read-only, for `ludens.native.core` and batches."""
        return self._words

    @property
    def bits(self) -> npt.NDArray[np.bool_]:
        """The state as bits `bool[propositions]`, in the order of `Game.propositions`: the input of a network."""
        return unpack_bits(self._words, self._game.native.state_bits)

    # ---- What follows ----

    def play(self, moves: JointMove = None) -> State:
        """Returns the state after one step.

        `moves` is the move of the only role that has a choice; or a mapping from roles to moves, from which roles
        without a choice may be left out; or a sequence with a move for each role. Nothing is needed where nobody has a
        choice. A move is a text or an index. Raises `IllegalMoveError` for a move that is not legal, missing or too
        many, and `GameOverError` where the game is over.
        """
        joint = self.joint_move(moves)
        play = self._game._play
        texts = tuple(play.move(role, int(number), self._words) for role, number in enumerate(joint))
        return State(self._game, play.next(self._words, joint), (self, texts))

    def joint_move(self, moves: JointMove = None) -> npt.NDArray[np.int32]:
        """Returns the indices `int32[roles]` that `moves` means to `play`; raises what that does."""
        if self._look().terminal:
            raise GameOverError(f"the game is over: there are no moves in this state of {self._game.name}")
        given = self._by_role(moves)
        return np.array([self._number(role, given.get(role)) for role in range(len(self._game.roles))], np.int32)

    def legal_index(self, role: str | int, move: Move) -> int:
        """Returns the index of a move of a role; raises `IllegalMoveError` unless it is legal here."""
        if move is None:
            raise IllegalMoveError("None is no move: a move is a text or an index")
        return self._number(self._game.role_index(role), move)

    def _by_role(self, moves: JointMove) -> dict[int, Move]:
        """Returns who was said to make which move."""
        match moves:
            case None:
                return {}
            case str() | int() | np.integer():
                return {self._only_role(): moves}
            case Mapping():
                return {self._game.role_index(role): move for role, move in moves.items()}
            case Sequence() | np.ndarray(shape=(_, *_)):
                if len(moves) != len(self._game.roles):
                    wanted = counted(len(self._game.roles), "role")
                    raise IllegalMoveError(f"{counted(len(moves), 'move')} for {wanted}: {moves!r}")
                return dict(enumerate(moves))
            case _:
                raise IllegalMoveError(f"{moves!r} is no move: a move is a text or an index")

    def _number(self, role: int, move: Move | None) -> int:
        """Returns the index of a move of a role that is legal here."""
        legal = self._look().legal[role]
        if move is None:
            if len(legal) == 1:
                return legal[0]
            raise IllegalMoveError(f"{self._game.roles[role]} has a choice here, and no move was given for it")
        if isinstance(move, str):
            number = self._text_number(role, move)
            if number not in legal:  # perhaps for its white space alone
                number = self._text_number(role, _canonical(move))
        elif isinstance(move, int | np.integer) and not isinstance(move, bool):
            number = int(move)
        else:
            raise IllegalMoveError(f"{move!r} is no move: a move is a text or an index")
        if number in legal:
            return number
        texts = self._game._play.texts(role, legal, self._words)
        near = did_you_mean(move, texts) if isinstance(move, str) else ""
        raise IllegalMoveError(f"{move!r} is no legal move of {self._game.roles[role]} here{near}")

    def _text_number(self, role: int, text: str) -> int:
        """Returns the number of a move; -1 for one that the game does not know, or has no room for: it is not legal."""
        try:
            return self._game._play.number(role, text)
        except NativeError:
            return -1

    @property
    def only_role(self) -> str:
        """The only role that has a choice here; raises `IllegalMoveError` if there is none, or several."""
        return self._game.roles[self._only_role()]

    def _only_role(self) -> int:
        choosing = self.to_move
        if len(choosing) == 1:
            return self._game.roles.index(choosing[0])
        who = "nobody has a choice here" if not choosing else f"{' and '.join(choosing)} choose at the same time"
        raise IllegalMoveError(f"{who}: say which role is meant")

    def _look(self) -> _Seen:
        if self._seen is None:
            play = self._game._play
            legal = tuple(tuple(numbers.tolist()) for numbers in play.legal(self._words))
            self._seen = _Seen(legal, play.terminal(self._words))
        return self._seen

    @property
    def history(self) -> History | None:
        """The joint moves, as texts, that led here from the first state; None where it was not reached from there.

        States that are equal may have different ones, and what comes back from JSON or pickle has none.
        """
        joints: list[Joint] = []
        state = self
        while state._before is not None:
            state, joint = state._before
            joints.append(joint)
        return tuple(reversed(joints)) if state == self._game.initial else None

    # ---- As a value ----

    def to_json(self) -> dict[str, Any]:
        """Returns the state as plain JSON, which does not depend on how the rules were compiled."""
        return {"game": self._game.name, "facts": list(self.facts)}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State) or self._game != other._game:
            return NotImplemented if not isinstance(other, State) else False
        return self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[Callable[..., State], tuple[Game, tuple[str, ...]]]:
        return _state_again, (self._game, self.facts)

    def __repr__(self) -> str:
        return f"<ludens.State of {self._game.name}: {' '.join(self.facts)}>"

    @property
    def _key(self) -> object:
        return self._words.tobytes() if self._game.has_network else self.facts


def _state_again(game: Game, facts: tuple[str, ...]) -> State:
    return game.state(facts)


def _canonical(text: str) -> str:
    """Returns the text of a move as the network writes it; the text itself if it is no term."""
    try:
        return str(parse_term(text))
    except GdlError:
        return text
