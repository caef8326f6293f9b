"""The engine process, which computes."""
