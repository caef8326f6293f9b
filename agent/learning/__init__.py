"""Evaluations: what they see, how they are learned in the start clock, and where they are kept."""
