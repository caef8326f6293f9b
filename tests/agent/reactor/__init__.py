"""Tests of agent/reactor."""
