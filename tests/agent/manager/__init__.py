"""Tests of agent/manager."""
