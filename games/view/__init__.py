"""Boards drawn from the rules. Sees propnet and native."""
