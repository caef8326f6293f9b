"""Everything held against what shares no code with it."""
