"""What to type into each kind of Game Manager so that it finds a player."""

from __future__ import annotations


def ways_to_register(name: str, host: str, port: int) -> dict[str, str]:
    """Returns what to type, by the manager, for a player that managers reach at this host and port."""
    place = f"{host}:{port}"
    return {
        "ggp-base Server": place,
        "ggp-base GameServerRunner": f"{host} {port} {name}",
        "Dresden web form": f"name {name}, host {host}, port {port}, version GDL 1",
        "Stanford's page": f"http://{place}",
        "Ludens": f"ludens match GAME http://{place}",
    }
