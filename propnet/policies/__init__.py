"""Playout policies as gates: what random games choose from."""
