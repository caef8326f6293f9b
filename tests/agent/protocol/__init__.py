"""Tests of agent/protocol."""
