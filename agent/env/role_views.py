"""How each role sees a game as if it were the first one: its own pieces first, the board turned as the rules allow.

That takes a symmetry of the rules that carries the role into the first one (`propnet.analysis.symmetries`), which is
proven from the ground rules and never guessed: whatever holds, is legal or follows for the role holds, is legal and
follows in its view for the first role. Actions are seen the same way, so one network can play all roles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ludens.agent.api.game import Game
from ludens.agent.env.errors import LayoutError
from ludens.games.view.planes import Observations
from ludens.propnet.analysis.symmetries import RoleSymmetry, role_symmetry
from ludens.propnet.compile.loader import load_unfactored

_MOST_ROLES = 4  # of which all orders are tried

Bytes: TypeAlias = npt.NDArray[np.uint8]
Masks: TypeAlias = npt.NDArray[np.int8]
Rows: TypeAlias = npt.NDArray[np.integer[Any]]
Numbers: TypeAlias = npt.NDArray[np.int64]

_known: WeakKeyDictionary[Game, tuple[RoleSymmetry, ...]] = WeakKeyDictionary()


def role_symmetries(game: Game) -> tuple[RoleSymmetry, ...]:
    """Returns for each role a symmetry that carries it into the first; raises `LayoutError` where there is none."""
    if game not in _known:
        net = load_unfactored(game.sheet)
        if (net.propositions, net.moves) != (game.net.propositions, game.net.moves):
            raise LayoutError(f"{game.name} has no egocentric views: its rules recurse through what never holds")
        found: list[RoleSymmetry] = []
        for role in range(len(game.roles)):
            orders = _orders(len(game.roles), role)
            symmetry = next((each for order in orders if (each := role_symmetry(net, order))), None)
            if symmetry is None:
                raise LayoutError(
                    f"{game.name} has no egocentric views: no symmetry of its rules was found that carries "
                    f"{game.roles[role]} into {game.roles[0]}"
                )
            found.append(symmetry)
        _known[game] = tuple(found)
    return _known[game]


def _orders(roles: int, role: int) -> Iterator[Sequence[int]]:
    """Yields what roles may be carried into, with `role` into the first: as they follow each other, then in others."""
    follow = tuple((each - role) % roles for each in range(roles))
    yield follow
    if roles <= _MOST_ROLES:
        yield from (order for order in permutations(range(roles)) if order[role] == 0 and order != follow)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one role sees, as places in what is written for all."""

    bytes: Numbers  # [bytes of an observation] of each byte of its view, the byte that is shown there
    values: tuple[tuple[slice, Bytes], ...]  # bytes of its view, and what their values become there, [256]
    actions: Numbers  # [actions] of each action of its view, the action of the role; -1 for none


class RoleViews:
    """Turns observations, legal actions and actions into what roles see, and back; the first sees them as they are."""

    def __init__(self, game: Game, layout: Observations, count: int) -> None:
        """`count`: how many actions there are in a row of masks. Raises `LayoutError` for a game without such views."""
        numbers = _Numbers(layout)
        firsts = np.cumsum([0, *map(len, game.net.moves)])
        self._seen: list[_Seen] = []
        for role, symmetry in enumerate(role_symmetries(game)):
            actions = np.full(count, -1, np.int64)
            actions[symmetry.moves[firsts[role] : firsts[role + 1]]] = np.arange(len(game.net.moves[role]))
            self._seen.append(_Seen(*numbers.seen(symmetry.propositions), actions))

    def observe(self, observations: Bytes, roles: Rows, out: Bytes | None = None) -> Bytes:
        """Returns what roles [k] see of observations [k, …]; a role below 0 sees what the first one does."""
        seen = _copied(observations, out)
        flat, given = (each.reshape(len(observations), -1) for each in (seen, observations))
        for role, view in enumerate(self._seen[1:], 1):
            rows = np.flatnonzero(roles == role)
            turned = given[rows].take(view.bytes, axis=1)
            for part, values in view.values:
                turned[:, part] = values[turned[:, part]]
            flat[rows] = turned
        return seen

    def legal(self, masks: Masks, roles: Rows, out: Masks | None = None) -> Masks:
        """Returns masks [k, actions] of roles [k] as the roles see them."""
        seen = _copied(masks, out)
        for role, view in enumerate(self._seen[1:], 1):
            rows = np.flatnonzero(roles == role)
            seen[rows] = np.where(view.actions < 0, 0, masks[rows].take(view.actions, axis=1))
        return seen

    def actions(self, actions: npt.ArrayLike, roles: Rows) -> Numbers:
        """Returns actions [k] of roles [k] from their views as actions of the game.

        Numbers that are no actions stay what they are, and actions that are none in the view become such a number.
        """
        given = np.asarray(actions)
        chosen = given.astype(np.int64)
        for role, view in enumerate(self._seen[1:], 1):
            count = len(view.actions)
            rows = np.flatnonzero((roles == role) & (given >= 0) & (given < count))
            own = view.actions[given[rows]]
            chosen[rows] = np.where(own < 0, count, own)
        return chosen


def _copied(array: npt.NDArray[Any], out: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
    if out is None:
        return array.copy()
    np.copyto(out, array)
    return out


class _Numbers:
    """Where observations show propositions: as single bytes, and as values of bytes that all show the same."""

    def __init__(self, layout: Observations) -> None:
        self._columns = layout.columns
        self._counted: dict[int, tuple[slice, int]] = {}
        for first, length, proposition, value in layout.fills:
            self._counted[proposition] = slice(first, first + length), value
        self._byte: dict[int, int] = {}
        for byte, proposition in enumerate(layout.columns.tolist()):
            self._byte.setdefault(proposition, byte)

    def seen(self, propositions: npt.NDArray[np.int32]) -> tuple[Numbers, tuple[tuple[slice, Bytes], ...]]:
        """Returns the bytes and values of `_Seen` for a symmetry: where each proposition is carried."""
        before = np.empty(len(propositions), np.int64)
        before[propositions] = np.arange(len(propositions))
        places = np.arange(len(self._columns))
        for byte, proposition in enumerate(self._columns.tolist()):
            if proposition >= 0:
                places[byte] = self._byte_of(int(before[proposition]))
        return places, self._values(before, places)

    def _byte_of(self, proposition: int) -> int:
        if proposition not in self._byte:
            raise LayoutError("a fact with a place of its own is a number for another role: use observation='bits'")
        return self._byte[proposition]

    def _values(self, before: Numbers, places: Numbers) -> tuple[tuple[slice, Bytes], ...]:
        tables: dict[tuple[int, int], Bytes] = {}
        sources: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for proposition, (part, value) in self._counted.items():
            shown = self._counted.get(int(before[proposition]))
            if shown is None:
                raise LayoutError("a number is no number for another role: use observation='bits'")
            table = tables.setdefault((part.start, part.stop), np.zeros(256, np.uint8))
            table[shown[1]] = value
            sources.setdefault((part.start, part.stop), set()).add((shown[0].start, shown[0].stop))
        for (start, stop), (source, *others) in ((part, tuple(found)) for part, found in sources.items()):
            if others:
                raise LayoutError("what counts together counts apart for another role: use observation='bits'")
            places[start:stop] = np.arange(*source)
        return tuple((slice(*part), table) for part, table in tables.items())
