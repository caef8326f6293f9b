"""Tests of agent/diagnosis."""
