"""The start clock: which variants a game has, what is learned of it, and which search will play it."""
