"""Tests of agent/engine."""
