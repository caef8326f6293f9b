"""Checkers: the family of rules as parameters, played by reference, and recognised in rule sheets."""
