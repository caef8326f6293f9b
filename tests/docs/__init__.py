"""Tests of the documents: pages that are generated, and code blocks that run."""
