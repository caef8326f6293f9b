"""Makes random networks, to compare ways of evaluating them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludens.propnet.network.propnet import TRUE, Propnet

_FALSE = 0


def random_network(rng: np.random.Generator, *, looped: bool = False) -> Propnet:
    """A network of random gates, of up to some thousands, in which every role always has its first move.

    Each move may be legal: one that is never legal must not be made. Gates read what stands shortly before them or
    anything at all, so that few or many values are needed at a time. One that is `looped` has a loop of gates that
    see states alone.
    """
    roles, bits, gates = int(rng.integers(1, 4)), int(rng.integers(1, 80)), int(2 ** rng.uniform(0, 12))
    moves = tuple(tuple(f"m{n}" for n in range(rng.integers(1, 40))) for _ in range(roles))
    inputs, total = bits, sum(map(len, moves))
    feedback = int(rng.integers(1, 6)) if looped else 0
    first_gate, by_state = 1 + bits + total + feedback, int(gates * rng.random())
    begin = int(by_state * rng.random())
    size = int(rng.integers(1, 12)) if looped else 0
    gates, by_state = gates + size, by_state + size
    near = int(2 ** rng.uniform(1, 10))

    def literals(count: int, last_gate: int, *, with_moves: bool) -> np.ndarray:
        """Of gates before the last one, or of the inputs."""
        anywhere = rng.integers(0, 1 + inputs + (total if with_moves else 0), count)
        recent = first_gate + last_gate - 1 - rng.integers(0, min(near, max(last_gate, 1)), count)
        variables = np.where((rng.random(count) < 0.3) | (last_gate == 0), anywhere, recent)
        return (2 * variables + rng.integers(0, 2, count)).astype(np.int32)

    rising = [
        2 * variable for variable in range(first_gate - feedback, first_gate)
    ]  # literals of the loop that only ever rise
    pairs = list[npt.NDArray[np.int32]]()
    for gate in range(gates):
        pair = literals(2, gate if gate < begin or gate >= begin + size else begin, with_moves=gate >= by_state)
        if begin <= gate < begin + size:
            within = rng.random(2) < 0.7
            pair = np.where(within, rng.choice(rising, 2), pair).astype(np.int32)
            either = int(rng.integers(0, 2))
            pair ^= either  # not both false, in place of both true
            rising.append(2 * (first_gate + gate) + either)
        pairs.append(pair)
    # What drives the loop: its gates or inputs, the same one several times, or what comes before it.
    anything = [*rising, *literals(2, begin, with_moves=False).tolist(), _FALSE]
    drivers = np.array([*rising[-1:], *rng.choice(anything, feedback)][:feedback], np.int32)
    legal = np.maximum(literals(total, by_state, with_moves=False), TRUE)
    legal[np.cumsum([0, *map(len, moves)])[:-1]] = TRUE
    values = np.arange(0, 101, 25, dtype=np.int32)
    return Propnet(
        roles=tuple(f"r{n}" for n in range(roles)),
        propositions=tuple(f"p{n}" for n in range(bits)),
        moves=moves,
        initial=rng.random(bits) < 0.5,
        gates=np.array(pairs, np.int32).reshape(-1, 2),
        next=literals(bits, gates, with_moves=True),
        legal=legal,
        terminal=int(literals(1, by_state, with_moves=False)[0]),
        goal_role=np.repeat(np.arange(roles, dtype=np.int32), len(values)),
        goal_value=np.tile(values, roles),
        goal_literal=literals(roles * len(values), by_state, with_moves=False),
        feedback=drivers,
        loops=np.array([[begin, begin + size, 0, feedback]] if looped else [], np.int32).reshape(-1, 4),
    )
