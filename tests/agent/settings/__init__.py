"""Tests of agent/settings."""
