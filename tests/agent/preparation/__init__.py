"""Tests of agent/preparation."""
