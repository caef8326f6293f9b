"""What a player does with the start clock: learns the game, and finds out by playing which search suits it.

An evaluation that was learned makes a search far stronger in most games, and useless in those whose value does not
show in single propositions, such as hex; what is known of a move made later helps where moves are worth the same
whenever they are made. No rule tells which is which, so two thirds of the time go into learning, and in the rest
the searches play each other. (Before, `feature_choice` finds out what an evaluation should see.)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ludens.agent.learning.learned import Place
from ludens.agent.learning.learning import LEAST_SECONDS, CannotLearnError, Learned, learn
from ludens.agent.preparation.kernel_choice import Offer
from ludens.agent.preparation.rating import Promise
from ludens.agent.preparation.trial import Candidate, Terms, trial
from ludens.agent.search.repertoire import learns, suited
from ludens.agent.search.searches import Prepared
from ludens.agent.settings.options import AUTO, PlayerOptions
from ludens.agent.variants.playouts import CAPTURES, MAST, UNIFORM
from ludens.agent.variants.races import whole
from ludens.agent.variants.versions import Versions
from ludens.native.core import Evaluation, Knowledge
from ludens.native.kernels.kernel_process import MakeKernel
from ludens.propnet.base.errors import KernelError, LudensError

_LEARNING_SHARE = 2 / 3
_KERNEL_SHARE = 1 / 3  # of what is left after learning, for trying a kernel
# What matches against UCT have shown (docs/strength.md); of averages so far in gomoku and a few short ones.
_GUIDED = Promise(0.5)
_GUIDED_WELL = Promise(1.3)  # by an evaluation that sees threats, or territory because that gained
_SURE = 0.8  # what is expected of one that has learned long is surer
_MANY_ROUNDS = 40  # of learning: with 31, 5 s in connect four, it was hardly stronger than UCT, with 57 much
_RAVE = Promise(-0.5, drift=-1.0)  # where all that moves do is to put something down for good
_BY_POLICY = {  # UCT with the random games of another policy than the one asked for
    CAPTURES: Promise(0.3),
    MAST: Promise(0.3, drift=-0.2),
    UNIFORM: Promise(-1.0),
}


@dataclass(frozen=True, slots=True)
class Meta:
    """The time before the first turn, and that for each move from then on."""

    seconds: float
    move_seconds: float
    seed: int = 0
    clock: Callable[[], float] = time.monotonic
    stopped: Callable[[], bool] = lambda: False  # the first turn has come
    spent: float = 0.0  # seconds of learning before that time
    tell: Callable[[str], None] = lambda _text: None

    def terms(self, end: float) -> Terms:
        """Those of a trial until then."""
        return Terms(end - self.clock(), self.move_seconds, self.seed, self.clock, self.stopped)


def prepare(
    versions: Versions,
    options: PlayerOptions,
    meta: Meta,
    place: Place | None = None,
    make_kernel: MakeKernel | None = None,
    knowledge: Knowledge | None = None,
) -> Prepared:
    """Settles what `options.strategy` comes to, within the time of `meta`.

    What was learned of the game before is in `place`, and goes back there. A kernel that `make_kernel` makes may
    come to play the random games of the policy asked for. Searches have `knowledge` of how games end.
    """
    end = meta.clock() + meta.seconds
    roles = versions.playing(options.policy).roles
    plain = Prepared(suited(options.strategy, roles, learned=False), options.policy, knowledge=knowledge)
    if options.strategy == "guided":
        make_kernel = None  # there are no random games to play
    offer = Offer(plain.game(versions), make_kernel, plain.options(options), meta)
    if not learns(options, roles):
        return replace(plain, kernel=offer.settle(meta.seconds))
    try:
        return _settled(versions, options, replace(meta, seconds=end - meta.clock()), place, plain, offer)
    except (LudensError, MemoryError) as error:  # such as a position, never met before, where several choose
        meta.tell(f"learning gives up: {error or 'out of memory'}")
        return plain


def _settled(
    versions: Versions, options: PlayerOptions, meta: Meta, place: Place | None, plain: Prepared, offer: Offer
) -> Prepared:
    """What `prepare` settles where learning may help; raises what learning and playing do."""
    end = meta.clock() + meta.seconds
    part = _LEARNING_SHARE if options.strategy == AUTO else 1.0
    learned = _learned(versions, options, meta, part, place)
    evaluation = Evaluation(learned.weights) if learned else None
    left = end - meta.clock()
    plain = replace(plain, kernel=offer.settle(left if evaluation is None else left * _KERNEL_SHARE))
    if options.strategy != AUTO:
        return replace(plain, strategy="guided", evaluation=evaluation, kernel=None) if evaluation else plain
    promise = _promise(versions, learned.rounds if learned else 0)
    ways = _ways(versions, plain, evaluation, promise, hurried=meta.stopped() or meta.clock() >= end)
    candidates = [Candidate(way.game(versions), way, promise) for way, promise in ways]
    if len(candidates) == 1:
        return plain
    try:
        number, ratings = trial(candidates, options, meta.terms(end))
    except KernelError as error:
        meta.tell(f"no kernel: {error}")
        candidates = [replace(each, way=replace(each.way, kernel=None)) for each in candidates]
        number, ratings = trial(candidates, options, meta.terms(end))
    for other, candidate in enumerate(candidates[1:], start=1):
        strength, spread = ratings.strength(other)
        meta.tell(f"{candidate.way}: {strength:+.1f} ± {spread:.1f} against {plain}")
    return candidates[number].way


def _ways(
    versions: Versions, plain: Prepared, evaluation: Evaluation | None, promise: Promise, hurried: bool
) -> Iterator[tuple[Prepared, Promise]]:
    """What comes into question, first what needs no preparation; in a hurry what may be chosen untried.

    `promise`: of what is guided by the evaluation.
    """
    yield plain, Promise()
    without = replace(plain, kernel=None)
    if evaluation:
        yield replace(without, strategy="guided", evaluation=evaluation), promise
    if hurried:
        return
    if versions.placing:
        yield replace(without, strategy="rave"), _RAVE
    for policy in versions.alternatives:
        yield replace(without, policy=policy), _BY_POLICY[policy]


def _promise(versions: Versions, rounds: int) -> Promise:
    """Of guided search whose evaluation has learned for so many rounds."""
    if not (versions.threats or versions.gains):
        return _GUIDED
    return replace(_GUIDED_WELL, spread=_SURE) if rounds >= _MANY_ROUNDS else _GUIDED_WELL


def _learned(
    versions: Versions, options: PlayerOptions, meta: Meta, share: float, place: Place | None
) -> Learned | None:
    """What is known of the game, and can be learned in a share of the time; None, and why, where nothing can."""
    known = (place.read() if place else None) or versions.learned
    seconds = min(options.learn - meta.spent, share * meta.seconds)
    if meta.stopped() or seconds < LEAST_SECONDS:
        meta.tell("no time to learn" + (": as known before" if known else ""))
        return known
    began = meta.clock()
    try:
        learned = learn(whole(versions.seen), seconds, meta.seed, meta.stopped, known, meta.clock, options.workers)
        if place:
            place.write(learned)
    except CannotLearnError as error:
        meta.tell(f"nothing to learn: {error}")
        return None
    except OSError as error:
        meta.tell(f"what was learned could not be kept: {error}")
    meta.tell(f"learned for {meta.clock() - began:.1f} s{' more' if known else ''}")
    return learned
