"""The rules of Tak, and a slow reference implementation."""
