"""Matches of people and engines, with take back and branches."""
