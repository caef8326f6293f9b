"""Tests of agent/gomoku."""
