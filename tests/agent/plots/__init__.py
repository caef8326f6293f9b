"""Tests of agent/plots."""
