"""Tests of agent/tournament."""
