"""Tests of agent/tak."""
