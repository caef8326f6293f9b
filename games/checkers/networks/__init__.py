"""Trained networks over the board: their files, and random games that they guide."""
