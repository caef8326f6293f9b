"""Finds the mistakes of a rule sheet that only play shows, in random games."""
