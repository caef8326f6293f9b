"""Wins that no answer can stop any more, found in the network and added to it as ends of the game."""
