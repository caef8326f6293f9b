"""Gomoku for its own tools: strategies of the native core on any board, and the Gomocup protocol."""
