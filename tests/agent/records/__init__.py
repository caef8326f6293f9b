"""Tests of agent/records."""
