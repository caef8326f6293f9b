"""Tests of the project as a whole: borders, packages, recipes."""
