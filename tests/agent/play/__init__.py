"""Tests of agent/play."""
