"""Checkers on the native bitboards, and its endgame tables. Sees `rules`."""
