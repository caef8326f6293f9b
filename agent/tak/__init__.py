"""Tak for its own tools: strategies of the native core on boards of any size, the Tak engine interface, training."""
