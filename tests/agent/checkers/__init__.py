"""Tests of agent/checkers."""
