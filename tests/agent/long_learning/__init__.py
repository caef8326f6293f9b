"""Tests of agent/long_learning."""
