"""Registers games with Gymnasium, so that `gymnasium.make` and `make_vec` make them by name."""

from __future__ import annotations

import gymnasium

from ludens import games


def register() -> None:
    """Registers the built-in games as `ludens/NAME`, and `ludens/game` for any: `make_vec("ludens/game", game=…)`."""
    for name in (*games.names(), "game"):
        if f"ludens/{name}" not in gymnasium.registry:
            gymnasium.register(
                f"ludens/{name}",
                entry_point="ludens.agent.env.gym:Env",
                vector_entry_point="ludens.agent.env.gym:VectorEnv",
                kwargs={} if name == "game" else {"game": name},
            )
