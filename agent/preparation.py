"""What a player does with the start clock: learns the game, and finds out by playing which search suits it.

An evaluation that was learned makes a search far stronger in most games, and useless in those whose value does not
show in single propositions, such as hex; what is known of a move made later helps where moves are worth the same
whenever they are made. No rule tells which is which, so two thirds of the time go into learning, and in the rest
the searches play each other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from agent import playouts
from agent.features import Seen
from agent.kernel_choice import Offer
from agent.learned import Shelf
from agent.learning import LEAST_SECONDS, CannotLearnError, learn
from agent.options import AUTO, PlayerOptions
from agent.rating import Promise
from agent.repertoire import only_places, suited
from agent.trial import Candidate, Terms, trial
from native.core import Evaluation, Game
from native.kernel_process import MakeKernel
from native.kernel_search import KernelGames
from propnet.errors import LudensError
from propnet.network import Propnet

_LEARNING_SHARE = 2 / 3
_KERNEL_SHARE = 1 / 3  # of what is left after learning, for trying a kernel
# What matches against UCT have shown (docs/strength.md); of averages so far in gomoku and a few short ones.
_GUIDED = Promise(0.5)
_GUIDED_BY_THREATS = Promise(1.0)
_RAVE = Promise(-0.5, drift=-1.0)  # where all that moves do is to put something down for good
_MAST = Promise(0.3, drift=-0.2)  # UCT whose random games prefer what did well in others
_WITHOUT_POLICY = Promise(-1.0)  # UCT with uniform games where there is a playout policy
_UNIFORM = "uniform"


@dataclass(frozen=True, slots=True)
class Meta:
    """The time before the first turn, and that for each move from then on."""

    seconds: float
    move_seconds: float
    seed: int = 0
    clock: Callable[[], float] = time.monotonic
    stopped: Callable[[], bool] = lambda: False  # the first turn has come
    tell: Callable[[str], None] = lambda _text: None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What plays a game: a strategy of the native core, what random games choose from, and what it rests on."""

    strategy: str
    policy: str
    evaluation: Evaluation | None = None
    kernel: KernelGames | None = None  # that plays its random games

    def options(self, options: PlayerOptions) -> PlayerOptions:
        """A player's options, settled."""
        return replace(options, strategy=self.strategy, policy=self.policy)


@dataclass(frozen=True, slots=True)
class Versions:
    """A game as searches play it; states and moves are the same in all."""

    plain: Game  # with what an evaluation sees; random games are uniform
    playing: Game  # with the playout policy
    placing: bool = False  # see `repertoire.only_places`
    threats: bool = False  # are among what an evaluation sees
    averaging: Game | None = None  # as `playing`; besides, random games prefer moves that did well in others

    def chosen(self, prepared: Prepared, options: PlayerOptions) -> Game:
        """The one that is played by what a player with these options has settled."""
        if prepared.evaluation or (prepared.policy == _UNIFORM != options.policy):
            return self.plain
        return self.averaging if self.averaging and prepared.policy != options.policy else self.playing


def versions_of(net: Propnet, seen: Seen, played: Propnet) -> Versions:
    """Those of a network, given also as an evaluation sees it and as random games play it."""
    return Versions(
        Game.from_propnet(seen.net),
        Game.from_propnet(played),
        only_places(net),
        seen.threats,
        Game.from_propnet(replace(played, averages=True)),
    )


def prepare(
    versions: Versions,
    options: PlayerOptions,
    meta: Meta,
    shelf: Shelf | None = None,
    make_kernel: MakeKernel | None = None,
) -> Prepared:
    """Settles what `options.strategy` comes to, within the time of `meta`.

    What was learned of the game before is on `shelf`, and goes back there. A kernel that `make_kernel` makes may
    come to play the random games of `versions.playing`.
    """
    plain = Prepared(suited(options.strategy, versions.plain, learned=False), options.policy)
    if options.strategy == "guided":
        make_kernel = None  # there are no random games to play
    offer = Offer(versions.playing, make_kernel, plain.options(options), meta)
    if suited(options.strategy, versions.plain, learned=True) != "guided":
        return replace(plain, kernel=offer.settle(meta.seconds))
    try:
        return _settled(versions, options, meta, shelf, plain, offer)
    except (LudensError, MemoryError) as error:  # such as a position, never met before, where several choose
        meta.tell(f"learning gives up: {error or 'out of memory'}")
        return plain


def _settled(
    versions: Versions, options: PlayerOptions, meta: Meta, shelf: Shelf | None, plain: Prepared, offer: Offer
) -> Prepared:
    """What `prepare` settles where learning may help; raises what learning and playing do."""
    end = meta.clock() + meta.seconds
    part = _LEARNING_SHARE if options.strategy == AUTO else 1.0
    evaluation = _learned(versions.plain, options, meta, part, shelf)
    left = end - meta.clock()
    plain = replace(plain, kernel=offer.settle(left if evaluation is None else left * _KERNEL_SHARE))
    if options.strategy != AUTO:
        return replace(plain, strategy="guided", evaluation=evaluation, kernel=None) if evaluation else plain
    candidates = _candidates(versions, plain, evaluation)
    if len(candidates) == 1:
        return plain
    left = end - meta.clock()
    terms = Terms(left, meta.move_seconds, options.workers, meta.seed, meta.clock, meta.stopped)
    number, ratings = trial(candidates, options, terms)
    for other, candidate in enumerate(candidates[1:], start=1):
        strength, spread = ratings.strength(other)
        meta.tell(f"{candidate}: {strength:+.1f} ± {spread:.1f} against {candidates[0]}")
    chosen = candidates[number]
    return Prepared(chosen.strategy, chosen.policy, chosen.evaluation, chosen.kernel)


def _candidates(versions: Versions, plain: Prepared, evaluation: Evaluation | None) -> Sequence[Candidate]:
    """The searches that come into question, first the one that needs no preparation."""
    candidates = [Candidate(versions.playing, plain.strategy, plain.policy, kernel=plain.kernel)]
    if evaluation:
        promise = _GUIDED_BY_THREATS if versions.threats else _GUIDED
        candidates.append(Candidate(versions.plain, "guided", plain.policy, promise, evaluation))
    if versions.placing:
        candidates.append(Candidate(versions.playing, "rave", plain.policy, _RAVE))
    if plain.policy == playouts.AUTO and versions.averaging is not None:
        candidates.append(Candidate(versions.averaging, plain.strategy, playouts.MAST, _MAST))
    if plain.policy == playouts.AUTO and not versions.playing.uniform:
        candidates.append(Candidate(versions.plain, plain.strategy, _UNIFORM, _WITHOUT_POLICY))
    return candidates


def _learned(
    game: Game, options: PlayerOptions, meta: Meta, share: float, shelf: Shelf | None
) -> Evaluation | None:
    """What is known of the game, and can be learned in a share of the time; None, and why, where nothing can."""
    known = shelf.read() if shelf else None
    seconds = min(options.learn, share * meta.seconds)
    if meta.stopped() or seconds < LEAST_SECONDS:
        meta.tell("no time to learn" + (": as known before" if known else ""))
        return Evaluation(known) if known else None
    began = meta.clock()
    try:
        evaluation = learn(game, seconds, meta.seed, meta.stopped, known, meta.clock, options.workers)
        if shelf:
            shelf.write(evaluation.weights)
    except CannotLearnError as error:
        meta.tell(f"nothing to learn: {error}")
        return None
    except OSError as error:
        meta.tell(f"what was learned could not be kept: {error}")
    meta.tell(f"learned for {meta.clock() - began:.1f} s{' more' if known else ''}")
    return evaluation
