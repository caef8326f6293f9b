"""Checkers, a family of games: recognised in rule sheets, and played on bitboards."""
