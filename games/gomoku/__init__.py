"""Gomoku, a family of games: k stones in a row win on a board of m x n cells."""
