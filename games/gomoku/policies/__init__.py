"""Readable reference policies, which choose moves in positions of the numpy reference."""
