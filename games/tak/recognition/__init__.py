"""Recognises Tak in a network, whatever its words, and proves it by play. Sees `rules`, and `native_game` above it.

In the order of the work: `opening`, `moves`, `proof`; `recognise` puts them together.
"""
