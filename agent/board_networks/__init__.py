"""Networks over the boards of games: what they see, how they are trained, and where they are kept."""
