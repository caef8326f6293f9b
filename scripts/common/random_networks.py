"""Makes random networks, to compare ways of evaluating them."""

from __future__ import annotations

import numpy as np

from ludens.propnet.network.propnet import TRUE, Propnet


def random_network(rng: np.random.Generator) -> Propnet:
    """A network of random gates, of up to some thousands, in which every role always has its first move.

    Each move may be legal: one that is never legal must not be made. Gates read what stands shortly before them or
    anything at all, so that few or many values are needed at a time.
    """
    roles, bits, gates = int(rng.integers(1, 4)), int(rng.integers(1, 80)), int(2 ** rng.uniform(0, 12))
    moves = tuple(tuple(f"m{n}" for n in range(rng.integers(1, 40))) for _ in range(roles))
    inputs, total = bits, sum(map(len, moves))
    first_gate, by_state = 1 + bits + total, int(gates * rng.random())
    near = int(2 ** rng.uniform(1, 10))

    def literals(count: int, last_gate: int, *, with_moves: bool) -> np.ndarray:
        """Of gates before the last one, or of the inputs."""
        anywhere = rng.integers(0, 1 + inputs + (total if with_moves else 0), count)
        recent = first_gate + last_gate - 1 - rng.integers(0, min(near, max(last_gate, 1)), count)
        variables = np.where((rng.random(count) < 0.3) | (last_gate == 0), anywhere, recent)
        return (2 * variables + rng.integers(0, 2, count)).astype(np.int32)

    pairs = [literals(2, gate, with_moves=gate >= by_state) for gate in range(gates)]
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
        feedback=np.zeros(0, np.int32),
        loops=np.zeros((0, 4), np.int32),
    )
