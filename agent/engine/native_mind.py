"""The mind on a native game, be it the network or the rule machine: a tree search that lasts the match.

Imported no earlier than an engine is told to think: one that just knows the rules needs no native code, and
cannot be brought down by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from ludens.agent.engine.thinking import Path, Searcher, new_random
from ludens.agent.protocol.wire import Joint, Position, SearchReport
from ludens.agent.search.division import Division
from ludens.agent.search.factored_search import FactoredSearch
from ludens.agent.search.mixture import draw
from ludens.agent.search.searches import AnySearch, factored_search, new_search
from ludens.agent.settings.options import PlayerOptions
from ludens.agent.variants.checkers_game import CheckersGame
from ludens.agent.variants.text_game import NetworkGame, RulesGame, TextGame
from ludens.games.checkers.bitboards.endgame_tables import endgame_knowledge
from ludens.games.checkers.recognition.recognise import RecognisedRules
from ludens.native.core import Evaluation, Game, Knowledge
from ludens.native.kernels.kernel_search import KernelGames, KernelSearch
from ludens.propnet.base.errors import LudensError, NativeError
from ludens.propnet.gdl.syntax import RuleSheet
from ludens.propnet.network.propnet import Propnet

_LINE_STEPS = 12
_PROOF = 1 << 62  # weighs more than any number of visits
_MOST_LANES = 512  # of a network machine
_EARLY_SHARE = 4  # of the memory is the tree's that plays until there is a better machine: seldom for long


@dataclass(frozen=True, slots=True)
class Machine:
    """What makes a game, and what its search may use."""

    make: Callable[[], TextGame]
    rank: int
    lanes: int
    memory_mb: int
    evaluation: Evaluation | None = None  # what has been learned of the game
    knowledge: Knowledge | None = None  # of how the game ends
    kernel: KernelGames | None = None  # that plays the random games of its search
    division: Division | None = None  # into factors that are searched each alone
    quick: bool = True  # enough for a solver near the end, and for several random games from a leaf


class NativeMind(Searcher):
    """Plays a native game with the native search, which keeps its tree from turn to turn.

    A native game can fail in the midst of a search: the rule machine has room for so many facts and moves, and
    random games may see more of them, or states where the rules never come to an end. Then all is made anew and
    begins again from the present position, whose best move so far is kept. Along the match itself few facts and
    moves are met.
    """

    def __init__(self, machine: Machine, role: str, options: PlayerOptions, tell: Callable[[str], None]) -> None:
        """`tell` takes what goes wrong. Raises what making the game does, and `NativeError` for want of room."""
        self.rank = machine.rank
        self._machine = machine
        self._options = options
        self._tell = tell
        self._failure = ""  # the last
        self._random = new_random(options)
        self._make()
        self._seat = self._game.roles.index(role)

    def go_to(self, history: tuple[Joint, ...]) -> Position:
        """See `Mind`; raises `NativeError` if the position is too much even for a new game."""
        try:
            position = self._arrive(history)
        except NativeError as error:
            self._renew(error)
            position = self._arrive(history)
        self._lot = self._random.random()
        self._report = SearchReport(position.step, "", machine=self._game.machine)
        self.history, self.position, self.weight = history, position, -1
        self.can_search = self._search is not None and bool(position.legal) and not position.terminal
        if self.can_search:
            self._take_note()
        return position

    def think(self, seconds: float) -> SearchReport:
        """See `Mind`."""
        assert self._search is not None
        assert self.history is not None
        before = self._search.stats().playouts
        try:
            self._search.run(seconds)
        except NativeError as error:
            self.can_search = self._search.stats().playouts > before  # else it would fail again at once
            self._take_note()
            self._renew(error)
            self._arrive(self.history)
        self._take_note()
        return self._report

    def known(self) -> SearchReport | None:
        """See `Mind`."""
        return self._report if self.weight > 0 else None

    def interrupt(self) -> None:
        """See `Mind`."""
        if self._search is not None:
            self._search.stop()

    def _make(self) -> None:
        self._game = self._machine.make()
        self._search = self._new_search()
        self._path = Path(self._game.game.initial, self._game.after)

    def _renew(self, error: NativeError) -> None:
        if str(error) != self._failure:
            self._failure = str(error)
            self._tell(f"{self._game.machine}: {error}; beginning again")
        if self._machine.kernel:
            self._machine = replace(self._machine, kernel=None)
        else:  # a guided search wants turns one after the other, and knowledge may be what contradicts itself
            self._machine = replace(self._machine, evaluation=None, knowledge=None)
        self._search = None  # gives back its memory first
        self._make()

    def _arrive(self, history: tuple[Joint, ...]) -> Position:
        game, state = self._game, self._path.follow(history)
        self._state = state
        terminal = game.terminal(state)
        legal = game.legal(state)
        if self._search is not None and not terminal:
            self._search.set_root(state)
            self._playouts = self._search.stats().playouts  # those of earlier positions
            self._blind = self._chosen_blindly()
        self._hidden = sum(len(moves) > 1 for moves in legal) > 1 and len(legal[self._seat]) > 1
        texts = game.texts(self._seat, legal[self._seat], state)
        return Position(len(history), texts, terminal, game.goals(state) if terminal else ())

    def _take_note(self) -> None:
        """Takes the search's best move as ours, unless an earlier search of this position was better founded."""
        assert self._search is not None
        stats = self._search.stats()
        weight = _PROOF if stats.solved else max(0, stats.root_visits - self._blind)
        if weight < self.weight:
            return
        known = self._search.root_moves(self._seat)
        chosen = draw(known.visits, self._lot) if self._hidden else known.best
        value = float(known.values[chosen])
        self.weight = weight
        self.can_search = self.can_search and not stats.solved
        self._report = SearchReport(
            step=self.position.step,
            move=self._game.move(self._seat, int(known.moves[chosen]), self._state),
            playouts=stats.playouts - self._playouts,
            value=None if math.isnan(value) else value,
            line=tuple(self._game.line(self._state, self._search.expected_line(_LINE_STEPS))),
            machine=self._game.machine,
            final=stats.solved or len(self.position.legal) == 1,
        )

    def _chosen_blindly(self) -> int:
        """The games that a search starts at once, before it has learnt anything: their visits found no choice."""
        if isinstance(self._search, KernelSearch):
            return self._search.blind
        return self._options.workers * (self._machine.lanes or _MOST_LANES)

    def _new_search(self) -> AnySearch | FactoredSearch | None:
        machine, seed = self._machine, self._random.getrandbits(63)
        options = self._options if machine.quick else unhurried(self._options)
        if machine.division is not None:
            game = self._game.game
            return factored_search(game, machine.division, options, machine.lanes, machine.memory_mb, seed)
        how = options, machine.lanes, machine.memory_mb, seed
        return new_search(self._game.game, *how, machine.evaluation, machine.knowledge, machine.kernel)


