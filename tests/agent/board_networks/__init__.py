"""Tests of agent/board_networks."""
