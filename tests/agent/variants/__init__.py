"""Tests of agent/variants."""
