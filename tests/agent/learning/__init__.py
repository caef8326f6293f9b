"""Tests of agent/learning."""
