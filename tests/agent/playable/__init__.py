"""Tests of agent/playable."""
