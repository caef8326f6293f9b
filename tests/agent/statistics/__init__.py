"""Tests of agent/statistics."""
