"""The networks and cores on which one game is searched."""
