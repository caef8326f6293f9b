"""What a game is and how it goes: its kind, its balance, and what random and good play make of it."""
