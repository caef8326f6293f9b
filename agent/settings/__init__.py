"""The settings of the player, and what each of its strategies does."""
