"""Tests of propnet/."""
