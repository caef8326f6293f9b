"""Tests of agent/env."""