def network(net: Propnet, options: PlayerOptions, game: Game | None = None) -> Machine:
    """The machine of a propositional network; `game` is the version of it that is played, that itself if None."""
    return Machine(lambda: NetworkGame(net, game), 3, options.lanes, options.nodes_mb)


def meanwhile(net: Propnet, options: PlayerOptions) -> Machine:
    """The machine of a network before it is known how it is best played, with a part of the memory."""
    memory_mb = max(1, options.nodes_mb // _EARLY_SHARE)
    return Machine(lambda: NetworkGame(net), 2, options.lanes, memory_mb)


def bitboard(net: Propnet, recognised: RecognisedRules, options: PlayerOptions, tell: Callable[[str], None]) -> Machine:
    """The machine of a game that was recognised in its network, with endgame tables where they mean something."""
    knowledge = endgames(recognised, options, tell) if options.endgame_pieces else None
    return Machine(lambda: CheckersGame(net, recognised), 3, options.lanes, options.nodes_mb, knowledge=knowledge)


def endgames(recognised: RecognisedRules, options: PlayerOptions, tell: Callable[[str], None]) -> Knowledge | None:
    """What endgame tables prove of the game, built first if need be; None, and why, where they cannot be used."""
    try:
        return endgame_knowledge(recognised.rules, options.endgame_pieces, options.workers, tell)
    except LudensError as error:
        tell(f"no endgame tables: {error}")
        return None


def rule_machine(sheet: RuleSheet, options: PlayerOptions) -> Machine:
    """The rule machine; more games side by side than a leaf needs would save no time, and end later."""
    memory_mb = max(1, options.nodes_mb // _EARLY_SHARE)
    lanes = unhurried(options).playouts_per_leaf
    return Machine(lambda: RulesGame(sheet), 1, lanes, memory_mb, quick=False)


def unhurried(options: PlayerOptions) -> PlayerOptions:
    """What is left of the options on a slow machine."""
    return replace(options, solver_share=0.0, playouts_per_leaf=options.playouts_per_leaf or 1)
