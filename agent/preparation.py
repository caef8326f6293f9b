"""What a player does with the start clock: learns the game, and finds out by playing which search suits it.

An evaluation that was learned makes a search far stronger in most games, and useless in those whose value does not
show in single propositions, such as hex. No rule tells which is which, so two thirds of the time go into learning,
and in the rest the two searches play each other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from agent.kernel_choice import Offer
from agent.learned import Shelf
from agent.learning import LEAST_SECONDS, CannotLearnError, learn
from agent.options import AUTO, PlayerOptions
from agent.repertoire import suited
from agent.trial import Candidate, trial
from native.core import Evaluation, Game
from native.kernel_process import MakeKernel
from native.kernel_search import KernelGames
from propnet.errors import LudensError

_LEARNING_SHARE = 2 / 3
_KERNEL_SHARE = 1 / 3  # of what is left after learning, for trying a kernel
_CONVINCING = 0.6  # score in a trial; its games are faster than those of a match, which favours what was learned
_OVERWHELMING = 0.85  # what is less is tried again
_DEEPER = 4  # times as many iterations a move, which may tell another story (amazons)
_DOUBT = 2  # even games that are added to those of a trial


@dataclass(frozen=True, slots=True)
class Meta:
    """The time before the first turn."""

    seconds: float
    seed: int = 0
    clock: Callable[[], float] = time.monotonic
    stopped: Callable[[], bool] = lambda: False  # the first turn has come
    tell: Callable[[str], None] = lambda _text: None


@dataclass(frozen=True, slots=True)
class Prepared:
    """The search for a game: a strategy of the native core, and what was learned if it uses that, or a kernel."""

    strategy: str
    evaluation: Evaluation | None = None
    kernel: KernelGames | None = None  # that plays its random games


def prepare(
    game: Game,
    playing: Game,
    options: PlayerOptions,
    meta: Meta,
    shelf: Shelf | None = None,
    make_kernel: MakeKernel | None = None,
) -> Prepared:
    """Settles what `options.strategy` comes to, within the time of `meta`.

    `playing` is the game with its playout policy, for searches that play random games, `game` the same without.
    What was learned of the game before is on `shelf`, and goes back there. A kernel that `make_kernel` makes may
    come to play the random games of `playing`.
    """
    plain = Prepared(suited(options.strategy, game, learned=False))
    if options.strategy == "guided":
        make_kernel = None  # there are no random games to play
    offer = Offer(playing, make_kernel, replace(options, strategy=plain.strategy), meta)
    if suited(options.strategy, game, learned=True) != "guided":
        return replace(plain, kernel=offer.settle(meta.seconds))
    try:
        return _settled(game, playing, options, meta, shelf, plain, offer)
    except (LudensError, MemoryError) as error:  # such as a position, never met before, where several choose
        meta.tell(f"learning gives up: {error or 'out of memory'}")
        return plain


def _settled(
    game: Game,
    playing: Game,
    options: PlayerOptions,
    meta: Meta,
    shelf: Shelf | None,
    plain: Prepared,
    offer: Offer,
) -> Prepared:
    """What `prepare` settles where learning may help; raises what learning and playing do."""
    end = meta.clock() + meta.seconds
    part = _LEARNING_SHARE if options.strategy == AUTO else 1.0
    evaluation = _learned(game, options, meta, part, shelf)
    left = end - meta.clock()
    plain = replace(plain, kernel=offer.settle(left if evaluation is None else left * _KERNEL_SHARE))
    if evaluation is None:
        return plain
    guided = Prepared("guided", evaluation)
    if options.strategy != AUTO:
        return guided
    first, second = Candidate(game, "guided", evaluation), Candidate(playing, plain.strategy, kernel=plain.kernel)

    def score(seconds: float, depth: int) -> float:
        result = trial(first, second, options, seconds, meta.seed, meta.clock, meta.stopped, depth)
        meta.tell(f"guided search scores {result.score:.1f} of {result.games} games against {plain.strategy}")
        return (result.score + _DOUBT / 2) / (result.games + _DOUBT)

    shallow = score((end - meta.clock()) / 2, 1)
    if _CONVINCING <= shallow < _OVERWHELMING:
        return guided if score(end - meta.clock(), _DEEPER) >= _CONVINCING else plain
    return guided if shallow >= _OVERWHELMING else plain


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
        evaluation = learn(game, seconds, meta.seed, meta.stopped, known, meta.clock)
        if shelf:
            shelf.write(evaluation.weights)
    except CannotLearnError as error:
        meta.tell(f"nothing to learn: {error}")
        return None
    except OSError as error:
        meta.tell(f"what was learned could not be kept: {error}")
    meta.tell(f"learned for {meta.clock() - began:.1f} s{' more' if known else ''}")
    return evaluation
