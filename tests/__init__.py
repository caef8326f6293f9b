"""Tests, in folders as what they test."""
