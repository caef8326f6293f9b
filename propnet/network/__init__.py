"""The network: while it is being built, as it is handed on, and played in numpy."""
