"""The versions of a game that its searches play: one that an evaluation sees, and one for each playout policy.

States and moves are the same in all, so searches that play different versions can meet in one trial, and the texts
of one network serve all of them. Which network plays for a policy is decided here and nowhere else.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import cached_property

from ludens.agent.learning.features import Seen
from ludens.agent.learning.learning import Learned
from ludens.agent.search.repertoire import only_places
from ludens.agent.variants.playouts import AUTO, CAPTURES, MAST, UNIFORM, capturing, preferring
from ludens.agent.variants.races import as_raced, races_of, whole
from ludens.native.core import Game
from ludens.propnet.analysis.composition import CompositionError
from ludens.propnet.analysis.symmetries import symmetries
from ludens.propnet.base.arrays import Int32Array
from ludens.propnet.network.propnet import Propnet
from ludens.propnet.unstoppable_wins.finding import UnstoppableWins

_SYMMETRY_SECONDS = 2.0


class Versions:
    """Those of a game that is always played in the same way, such as one on bitboards."""

    alternatives: Sequence[str] = ()
    """Policies besides the one asked for that may turn out to be better."""

    placing = False
    """See `repertoire.only_places`."""

    threats = False
    """Whether they are among what an evaluation sees."""

    gains = False
    """Whether territory is, because it was found to gain."""

    learned: Learned | None = None
    """What has been learned of the game already."""

    def __init__(self, game: Game) -> None:
        self._game = game

    @property
    def seen(self) -> Game:
        """The one whose features evaluations see; its random games are uniform."""
        return self._game

    def playing(self, policy: str) -> Game:
        """The one whose random games follow a policy: the one asked for, or one of `alternatives`."""
        return self._game


class NetworkVersions(Versions):
    """Those of a network; each is compiled when it is first asked for."""

    def __init__(
        self,
        seen: Seen,
        played: Propnet,
        policy: str,
        *,
        races: bool = True,
        tell: Callable[[str], None] = lambda _text: None,
    ) -> None:
        """A network as an evaluation sees it, and as `with_playouts` makes it for `policy`, the one asked for.

        With `races` all are searched as over at unstoppable wins, if there are any; `tell` takes what comes of that.
        """
        self._seen, self.learned = seen.net, seen.learned
        self.threats, self.gains = seen.threats, seen.gains
        self._policy = policy
        self._networks = {policy: played}
        if policy == AUTO:
            self._networks[MAST] = preferring(played, MAST)
        if policy == AUTO and played.playable is not None:
            self._networks[UNIFORM] = seen.net  # features cost nothing while nobody asks for them
        self._games: dict[str, Game] = {}
        self._racing, self._tell = races, tell

    @cached_property
    def alternatives(self) -> Sequence[str]:  # type: ignore[override]
        """See `Versions`; what has to be composed first is when they are asked for, in a few seconds at most."""
        if self._policy == AUTO:
            with contextlib.suppress(CompositionError):
                self._networks[CAPTURES] = capturing(self._networks[AUTO])
        return [other for other in self._networks if other != self._policy]

    @cached_property
    def seen(self) -> Game:
        """See `Versions`."""
        return self._compiled(self._seen)

    @cached_property
    def placing(self) -> bool:  # type: ignore[override]
        """See `repertoire.only_places`."""
        return only_places(self._seen)

    def playing(self, policy: str) -> Game:
        """See `Versions`."""
        network = self._networks[policy]
        if network is self._seen:
            return self.seen
        if policy not in self._games:
            self._games[policy] = self._compiled(network)
        return self._games[policy]

    @cached_property
    def _symmetries(self) -> Int32Array:
        return symmetries(self._seen, seconds=_SYMMETRY_SECONDS)

    @cached_property
    def _races(self) -> UnstoppableWins | None:
        return races_of(self._seen, self._tell) if self._racing else None

    def _compiled(self, network: Propnet) -> Game:
        game = as_raced(network, self._races) if self._races else Game.from_propnet(network)
        game.symmetries = whole(game).symmetries = self._symmetries
        return game
