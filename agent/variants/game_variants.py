"""The variants of a game that its searches play: one that an evaluation sees, and one for each playout policy.

States and moves are the same in all, so searches that play different variants can meet in one trial, and the texts
of one network serve all of them. Which network plays for a policy is decided here and nowhere else.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from ludens.agent.settings.options import UNIFORM
from ludens.agent.settings.strategies import AUTO
from ludens.agent.variants.early_wins import early_wins
from ludens.agent.variants.game_variant import GameVariant, compile_variant
from ludens.agent.variants.policy_networks import CAPTURES, MAST, START_SECONDS
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.symmetries import symmetries
from ludens.propnet.base.arrays import Int32Array
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.policies.apply import with_policy
from ludens.propnet.unstoppable_wins.finding import UnstoppableWins

_SYMMETRY_SECONDS = 2.0


class GameVariants:
    """A game that has one variant for everything, such as a recognised game on its own core."""

    def __init__(self, variant: GameVariant) -> None:
        self._variant = variant

    def evaluated(self) -> GameVariant:
        """Returns the variant whose features evaluations see; its random games are uniform."""
        return self._variant

    def playing(self, policy: str) -> GameVariant:
        """Returns the variant whose random games follow the policy asked for, or one of `other_policies`."""
        return self._variant

    def other_policies(self, *, composing: bool = True) -> Sequence[str]:
        """Returns the policies besides the one asked for that may turn out to be better.

        Unless `composing` only those whose networks need not be composed first, which takes a few seconds at most.
        """
        return ()


class NetworkVariants(GameVariants):
    """The variants of a network; each is compiled when it is first asked for."""

    def __init__(
        self,
        evaluated: Propnet,
        played: Propnet,
        policy: str,
        *,
        ends_early: bool = True,
        relative: bool = False,
        explain: Callable[[str], None] = lambda _text: None,
        symmetry_seconds: float = _SYMMETRY_SECONDS,
    ) -> None:
        """Takes the network with the features of an evaluation, and that made by `with_playouts` for `policy`.

        With `ends_early` all variants end at unstoppable wins, if the game has some; `explain` takes what is found.
        With `relative` all are played for relative goals.
        Symmetries are looked for `symmetry_seconds`.
        """
        self._network, self._policy = evaluated, policy
        self._networks = {policy: played}
        if policy == AUTO:
            self._networks[MAST] = replace(played, machine_policy=MAST)
        if policy == AUTO and played.playable is not None:
            self._networks[UNIFORM] = evaluated  # features cost nothing while nobody asks for them
        self._variants: dict[int, GameVariant] = {}  # by the identity of the network
        self._ends_early, self._explain, self._relative = ends_early, explain, relative
        self._symmetry_seconds = symmetry_seconds

    def evaluated(self) -> GameVariant:
        """See `GameVariants`."""
        return self._compiled(self._network)

    def playing(self, policy: str) -> GameVariant:
        """See `GameVariants`."""
        return self._compiled(self._networks[policy])

    def other_policies(self, *, composing: bool = True) -> Sequence[str]:
        """See `GameVariants`."""
        if composing and self._policy == AUTO and CAPTURES not in self._networks:
            with contextlib.suppress(CompositionError):
                self._networks[CAPTURES] = with_policy(self._networks[AUTO], CAPTURES, seconds=START_SECONDS)
        return [other for other in self._networks if other != self._policy]

    @cached_property
    def _symmetries(self) -> Int32Array:
        return symmetries(self._network, seconds=self._symmetry_seconds)

    @cached_property
    def _wins(self) -> UnstoppableWins | None:
        return early_wins(self._network, self._explain) if self._ends_early else None

    def _compiled(self, network: Propnet) -> GameVariant:
        if (network.propositions, network.moves) != (self._network.propositions, self._network.moves):
            raise ValueError("the networks of a game differ in their states or moves")
        if id(network) not in self._variants:
            self._variants[id(network)] = compile_variant(
                network, self._wins, self._symmetries, relative=self._relative
            )
        return self._variants[id(network)]
