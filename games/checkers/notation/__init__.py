"""Moves and matches of checkers in Portable Draughts Notation. Sees `rules`."""
