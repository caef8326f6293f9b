"""Ludens for Python programs: games, states, searches, evaluations, players and matches."""
