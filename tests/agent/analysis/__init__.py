"""Tests of agent/analysis."""
