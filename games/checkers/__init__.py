"""Checkers, a family of games. Lowest room first; each sees those above it, but not its siblings on the same line.

rules        the rules as parameters, the slow reference, positions
bitboards    the native bitboards, endgame tables
kernels      random games for graphics processors       recognition  from a network to the rules, proven by play
notation     Portable Draughts Notation
display.py   the board, moves and matches of a recognised game
game.py      what `ludens.games.registry` and thereby the rest of the project see
"""
