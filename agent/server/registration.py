"""What to type into each kind of Game Manager so that it finds a player."""

from __future__ import annotations


def host_and_port(host: str, port: int) -> str:
    """Returns a place as addresses have it, with brackets around what is no name and has colons."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def ways_to_register(name: str, host: str, port: int) -> dict[str, str]:
    """Returns what to type, by the manager, for a player that managers reach at this host and port."""
    place = host_and_port(host, port)
    return {
        "ggp-base Server": place,
        "ggp-base GameServerRunner": f"{host} {port} {name}",
        "Dresden web form": f"name {name}, host {host}, port {port}, version GDL 1",
        "Stanford's page": f"http://{place}",
        "Ludens": f"ludens match GAME http://{place}",
    }
