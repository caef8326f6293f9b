"""Tak: a game of stacks and roads, with its notations."""
