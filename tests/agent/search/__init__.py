"""Tests of agent/search."""
