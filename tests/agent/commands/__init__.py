"""Tests of agent/commands."""
