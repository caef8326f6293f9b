"""The start clock: what kind of game it is, what is learned of it, and which search will play it."""
