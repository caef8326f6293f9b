"""Tournaments: many matches between many players, and how strong these are by the results."""
