"""Checkers data to learn from: positions of games, what their moves are worth, and the files that hold them."""
