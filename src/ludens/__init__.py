"""Ludens, a general game player.

`agent` is the player and the manager of matches, `games` what belongs to one game, `native` the C++ core and its
binding, `propnet` the way from rules to a network. Their folders stand at the top of the repository; here are links to
them, so that the project is one package for whoever imports, checks, tests or installs it.
"""
